import type { Composer } from "./composer";
import { ANSWER, QUESTION } from "./messages";
import type { Host } from "./embedded";
import { announce, notice, partial, rescueFocus } from "./page";

declare const htmx: { remove(element: Element): void };

/** What htmx and the server's partials do not do by themselves as questions and answers come in. */
export function watchTurns(composer: Composer, host: Host): void {
  document.addEventListener("htmx:sendError", () => notice("unsent"));
  document.addEventListener("htmx:sseError", (event) => {
    const { source } = (event as CustomEvent<{ source: EventSource }>).detail;
    source.close();
    end(event.target as HTMLElement, "lost", composer);
  });
  document.addEventListener("htmx:load", (event) => {
    const added = event.target as HTMLElement;
    if (added.matches(".turn")) {
      rescueFocus(added); // a suggestion that was chosen is gone
      host.tell(QUESTION);
    }
    if (added.matches(".answer:not(.failed)")) host.tell(ANSWER, added.matches(".refusal"));
    if (added.matches(".turn, .answer")) added.closest(".turn")?.scrollIntoView({ block: "start" });
    if (added.matches(".answer")) rescueFocus(added.closest<HTMLElement>(".turn")); // so is the button that stops it
    if (added.matches(".feedback")) {
      rescueFocus(added.querySelector<HTMLElement>("[aria-pressed=true]"));
      added.querySelector(".why")?.scrollIntoView({ block: "nearest" });
    }
    if (added.matches(".problem[data-wait]")) composer.wait(added);
    if (added.matches("[data-failed]")) {
      announce("");
      composer.giveBack(questionOf(added));
    }
    uncover(added);
  });
  uncover(document.body);
}

/** Buttons that need this script are hidden until it is there. */
function uncover(within: HTMLElement): void {
  for (const button of within.querySelectorAll<HTMLElement>("[data-act]")) button.hidden = false;
}

/** The buttons that work on this page alone. */
export function listenToButtons(composer: Composer): void {
  document.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLElement>("[data-act]");
    const act = button?.dataset["act"];
    if (act === "print") window.print();
    if (act === "copy") void copy(button?.closest<HTMLElement>(".answer"));
    if (act === "stop") end(button?.closest<HTMLElement>(".pending"), "stopped", composer);
  });
}

/** An answer that will not be finished: its place says why, its question goes back into the box. */
function end(pending: HTMLElement | null | undefined, why: string, composer: Composer): void {
  if (!pending) return;
  const question = questionOf(pending);
  pending.before(partial(why));
  htmx.remove(pending);
  announce("");
  composer.giveBack(question);
  rescueFocus(document.querySelector<HTMLElement>("#question"));
}

function questionOf(part: Element): string {
  return part.closest(".turn")?.querySelector(".message-text")?.textContent ?? "";
}

/** The answer as text, with its sources below. */
async function copy(answer: HTMLElement | null | undefined): Promise<void> {
  const shown = ":scope > :not(details), :scope > details[open] > :not(summary)";
  const said = answer?.querySelector<HTMLElement>(".answer-text");
  const blocks = [...(said?.matches(".blocks") ? said.querySelectorAll<HTMLElement>(shown) : said ? [said] : [])];
  const parts = blocks.filter((one) => one.checkVisibility()).map((one) => one.innerText);
  const links = [...(answer?.querySelectorAll<HTMLAnchorElement>(".sources .page-link, .closest .page-link") ?? [])];
  const sources = links.map((link) => `${link.querySelector("span")?.textContent ?? ""} <${link.href}>`);
  const copied = await write([...parts, ...sources].join("\n"));
  announce(partial(copied ? "copied" : "not-copied").textContent ?? "");
}

async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
