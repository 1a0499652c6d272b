import { CLOSE, OPENED, isFrom } from "./messages";

/** Inside the widget's frame: take the focus when the panel opens, ask it to close on Escape. */
export function embedded(box: HTMLTextAreaElement): void {
  if (window.parent === window) {
    box.focus();
    return;
  }
  const allowed = [location.origin, ...(document.body.dataset["frameOrigins"] ?? "").split(" ").filter(Boolean)];
  let host: string | null = null;
  addEventListener("message", (event) => {
    if (!isFrom(event, OPENED, window.parent, allowed)) return;
    host = event.origin;
    box.focus();
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && host !== null) window.parent.postMessage(CLOSE, host);
  });
}
