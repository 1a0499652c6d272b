// What the widget and the chat page say to each other. Both check the sender's window and its exact origin.

/** The widget to the page: the panel has opened, take the focus. */
export const OPENED = "lodge:opened";

/** The page to the widget: the visitor pressed Escape. */
export const CLOSE = "lodge:close";

/** Whether an event is `message`, from this very window and this very origin. */
export function isFrom(
  event: MessageEvent<unknown>,
  message: string,
  sender: Window | null,
  origins: readonly string[],
): boolean {
  return event.data === message && event.source === sender && sender !== null && origins.includes(event.origin);
}
