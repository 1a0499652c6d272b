"""A scorecard's figures in words and tables, the same for the page, the terminal and the docs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from server.evaluate.scorecard.figures import FIGURES, FigureUnit, ScoreFigure, ScoreGroup
from server.evaluate.scorecard.scorecard import PublishedFigure, Scorecard

Names = tuple[str, ...]
GROUP_COLUMNS: Names = ("right_of_answered", "in_scope_answered", "seems_to_answer", "in_scope_not_refused")
GROUP_HEADS: Names = ("right of answered", "answered confidently", "seems to answer", "not refused")
OFF_SCOPE_COLUMNS: tuple[Names, Names] = (("off_scope_refused",), ("refused",))
NOT_JUDGED = "–"


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Rows whose first cell is their head."""

    caption: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def amount(value: float, unit: FigureUnit) -> str:
    """`89.8 %` or `1.2 s`."""
    if unit == "share":
        return f"{value * 100:.1f} %"
    return f"{value / 1000:.1f} s" if value >= 1000 else f"{value:.0f} ms"


def interval(figure: ScoreFigure) -> str:
    """`84.1 – 92.0 %`; of times `0.9 – 1.4 s`, each with its own unit."""
    if figure.unit == "share":
        return f"{figure.low * 100:.1f} – {figure.high * 100:.1f} %"
    return f"{amount(figure.low, 'ms')} – {amount(figure.high, 'ms')}"


def published(one: PublishedFigure) -> str:
    """`ESPE 89.8 % of 324`, or a count where it is one."""
    unit: FigureUnit = "ms" if one.beside.startswith("latency") else "share"
    of = f" of {one.of:,}" if one.of else ""
    return f"{one.system} {amount(one.value, unit)}{of}"


def figures_table(card: Scorecard) -> ScoreTable:
    """Every figure beside what others have published of it; those without anything to judge are named."""
    known = {one.name: one for one in card.figures}
    rows = [_figure_row(card, name, known.get(name)) for name in FIGURES]
    headers = ("figure", "this site", "95 % interval", "n", "published by others")
    return ScoreTable(f"Figures; {NOT_JUDGED}: nothing here could be judged", headers, tuple(rows))


def _figure_row(card: Scorecard, name: str, one: ScoreFigure | None) -> tuple[str, ...]:
    label = FIGURES[name][0]
    others = "; ".join(map(published, card.beside(name))) or NOT_JUDGED
    if one is None:
        return label, NOT_JUDGED, NOT_JUDGED, "0", others
    return label, amount(one.value, one.unit), interval(one), f"{one.n:,}", others


def group_tables(card: Scorecard) -> tuple[ScoreTable, ...]:
    """A table a grouping."""
    return tuple(_group_table(by, groups) for by, groups in card.groups.items())


def _group_table(by: str, groups: Sequence[ScoreGroup]) -> ScoreTable:
    columns, heads = GROUP_COLUMNS, GROUP_HEADS
    if all("off_scope_refused" in one.figures for one in groups):
        columns, heads = OFF_SCOPE_COLUMNS
    rows = tuple((one.name, str(one.questions), *(_cell(one, name) for name in columns)) for one in groups)
    return ScoreTable(f"By {by}", (by, "questions", *heads), rows)


def _cell(group: ScoreGroup, name: str) -> str:
    """`93.1 % (78–98, n 29)`."""
    one = group.figures.get(name)
    if one is None:
        return NOT_JUDGED
    n = f", n {one.n}" if one.n != group.questions else ""
    return f"{amount(one.value, one.unit)} ({one.low * 100:.0f}–{one.high * 100:.0f}{n})"


def attacks_table(card: Scorecard) -> ScoreTable | None:
    """How many of each kind of attack got through; None where none was tried."""
    if not card.attacks:
        return None
    rows = tuple((one["kind"], str(one["through"]), str(one["tried"])) for one in card.attacks)
    return ScoreTable("Planted instructions by kind", ("kind", "got through", "tried"), rows)


def facts(card: Scorecard) -> tuple[tuple[str, str], ...]:
    """What the figures rest on, a name and its value each."""
    made = card.made
    sets = "; ".join(f"{name}: {count:,}" for name, count in made.sets.items())
    known = [
        ("Site", made.site),
        ("Date", made.created_at),
        ("Snapshot", f"{made.snapshot}: {made.pages:,} pages, {made.chunks:,} passages"),
        ("Questions asked", sets),
        ("Strategy", made.strategy),
        ("Answers are", "written by a language model" if made.writes else "quoted from pages"),
        ("Today was", made.day or "the day it was made"),
        ("Machine", made.machine),
        ("Lodge", made.lodge),
        ("Command", made.command),
    ]
    return (*known, *((f"Model: {name}", value) for name, value in made.models.items()))
