"""What can be pressed, typed into or followed on a page: where it lies, and what the focus does to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Frame, Page

_HELPERS = """
window.lodgeTest = {
  all() {
    const controls = "a[href], button, summary, textarea, input:not([type=hidden])";
    const shown = (one) => one.checkVisibility({visibilityProperty: true});
    return [...document.querySelectorAll(controls)].filter(shown);
  },
  // Radio buttons of one name are one stop for the Tab key.
  stops() {
    const first = (one) => one.form.querySelector(`[name="${one.name}"]`);
    return this.all().filter((one) => one.type !== "radio" || first(one) === one);
  },
  // A radio button is pressed on its words as well; a link in a sentence may be as small as its words.
  targets() {
    const alone = this.all().filter((one) => !one.matches(".rich a:not(.reference)"));
    return alone.map((one) => one.type === "radio" ? one.closest("label") : one);
  },
  // Some of it can be seen: at its middle, or in one of its corners, nothing else lies above it.
  seen(one) {
    const {left, top, right, bottom} = one.getBoundingClientRect();
    const xs = [(left + right) / 2, left + 3, right - 3], ys = [(top + bottom) / 2, top + 3, bottom - 3];
    return xs.some((x) => ys.some((y) => one.contains(document.elementFromPoint(x, y))));
  },
  ring(one) {
    const rings = [one, one.closest(".ask")].filter(Boolean).map((part) => getComputedStyle(part));
    return Math.max(...rings.map(({outlineStyle, outlineWidth}) =>
      outlineStyle === "none" ? 0 : parseFloat(outlineWidth)));
  },
  focused() {
    const one = document.activeElement;
    if (!one || one === document.body || !document.hasFocus()) return null;
    const {left, top, width, height} = one.getBoundingClientRect();
    return {
      index: this.stops().indexOf(one), name: one.innerText || one.id, left, top, width, height,
      ring: this.ring(one), seen: this.seen(one),
    };
  },
};
"""


@dataclass(frozen=True)
class Stop:
    """A control that the Tab key has come to; `index` is its place among the controls in the document."""

    index: int
    name: str
    left: float
    top: float
    width: float
    height: float
    ring: float
    seen: bool


def prepare(page: Page | Frame) -> None:
    """Bring the helpers."""
    page.evaluate(_HELPERS)


def count(page: Page | Frame) -> int:
    """How many stops there are for the Tab key."""
    prepare(page)
    return int(page.evaluate("lodgeTest.stops().length"))


def tab_through(page: Page, key: str = "Tab", frame: Frame | None = None) -> list[Stop]:
    """Press it from the beginning of the page until the focus has left the last control."""
    within = frame or page
    prepare(within)
    stops: list[Stop] = []
    for _ in range(200):
        page.keyboard.press(key)
        found: dict[str, Any] | None = within.evaluate("lodgeTest.focused()")
        if found is None or (stops and found["index"] == stops[0].index):
            return stops
        stops.append(Stop(**found))
    raise AssertionError("the Tab key never leaves the page")


def targets(page: Page | Frame) -> list[dict[str, Any]]:
    """Everything that can be pressed: its words and its box."""
    prepare(page)
    boxes = """lodgeTest.targets().map((one) => {
      const {width, height} = one.getBoundingClientRect();
      return {name: one.innerText || one.id, width, height};
    })"""
    return list(page.evaluate(boxes))
