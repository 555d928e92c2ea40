"use strict";
// Filters and addresses; without this script the page shows every finding, by paper, the worst first.
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

  const controls = byId("controls");
  if (!controls) return;

  const fields = ["q", "verdict", "paper", "evidence"].map((name) => controls.elements[name]);
  const papers = all("section.paper");
  const findings = all("details.finding");
  const folds = all("details.fold");
  const groups = {
    failed: ["absent", "contradicted"],
    "not-reproduced": [...controls.elements.verdict.options].slice(6).map((option) => option.value),
  };

  const texts = new Map(); // of each finding all the text that it can show
  const textOf = (row) => {
    if (!texts.has(row)) texts.set(row, row.textContent.replace(/\s+/g, " ").toLowerCase());
    return texts.get(row);
  };
  const filtered = () => fields.some((field) => field.value);
  const filter = () => {
    const [search, verdict, paper, evidence] = fields.map((field) => field.value);
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (row) => {
      const { dataset } = row;
      if (verdict === "unexpected" ? dataset.unexpected === "0" : verdict && !(groups[verdict] ?? [verdict]).includes(dataset.verdict)) return false;
      if ((paper && dataset.paper !== paper) || (evidence && dataset.evidence !== evidence)) return false;
      return words.every((word) => textOf(row).includes(word));
    };
    const shown = findings.filter((row) => (row.hidden = !fits(row)) === false);
    for (const part of [...papers, ...folds]) part.hidden = !shown.some((row) => part.contains(row));
    for (const fold of folds) fold.open = filtered();
    byId("shown").textContent = `${shown.length} of ${findings.length} findings`;
  };

  // The address holds the filters, so that a view can be sent to somebody.
  const write = () => {
    const state = new URLSearchParams();
    for (const field of fields) if (field.value) state.set(field.name, field.value);
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
    filter();
    if (filtered()) byId("findings").scrollIntoView();
  };
  const update = () => {
    filter();
    write();
  };
  const reveal = () => {
    const place = byId(decodeURIComponent(location.hash.slice(1)));
    if (!place) return;
    if (place.hidden) {
      controls.reset();
      update();
    }
    for (let part = place; part; part = part.parentElement) if (part.matches("details")) part.open = true;
    place.scrollIntoView();
  };

  for (const link of all('a[href^="?"]')) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      history.pushState(null, "", link.getAttribute("href"));
      read();
    });
  }
  for (const link of all('a[href^="#"]')) {
    link.addEventListener("click", () => setTimeout(reveal)); // also when the address already has this hash
  }
  window.addEventListener("hashchange", reveal);
  window.addEventListener("popstate", read);
  matchMedia("print").addEventListener("change", ({ matches }) => {
    for (const fold of folds) fold.open = matches || filtered();
  });
  controls.addEventListener("submit", (event) => event.preventDefault());
  controls.addEventListener("input", update);
  controls.addEventListener("reset", () => setTimeout(update));
  controls.hidden = false;
  read();
  reveal();
})();
