"""The scorecard as one HTML document. It needs no script, no network and no file beside it."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from server.evaluate.scorecard.figures import FIGURES
from server.evaluate.scorecard.scorecard import Scorecard
from server.evaluate.scorecard.words import attacks_table, facts, figures_table, group_tables, published


def scorecard_page(card: Scorecard) -> str:
    """The page; everything in it is escaped."""
    return (
        _templates()
        .get_template("scorecard.html")
        .render(
            site=card.made.site,
            date=card.made.created_at[:10],
            facts=facts(card),
            figures=figures_table(card),
            meanings=[FIGURES[one.name] for one in card.figures],
            groups=group_tables(card),
            attacks=attacks_table(card),
            sources=[(published(one), one.says, one.source) for one in card.published],
            cannot_say=card.cannot_say,
        )
    )


def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("server.evaluate.scorecard", "."),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
