// After too many questions the page counts down until the next one may be asked.
import { announce, counted } from "./page";

const SECOND = 1000;

/** Count down in a problem that says how long it lasts, and let nothing be sent meanwhile.
 *
 * A screen reader hears the number once, and once that the wait is over; only the number that is seen changes. */
export function countDown(problem: HTMLElement, form: HTMLFormElement): void {
  const { wait, says, then } = problem.dataset;
  const shown = problem.querySelector<HTMLElement>("[aria-hidden]");
  const end = performance.now() + Number(wait) * SECOND;
  const stop = (event: Event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  form.addEventListener("submit", stop, true);
  const timer = setInterval(() => {
    const left = Math.ceil((end - performance.now()) / SECOND);
    if (left > 0 && problem.isConnected) {
      if (shown) shown.textContent = counted(says, "seconds", left);
      return;
    }
    clearInterval(timer);
    form.removeEventListener("submit", stop, true);
    problem.remove();
    if (left <= 0) announce(then ?? "");
  }, SECOND / 4);
}
