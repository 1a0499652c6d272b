"""A small college that a test knows by heart, and its snapshot, built for real with the shipped embedder.

The pages stand in small_site.md: `# /path Title`, then `## Heading` and a paragraph, twice.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

from server.ingest.pipeline import IndexReport
from server.settings import Settings
from server.wiring import indexing

SITE = "https://www.brackwater.example"
RULES = '[[rule]]\nreason = "archive"\nprefix = "/archive/"\nwhy = "Old years mislead."\n'

_PAGE = re.compile(r"^# (/\S*) (.+)$", re.MULTILINE)
_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)


def kept_pages() -> list[dict[str, str]]:
    """The pages that end in the snapshot, as lines of a pages file."""
    text = Path(__file__).with_suffix(".md").read_text(encoding="utf-8")
    _, *entries = _PAGE.split(text)
    return [page(*entry) for entry in zip(entries[::3], entries[1::3], entries[2::3], strict=True)]


def dropped_pages() -> list[dict[str, str]]:
    """A copy, a page that says nothing yet, and one that a rule names."""
    copied = kept_pages()[-1]
    old = (
        "## Then\n"
        + "In that year the college taught the mending of nets and the history of lighthouses. " * 5
    )
    return [
        {**copied, "url": SITE + "/copy"},
        page("/staff/a-moor", "A. Moor", "## A. Moor\nPhotographs, coming soon."),
        page("/archive/2019", "Catalogue of 2019", old),
    ]


def page(path: str, title: str, text: str) -> dict[str, str]:
    """A line of a pages file, its HTML made from sections."""
    _, *sections = _SECTION.split(text)
    body = "".join(
        f"<h2>{h}</h2><p>{p.strip()}</p>" for h, p in zip(sections[::2], sections[1::2], strict=True)
    )
    html = f"<html lang=en><title>{title}</title><body><main><h1>{title}</h1>{body}</main></body></html>"
    return {"url": SITE + path, "title": title, "html": html, "fetched_at": "2026-05-01T10:00:00+00:00"}


def settings_for(home: Path) -> Settings:
    """Settings whose files are all under `home`, with one filter rule, and a thread a library."""
    home.mkdir(parents=True, exist_ok=True)
    rules = home / "filters.toml"
    if not rules.is_file():
        rules.write_text(RULES, encoding="utf-8")
    shipped = Settings()
    general, usual = home / "general_questions.txt", home / "usual_questions.toml"
    if not general.is_file():  # every tenth of the shipped ones is soon embedded, and enough to learn from
        lines = shipped.general_questions_file.read_text(encoding="utf-8").splitlines()
        general.write_text("\n".join(lines[::10]) + "\n", encoding="utf-8")
    if not usual.is_file():
        entries = shipped.usual_questions_file.read_text(encoding="utf-8").split("[[usual]]")
        usual.write_text("".join(f"[[usual]]{entry}" for entry in entries[1::10]), encoding="utf-8")
    return replace(
        shipped,
        home=home,
        filters_file=rules,
        general_questions_file=general,
        usual_questions_file=usual,
        inference_threads=1,
        duckdb_threads=1,
    )


def write_pages(path: Path, pages: list[dict[str, str]]) -> Path:
    """A pages file."""
    path.write_text("".join(json.dumps(line) + "\n" for line in pages), encoding="utf-8")
    return path


def changed_pages() -> list[dict[str, str]]:
    """The same pages after a while: tuition is gone, the library is open longer, there is a boat house."""
    later = [dict(one) for one in kept_pages() if one["url"] != SITE + "/tuition"]
    for one in later:
        one["html"] = one["html"].replace("to midnight on weekdays", "to 2 a.m. on weekdays")
    rowing = (
        "Boats are lent on Saturdays from nine to noon to everyone who has passed the swimming test. " * 3
    )
    return [*later, page("/boats", "Boat House", f"## Boats\n{rowing}"), *dropped_pages()]


def index_pages(
    settings: Settings, pages: list[dict[str, str]] | None = None, *, publish: bool = True
) -> IndexReport:
    """`lodge index --pages` of these pages, or of those that were indexed before."""
    path = settings.home / "pages.jsonl"
    if pages is not None:
        write_pages(path, pages)
    return indexing.run_index(
        settings, path, on_broken=lambda line, why: None, on_progress=lambda _: None, publish=publish
    )
