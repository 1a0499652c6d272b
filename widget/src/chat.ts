// The chat page's own script: what htmx and the server's partials do not do by themselves. Without it, and
// without htmx, the page is a plain form.
import { embedded } from "./embedded";

const form = document.querySelector("form");
const box = document.querySelector("textarea");
if (form && box) {
  sendOnEnter(form, box);
  keepWhatFailed(form, box);
  embedded(box);
}

/** Enter sends, Shift+Enter makes a line; while a word is being composed (Japanese, Chinese) Enter ends the word. */
function sendOnEnter(form: HTMLFormElement, box: HTMLTextAreaElement): void {
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
}

/** The box is emptied once the question has arrived, and filled again if no answer comes of it. */
function keepWhatFailed(form: HTMLFormElement, box: HTMLTextAreaElement): void {
  form.addEventListener("htmx:afterRequest", (event) => {
    if ((event as CustomEvent<{ successful: boolean }>).detail.successful) box.value = "";
  });
  form.addEventListener("htmx:sendError", () => {
    document.querySelector("#notice")?.replaceChildren(partial("unsent"));
  });
  document.addEventListener("htmx:sseError", (event) => {
    const { source } = (event as CustomEvent<{ source: EventSource }>).detail;
    source.close();
    const pending = event.target as HTMLElement;
    const turn = pending.closest<HTMLElement>(".turn");
    pending.replaceWith(partial("lost"));
    giveBack(turn, box);
  });
  document.addEventListener("htmx:load", (event) => {
    const added = event.target as HTMLElement;
    if (added.matches(".turn, .answer")) added.closest(".turn")?.scrollIntoView({ block: "start" });
    if (added.matches("[data-failed]")) giveBack(added.closest(".turn"), box);
  });
}

/** The turn's question goes back into the box, unless something new has been typed there. */
function giveBack(turn: HTMLElement | null, box: HTMLTextAreaElement): void {
  box.value ||= turn?.querySelector(".message-text")?.textContent ?? "";
}

/** A copy of one of the page's templates: the server wrote its words. */
function partial(id: string): DocumentFragment {
  const template = document.querySelector<HTMLTemplateElement>(`template#${id}`);
  return template ? document.importNode(template.content, true) : document.createDocumentFragment();
}
