// A cell of a table shows the failures that it counts: #SYSTEM or #SYSTEM/KIND/NAME, where KIND is "property" or "family".
"use strict";
function show() {
  const [system, kind, name] = decodeURIComponent(location.hash.slice(1)).split("/");
  const bar = document.getElementById("filter");
  bar.hidden = !name;
  bar.querySelector("span").textContent = name ? system + ", " + kind + " " + name : "";
  for (const row of document.querySelectorAll("tr[data-system]")) {
    const has = !name || row.dataset[kind].split(" ").includes(name);
    row.hidden = row.dataset.system === system && !has;
  }
  const section = document.getElementById(system);
  if (!section) return;
  const failures = section.querySelector("details");
  failures.open = failures.open || Boolean(name);
  section.scrollIntoView();
}
addEventListener("hashchange", show);
show();
