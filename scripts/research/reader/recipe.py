"""What the shipped reader is made of: cycles of learning, each with its ingredients and its own way down.

Short pairs come first: a match of words and sense is learnt from them at a third of the price. Another cycle
begins where the one before ended (warm restarts, Loshchilov & Hutter 2017).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from scripts.research.reader.batches import Recipe
from scripts.research.reader.sources import (
    Source,
    handbook_visitors,
    new_wiki,
    nq_open,
    own_site_visitors,
    sentence_pairs,
    squad_train,
    tydiqa,
    wiki_tables,
)
from scripts.research.reader.training import Schedule

SEED = 20261122


@dataclass(frozen=True, slots=True)
class Ingredient:
    """A source in a plan: at most `asked` questions are mined of at most `pages` pages, by a `draw` of their
    own, and `passes` are made over them. Ingredients of one stage are mixed."""

    stage: str
    name: str
    read: Callable[[Path], Source]
    passes: float
    asked: int | None = None
    pages: int | None = None
    draw: int = 1

    @property
    def file(self) -> str:
        """Where its mined examples are kept, in the work folder."""
        drawn = f"-{self.draw}" if self.draw != 1 else ""
        return f"{self.name}-{self.asked or 'all'}{drawn}.jsonl"

    def source(self, data: Path) -> Source:
        """The source, cut down to `pages`."""
        whole = self.read(data)
        if self.pages is None:
            return whole
        kept = set(random.Random(1).sample([one.gold_url for one in whole.asked], self.pages))
        return replace(
            whole,
            pages=[page for page in whole.pages if page["url"] in kept],
            asked=[one for one in whole.asked if one.gold_url in kept],
        )


@dataclass(frozen=True, slots=True)
class Cycle:
    """One run of learning; `exits` are counts of layers that get heads of their own, the last of them all.

    With `claims` the verdict is learnt beside it. It begins with the mean of the weights that the last
    `begins` cycles ended with (Wortsman et al. 2022), which keeps what each learnt of its own ingredients.
    """

    ingredients: tuple[Ingredient, ...]
    exits: tuple[int, ...]
    schedule: Schedule = field(default_factory=Schedule)
    recipe: Recipe = field(default_factory=Recipe)
    claims: bool = False
    begins: int = 1


def quennell(data: Path) -> Source:
    """Visitors' questions over a large research university."""
    return own_site_visitors("quennell")


def tamsettferry(data: Path) -> Source:
    """Visitors' questions over a community college."""
    return own_site_visitors("tamsettferry")


def marrowby(data: Path) -> Source:
    """Visitors' questions over a regional university, by two other writers."""
    return own_site_visitors("marrowby")


