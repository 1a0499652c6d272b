// Small helpers of the chat page's scripts.

/** A copy of one of the page's templates: the server wrote its words. */
export function partial(id: string): DocumentFragment {
  const template = document.querySelector<HTMLTemplateElement>(`template#${id}`);
  return template ? document.importNode(template.content, true) : document.createDocumentFragment();
}

/** Put one of the templates where problems are told. */
export function notice(id: string | null): void {
  document.querySelector("#notice")?.replaceChildren(...(id ? [partial(id)] : []));
}

/** Give a part of the page the focus, where what had it is gone; nothing is taken from a page around this one. */
export function rescueFocus(part: HTMLElement | null | undefined): void {
  if (document.hasFocus() && document.activeElement === document.body) part?.focus({ preventScroll: true });
}

/** A message's form for a number, by the rules of the page's language, with the number in its place.
 *
 * The server writes the forms as JSON, by their CLDR names (server/messages). */
export function counted(message: string | undefined, name: string, count: number): string {
  const forms = JSON.parse(message ?? "{}") as Record<string, string>;
  const form = new Intl.PluralRules(document.documentElement.lang).select(count);
  return (forms[form] ?? forms["other"] ?? "").replace(`{${name}}`, String(count));
}

/** Have a screen reader say it, once, when it has finished what it is saying. */
export function announce(text: string): void {
  const region = document.querySelector("#announce");
  if (region) region.textContent = text;
}
