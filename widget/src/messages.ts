// What the widget and the chat page say to each other: `[word]` or `[word, more]`. Both check the sender's window
// and its exact origin.

/** The widget to the page: the panel has opened, take the focus; and, with a text: ask this. */
export const OPENED = "lodge-open";
export const ASK = "lodge-ask";

/** The page to the widget: I am here; the visitor pressed Escape. */
export const READY = "lodge-ready";
export const CLOSE = "lodge-close";

/** The page to the widget, which tells it on: a question was asked; answered, and whether that was a refusal. */
export const QUESTION = "lodge-question";
export const ANSWER = "lodge-answer";

/** The message's words, if they come from this very window and one of these very origins. */
export function heard(
  event: MessageEvent<unknown>,
  sender: Window | null | undefined,
  origins: readonly string[],
): readonly unknown[] {
  const trusted = sender && event.source === sender && origins.includes(event.origin);
  return trusted && Array.isArray(event.data) ? event.data : [];
}
