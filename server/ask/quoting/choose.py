"""Which sentences are quoted: the best, and what is nearly as good; no part passes for a whole."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from server.ask.quoting.day_fit import DATE, weekdays_of
from server.ask.quoting.item_lists import with_whole_lists
from server.ask.quoting.meant_line import best_lines, meant_first
from server.ask.quoting.score import QuestionFeatures, ScoredSentence, score_of, score_sentences
from server.models import Candidate
from server.models.table_rows import read_row
from server.sentences import sentences

# A further sentence is quoted when it is nearly as good as the best; at most so many are. One of another page
# must be nearer, and so must any where a day is meant: what is about another thing or day misleads.
NEARLY, OF_THE_PAGE, OF_ANOTHER, MAX_SENTENCES = 0.5, 0.6, 0.8, 3
# Of a table the best row is quoted alone, unless another is nearly as good as this.
NEARLY_THE_ROW = 0.83
# A sentence of so many characters says on another page what it says on this one.
TELLING_CHARS = 40
# How a line ends that leads in to what stands below it.
LEADS_IN = (":", "...", "…")
# So much of a question, by weight, is all of it.
ALL_NAMED = 0.99
# Where several things are asked for, a list of the same page follows the best sentence if it is so good.
LIST_BESIDE = 0.3

# A table: the passage that it stands in, and its columns.
Table = tuple[int, tuple[str, ...]]


def choose(
    candidates: Sequence[Candidate], quoted: Sequence[ScoredSentence], wanted: QuestionFeatures
) -> list[ScoredSentence]:
    """One to three sentences of those `quoted`, best first in `quoted`: here by passage, the best of each and
    then the others as the page has them, of days all as the page has them. Before them what the calendar says
    against them.

    Where rows of a table are as good as each other, the `candidates` are scored again with whole tables.
    """
    ordered = meant_first(quoted, wanted)
    chosen = _nearly_as_good(ordered, wanted)
    if not wanted.several:
        chosen = best_lines(_best_records(chosen))
    if wanted.dated:
        chosen = _of_the_days(chosen, score_of(ordered[0]))
    if not wanted.dated or _fit_as_one(chosen, quoted):
        chosen = _best_rows(chosen)
        if tables := _tables_of_several_rows(chosen) | _tables_of_no_row(chosen, quoted):
            # some of its rows would pass for all
            whole = score_sentences(candidates, replace(wanted, several=True))
            if wanted.dated:  # of the days nothing else is told
                own = {chunk_id for chunk_id, _ in tables}
                whole = [one for one in whole if one.passage.chunk_id in own]
            chosen = _nearly_as_good(_led_by(ordered[0], whole), wanted)
    if wanted.several:
        chosen = _with_list(chosen, quoted)
    if not wanted.dated:
        chosen = with_whole_lists(chosen, quoted)
    return _with_exception(_each_table_once(_once_each(_without_bare_leads(chosen))), wanted)


def _led_by(lead: ScoredSentence, quoted: Sequence[ScoredSentence]) -> Sequence[ScoredSentence]:
    """The sentences, that one first: it is quoted with more of its table now."""
    return sorted(
        quoted,
        key=lambda one: (one.passage.chunk_id, one.start) != (lead.passage.chunk_id, lead.start),
    )


def _without_bare_leads(chosen: Sequence[ScoredSentence]) -> Sequence[ScoredSentence]:
    """The sentences, less lines that lead in to nothing ("Effective Fall 2019:", "And then…", at a chunk's
    end), where anything else is said."""
    said = [one for one in chosen if len(sentences(one.text)) > 1 or not one.text.rstrip().endswith(LEADS_IN)]
    return said or chosen


def _best_records(chosen: Sequence[ScoredSentence]) -> list[ScoredSentence]:
    """The sentences, less what is of a record where another of its passage is better: it is who is meant."""
    best: dict[int, float] = {}
    for quote in chosen:
        if quote.unit.is_record:
            best[quote.passage.chunk_id] = max(score_of(quote), best.get(quote.passage.chunk_id, -math.inf))
    return [
        quote
        for quote in chosen
        if not quote.unit.is_record
        or _is_nearly(score_of(quote), best[quote.passage.chunk_id], NEARLY_THE_ROW)
    ]


def _nearly_as_good(quoted: Sequence[ScoredSentence], wanted: QuestionFeatures) -> list[ScoredSentence]:
    """The best sentence, and those nearly as good that say something else; of one passage the best one first,
    with the rows of its table or the days of its week, and the others in its order, dated ones all in its
    order.

    What another page says again counts among them: what comes after it is no better for that.
    """
    chosen: list[ScoredSentence] = []
    again = 0
    for quote in quoted:
        is_full = len(chosen) + again == MAX_SENTENCES
        if chosen and quote.stale and not chosen[0].stale:  # last year's price beside this year's
            continue
        if is_full or (chosen and score_of(quote) < NEARLY * score_of(chosen[0])):
            break
        is_near = not chosen or score_of(quote) >= _nearly(quote, chosen[0]) * score_of(chosen[0])
        said = next((other for other in chosen if _is_said(quote, other)), None)
        if is_near and said:
            again += said.passage.url != quote.passage.url
        elif is_near:
            chosen.append(quote)
    lead: dict[int, ScoredSentence] = {}
    for quote in chosen:
        lead.setdefault(quote.passage.chunk_id, quote)
    order = {id_: i for i, id_ in enumerate(lead)}

    def place(quote: ScoredSentence) -> tuple[int, bool, int]:
        first = lead[quote.passage.chunk_id]
        leads = wanted.dated or quote is first or _are_of_one(first, quote, wanted)
        return order[quote.passage.chunk_id], not leads, quote.start

    return sorted(chosen, key=place)


def _are_of_one(first: ScoredSentence, quote: ScoredSentence, wanted: QuestionFeatures) -> bool:
    """Whether both are rows of one table, or, where hours are asked for, days of one week."""
    if table := _table_of(first):
        return _table_of(quote) == table
    return wanted.asks_week and all(weekdays_of(one.sentence) for one in (first, quote))


def _nearly(quote: ScoredSentence, best: ScoredSentence) -> float:
    """The share of the best sentence's score that another must have to be quoted beside it."""
    if quote.passage.chunk_id == best.passage.chunk_id:
        return NEARLY
    return OF_THE_PAGE if quote.passage.url == best.passage.url else OF_ANOTHER


