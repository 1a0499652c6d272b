"""The page that should have answered: where it stood in a trace, or why it is not in the index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from server.ask.rules import NO_RULES, CompiledRules
from server.ask.trace import question_of
from server.errors import BadInputError
from server.index.search import page_conditions
from server.index.snapshot import Snapshot, placeholders
from server.inference.encoders import Embedder
from server.ingest.crawl.contents import UrlStatus, is_crawled, url_status
from server.ingest.crawl.urls import normalise
from server.models import Hit, Scope
from server.models.curation import LeaveOut
from server.workbench.answering import LiveSnapshot
from server.workbench.traces.table import PassageRow, PassageTable, passage_tables

# So far down the two rankings a page is looked for that stood in neither of them.
DEEPEST = 1000
_REASONS = {
    "robots": "robots.txt asks crawlers not to fetch it.",
    "scope": "It is outside of the path that was crawled.",
    "depth": "It is more links away from the start than the crawl follows.",
    "trap": "It is one of many pages of this shape that brought nothing new.",
    "nofollow": "Only links that ask not to be followed lead to it.",
}
_FALLS = {
    "retrieve.excluded": "editors leave its page out.",
    "scope": "the question was turned away as none of the site's business.",
    "threshold": "the evidence was too weak for an answer.",
    "cited": "it was read for the answer, and not quoted.",
    "extract": "others stood before it, and only so many are read for an answer.",
    "generate": "the model's prompt had no room for it.",
}


@dataclass(frozen=True, slots=True)
class Explainer:
    """What is known of a page beside one trace.

    `code` and `sentence` say what became of it, `told_by` who knows: the trace, the live snapshot, the crawl
    store, editors or nobody. `tables` are the trace's, with this page's passages alone; `passages` counts
    those in the live snapshot, 0 where it is not in it. The two ranks are those of its best passage there for
    the question by itself, where neither search of the trace brought it; None below the first `DEEPEST`.
    """

    url: str
    live_snapshot: str
    trace_snapshot: str
    passages: int
    tables: tuple[PassageTable, ...] = ()
    code: str = "unknown"
    sentence: str = ""
    told_by: str = "nobody"
    semantic_rank: int | None = None
    keyword_rank: int | None = None


def explain(  # noqa: PLR0913, PLR0917  (so many know something of a page)
    trace: Mapping[str, Any],
    url: str,
    opened: LiveSnapshot,
    embedder: Embedder,
    crawl_dir: Path,
    ruling: CompiledRules = NO_RULES,
) -> Explainer:
    """What is known of a page beside a trace's JSON; `BadInputError` where `url` is no address.

    `ruling` is what the site's editors have set, over the live snapshot.
    """
    names = _spellings(url)
    tables = [_narrowed(table, names) for table in passage_tables(trace)]
    page = _page(opened.snapshot, names)
    found = Explainer(
        url=page[0] if page else names[0],
        live_snapshot=opened.name,
        trace_snapshot=trace["snapshot"],
        passages=len(page[1]) if page else 0,
        tables=tuple(table for table in tables if table.rows),
    )
    if found.tables:
        code, sentence = _standing([row for table in found.tables for row in table.rows])
        return replace(found, code=code, sentence=sentence, told_by="trace")
    if page and (rule := _left_out_by(ruling, opened.snapshot, page[1])):
        said = (
            f"It is in the index. Editors leave it out by the filter {rule.id!r}: {rule.kind} {rule.value}."
        )
        return replace(found, code="left_out", sentence=said, told_by="editors")
    if page:
        return _unranked(found, trace, page, opened, embedder)
    code, sentence, told_by = _why_not(opened.snapshot, crawl_dir, names)
    return replace(found, code=code, sentence=sentence, told_by=told_by)


def _left_out_by(ruling: CompiledRules, snapshot: Snapshot, chunks: Sequence[int]) -> LeaveOut | None:
    """The editors' filter that takes a page's passages away."""
    if not (ruling.pages and chunks):
        return None
    return ruling.pages.get(int(snapshot.chunk_pages[chunks[0]]))


def _unranked(
    found: Explainer,
    trace: Mapping[str, Any],
    page: tuple[str, list[int]],
    opened: LiveSnapshot,
    embedder: Embedder,
) -> Explainer:
    """In the index, and brought by neither search: how far down it stands."""
    scope = _scope_of(trace)
    if not _is_within(opened.snapshot, page[0], scope):
        said = "It is in the index, but outside of where this question was searched (topics or filters)."
        return replace(found, code="out_of_scope", sentence=said, told_by="snapshot")
    text = _searched_for(trace)
    if text is None:
        said = "It is in the index; this answer came about without a search."
        return replace(found, code="no_search", sentence=said, told_by="trace")
    near = opened.vector.search(embedder.embed_question(text), DEEPEST, scope)
    by_meaning = _place(near, page[1])
    by_words = _place(opened.keyword.search(text, DEEPEST, (), scope, _said(trace)), page[1])
    return replace(
        found,
        code="not_retrieved",
        sentence=_far_down(by_meaning, by_words, trace),
        told_by="snapshot",
        semantic_rank=by_meaning,
        keyword_rank=by_words,
    )


def _spellings(url: str) -> tuple[str, ...]:
    """A page's address as it is known to crawl and index, the likeliest first."""
    name = normalise(url)
    if name is None:
        raise BadInputError(f"{url!r} is no address of a page, such as https://www.example.edu/fees.")
    slashed = name.removesuffix("/") if name.endswith("/") else name + "/"
    return tuple(dict.fromkeys((name, url.strip(), slashed)))


