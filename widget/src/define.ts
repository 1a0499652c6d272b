import { LodgeChat, TAG } from "./lodge-chat";

const ATTRIBUTES = ["site", "label", "lang", "position", "bottom", "contact"];

/**
 * Define `<lodge-chat>`. A script that names a site appends its element, unless there is one; a script that names
 * none leaves it to the elements that were placed by hand, and appends `main` where there are none.
 */
export function define(script: HTMLScriptElement | null): void {
  if (!customElements.get(TAG)) {
    LodgeChat.server = new URL(script?.src ?? location.href).origin;
    customElements.define(TAG, LodgeChat);
  }
  whenParsed(() => {
    const site = script?.dataset["site"];
    const same = site === undefined ? TAG : `${TAG}[site="${CSS.escape(site)}"]`;
    // Not into the body: a single-page app may replace that, and a page may transform it.
    if (!document.querySelector(same)) document.documentElement.append(elementFor(script));
  });
}

function elementFor(script: HTMLScriptElement | null): HTMLElement {
  const element = document.createElement(TAG);
  for (const name of ATTRIBUTES) {
    const value = script?.dataset[name];
    if (value !== undefined) element.setAttribute(name, value);
  }
  return element;
}

/** An async script can run before the page's own element, or even its body, has been read. */
function whenParsed(act: () => void): void {
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", act, { once: true });
  else act();
}