def _with_exception(chosen: list[ScoredSentence], wanted: QuestionFeatures) -> list[ScoredSentence]:
    """The sentences; before hours that hold every such weekday, what the calendar says against them."""
    if not 0 < max((quote.day for quote in chosen), default=0.0) < DATE:
        return chosen
    exception = wanted.exception()
    return [exception, *chosen] if exception else chosen


def _with_list(chosen: list[ScoredSentence], quoted: Sequence[ScoredSentence]) -> list[ScoredSentence]:
    """The sentences, or the best of them and its page's list: "degrees in six fields" names none of them."""
    best = quoted[0]
    if any("\n" in quote.text and quote.passage.url == best.passage.url for quote in chosen):
        return chosen
    lists = (
        quote
        for quote in quoted
        if "\n" in quote.text
        and not (_is_said(quote, best) and _is_prose(quote))
        and quote.passage.url == best.passage.url
        and score_of(quote) >= LIST_BESIDE * score_of(best)
    )
    found = next(lists, None)
    return [best, found] if found else chosen


def _best_rows(chosen: Sequence[ScoredSentence]) -> list[ScoredSentence]:
    """The sentences, less the rows of a table that has a better one: it is the one that is meant."""
    best: dict[Table, float] = {}
    for quote in chosen:
        if table := _table_of(quote):
            best[table] = max(score_of(quote), best.get(table, -math.inf))
    return [
        quote
        for quote in chosen
        if not (table := _table_of(quote)) or _is_nearly(score_of(quote), best[table], NEARLY_THE_ROW)
    ]


def _is_nearly(score: float, best: float, share: float) -> bool:
    """Whether it is so nearly the best, which may be below 0 where all is of other days than are meant."""
    return score >= best - (1 - share) * abs(best)


def _tables_of_several_rows(chosen: Sequence[ScoredSentence]) -> set[Table]:
    counts = Counter(table for quote in chosen if (table := _table_of(quote)))
    return {table for table, rows in counts.items() if rows > 1}


def _tables_of_no_row(chosen: Sequence[ScoredSentence], quoted: Sequence[ScoredSentence]) -> set[Table]:
    """Tables of which the question names no row: another has as many of its words as the row chosen."""
    words: dict[Table, list[float]] = {}
    for quote in quoted:
        if table := _table_of(quote):
            words.setdefault(table, []).append(quote.words)
    return {
        table
        for quote in chosen
        if (table := _table_of(quote)) and sum(other >= quote.words for other in words[table]) > 1
    }


