"""Write docs/scorecard.md: the scorecards of the demo university and of the open sets that are at hand.

    LODGE_TODAY=2026-11-23 .venv/bin/python -m scripts.write_scorecard_doc [SITE …]

Asks every question of each site named (all, unless some are), over the snapshot of `LODGE_HOME` for the demo
and over their own pages for the others, whose data are looked for in `LODGE_DATA`, or `../shared/data`. What
it found is kept in `docs/scorecards/`, a file a site, and the page is written from those: with `--page` only
that is done. A site whose data are not at hand keeps the scorecard it has.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from server.evaluate.runs import write_whole
from server.evaluate.scorecard.figures import FIGURES
from server.evaluate.scorecard.scorecard import Scorecard
from server.evaluate.scorecard.words import (
    ScoreTable,
    attacks_table,
    facts,
    figures_table,
    group_tables,
    published,
)
from server.settings import PROJECT, Settings
from server.terminal import note, progress, warn
from server.wiring.scoring import ScorecardPlan, run_scorecard

PAGE = PROJECT / "docs" / "scorecard.md"
KEPT = PROJECT / "docs" / "scorecards"
DATA = Path("../shared/data")
OPEN_SETS = ("cmu-sai", "cmu-xiaobin")
SITES = ("demo", *OPEN_SETS)
DEMO_FILES = ("corpus/golden_questions.jsonl", "corpus/visitors/larkmoor.jsonl")

HEAD = """# Scorecards

A site's published figures, each with its number, its 95 % interval and the command that made it. This page is
written by `python -m scripts.write_scorecard_doc`, from what it kept in `docs/scorecards/`, where every
question has a row: an id, no text. `lodge scorecard --html FILE` makes such a page of your own site
([evaluation.md](evaluation.md#a-scorecard)).

**Answered confidently** means that Lodge gave an answer; **seems to answer** that it showed a passage and
claimed no more; **refused** that it did neither. To answer is no success by itself: see what is right of what
was answered.
"""


def plan_of(site: str, data: Path) -> ScorecardPlan:
    """What a site is asked."""
    if site == "demo":
        files: Sequence[Path] = [Path(name) for name in DEMO_FILES]
        return ScorecardPlan(_command(files, None, "work"), files, half="work")
    folder = data / site
    files, pages = [folder / "questions.jsonl.gz"], folder / "pages.jsonl.gz"
    return ScorecardPlan(_command(files, pages, None), files, pages=pages)


def _command(files: Sequence[Path], pages: Path | None, half: str | None) -> str:
    words = [word for file in files for word in ("--questions", str(file))]
    words += ["--pages", str(pages)] if pages else []
    words += ["--half", half] if half else []
    day = os.environ.get("LODGE_TODAY")
    return " ".join([*([f"LODGE_TODAY={day}"] if day else []), "lodge", "scorecard", *words])


def made_card(site: str, settings: Settings, data: Path) -> Scorecard | None:
    """A site's scorecard, made anew; None where its data are not at hand."""
    plan = plan_of(site, data)
    missing = [file for file in (*plan.questions, plan.pages) if file and not file.is_file()]
    if missing:
        warn(f"{site} is left as it is: {missing[0]} is not there.")
        return None
    if plan.pages is not None:  # texts of a few lines, which are pages all the same
        settings = replace(settings, min_page_chars=0)
    with progress(f"Asking {site}", ("asked",)) as show:
        return run_scorecard(
            settings, plan, warn=warn, note=note, on_progress=lambda done, total: show(done, total, (done,))
        )


def keep(card: Scorecard, file: Path) -> None:
    """The scorecard as JSON: a line for each of its parts, and one for each question."""
    document = card.as_json()
    asked = document.pop("asked")
    head = json.dumps(document, ensure_ascii=False, indent=1).removesuffix("\n}")
    rows = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in asked)
    write_whole(file, f'{head},\n "asked": [\n{rows}\n ]\n}}\n')


def kept_card(site: str, folder: Path = KEPT) -> Scorecard | None:
    """A site's kept scorecard, if it has one."""
    file = folder / f"{site}.json"
    return Scorecard.of_json(json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else None


def scorecard_doc(cards: Sequence[Scorecard]) -> str:
    """The page as Markdown."""
    parts = [HEAD, *(_site(card) for card in cards)]
    if cards:
        parts += [_meanings(), _cannot_say(cards[0]), _sources(cards[0])]
    return "\n".join(parts)


def _site(card: Scorecard) -> str:
    made = [f"- {name}: {_code(name, value)}" for name, value in facts(card) if name != "Site"]
    tables = [figures_table(card), *group_tables(card), *filter(None, [attacks_table(card)])]
    return f"## {card.made.site}\n\n" + "\n".join(made) + "\n\n" + "\n\n".join(map(_table, tables)) + "\n"


def _code(name: str, value: str) -> str:
    return f"`{value}`" if name == "Command" or name.startswith("Model:") else value


def _table(table: ScoreTable) -> str:
    head = f"| {' | '.join(table.headers)} |\n|{'---|' * len(table.headers)}"
    cells = [[cell.replace("|", "\\|") for cell in row] for row in table.rows]
    rows = "\n".join(f"| {' | '.join(row)} |" for row in cells)
    return f"**{table.caption}**\n\n{head}\n{rows}"


def _meanings() -> str:
    lines = "\n".join(f"- {label}: {over}." for label, over in FIGURES.values())
    return f"## What each figure counts\n\n{lines}\n"


def _cannot_say(card: Scorecard) -> str:
    told = [sentence for sentence in card.cannot_say if not sentence.startswith("Of fewer")]
    return "## What they cannot say\n\n" + "\n".join(f"- {sentence}" for sentence in told) + "\n"


def _sources(card: Scorecard) -> str:
    lines = "\n".join(f"- {published(one)}: {one.says}. {one.source}." for one in card.published)
    return f"## What others have published\n\n{lines}\n"


def cards() -> Iterator[Scorecard]:
    """All kept ones, in the order of the page."""
    yield from filter(None, map(kept_card, SITES))


def main() -> None:
    """Make scorecards, and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sites", nargs="*", choices=[*SITES, []], metavar="SITE", help=", ".join(SITES))
    parser.add_argument("--page", action="store_true", help="write the page from what is kept")
    options = parser.parse_args()
    if unknown := set(options.sites) - set(SITES):
        parser.error(f"there is no site {', '.join(sorted(unknown))}")
    settings, data = Settings.read(os.environ), Path(os.environ.get("LODGE_DATA", DATA))
    KEPT.mkdir(exist_ok=True)
    for site in () if options.page else options.sites or SITES:
        if card := made_card(site, settings, data):
            keep(card, KEPT / f"{site}.json")
    write_whole(PAGE, scorecard_doc(list(cards())))


if __name__ == "__main__":
    main()
