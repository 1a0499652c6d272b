// The chat page's own script: what htmx and the server's partials do not do by themselves. Without it, and
// without htmx, the page is a plain form.
import { Composer } from "./composer";
import { embedded } from "./embedded";
import { announce } from "./page";
import { Tab } from "./tab";
import { listenToButtons, watchTurns } from "./turns";

const form = document.querySelector<HTMLFormElement>("form.ask");
const box = document.querySelector<HTMLTextAreaElement>("#question");
if (form && box) {
  const composer = new Composer(form, box);
  closeMenu();
  listenToButtons(composer);
  watchTurns(composer, embedded(box, (text) => composer.ask(text)));
  void new Tab().restore();
  openForPrint();
  const news = document.querySelector("#news")?.textContent;
  if (news) setTimeout(() => announce(news), 500);
}

/** Escape and a click elsewhere close the menu, before they do anything else. */
function closeMenu(): void {
  const menu = document.querySelector<HTMLDetailsElement>(".menu");
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu?.open) return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
    event.preventDefault();
  });
  addEventListener("click", (event) => {
    if (menu && !menu.contains(event.target as Node)) menu.open = false;
  });
}

/** On paper a passage is shown or it is not there. */
function openForPrint(): void {
  addEventListener("beforeprint", () => {
    for (const passage of document.querySelectorAll<HTMLDetailsElement>(".source details, .whole")) passage.open = true;
  });
}
