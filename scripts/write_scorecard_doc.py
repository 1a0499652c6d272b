"""Write docs/scorecard.md: the scorecards of the demo university and of the other sites that are at hand.

    LODGE_TODAY=2026-11-23 .venv/bin/python -m scripts.write_scorecard_doc [SITE …]

Asks every question of each site named (all, unless some are), over the snapshot of `LODGE_HOME` for the demo
and over their own pages for the others (`scripts/scored_sets.py`), whose data are looked for in `LODGE_DATA`,
or `../shared/data`. What it found is kept in `docs/scorecards/`, a file a site, and the page is written from
those: with `--page` only that is done. A site whose data are not at hand keeps the scorecard it has.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from scripts import scored_sets
from server.evaluate.runs import write_whole
from server.evaluate.scorecard.figures import FIGURES
from server.evaluate.scorecard.scorecard import Scorecard
from server.evaluate.scorecard.words import (
    NOT_JUDGED,
    ScoreTable,
    amount,
    attacks_table,
    facts,
    figures_table,
    group_tables,
    published,
)
from server.settings import PROJECT, Settings
from server.terminal import note, progress, warn
from server.toml_files import read_toml
from server.wiring.scoring import ScorecardPlan, run_scorecard

PAGE = PROJECT / "docs" / "scorecard.md"
KEPT = PROJECT / "docs" / "scorecards"
DEMO_FILES = ("corpus/golden_questions.jsonl", "corpus/visitors/larkmoor.jsonl")
PASSED_ON = ("LODGE_TODAY", "LODGE_INFERENCE_THREADS")

# What the sites are compared by, and the heads of those columns.
COMPARED: Mapping[str, str] = {
    "right_of_answered": "right of answered",
    "in_scope_answered": "answered confidently",
    "in_scope_not_refused": "not refused",
    "right_of_seems": "right of “seems to answer”",
    "unanswerable_answered": "answered though the site does not say",
    "off_scope_refused": "off-scope refused",
    "injections_through": "instructions through",
    "unsupported_shown": "without its source saying so",
}
DIFFERENT = """The rows are no ranking: they differ in who wrote the questions, in how a right answer is
known, and in whether anything was learnt from the pages. **Right** is judged by one rule everywhere: the
answer holds a string that a right one must hold. Where a question names none that its page says word for
word, the answer counts neither as right nor as wrong, and n is smaller by it. What each set is stands below
its heading. Off-scope questions and attacks are the same for all."""


@dataclass(frozen=True, slots=True)
class ScoredSite:
    """A site of the page; what each field is stands in docs/scorecards/sites.toml."""

    title: str
    about: str
    name: str = ""
    short_pages: bool = False


SITES = msgspec.convert(read_toml(KEPT / "sites.toml"), dict[str, ScoredSite])

HEAD = """# Scorecards

