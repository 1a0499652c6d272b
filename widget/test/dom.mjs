// A page without a browser. Each test file runs in a process of its own, so its globals disturb nobody.
import { Window } from "happy-dom";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const BUILT = fileURLToPath(new URL("../dist/widget.js", import.meta.url));
export const SERVER = "https://ask.example.edu";

/** A host page that has run the built loader, as `<script src=…/widget.js data-…>` would. */
export async function hostPage({ body = "", data = {}, scripts = 1 } = {}) {
  const window = new Window({ url: "https://www.example.edu/visit", settings: { disableIframePageLoading: true } });
  window.document.body.innerHTML = body;
  const source = await readFile(BUILT, "utf8");
  for (let i = 0; i < scripts; i += 1) run(window, source, data);
  return window;
}

function run(window, source, data) {
  const script = { src: `${SERVER}/widget.js`, dataset: data };
  Object.defineProperty(window.document, "currentScript", { value: script, configurable: true });
  const names = [
    "document", "customElements", "HTMLElement", "CSSStyleSheet", "CustomEvent", "location", "URL",
    "addEventListener", "removeEventListener",
  ];
  const values = names.map((name) => (typeof window[name] === "function" && !/^[A-Z]/.test(name)
    ? window[name].bind(window)
    : window[name]));
  new Function(...names, source)(...values);
}