def _of_the_days(chosen: Sequence[ScoredSentence], best: float) -> list[ScoredSentence]:
    """The sentences of the very days, and others nearly as good as the `best`; none of other days beside
    those, and beside what its page says of the date not what it says of every such weekday. Where one has
    every word of the question in it or above it, none is quoted that has not: "help desk hours on saturday"
    does not ask for the library's service desk."""
    named = [quote for quote in chosen if quote.day > 0 and quote.words + quote.heading >= ALL_NAMED]
    chosen = named or chosen
    is_told = any(quote.day > 0 for quote in chosen)
    good = [quote for quote in chosen if quote.day > 0 or _is_nearly(score_of(quote), best, OF_ANOTHER)]
    first = max(good, key=score_of, default=None)
    dated = first.passage.url if first and first.day >= DATE else None
    return [
        quote
        for quote in good
        if (not is_told or quote.day >= 0) and not (quote.passage.url == dated and 0 < quote.day < DATE)
    ]


def _fit_as_one(chosen: Sequence[ScoredSentence], quoted: Sequence[ScoredSentence]) -> bool:
    """Whether all rows of the tables suit the days: each has a column for every day of the week."""
    tables = {_table_of(quote) for quote in chosen} - {None}
    days = {quote.day for quote in quoted if _table_of(quote) in tables}
    return len(days) == 1 and min(days) > 0


def _table_of(quote: ScoredSentence) -> Table | None:
    """The passage and the columns of the table that it is a row of, if it is one."""
    row = read_row(quote.text)
    return (quote.passage.chunk_id, row.columns) if row else None


def _once_each(chosen: Sequence[ScoredSentence]) -> list[ScoredSentence]:
    """The sentences; what belongs together with one leaves out, at its ends, what another has.

    Chunks of a page overlap, and so do the paragraphs that are quoted around a sentence of each; and pages
    repeat each other. What is said twice stays with the first, unless it is what a later one is quoted for.
    """
    once = list(chosen)
    for i in (*range(1, len(once)), *reversed(range(len(once) - 1))):
        once[i] = _less(once[i], [other.text for j, other in enumerate(once) if j != i])
    return once


def _each_table_once(chosen: Sequence[ScoredSentence]) -> list[ScoredSentence]:
    """The sentences; of a long table that goes on in another chunk only what is quoted first of it. What is
    left is told by its number (`table_context.with_rest_counted`)."""
    known = set[tuple[str, str, tuple[str, ...]]]()
    kept: list[ScoredSentence] = []
    for quote in chosen:
        row = read_row(quote.text.partition("\n")[0]) if "\n" in quote.text else None
        table = (quote.passage.url, quote.passage.heading, row.columns) if row else None
        if table is None or table not in known:
            kept.append(quote)
        if table:
            known.add(table)
    return kept


def _less(quote: ScoredSentence, others: Sequence[str]) -> ScoredSentence:
    """Without the sentences at its ends that these texts have; its own stays, and a list or a table whole."""
    text = quote.text
    own = text.find(quote.sentence)
    if own < 0 or "\n" in text:
        return quote
    kept = [
        (start, end)
        for start, end in sentences(text)
        if start <= own < end or not any(text[start:end] in other for other in others)
    ]
    return quote.cut(kept[0][0], kept[-1][1])


def _is_prose(quote: ScoredSentence) -> bool:
    """Whether its lines are a heading and sentences below it."""
    kinds = {quote.whole.kind_at(at) for at in (quote.unit.start, quote.start)}
    return not (quote.unit.is_record or kinds & {"list", "table"})


def _is_said(quote: ScoredSentence, other: ScoredSentence) -> bool:
    """Whether the other one's unit has its words, or some of its place."""
    if quote.passage.chunk_id == other.passage.chunk_id:
        return quote.unit.start < other.unit.end and other.unit.start < quote.unit.end
    one, another = quote.text.casefold(), other.text.casefold()
    own = quote.sentence.casefold()
    if quote.passage.url != other.passage.url:
        return one == another or (len(own) >= TELLING_CHARS and own in another)
    return own in another or another in one  # a list may have begun in the chunk before
