import { type ANSWER, ASK, CLOSE, OPENED, type QUESTION, READY, heard } from "./messages";

/** The chat page's side of the talk with the widget around it, if there is one. */
export interface Host {
  tell(word: typeof QUESTION | typeof ANSWER, more?: boolean): void;
}

/** Inside the widget's frame: take the focus when the panel opens, ask what it asks, have Escape close it. */
export function embedded(box: HTMLTextAreaElement, ask: (text: string) => void): Host {
  if (window.parent === window) {
    if (!matchMedia("(pointer: coarse)").matches) box.focus({ preventScroll: true });
    return { tell: () => undefined };
  }
  const allowed = [location.origin, ...(document.body.dataset["frameOrigins"] ?? "").split(" ").filter(Boolean)];
  let host: string | null = null;
  const tell = (word: string, more?: boolean): void => {
    if (host !== null) window.parent.postMessage([word, more], host);
  };
  addEventListener("message", (event) => {
    const [word, text] = heard(event, window.parent, allowed);
    if (word === OPENED) {
      host = event.origin;
      // The box sticks to the bottom: a browser would scroll to where it lies, past the greeting.
      box.focus({ preventScroll: true });
      tell(READY);
    }
    if (word === ASK && typeof text === "string") ask(text);
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented) tell(CLOSE);
  });
  return { tell };
}
