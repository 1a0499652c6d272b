"""Open the links of quoted answers in a real browser, and count those that lead to the quoted words.

    LODGE_HOME=HOME python -m scripts.research.answering.measure_links --questions FILE [--most 100]
        [--strategy S]

Asks the questions over the live snapshot, whose pages must be served where it has them (the demo site:
`python -m corpus.demo_site.serve`). A link leads to the words where Chromium scrolls a window of few lines to
them; an address without a fragment, or one whose words it does not find, stays at the top. Prints the misses.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote

from playwright.sync_api import Error, Page, ViewportSize

from scripts.browsing import chromium
from scripts.data_files import read_rows
from scripts.research.retrieval.measure_retrieval import Asked, ask_with_trace
from server.evaluate.significance import share_interval
from server.models import Citation
from server.settings import Settings
from server.wiring.measuring import open_ground

WINDOW: ViewportSize = {"width": 900, "height": 120}  # few lines: what is in it was scrolled to
_WORD = re.compile(r"\w+")
_SEEN = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let seen = "";
  for (let node; (node = walker.nextNode()); ) {
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.height && box.bottom > 0 && box.top < window.innerHeight) seen += " " + node.textContent;
  }
  return seen;
}"""


def citations(settings: Settings, questions: Iterable[Asked], strategy: str) -> Iterator[Citation]:
    """The sources of every answer that is quoted."""
    with open_ground(settings, None) as ground:
        ground.prepare(print, print)
        asker = ground.asker(settings)
        for one in questions:
            answer, _ = ask_with_trace(asker, one, strategy)
            if not answer.refused:
                yield from answer.citations


def leads_there(page: Page, citation: Citation) -> bool:
    """Whether the first words that the link names stand in the window when it has been opened."""
    page.goto("about:blank")
    page.goto(citation.href)
    page.wait_for_timeout(300)
    told = citation.href.partition(":~:text=")[2].split("-,")[-1]
    start = unquote(told.split(",")[0])
    seen = " ".join(_WORD.findall(page.evaluate(_SEEN)))
    return bool(start) and " ".join(_WORD.findall(start)) in seen


def main() -> None:
    """Ask, open, count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--strategy", default="hybrid+rerank")
    parser.add_argument("--most", type=int, default=200, help="links to open")
    args = parser.parse_args()
    asked = [
        Asked(row["id"], row["question"], "", True, frozenset(), ()) for row in read_rows(args.questions)
    ]
    found = {one.href: one for one in citations(Settings.read(os.environ), asked, args.strategy)}
    links = list(found.values())[: args.most]
    missed = []
    with chromium() as browser:
        page = browser.new_page(viewport=WINDOW)
        for one in links:
            try:
                found_there = leads_there(page, one)
            except Error as error:
                print(error.message)
                found_there = False
            if not found_there:
                missed.append(one)
    right = len(links) - len(missed)
    share = share_interval(right, len(links))
    print(f"{len(links)} links, {right} lead to the words [{share.low:.3f}, {share.high:.3f}]")
    for one in missed:
        print(f"  {one.href}\n    {one.quote[:200]!r}")


if __name__ == "__main__":
    main()