CYCLES = (
    Cycle(
        ingredients=(
            Ingredient("first", "sentences", sentence_pairs, 3000 / 6500, asked=6500),
            Ingredient("first", "nq-open", nq_open, 1.0, asked=1500),
            Ingredient("second", "squad-train", squad_train, 1.0, asked=6500),
            Ingredient("second", "tydiqa", tydiqa, 1.0, asked=1800),
            Ingredient("second", "quennell", quennell, 1.4),
            Ingredient("second", "tamsettferry", tamsettferry, 1.4),
            Ingredient("second", "handbook", handbook_visitors, 1.4),
        ),
        exits=(6,),
    ),
    # Further questions on paragraphs, a third of them without an answer, beside the visitors' once more.
    Cycle(
        ingredients=(
            Ingredient("first", "squad-train", squad_train, 1.0, asked=10000, draw=2),
            Ingredient("first", "tydiqa", tydiqa, 0.5, asked=1800),
            Ingredient("first", "quennell", quennell, 1.4, draw=2),
            Ingredient("first", "tamsettferry", tamsettferry, 1.4, draw=2),
            Ingredient("first", "handbook", handbook_visitors, 1.4, draw=2),
        ),
        exits=(6,),
        schedule=Schedule(rate=1e-4, head_rate=2e-4),
        recipe=Recipe(negatives=2, unanswerable_passages=1),
    ),
    # Further ones still, rows of tables, and claims for the verdict.
    Cycle(
        ingredients=(
            Ingredient("first", "squad-train", squad_train, 1.0, asked=12000, draw=3),
            Ingredient("first", "wiki-tables", wiki_tables, 1.0, asked=1500),
            Ingredient("first", "tydiqa", tydiqa, 0.5, asked=1800),
            Ingredient("first", "quennell", quennell, 0.8, draw=2),
            Ingredient("first", "tamsettferry", tamsettferry, 0.8, draw=2),
            Ingredient("first", "handbook", handbook_visitors, 0.8, draw=2),
        ),
        exits=(6,),
        schedule=Schedule(rate=1e-4, head_rate=2e-4),
        recipe=Recipe(negatives=2, unanswerable_passages=1, max_tokens=256),
        claims=True,
    ),
    # The passages that the search and late interaction put first are what the reader has to tell apart.
    Cycle(
        ingredients=(
            Ingredient("first", "squad-train", squad_train, 1.0, asked=12000, draw=4),
            Ingredient("first", "new-wiki", new_wiki, 1.0),
        ),
        exits=(6,),
        schedule=Schedule(rate=1e-4, head_rate=1e-4),
        recipe=Recipe(negatives=3, nearest=12, short=0.5),
        claims=True,
    ),
    # And of sites' pages, visitors' questions of three sites and a handbook, beside rows of tables.
    Cycle(
        ingredients=(
            Ingredient("first", "wiki-tables", wiki_tables, 0.5, asked=1500, draw=2),
            Ingredient("first", "tydiqa", tydiqa, 0.5, asked=1800, draw=2),
            Ingredient("first", "quennell", quennell, 1.6, draw=3),
            Ingredient("first", "tamsettferry", tamsettferry, 1.6, draw=3),
            Ingredient("first", "handbook", handbook_visitors, 1.6, draw=3),
            Ingredient("first", "marrowby", marrowby, 1.6, draw=3),
        ),
        exits=(6,),
        schedule=Schedule(rate=8e-5, head_rate=1e-4),
        recipe=Recipe(negatives=4, nearest=10, short=0.4),
        claims=True,
    ),
    # Questions of people who had not seen the text, against more of what the search puts first.
    Cycle(
        ingredients=(
            Ingredient("first", "squad-train", squad_train, 1.0, asked=4000, draw=5),
            Ingredient("first", "nq-open", nq_open, 1.0, draw=2),
            Ingredient("first", "tydiqa", tydiqa, 1.0, draw=3),
            Ingredient("first", "wiki-tables", wiki_tables, 1.0, asked=1000, draw=3),
            Ingredient("first", "quennell", quennell, 0.25, draw=3),
            Ingredient("first", "tamsettferry", tamsettferry, 0.25, draw=3),
        ),
        exits=(6,),
        schedule=Schedule(rate=8e-5, head_rate=1e-4),
        recipe=Recipe(negatives=4, nearest=14, short=0.4),
        claims=True,
    ),  # And sites' pages last, for what was learnt of them fades.
    Cycle(
        ingredients=(
            Ingredient("first", "wiki-tables", wiki_tables, 0.5, asked=1000, draw=3),
            Ingredient("first", "tydiqa", tydiqa, 0.25, draw=3),
            Ingredient("first", "quennell", quennell, 1.0, draw=3),
            Ingredient("first", "tamsettferry", tamsettferry, 1.0, draw=3),
            Ingredient("first", "handbook", handbook_visitors, 1.0, draw=3),
            Ingredient("first", "marrowby", marrowby, 1.0, draw=3),
        ),
        exits=(6,),
        schedule=Schedule(rate=6e-5, head_rate=8e-5),
        recipe=Recipe(negatives=4, nearest=14, short=0.4),
        claims=True,
        begins=2,
    ),
)
