// A cell of a table shows the failures that it counts: #SYSTEM or #SYSTEM/KIND/NAME, where KIND is "property" or "family".
// #case-… is the row of a failure.
// The search box shows the failures with all of its words.
"use strict";
const search = document.querySelector("#search input");
function choose() {
  if (!search) return;
  const [system, kind, name] = decodeURIComponent(location.hash.slice(1)).split("/");
  const words = search.value.toLowerCase().split(/\s+/);
  let shown = 0;
  for (const row of document.querySelectorAll("tr[data-system]")) {
    const has = !name || row.dataset.system !== system || row.dataset[kind].split(" ").includes(name);
    const text = row.textContent.toLowerCase();
    row.hidden = !has || !words.every((word) => text.includes(word));
    shown += !row.hidden;
    if (!row.hidden && search.value) row.closest("details").open = true;
  }
  document.querySelector("#search output").textContent = search.value ? `${shown} found` : "";
}
function show() {
  const [system, kind, name] = decodeURIComponent(location.hash.slice(1)).split("/");
  const section = document.getElementById(system);
  const bar = document.getElementById("filter");
  if (bar) bar.hidden = !(section && name);
  if (bar) bar.querySelector("span").textContent = bar.hidden ? "" : section.querySelector("h2").textContent + ", " + kind + " " + name;
  choose();
  if (!section) return;
  for (let above = section.closest("details"); above; above = above.parentElement.closest("details")) above.open = true;
  const failures = section.querySelector(".failures")?.closest("details");
  if (failures) failures.open = failures.open || Boolean(name);
  section.scrollIntoView();
}
if (search) document.getElementById("search").hidden = false;
if (search) search.addEventListener("input", choose);
addEventListener("hashchange", show);
show();
