import { counted, notice } from "./page";
import { countDown } from "./waiting";

/** The question's form: sends on Enter, counts, keeps what could not be sent. */
export class Composer {
  readonly #form: HTMLFormElement;
  readonly #box: HTMLTextAreaElement;

  constructor(form: HTMLFormElement, box: HTMLTextAreaElement) {
    this.#form = form;
    this.#box = box;
    box.addEventListener("keydown", (event) => this.#onKey(event));
    box.addEventListener("input", () => this.#count());
    this.#count();
    form.addEventListener("htmx:afterRequest", (event) => {
      if ((event as CustomEvent<{ successful: boolean }>).detail.successful) this.fill("");
      else box.setAttribute("aria-invalid", "true");
    });
    const problem = document.querySelector<HTMLElement>("#notice .problem[data-wait]");
    if (problem) this.wait(problem);
    addEventListener("offline", () => notice("offline"));
    addEventListener("online", () => notice(null));
  }

  /** Put it into the box and send it. */
  ask(text: string): void {
    this.fill(text);
    this.#form.requestSubmit();
  }

  /** Put a question back that was not answered, unless something new has been typed. */
  giveBack(question: string): void {
    if (!this.#box.value) this.fill(question);
  }

  /** A problem that ends by itself is counted down; until then nothing is sent. */
  wait(problem: HTMLElement): void {
    countDown(problem, this.#form);
  }

  fill(text: string): void {
    this.#box.value = text;
    this.#box.removeAttribute("aria-invalid");
    this.#count();
  }

  /** Enter sends, Shift+Enter makes a line; while a word is composed (Japanese, Chinese) Enter ends the word. */
  #onKey(event: KeyboardEvent): void {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#form.requestSubmit();
  }

  /** The counter shows itself from four fifths of the limit on. */
  #count(): void {
    const counter = document.querySelector<HTMLElement>("#limit");
    if (!counter) return;
    const { most, left, over } = counter.dataset;
    const rest = Number(most) - [...this.#box.value].length;
    counter.toggleAttribute("data-quiet", rest > Number(most) / 5);
    counter.toggleAttribute("data-too-many", rest < 0);
    if (rest > Number(most) / 5) return;
    counter.textContent = counted(rest < 0 ? over : left, "count", Math.abs(rest));
  }
}