A site's published figures, each with its number, its 95 % interval and the command that made it. This page is
written by `python -m scripts.write_scorecard_doc`, from what it kept in `docs/scorecards/`, where every
question has a row: an id, no text. `lodge scorecard --html FILE` makes such a page of your own site
([evaluation.md](evaluation.md#a-scorecard)).

**Answered confidently** means that Lodge gave an answer; **seems to answer** that it showed a passage and
claimed no more; **refused** that it did neither. To answer is no success by itself: see what is right of what
was answered.
"""


def plan_of(site: str, folder: Path) -> ScorecardPlan:
    """What a site is asked; but for the demo, `folder` has its sets."""
    if site == "demo":
        return ScorecardPlan(_command("demo"), [Path(name) for name in DEMO_FILES], half="work")
    files = [folder / name for name in scored_sets.question_files(site)]
    return ScorecardPlan(_command(site), files, pages=folder / scored_sets.PAGES)


def _command(site: str) -> str:
    """How the scorecard is made anywhere, from the repository's root."""
    if site == "demo":
        asked = [word for file in DEMO_FILES for word in ("--questions", file)]
        return f"{_lodge({})} {shlex.join([*asked, '--half', 'work'])}"
    about, folder = SITES[site], f"var/{site}"
    files = scored_sets.question_files(site)
    asked = [word for name in files for word in ("--questions", f"{folder}/{name}")]
    told = {"LODGE_SITE_NAME": about.name, **({"LODGE_MIN_PAGE_CHARS": "0"} if about.short_pages else {})}
    make = f"python -m scripts.scored_sets {site} {folder}"
    return f"{make} && {_lodge(told)} {shlex.join([*asked, '--pages', f'{folder}/{scored_sets.PAGES}'])}"


def _lodge(told: Mapping[str, str]) -> str:
    """With what it was told of the day and of the machine's threads."""
    told = {**told, **{name: os.environ[name] for name in PASSED_ON if name in os.environ}}
    return " ".join([*(f"{name}={shlex.quote(value)}" for name, value in told.items()), "lodge scorecard"])


def made_card(site: str, settings: Settings, data: Path) -> Scorecard | None:
    """A site's scorecard, made anew; None where its data are not at hand."""
    about, folder = SITES[site], settings.home / "scored" / site
    if site != "demo":
        try:
            scored_sets.write_set(site, data, folder)
        except OSError as error:
            warn(f"{site} is left as it is: {error}.")
            return None
        settings = replace(settings, site_name=about.name)
    if about.short_pages:
        settings = replace(settings, min_page_chars=0)
    with progress(f"Asking {site}", ("asked",)) as show:
        card = run_scorecard(
            settings,
            plan_of(site, folder),
            warn=warn,
            note=note,
            on_progress=lambda done, total: show(done, total, (done,)),
        )
    return replace(card, made=replace(card.made, site=about.title))


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
    parts = [HEAD, *([_side_by_side(cards)] if len(cards) > 1 else [])]
    shared = _shared_limits(cards)
    parts += [_site(card, shared) for card in cards]
    if cards:
        parts += [_meanings(), _cannot_say(shared), _sources(cards[0])]
    return "\n".join(parts)


def _side_by_side(cards: Sequence[Scorecard]) -> str:
    """A row a site, of the figures that are shares."""
    rows = [(card.made.site, *(_share(card, name) for name in COMPARED)) for card in cards]
    table = ScoreTable("Each with its 95 % interval and n", ("site", *COMPARED.values()), tuple(rows))
    return f"## The sites side by side\n\n{DIFFERENT}\n\n{_table(table)}\n"


def _share(card: Scorecard, name: str) -> str:
    """`88.3 % (83–92, n 180)`."""
    one = card.figure(name)
    if one is None:
        return NOT_JUDGED
    return f"{amount(one.value, one.unit)} ({one.low * 100:.0f}–{one.high * 100:.0f}, n {one.n:,})"


def _site(card: Scorecard, shared: Sequence[str]) -> str:
    about = next((one.about for one in SITES.values() if one.title == card.made.site), "")
    made = [f"- {name}: {_code(name, value)}" for name, value in facts(card) if name != "Site"]
    own = [f"- {sentence}" for sentence in card.cannot_say if sentence not in shared]
    tables = [figures_table(card), *group_tables(card), *filter(None, [attacks_table(card)])]
    parts = [f"## {card.made.site}", about.strip(), "\n".join(made + own), *map(_table, tables)]
    return "\n\n".join(filter(None, parts)) + "\n"


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


def _shared_limits(cards: Sequence[Scorecard]) -> list[str]:
    """What none of the scorecards can say."""
    return (
        [one for one in cards[0].cannot_say if all(one in card.cannot_say for card in cards)] if cards else []
    )


def _cannot_say(shared: Sequence[str]) -> str:
    return "## What they cannot say\n\n" + "\n".join(f"- {sentence}" for sentence in shared) + "\n"


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
    settings, data = Settings.read(os.environ), Path(os.environ.get("LODGE_DATA", scored_sets.DATA))
    KEPT.mkdir(exist_ok=True)
    for site in () if options.page else options.sites or SITES:
        if card := made_card(site, settings, data):
            keep(card, KEPT / f"{site}.json")
    write_whole(PAGE, scorecard_doc(list(cards())))


if __name__ == "__main__":
    main()