def _narrowed(table: PassageTable, names: Sequence[str]) -> PassageTable:
    """A table with the passages of one page alone."""
    return replace(table, rows=tuple(row for row in table.rows if row.url in names))


def _page(snapshot: Snapshot, names: Sequence[str]) -> tuple[str, list[int]] | None:
    """The page's address as the snapshot has it, with its passages' ids."""
    named = "SELECT url, page_id FROM pages WHERE url IN"
    rows = snapshot.rows(f"{named} ({placeholders(names)})", names)
    if not rows:
        return None
    url, page_id = rows[0]
    chunks = snapshot.rows("SELECT chunk_id FROM chunks WHERE page_id = ?", [page_id])
    return url, [chunk_id for (chunk_id,) in chunks]


def _standing(rows: Sequence[PassageRow]) -> tuple[str, str]:
    """What became of the passage of a page that came furthest; rows are the furthest first in their table."""
    if cited := next((row for row in rows if row.cited_as), None):
        return "cited", f"The answer cites it as [{cited.cited_as[0]}]."
    best = max(rows, key=lambda row: len(row.standings))
    step, stood = list(best.standings.items())[-1]
    why = _FALLS.get(best.fell_at or "", f"it fell at {best.fell_at}.")
    return f"fell_at_{best.fell_at}", f"It came as far as {step}, at rank {stood.rank}: {why}"


def _scope_of(trace: Mapping[str, Any]) -> Scope | None:
    """Where the trace's question was searched: what it was given, and the topics of a strategy with them."""
    within = question_of(trace).within
    if "topics" not in trace["strategy"].split("+") or (within and within.topics is not None):
        return within
    allowed: Mapping[str, Any] = next(
        (step["notes"].get("allowed") for step in trace["steps"] if step["step"] == "classify"), {}
    )
    if not allowed:
        return within
    return replace(within or Scope(), topics={name: tuple(subs) for name, subs in allowed.items()})


def _is_within(snapshot: Snapshot, url: str, scope: Scope | None) -> bool:
    conditions = page_conditions(scope) if scope else []
    wanted = " AND ".join(["SELECT 1 FROM pages WHERE url = ?", *(one.sql for one in conditions)])
    values = [url, *(value for condition in conditions for value in condition.parameters)]
    return bool(snapshot.rows(wanted, values))


def _searched_for(trace: Mapping[str, Any]) -> str | None:
    """The first question of the line as it was searched for; None where nothing was."""
    tables = passage_tables(trace)
    return tables[0].question if tables else None


def _said(trace: Mapping[str, Any]) -> Mapping[str, str]:
    """The visitor's words in that question for which editors have others."""
    noted = (step["notes"].get("wordings") for step in trace["steps"] if step["step"] == "rewrite")
    return next(noted, None) or {}


def _place(hits: Sequence[Hit], chunk_ids: Sequence[int]) -> int | None:
    own = set(chunk_ids)
    return next((rank for rank, hit in enumerate(hits, start=1) if hit.chunk_id in own), None)


def _far_down(by_meaning: int | None, by_words: int | None, trace: Mapping[str, Any]) -> str:
    def told(rank: int | None) -> str:
        return f"at rank {rank:,}" if rank else f"not among the first {DEEPEST:,}"

    taken = (trace.get("settings") or {}).get("candidates")
    first = f" The first {taken} of each were looked at." if taken else ""
    return (
        f"It is in the index and neither search brought it: by meaning it stands {told(by_meaning)}, "
        f"by words {told(by_words)}.{first}"
    )


def _why_not(snapshot: Snapshot, crawl_dir: Path, names: Sequence[str]) -> tuple[str, str, str]:
    """Why a page is not in the index, and who knows: the snapshot when it was built, else a crawl."""
    noted = "SELECT reason, detail FROM dropped WHERE url IN"
    if rows := snapshot.rows(f"{noted} ({placeholders(names)})", names):
        reason, detail = rows[0]
        sentence = f"It was left out of the index ({reason}): {_REASONS.get(reason, detail)}"
        return reason, sentence, "snapshot"
    fates = [url_status(crawl_dir, name) for name in names]
    if fate := next((one for one in fates if one), None):
        return *_fate_told(fate, snapshot.manifest.created_at), "crawl"
    if is_crawled(crawl_dir, names[0]):
        said = (
            "No crawl of its site has come across this address: no page or sitemap that it read leads there."
        )
        return "never_crawled", said, "crawl"
    said = "Not known: the live snapshot neither has it nor notes why, and its site was not crawled here."
    return "unknown", said, "nobody"


def _fate_told(fate: UrlStatus, built_at: str) -> tuple[str, str]:
    """What the crawl knows, beside a snapshot built then."""
    if fate.queued and not fate.live:
        return "queued", "The crawl knows the address and has not visited it yet."
    if fate.live and fate.fetched_at and fate.fetched_at > built_at:
        return "crawled_since", "It was fetched after the live snapshot was built; `lodge index` takes it in."
    if fate.live:
        said = "Not known: the crawl has a copy, and the live snapshot no note of why it is not in it."
        return "unknown", said
    code = fate.reason or fate.outcome or "unknown"
    said = (
        fate.detail or _REASONS.get(code) or (f"Its server answered {fate.status}." if fate.status else code)
    )
    return code, f"The crawl brought no page ({fate.outcome}): {said}"
