import { BUBBLE, CROSS, icon } from "./icon";
import { CLOSE, OPENED, isFrom } from "./messages";
import { STYLES } from "./styles";

/**
 * `<lodge-chat site="main" server="https://ask.example.edu" label="Ask a question">`: a button, and a panel with
 * the server's own chat page in a frame. The frame is made when the panel is first opened.
 *
 * Events: `lodge-open` and `lodge-close`; both bubble.
 */
export class LodgeChat extends HTMLElement {
  readonly #button = document.createElement("button");
  readonly #panel = document.createElement("div");
  #frame: HTMLIFrameElement | null = null;

  constructor() {
    super();
    const shadow = this.attachShadow({ mode: "closed" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES);
    shadow.adoptedStyleSheets = [sheet];
    this.#panel.id = "panel";
    this.#panel.hidden = true;
    this.#button.type = "button";
    this.#button.setAttribute("aria-controls", this.#panel.id);
    this.#button.addEventListener("click", () => (this.isOpen ? this.close() : this.open()));
    shadow.addEventListener("keydown", (event) => this.#onKey(event as KeyboardEvent));
    shadow.append(this.#button, this.#panel);
    this.#drawButton();
  }

  connectedCallback(): void {
    addEventListener("message", this.#onMessage);
    this.#drawButton();
  }

  disconnectedCallback(): void {
    removeEventListener("message", this.#onMessage);
  }

  /** Whether the panel shows. */
  get isOpen(): boolean {
    return !this.#panel.hidden;
  }

  /** Show the panel and give it the focus. */
  open(): void {
    if (this.isOpen) return;
    this.#panel.hidden = false;
    this.#drawButton();
    this.#frame ??= this.#makeFrame();
    this.#focusFrame();
    this.dispatchEvent(new CustomEvent("lodge-open", { bubbles: true }));
  }

  /** Hide the panel and give the focus back to the button. The conversation stays. */
  close(): void {
    if (!this.isOpen) return;
    this.#panel.hidden = true;
    this.#drawButton();
    this.#button.focus();
    this.dispatchEvent(new CustomEvent("lodge-close", { bubbles: true }));
  }

  get #server(): string {
    return new URL(this.getAttribute("server") ?? location.href, location.href).origin;
  }

  get #label(): string {
    return this.getAttribute("label") ?? "Ask a question";
  }

  #drawButton(): void {
    const text = document.createElement("span");
    text.textContent = this.#label;
    this.#button.replaceChildren(icon(this.isOpen ? CROSS : BUBBLE), text);
    this.#button.setAttribute("aria-label", this.#label);
    this.#button.setAttribute("aria-expanded", String(this.isOpen));
  }

  #makeFrame(): HTMLIFrameElement {
    const frame = document.createElement("iframe");
    const url = new URL("/chat", this.#server);
    url.searchParams.set("site", this.getAttribute("site") ?? "main");
    url.searchParams.set("embed", "1");
    frame.title = this.#label;
    frame.addEventListener("load", () => this.#focusFrame());
    frame.src = url.href;
    this.#panel.append(frame);
    return frame;
  }

  #focusFrame(): void {
    if (!this.isOpen) return;
    this.#frame?.focus();
    this.#frame?.contentWindow?.postMessage(OPENED, this.#server);
  }

  readonly #onMessage = (event: MessageEvent<unknown>): void => {
    const sender = this.#frame?.contentWindow ?? null;
    if (isFrom(event, CLOSE, sender, [this.#server])) this.close();
  };

  #onKey(event: KeyboardEvent): void {
    if (event.key === "Escape") this.close();
  }
}
