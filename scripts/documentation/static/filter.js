// A field above each long table that hides the rows without the words typed into it.
//
// Input: the page. Output: the same with fields; a page without long tables stays as it is.

"use strict";

const LONG = 24; // Rows that a reader looks through anyway.

function show(rows, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of rows) {
    const content = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => content.includes(word));
  }
}

function addField(table) {
  const rows = [...table.querySelectorAll("tbody tr")];
  if (rows.length <= LONG) return;
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = "words that a row has: wgrad r=3";
  field.setAttribute("aria-label", "Filter the rows of the table");
  field.style.cssText = "width: 100%; max-width: 24em; margin-bottom: 0.5em";
  field.addEventListener("input", () => show(rows, field.value));
  const frame = table.closest(".table-wrapper") || table;
  frame.before(field);
}

document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("article table").forEach(addField);
});
