import { LodgeChat } from "./lodge-chat";

const TAG = "lodge-chat";

/**
 * Define `<lodge-chat>`, and append one when none was placed by hand. An element that names no server belongs to
 * the one this script came from. A second script on the same page changes nothing.
 */
export function define(script: HTMLScriptElement | null): void {
  if (customElements.get(TAG)) return;
  customElements.define(TAG, belongingTo(script ? new URL(script.src, location.href).origin : location.origin));
  whenParsed(() => {
    if (!document.querySelector(TAG)) document.body.append(elementFor(script));
  });
}

function belongingTo(server: string): typeof LodgeChat {
  return class extends LodgeChat {
    override connectedCallback(): void {
      if (!this.hasAttribute("server")) this.setAttribute("server", server);
      super.connectedCallback();
    }
  };
}

function elementFor(script: HTMLScriptElement | null): HTMLElement {
  const element = document.createElement(TAG);
  for (const name of ["site", "label"]) {
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
