declare const htmx: { ajax(verb: string, url: string, options: object): Promise<void> };

/**
 * Which conversation this tab holds, so that it is there again after the tab is loaded anew: the id alone, in the
 * session storage of our own origin, from the first question until the tab is closed or the visitor starts over.
 */
export class Tab {
  readonly #key = `lodge:${document.body.dataset["site"] ?? ""}`;

  constructor() {
    document.addEventListener("htmx:load", (event) => {
      const id = (event.target as HTMLElement).dataset["conversation"];
      if (id) this.#keep(id);
    });
  }

  /** Bring the conversation back, unless it has just been erased. */
  async restore(): Promise<void> {
    if ("erased" in document.body.dataset) return this.#store(null);
    const id = this.#stored();
    if (!id) return;
    this.#adopt(id);
    const values = { conversation_id: id };
    await htmx.ajax("POST", `/chat/restore${location.search}`, { values, target: "#turns", swap: "beforeend" });
  }

  #keep(id: string): void {
    this.#store(id);
    this.#adopt(id);
  }

  /** Every form on the page is about this conversation. */
  #adopt(id: string): void {
    for (const input of document.querySelectorAll<HTMLInputElement>("input[name=conversation_id]")) input.value = id;
  }

  // A browser that keeps third parties from storing anything throws; then the tab forgets.
  #stored(): string | null {
    try {
      return sessionStorage.getItem(this.#key);
    } catch {
      return null;
    }
  }

  #store(id: string | null): void {
    try {
      if (id) sessionStorage.setItem(this.#key, id);
      else sessionStorage.removeItem(this.#key);
    } catch {
      // forgotten, then
    }
  }
}
