"""What a developer does with a trace: ask it again, and look for the page that should have answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from server.ask.context import AskOptions
from server.ask.curated import SiteConfig
from server.ask.normalize import Filters
from server.ask.pipeline import Asker
from server.ask.strategy.fusion import FUSIONS
from server.ask.strategy.presets import PRESETS
from server.ask.trace import question_of
from server.errors import BadInputError
from server.models import Question
from server.models.curation import RuleSet
from server.workbench.answering import AnsweringParts, last_event
from server.workbench.curation.trial import drafted_site_config
from server.workbench.traces.explain import explain
from server.workbench.traces.table import PassageRow, PassageTable, passage_tables


@dataclass(frozen=True, slots=True)
class TraceService:
    """Replays and look-ups over the live snapshot, on the models of the flow that answers visitors.

    `draft_of` gives a site's draft of its rules; `NotFoundError` where there is none. While a part is
    missing, both methods raise `NotReadyError`.
    """

    answering: AnsweringParts
    crawl_dir: Path
    draft_of: Callable[[str], RuleSet]

    def replay(self, trace: Mapping[str, Any], changes: Changes) -> dict[str, Any]:
        """The question of a trace asked again, with these changes; nothing is recorded.

        Keys: changes, answer, trace, tables, different. `BadInputError` for what cannot be used.
        """
        parts, site, site_config = self.answering(), question_of(trace).site, None
        if changes.rules is not None:  # nothing, or the draft, in place of what editors have set
            book = self.draft_of(site) if changes.rules == "draft" else RuleSet(site)
            site_config = drafted_site_config(parts.asker.site_config, book, parts.paraphraser)
        return replay(trace, changes, parts.asker, site_config)

    def page(self, trace: Mapping[str, Any], url: str) -> dict[str, Any]:
        """Where a page's passages stood in a trace, or why they did not: the JSON of `Explainer`."""
        parts, site = self.answering(), question_of(trace).site
        with parts.lease() as opened:
            ruling = parts.asker.site_config.ruling(site, opened, parts.asker.day(site))
            return asdict(explain(trace, url, opened, parts.embedder, self.crawl_dir, ruling))


# The least and the most that each number takes.
RANGES: Mapping[str, tuple[float, float]] = {
    "alpha": (0, 1),
    "candidates": (1, 500),
    "rerank_candidates": (1, 100),
    "rerank_stop": (0, 1),
    "passages": (1, 20),
    "refusal_threshold": (0, 1),
    "seems_threshold": (0, 1),
    "gate_threshold": (-100, 100),
}


RULES = ("none", "draft")


@dataclass(frozen=True, slots=True)
class Changes:
    """What is to be otherwise in a replay; what is left out stays as the live settings have it.

    The strategy and where to search stay as the trace has them. `fusion` is "score" or "rrf"; `alpha` (0 to
    1) is the share of the search by meaning; `filters` replace where to search. `answerer` "extractive"
    leaves the language model out, `model` is another one of the same server. `rules` "none" is as if editors
    had set nothing, "draft" as if their draft were live.
    """

    strategy: str | None = None
    fusion: str | None = None
    alpha: float | None = None
    candidates: int | None = None
    rerank_candidates: int | None = None
    rerank_stop: float | None = None
    passages: int | None = None
    refusal_threshold: float | None = None
    seems_threshold: float | None = None
    gate_threshold: float | None = None
    answerer: str | None = None
    model: str | None = None
    rules: str | None = None
    filters: Filters | None = None

    def check(self, strategy: str) -> None:
        """A `BadInputError` names what cannot be used, for a question that is asked by this strategy."""
        for name, (least, most) in RANGES.items():
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise BadInputError(f"{name} is {value:g}; it takes a number from {least:g} to {most:g}.")
        if self.fusion not in (None, *FUSIONS):
            raise BadInputError(f"fusion is {self.fusion!r}; it takes {' or '.join(FUSIONS)}.")
        if self.answerer not in (None, "extractive"):
            raise BadInputError(f"answerer is {self.answerer!r}; it takes extractive, or nothing.")
        if self.rules not in (None, *RULES):
            raise BadInputError(f"rules is {self.rules!r}; it takes {' or '.join(RULES)}.")
        if self.model is not None and (self.answerer or not self.model.strip()):
            raise BadInputError("model takes a model's name, and no answerer beside it.")
        own = ("fusion", "alpha", "candidates", "rerank_candidates", "rerank_stop", "passages")
        if strategy in PRESETS and (given := [name for name in own if getattr(self, name) is not None]):
            raise BadInputError(f"The preset {strategy} has its own numbers: leave out {', '.join(given)}.")

    def options(self, live: AskOptions) -> AskOptions:
        """The live settings with these changes."""
        return replace(
            live,
            retrieve=_with(live.retrieve, self, "fusion", "alpha", "candidates"),
            rerank=_with(live.rerank, self, candidates="rerank_candidates", stop="rerank_stop"),
            gate=_with(live.gate, self, threshold="gate_threshold"),
            **{
                name: getattr(live if getattr(self, name) is None else self, name)
                for name in ("passages", "refusal_threshold", "seems_threshold")
            },
        )

    def question(self, asked: Question) -> Question:
        """The trace's question with these changes."""
        return replace(
            asked,
            strategy=self.strategy or asked.strategy,
            load_shed=asked.load_shed and self.strategy is None,
            within=self.filters.scope() if self.filters else asked.within,
        )

    def named(self) -> dict[str, Any]:
        """What was given, by name."""
        given = {one.name: getattr(self, one.name) for one in fields(self)}
        plain = given | {"filters": asdict(self.filters) if self.filters else None}
        return {name: value for name, value in plain.items() if value is not None}


