"""axe-core on a page or frame: which rules of WCAG 2.2 A and AA it finds broken."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from playwright.sync_api import Frame, Page

from tests.e2e.hosting import WIDGET_MODULES

_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_RUN = """
async ([tags, within, rules]) => {
  const runOnly = rules ? {type: "rule", values: rules} : {type: "tag", values: tags};
  const found = await axe.run(within ?? document, {runOnly, iframes: false, resultTypes: ["violations"]});
  return found.violations.flatMap(({id, nodes}) =>
    nodes.map(({target, failureSummary}) => `${id}: ${target.flat().join(" ")}: ${failureSummary}`));
}
"""


@lru_cache(maxsize=1)
def _source() -> str:
    return (WIDGET_MODULES / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


def findings(page: Page | Frame, within: Any = None, rules: list[str] | None = None) -> list[str]:
    """What axe-core finds, a line for each element; with `rules`, by these rules alone.

    Its best practices count as well. Frames inside are left out: they are asked for themselves.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(_source())
    return list(page.evaluate(_RUN, [_TAGS, within, rules]))
