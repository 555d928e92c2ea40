"use strict";
// Sorting and filtering; without this script the page shows every finding with its records, by paper, worst first.
(() => {
  const VERDICTS = ["broken", "not reproduced", "inconclusive", "reproduced"];
  const byId = (id) => document.getElementById(id);
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];

  const save = byId("save");
  save.hidden = !("DecompressionStream" in window);
  save.addEventListener("click", async () => {
    const packed = Uint8Array.from(atob(byId("data").textContent), (sign) => sign.charCodeAt(0));
    const bytes = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const data = await new Response(bytes).arrayBuffer();
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([data], { type: "application/json" }));
    link.download = "report.json";
    link.click();
    URL.revokeObjectURL(link.href);
  });

  const overview = document.querySelector("table.findings");
  if (!overview) return;

  const controls = byId("controls");
  const groups = byId("groups");
  const papers = all("tbody.paper", overview);
  const findings = all("tbody.finding", overview).map((row) => {
    const table = byId(row.dataset.group);
    return { row, table, details: table.closest("details"), records: all("tbody.record", table) };
  });
  const records = findings.flatMap((finding) => finding.records);
  const started = new Map([...findings.map((finding) => finding.row), ...records].map((row, place) => [row, place]));

  const flat = document.createElement("table"); // all records in one table, for when they are not grouped
  flat.className = "records";
  flat.append(findings[0].table.tHead.cloneNode(true));
  flat.hidden = true;
  groups.append(flat);

  const value = (row, { key, number }) => {
    const text = row.dataset[key];
    if (key === "verdict") return VERDICTS.indexOf(text);
    if (!number) return text;
    return text === "None" || text === "" ? null : Number(text);
  };

  const compare = (order) => (one, other) => {
    const asStarted = started.get(one) - started.get(other);
    if (!order.key) return asStarted;
    const [a, b] = [value(one, order), value(other, order)];
    if (a === null || b === null) return (a === null) - (b === null) || asStarted; // what is missing comes last both ways
    const numeric = order.number || order.key === "verdict";
    const sign = order.descending ? -1 : 1;
    return sign * (numeric ? a - b : a.localeCompare(b, "en", { numeric: true })) || asStarted;
  };

  // Make the headings of some tables sort them, all by one order.
  const sortable = (tables, arrange) => {
    const headings = tables.flatMap((table) => all("thead th", table));
    const none = { key: "", number: false, descending: false };
    const sorting = { order: none };
    const apply = (order) => {
      sorting.order = order;
      for (const heading of headings) {
        const sorted = heading.dataset.key === order.key;
        heading.setAttribute("aria-sort", !sorted ? "none" : order.descending ? "descending" : "ascending");
      }
    };
    for (const heading of headings) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const { key } = heading.dataset;
        const { order } = sorting;
        apply({ key, number: "number" in heading.dataset, descending: order.key === key && !order.descending });
        arrange();
      });
    }
    for (const table of tables) table.classList.add("sortable");
    sorting.reset = () => apply(none);
    sorting.reset();
    return sorting;
  };

  const arrange = () => {
    const grouped = byId("grouped").checked;
    const rows = findings.map((finding) => finding.row).sort(compare(ofFindings.order));
    for (const paper of papers) {
      overview.append(paper, ...(grouped ? rows.filter((row) => row.dataset.paper === paper.dataset.paper) : []));
    }
    if (!grouped) overview.append(...rows);
    const order = compare(ofRecords.order);
    if (grouped) for (const finding of findings) finding.table.append(...finding.records.sort(order));
    else flat.append(...[...records].sort(order));
    flat.hidden = grouped;
  };

  // What the text filter looks through: the row as it reads, and of the details those below, each row once.
  const SEARCHED = ["Reason", "Where", "Rule", "Statistic", "Test"];
  const heard = new Map();
  const wordsOf = (row) => {
    if (!heard.has(row)) {
      const cells = all("td.claim > :not(.filter), .record td.evidence, .more summary", row);
      const told = all("dt", row).filter((term) => SEARCHED.includes(term.textContent));
      const parts = [...cells, ...told.map((term) => term.nextElementSibling)];
      heard.set(row, parts.map((part) => part.textContent.toLowerCase()).join(" "));
    }
    return heard.get(row);
  };

  const filter = () => {
    const grouped = byId("grouped").checked;
    const words = byId("text").value.toLowerCase().split(/\s+/).filter(Boolean);
    const [verdict, paper, evidence] = ["verdict", "paper", "evidence"].map((id) => byId(id).value);
    const speaks = (row) => words.every((word) => wordsOf(row).includes(word));
    const fits = ({ dataset }) => {
      if (verdict === "unexpected" && dataset.standing !== "unexpected") return false;
      if (verdict === "deviation" && dataset.verdict === "reproduced" && dataset.standing !== "unexpected") return false;
      if (VERDICTS.includes(verdict) && dataset.verdict !== verdict) return false;
      return (!paper || dataset.paper === paper) && (!evidence || dataset.evidence === evidence);
    };
    const seen = { findings: 0, records: 0, rows: new Set(), groups: new Set() };
    for (const { row, details, records: own } of findings) {
      // Words that name a finding stand for all its records, and a record that is found shows its finding.
      const named = speaks(row);
      const spoken = own.filter((record) => named || speaks(record));
      const shown = spoken.filter(fits);
      for (const record of own) record.hidden = !shown.includes(record);
      row.hidden = !(spoken.length && fits(row));
      details.hidden = !grouped || !shown.length;
      details.open = shown.length <= Number(groups.dataset.most);
      details.querySelector(".seen").textContent = shown.length < own.length ? `${shown.length} shown` : "";
      seen.findings += !row.hidden;
      seen.records += shown.length;
      if (!row.hidden) seen.rows.add(row.dataset.paper);
      if (!details.hidden) seen.groups.add(row.dataset.paper);
    }
    for (const heading of papers) heading.hidden = !grouped || !seen.rows.has(heading.dataset.paper);
    for (const heading of all("h3", groups)) heading.hidden = !seen.groups.has(heading.dataset.paper);
    byId("shown").textContent =
      `${seen.findings} of ${findings.length} findings, ${seen.records} of ${records.length} records`;
  };

  const ofFindings = sortable([overview], arrange);
  const several = findings.filter((finding) => finding.records.length > 1);
  const ofRecords = sortable([flat, ...several.map((finding) => finding.table)], arrange);

  const update = () => {
    arrange();
    filter();
  };
  // Show the records of a finding, or what differs in all of them: a place inside its group.
  const reveal = (id) => {
    const place = byId(id);
    const finding = findings.find(({ details }) => details.contains(place));
    if (!finding) return;
    if (!byId("grouped").checked) {
      byId("grouped").checked = true;
      update();
    }
    finding.details.open = true;
    if (place.matches("details")) place.open = true;
    place.scrollIntoView();
  };
  for (const link of all("a")) link.addEventListener("click", () => reveal(link.hash.slice(1)));
  window.addEventListener("hashchange", () => reveal(location.hash.slice(1)));

  controls.hidden = false;
  controls.addEventListener("submit", (event) => event.preventDefault());
  controls.addEventListener("input", filter);
  byId("grouped").addEventListener("change", update);
  controls.addEventListener("reset", () => {
    ofFindings.reset();
    ofRecords.reset();
    setTimeout(update);
  });
  filter();
  reveal(location.hash.slice(1));
})();
