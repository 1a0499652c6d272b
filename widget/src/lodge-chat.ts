import { SITES, type Words, wordsIn } from "./facts";
import { ANSWER, ASK, CLOSE, OPENED, QUESTION, READY, heard } from "./messages";
import { FULL, styles } from "./styles";

export const TAG = "lodge-chat";

/** So long may the page take before a way out is shown, and in all, before it counts as down; and once loaded. */
const SLOW_MS = 5_000;
const LOAD_MS = 30_000;
const READY_MS = 2_000;

/** What happens to the button without the page hearing of it. */
const OURS = ["keydown", "focus", "focusin"];

/**
 * `<lodge-chat site="main" label="Ask a question" lang="en" position="left" bottom="80" contact="/contact">`: a button, and a
 * panel with the server's own chat page in a frame. The frame is made when the panel is first opened.
 *
 * Events, all of which bubble: `lodge-open`, `lodge-close`, `lodge-question`, `lodge-answer` (its `detail` is
 * whether it was a refusal), `lodge-error`. None carries what was asked or answered.
 */
export class LodgeChat extends HTMLElement {
  /** The origin of the server that this script came from. */
  static server: string;

  readonly #root = this.attachShadow({ mode: "open" });
  readonly #panel = document.createElement("div");
  #button: HTMLElement | undefined;
  #frame: HTMLIFrameElement | undefined;
  #site = "";
  #lang = "";
  #words: Words = ["", ""];
  #connected: AbortController | undefined;
  #opener: Element | null = null;
  #question: string | undefined;
  #ready = false;
  #timer = 0;
  #slow = 0;
  #dodging = 0;

  connectedCallback(): void {
    this.#site = this.getAttribute("site") ?? "main";
    const facts = SITES[this.#site];
    const { server } = LodgeChat;
    const page = location.origin;
    if (!facts || ![server, ...facts.o].includes(page))
      return console.error(`Lodge: ${server} has no site "${this.#site}" with the origin ${page}; nothing is shown.`);
    const [lang, words] = wordsIn(facts, this.lang || document.documentElement.lang);
    this.#lang = lang;
    this.#words = words;
    const side = (this.getAttribute("position") ?? facts.p) === "left" ? "left" : "right";
    const row = document.querySelectorAll(`${TAG}[popover][position=${side}]`).length;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(styles(facts, side, row));
    this.#root.adoptedStyleSheets = [sheet];
    this.setAttribute("position", side);
    this.#make();
    this.#listen();
    this.setAttribute("popover", "manual");
    this.#raise();
    this.#lift(0);
    this.#dodge();
  }

  disconnectedCallback(): void {
    this.#connected?.abort();
    for (const timer of [this.#timer, this.#slow, this.#dodging]) clearTimeout(timer);
    this.removeAttribute("popover");
  }

  /** Whether the panel shows. */
  get isOpen(): boolean {
    return !!this.#button && !this.#panel.hidden;
  }

  get #label(): string {
    return this.getAttribute("label") ?? this.#words[0];
  }

  /** Show the panel, and give it the focus as soon as its page is there. */
  open(): void {
    if (!this.#button || this.isOpen) return;
    for (const other of document.querySelectorAll<LodgeChat>(TAG)) other.close();
    this.#opener = document.activeElement;
    this.#raise();
    this.#show(true);
    if (!this.#frame) this.#makeFrame();
    this.#greet();
  }

  /** Hide the panel; the focus, if it was inside, goes back where it came from. The conversation stays. */
  close(): void {
    if (!this.isOpen) return;
    const inside = document.activeElement === this;
    this.#show(false);
    if (!inside) return;
    const back = this.#opener;
    (back && back !== document.body && back !== this ? (back as HTMLElement) : this.#button)?.focus();
  }

  /** Show the panel and ask this in it. */
  ask(question: string): void {
    this.#question = question;
    this.open();
    this.#greet();
  }

  #make(): void {
    const text = document.createElement("span");
    text.textContent = this.#label;
    this.#button = document.createElement("button");
    this.#button.append(text);
    this.#button.onclick = () => (this.isOpen ? this.close() : this.open());
    this.#button.lang = this.#lang;
    this.#frame = undefined;
    this.#panel.replaceChildren();
    this.#root.replaceChildren(this.#button, this.#panel);
    this.#turn(false);
  }

  #listen(): void {
    this.#connected = new AbortController();
    const { signal } = this.#connected;
    addEventListener("message", (event) => this.#hear(event), { signal });
    addEventListener("keydown", (event) => this.#escape(event), { signal });
    for (const type of OURS) addEventListener(type, (event) => this.#keep(event), { signal, capture: true });
    for (const type of ["resize", "scroll"]) visualViewport?.addEventListener(type, () => this.#fit(), { signal });
    for (const type of ["load", "click", "resize"]) addEventListener(type, () => this.#dodge(), { signal });
  }

  /** On a phone it goes above what is fixed to the bottom of the page: a cookie banner, once it has come or gone. */
  #dodge(): void {
    clearTimeout(this.#dodging);
    this.#dodging = setTimeout(() => {
      this.#lift(0);
      if (!this.#button || this.isOpen || !matchMedia(FULL).matches) return;
      const { x, y } = this.#button.getBoundingClientRect();
      for (const one of document.elementsFromPoint(x + 26, y + 26)) {
        const { top, height } = one.getBoundingClientRect();
        if (one !== this && height < innerHeight / 2 && getComputedStyle(one).position === "fixed")
          this.#lift(innerHeight - top);
      }
    }, 300);
  }

  #lift(px: number): void {
    this.style.setProperty("--up", `${Math.max(px, Number(this.getAttribute("bottom")) || 0)}px`);
  }

  #escape(event: Event): void {
    if ((event as KeyboardEvent).key === "Escape" && !event.defaultPrevented) this.close();
  }

  /**
   * A page that swallows keys means its own, and so does a dialog of it that takes the focus back. But where the
   * panel takes the whole screen, the page behind it cannot have the focus unseen.
   */
  #keep(event: Event): void {
    if (event.target === this) {
      event.stopPropagation();
      this.#escape(event);
    } else if (event.type === "focusin" && matchMedia(FULL).matches) this.close();
  }

  /**
   * To the front of the top layer, which lies above any z-index and is not moved by a transform of what is around:
   * another widget, or a dialog of the page, may have come there since.
   */
  #raise(): void {
    this.hidePopover?.();
    this.showPopover?.();
  }

  #show(open: boolean): void {
    this.#turn(open);
    this.#fit();
    this.#tell(open ? OPENED : CLOSE);
  }

  #turn(open: boolean): void {
    this.#panel.hidden = !open;
    this.#button?.setAttribute("aria-expanded", String(open));
  }

  #makeFrame(): void {
    const frame = (this.#frame = document.createElement("iframe"));
    frame.title = this.#label;
    frame.allow = "clipboard-write";
    // Both are keys of the table of sites, and need no escape.
    frame.src = `${LodgeChat.server}/chat?site=${this.#site}&lang=${this.#lang}&embed=1`;
    frame.onload = () => {
      this.#post(OPENED);
      this.#expect(READY_MS);
    };
    this.#ready = false;
    this.#expect(LOAD_MS);
    this.#panel.append(frame);
    this.#slow = setTimeout(() => this.#panel.append(this.#wayOut()), SLOW_MS);
  }

  /** A page that could not be loaded, or not in a frame here, says nothing; a browser tells us no more. */
  #expect(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#ready) this.#timer = setTimeout(() => this.#isDown(), ms);
  }