def replay(
    trace: Mapping[str, Any], changes: Changes, asker: Asker, site_config: SiteConfig | None = None
) -> dict[str, Any]:
    """A trace's question asked again: `answer`, `trace`, `tables`, `changes` and what is `different`.

    `trace` is a recorded trace's JSON with its `answer` beside it; `office` stands in for what editors have
    set, where the changes ask for that. What `Asker.ask` raises is raised here.
    """
    question = changes.question(question_of(trace))
    changes.check(question.strategy or "")
    if changes.model and not asker.writes:
        raise BadInputError("This server has no language model, so there is no other one to try.")
    flow = asker.otherwise(
        changes.options(asker.options),
        writes=changes.answerer != "extractive",
        model=changes.model,
        site_config=site_config,
    )
    final = last_event(flow, question)
    again = final.trace.as_json() | {"answer": final.answer.as_json()}
    return {
        "changes": changes.named(),
        "answer": again["answer"],
        "trace": {name: value for name, value in again.items() if name != "answer"},
        "tables": [table.as_json() for table in passage_tables(again)],
        "different": differences(trace, again),
    }


def _with(options: Any, changes: Changes, *same: str, **renamed: str) -> Any:
    """The options with those of the changes that were given, by the names that the options have for them."""
    names = {name: name for name in same} | renamed
    given = {own: getattr(changes, name) for own, name in names.items()}
    return replace(options, **{own: value for own, value in given.items() if value is not None})


JsonObject = Mapping[str, Any]
Passage = tuple[str, str, str]

# Of two tables so many of the best passages are compared; further down, scores of nothing decide.
COMPARED = 10


def differences(before: JsonObject, after: JsonObject) -> dict[str, Any]:
    """What the second trace has otherwise than the first, each a trace's JSON with its `answer` beside it.

    `same`: the visitor would see the same answer from the same places. `versions` (snapshot, models, prompt)
    and `settings` are lists of name, before and after; `unknown` names what the first trace does not tell.
    `answer` has `text`, `refused`, `refusal_reason`, `answerer` and `cited` where they differ; `passages` is
    a list, a row for each of the best passages of either that stands elsewhere: title, heading, url, and its
    rank `before` and `after`, None where it was not found.
    """
    answer = _answer(before.get("answer") or {}, after.get("answer") or {})
    return {
        "same": not answer,
        "versions": _changed(_versions(before), _versions(after)),
        "settings": _changed(before.get("settings") or {}, after["settings"])
        if before.get("settings")
        else [],
        "unknown": [name for name in ("asked", "settings") if not before.get(name)],
        "answer": answer,
        "passages": _moved(before, after),
    }


def _versions(trace: JsonObject) -> dict[str, Any]:
    return {"strategy": trace["strategy"], "snapshot": trace["snapshot"], **trace["versions"]}


def _changed(before: JsonObject, after: JsonObject) -> list[dict[str, Any]]:
    names = dict.fromkeys((*before, *after))
    return [
        {"name": name, "before": before.get(name), "after": after.get(name)}
        for name in names
        if before.get(name) != after.get(name)
    ]


def _answer(before: JsonObject, after: JsonObject) -> dict[str, Any]:
    def told(answer: JsonObject) -> dict[str, Any]:
        names = ("refused", "refusal_reason", "answerer")
        cited = [f"{one['url']} {one['heading']}".rstrip() for one in answer.get("citations", ())]
        return {"text": answer.get("answer"), **{name: answer.get(name) for name in names}, "cited": cited}

    first, second = told(before), told(after)
    return {
        name: {"before": value, "after": second[name]}
        for name, value in first.items()
        if value != second[name]
    }


def _moved(before: JsonObject, after: JsonObject) -> list[dict[str, Any]]:
    """Passages are the same by their words: another snapshot has other ids."""
    first, second = _ranks(passage_tables(before)), _ranks(passage_tables(after))
    return [
        {
            "title": title,
            "heading": heading,
            "url": key[0],
            "before": first.get(key, (None,))[0],
            "after": second.get(key, (None,))[0],
        }
        for key, (_, title, heading) in (second | first).items()
        if first.get(key, (None,))[0] != second.get(key, (None,))[0]
        and min(found[key][0] for found in (first, second) if key in found) <= COMPARED
    ]


def _ranks(tables: list[PassageTable]) -> dict[Passage, tuple[int, str, str]]:
    """Where each passage stands in the end: its place in the first table that has it."""
    ranks: dict[Passage, tuple[int, str, str]] = {}
    for table in tables:
        for place, row in enumerate(table.rows, start=1):
            ranks.setdefault(_key(row), (place, row.title, row.heading))
    return ranks


def _key(row: PassageRow) -> Passage:
    return (row.url, row.heading, row.text)
