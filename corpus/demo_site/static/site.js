"use strict";

function toggle(button, panel) {
  const open = button.getAttribute("aria-expanded") !== "true";
  button.setAttribute("aria-expanded", String(open));
  if (panel) panel.hidden = !open;
}

document.querySelectorAll(".accordion-item > button, .accordion-item > h2 > button, .accordion-item > h3 > button")
  .forEach((button) => {
    const panel = button.closest(".accordion-item").querySelector(".accordion-panel");
    button.addEventListener("click", () => toggle(button, panel));
  });

document.querySelectorAll(".menu-toggle, .mega-toggle").forEach((button) => {
  button.addEventListener("click", () => toggle(button, null));
});

const banner = document.getElementById("cookie-banner");
let choice = null;
try {
  choice = localStorage.getItem("larkmoor-cookies");
} catch {
  choice = null; // storage is switched off: ask each time
}
if (choice) banner.hidden = true;
banner.addEventListener("click", (event) => {
  const picked = event.target.dataset.cookies;
  if (!picked) return;
  banner.hidden = true;
  try {
    localStorage.setItem("larkmoor-cookies", picked);
  } catch {
    // storage is switched off: the choice lasts for this page
  }
});