  /** Until the page in the frame is there to hear Escape, the focus stays where it is heard. */
  #greet(): void {
    if (!this.isOpen || !this.#ready) return;
    this.#frame?.focus();
    this.#post(OPENED);
    if (this.#question) this.#post(ASK, this.#question);
    this.#question = undefined;
  }

  #post(...words: string[]): void {
    this.#frame?.contentWindow?.postMessage(words, LodgeChat.server);
  }

  #hear(event: MessageEvent<unknown>): void {
    const [word, more] = heard(event, this.#frame?.contentWindow, [LodgeChat.server]);
    if (word === READY && !this.#ready) {
      this.#ready = true;
      clearTimeout(this.#timer);
      clearTimeout(this.#slow);
      this.#frame?.nextSibling?.remove();
      this.#greet();
    }
    if (word === CLOSE) this.close();
    if (word === QUESTION || word === ANSWER) this.#tell(word, !!more);
  }

  /** On a phone the on-screen keyboard takes its room from the visual viewport alone. */
  #fit(): void {
    const view = visualViewport;
    const full = view && view.scale < 1.01 && matchMedia(FULL).matches;
    this.#panel.style.cssText = full ? `height:${view.height}px;top:${view.offsetTop}px` : "";
  }

  #isDown(): void {
    console.error(`Lodge: ${LodgeChat.server} is down, or a frame around this page is not in its table.`);
    const inside = document.activeElement === this;
    const link = this.#wayOut();
    clearTimeout(this.#slow);
    this.#root.replaceChildren(link);
    this.#button = undefined;
    if (inside) link.focus();
    this.#tell("lodge-error");
  }

  /** In words that the chat is not there, and the way to people, if the site names one. */
  #wayOut(): HTMLElement {
    const contact = this.getAttribute("contact") ?? SITES[this.#site]?.u;
    const link = document.createElement("a");
    if (contact) link.href = contact;
    link.textContent = this.#words[contact ? 1 : 2] ?? "";
    link.lang = this.#lang;
    link.tabIndex = 0;
    return link;
  }

  #tell(name: string, detail?: boolean): void {
    this.dispatchEvent(new CustomEvent(name, { bubbles: true, detail }));
  }
}
