"use strict";
// Filters, sorting and addresses; without this script the page shows every finding, by paper, the worst first.
(() => {
  const byId = (id) => document.getElementById(id);
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];

  const unpacked = (id) => {
    const packed = Uint8Array.from(atob(byId(id).textContent), (sign) => sign.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")));
  };
  const save = byId("save");
  save.hidden = !("DecompressionStream" in window);
  save.addEventListener("click", async () => {
    const data = await unpacked("data").arrayBuffer();
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([data], { type: "application/json" }));
    link.download = "report.json";
    link.click();
    URL.revokeObjectURL(link.href);
  });

  let pictures; // name -> [words, SVG], once somebody has opened a finding that has one
  const illustrate = async ({ target }) => {
    for (const figure of all("figure", target)) {
      pictures ??= unpacked("pictures").json();
      const [words, svg] = (await pictures)[figure.dataset.figure];
      const image = Object.assign(new Image(), { alt: words, src: `data:image/svg+xml,${encodeURIComponent(svg)}` });
      if (!figure.querySelector("img")) figure.prepend(image);
    }
  };
  if (!save.hidden) document.addEventListener("toggle", illustrate, true);

  const table = document.querySelector("table.findings");
  if (!table) return;

  const controls = byId("controls");
  const fields = ["q", "verdict", "paper", "evidence"].map((name) => controls.elements[name]);
  const verdicts = [...controls.elements.verdict.options].slice(3).map((option) => option.value); // the best first
  const papers = all("tbody.paper", table);
  const findings = all("tbody.finding", table);
  const started = [...table.tBodies];
  const headings = all("th", table.tHead);
  let sorting = ""; // the key of a column, with a minus in front when descending

  const value = (row, key) => {
    const text = row.dataset[key];
    if (key === "verdict") return -verdicts.indexOf(text);
    if (key === "claim") return text;
    return text === "" ? null : Number(text);
  };
  const arrange = () => {
    const key = sorting.replace("-", "");
    const sign = sorting.startsWith("-") ? -1 : 1;
    const compare = (one, other) => {
      const [a, b] = [value(one, key), value(other, key)];
      if (a === null || b === null) return (a === null) - (b === null); // what is missing comes last both ways
      return sign * (key === "claim" ? a.localeCompare(b, "en") : a - b);
    };
    table.append(...(key ? [...findings].sort(compare) : started));
    for (const heading of headings) {
      const sorted = heading.dataset.key === key;
      heading.setAttribute("aria-sort", !sorted ? "none" : sign < 0 ? "descending" : "ascending");
    }
  };

  const texts = new Map(); // of each finding all the text that it can show
  const textOf = (row) => {
    if (!texts.has(row)) texts.set(row, row.textContent.replace(/\s+/g, " ").toLowerCase());
    return texts.get(row);
  };
  const filter = () => {
    const [search, verdict, paper, evidence] = fields.map((field) => field.value);
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (row) => {
      const { dataset } = row;
      if (verdict === "unexpected" && dataset.unexpected === "0") return false;
      if (verdict === "not-reproduced" && dataset.verdict === "reproduced") return false;
      if (verdicts.includes(verdict) && dataset.verdict !== verdict) return false;
      if ((paper && dataset.paper !== paper) || (evidence && dataset.evidence !== evidence)) return false;
      return words.every((word) => textOf(row).includes(word));
    };
    const shown = findings.filter((row) => (row.hidden = !fits(row)) === false);
    const seen = new Set(shown.map((row) => row.dataset.paper));
    for (const heading of papers) heading.hidden = Boolean(sorting) || !seen.has(heading.dataset.paper);
    byId("shown").textContent = `${shown.length} of ${findings.length} findings`;
  };

  // The address holds the filters and the order, so that a view can be sent to somebody.
  const write = () => {
    const state = new URLSearchParams();
    for (const field of fields) if (field.value) state.set(field.name, field.value);
    if (sorting) state.set("sort", sorting);
    const query = state.toString();
    history.replaceState(null, "", `${location.pathname}${query ? `?${query}` : ""}${location.hash}`);
  };
  const read = () => {
    const state = new URLSearchParams(location.search);
    for (const field of fields) {
      const wanted = state.get(field.name) ?? "";
      field.value = wanted;
      if (field.value !== wanted) field.value = ""; // an option this report does not have
    }
    const sort = state.get("sort") ?? "";
    sorting = headings.some((heading) => heading.dataset.key === sort.replace("-", "")) ? sort : "";
    arrange();
    filter();
  };
  const update = () => {
    arrange();
    filter();
    write();
  };
  const reveal = () => {
    const place = byId(decodeURIComponent(location.hash.slice(1)));
    if (!place) return;
    const finding = place.closest("tbody.finding");
    if (finding && finding.hidden) {
      controls.reset();
      filter();
      write();
    }
    const details = finding ? finding.querySelector("details") : place.closest("details");
    if (details) details.open = true;
    place.scrollIntoView();
  };

  for (const heading of headings) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const { key } = heading.dataset;
      sorting = sorting === key ? `-${key}` : sorting === `-${key}` ? "" : key;
      update();
    });
  }
  for (const link of all('a[href^="?"]')) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      history.pushState(null, "", link.getAttribute("href"));
      read();
      byId("findings").scrollIntoView();
    });
  }
  for (const link of all('a[href^="#"]')) {
    link.addEventListener("click", () => setTimeout(reveal)); // also when the address already has this hash
  }
  window.addEventListener("hashchange", reveal);
  window.addEventListener("popstate", read);
  controls.addEventListener("submit", (event) => event.preventDefault());
  controls.addEventListener("input", update);
  controls.addEventListener("reset", () => {
    sorting = "";
    setTimeout(update);
  });
  controls.hidden = false;
  read();
  reveal();
})();
