"""The ways a visitor may look at a page: screens, zoom, colours, languages, and settings of the system."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Frame, Page

Options = dict[str, Any]

PHONE: Options = {"viewport": {"width": 320, "height": 640}, "has_touch": True, "device_scale_factor": 2}
ON_ITS_SIDE: Options = {"viewport": {"width": 640, "height": 320}, "has_touch": True}
ZOOMED: Options = {
    "viewport": {"width": 320, "height": 256},
    "device_scale_factor": 4,
}  # 1280 × 1024

VIEWS: dict[str, Options] = {
    "dark": {"color_scheme": "dark"},
    "forced colours": {"forced_colors": "active"},
    "phone, 320 px": PHONE,
    "phone on its side": ON_ITS_SIDE,
    "400 % zoom": ZOOMED,
}

# Success criterion 1.4.12, to the letter.
_SPACING = """
* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
p { margin-bottom: 2em !important; }
"""
_ADOPT = """
(css) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  const shadows = [...document.querySelectorAll("*")].map((one) => one.shadowRoot).filter(Boolean);
  for (const root of [document, ...shadows]) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
}
"""


def style(page: Page | Frame, css: str) -> None:
    """Rules of the visitor's own, in shadow trees too, as an extension of the browser sets them."""
    page.evaluate(_ADOPT, css)


def space_text(page: Page | Frame) -> None:
    """The widest spacing of text that a page has to bear."""
    style(page, _SPACING)
