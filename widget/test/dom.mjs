// A page without a browser. Each test file runs in a process of its own, so its globals disturb nobody.
import { Window } from "happy-dom";
import { readFile } from "node:fs/promises";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

const windows = [];
after(() => Promise.all(windows.map((window) => window.happyDOM.abort())));

const BUILT = fileURLToPath(new URL("../dist/widget.js", import.meta.url));
export const SERVER = "https://ask.example.edu";
export const SITES = {
  main: {
    o: ["https://www.example.edu"],
    t: { en: ["Ask a question", "Not available. Ask a person"], es: ["Pregunte", "No disponible. Pregunte a una persona"] },
    c: "#17626b",
    u: "https://www.example.edu/contact",
  },
  library: { o: ["https://www.example.edu"], t: { en: ["Ask the library", "Away", "Gone"] }, c: "#7a1f2b", p: "left", r: 0 },
};

/** A host page that has run the built loader, as `<script src=…/widget.js data-…>` would. */
export async function hostPage({ body = "", data = {}, scripts = 1, url = "https://www.example.edu/visit", lang = "" } = {}) {
  const window = new Window({ url, settings: { disableIframePageLoading: true } });
  windows.push(window);
  window.document.documentElement.lang = lang;
  window.document.body.innerHTML = body;
  const source = await readFile(BUILT, "utf8");
  const errors = [];
  for (let i = 0; i < scripts; i += 1) run(window, source, data, errors);
  return Object.assign(window, { errors });
}

function run(window, source, data, errors) {
  const script = { src: `${SERVER}/widget.js`, dataset: data };
  Object.defineProperty(window.document, "currentScript", { value: script, configurable: true });
  const names = [
    "document", "customElements", "HTMLElement", "CSSStyleSheet", "CustomEvent", "location", "URL", "URLSearchParams",
    "AbortController", "CSS", "addEventListener", "matchMedia", "setTimeout", "clearTimeout",
  ];
  const values = names.map((name) => (typeof window[name] === "function" && !/^[A-Z]/.test(name)
    ? window[name].bind(window)
    : window[name]));
  const console = { error: (text) => errors.push(text) };
  new Function(...names, "visualViewport", "console", "LODGE_SITES", source)(...values, undefined, console, SITES);
}
