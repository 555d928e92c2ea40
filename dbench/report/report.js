"use strict";
// Sorting and filtering; without this script the page shows every record, grouped by paper, worst first.
(() => {
  const VERDICTS = ["broken", "not reproduced", "inconclusive", "reproduced"];
  const byId = (id) => document.getElementById(id);
  const table = document.querySelector("table.records");

  const save = byId("save");
  save.hidden = false;
  save.addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([byId("data").textContent], { type: "application/json" }));
    link.download = "report.json";
    link.click();
    URL.revokeObjectURL(link.href);
  });
  if (!table) return;

  const headings = [...table.querySelectorAll("thead th")];
  const papers = [...table.querySelectorAll("tbody.paper")];
  const records = [...table.querySelectorAll("tbody.record")];
  const controls = byId("controls");
  const started = new Map(records.map((record, place) => [record, place]));
  let order = { key: "", number: false, descending: false };

  const value = (record) => {
    const text = record.dataset[order.key];
    if (order.key === "verdict") return VERDICTS.indexOf(text);
    if (!order.number) return text;
    return text === "None" || text === "" ? null : Number(text);
  };

  const compare = (one, other) => {
    const [a, b] = [value(one), value(other)];
    if (a === null || b === null) return (a === null) - (b === null); // what is missing comes last both ways
    const sign = order.descending ? -1 : 1;
    return sign * (order.number || order.key === "verdict" ? a - b : a.localeCompare(b, "en", { numeric: true }));
  };

  const arrange = () => {
    const stable = (one, other) => started.get(one) - started.get(other);
    const sorted = [...records].sort((one, other) => (order.key ? compare(one, other) : 0) || stable(one, other));
    if (byId("grouped").checked) {
      for (const paper of papers) {
        table.append(paper, ...sorted.filter((record) => record.dataset.paper === paper.dataset.paper));
      }
    } else {
      table.append(...papers, ...sorted);
    }
  };

  const hasVerdict = (record, wanted) => {
    const { verdict, standing } = record.dataset;
    if (wanted === "unexpected") return standing === "unexpected";
    if (wanted === "deviation") return verdict !== "reproduced" || standing === "unexpected";
    return !wanted || verdict === wanted;
  };

  const filter = () => {
    const words = byId("text").value.toLowerCase().split(/\s+/).filter(Boolean);
    const [verdict, paper, evidence] = ["verdict", "paper", "evidence"].map((id) => byId(id).value);
    const seen = new Set();
    let shown = 0;
    for (const record of records) {
      const fits =
        hasVerdict(record, verdict) &&
        (!paper || record.dataset.paper === paper) &&
        (!evidence || record.dataset.evidence === evidence) &&
        words.every((word) => record.dataset.words.includes(word));
      record.hidden = !fits;
      if (fits) {
        shown += 1;
        seen.add(record.dataset.paper);
      }
    }
    for (const heading of papers) heading.hidden = !byId("grouped").checked || !seen.has(heading.dataset.paper);
    byId("shown").textContent = `${shown} of ${records.length} records`;
  };

  for (const heading of headings) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    heading.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const { key } = heading.dataset;
      const descending = order.key === key && !order.descending;
      order = { key, number: "number" in heading.dataset, descending };
      for (const each of headings) each.setAttribute("aria-sort", "none");
      heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
      arrange();
    });
  }

  controls.hidden = false;
  table.classList.add("sortable");
  controls.addEventListener("submit", (event) => event.preventDefault());
  controls.addEventListener("input", filter);
  byId("grouped").addEventListener("change", () => {
    arrange();
    filter();
  });
  controls.addEventListener("reset", () => {
    order = { key: "", number: false, descending: false };
    for (const heading of headings) heading.setAttribute("aria-sort", "none");
    setTimeout(() => {
      arrange();
      filter();
    });
  });
  filter();
})();
