"""What pages tell by how they are built, whatever the reader puts first.

That is whom a question asks how to reach, who holds a post or works on a subject, the list that it asks for
by name, what is on, on a day, and what it asks of a table's column.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from server.ask.quoting.answer import ExtractiveAnswer, cite
from server.ask.quoting.compute import Computed, asks_of_rows, computed_over
from server.ask.quoting.contact import asked_contact, named_contact
from server.ask.quoting.lacking import lacking
from server.ask.quoting.listed import asked_list, listed
from server.ask.quoting.named_row import with_named_rows
from server.ask.quoting.own_contact import asked_of_itself, own_contact
from server.ask.quoting.post_holder import asked_post, post_holder
from server.ask.quoting.posts import is_of_another
from server.ask.quoting.score import AnswerPlace, QuestionFeatures, ScoredSentence, score_sentences
from server.ask.quoting.table_context import with_rest_counted, with_tables
from server.models import Candidate, Citation
from server.models.table_rows import read_row

# Where every word of the question is told by a table, and by a column of Yes and No in it or as its greatest
# or least value, or by the line of whom it asks how to reach, the answer is at least so likely (chosen).
ALL_TOLD = 0.8
# The candidates without what may be a task in them; few questions need them.
Clean = Callable[[], Sequence[Candidate]]


@dataclass(frozen=True, slots=True)
class Entries:
    """The entries, of a `kind`, that a question asks for; those that `are_listed` stand below their list's
    name."""

    kind: str
    quotes: Sequence[ScoredSentence]
    are_listed: bool = False


def as_told(
    question: str,
    clean: Clean,
    draft: ExtractiveAnswer,
    wanted: QuestionFeatures,
    entries: Entries | None = None,
) -> ExtractiveAnswer:
    """The answer, or in its place what the candidates tell by how they are built; tables whole, and marked
    in them the rows that are meant. `entries` are those that are asked for, where they are."""
    if entries:
        draft = _surely_quoting(entries.quotes, draft, wanted, {entries.kind: True})
        draft = _below_its_name(draft) if entries.are_listed else draft
    else:
        draft = (
            _of_contact(question, clean, draft, wanted)
            or _of_post(question, clean, draft, wanted)
            or _of_list(question, clean, draft, wanted)
            or draft
        )
    draft = replace(draft, citations=with_tables(draft.chosen, draft.citations, wanted.passages))
    draft = replace(draft, said=with_rest_counted(draft.said, draft.citations))
    found = computed_over(question, draft.citations, wanted)
    if found is None and asks_of_rows(question):
        draft, found = _of_a_column(question, clean(), draft, wanted) or (draft, None)
    if found is None:
        return replace(draft, citations=with_named_rows(question, draft.chosen, draft.citations, wanted))
    computed, cited = found
    draft = _of_source(draft, cited.n)
    if computed.is_all_told:
        draft = _surely(draft)
    notes = {**draft.notes, "computed": computed.kind}
    return replace(draft, computed=computed, citations=(replace(cited, n=1),), notes=notes)


def _surely(draft: ExtractiveAnswer) -> ExtractiveAnswer:
    """The answer, at least as sure as one whose every word is told."""
    evidence = max(draft.evidence, ALL_TOLD)
    notes = {**draft.notes, "evidence": round(evidence, 4)}
    return replace(draft, evidence=evidence, notes=notes, is_told=True)


def _of_contact(
    question: str, clean: Clean, draft: ExtractiveAnswer, wanted: QuestionFeatures
) -> ExtractiveAnswer | None:
    """The answer out of what names whom it is asked how to reach; None where nothing does, or nobody is."""
    asked, looks = asked_contact(question), asked_of_itself(question, wanted)
    if looks:
        quote = own_contact(looks, score_sentences(clean(), wanted), wanted.hosts)
    elif asked:
        quote = named_contact(asked, score_sentences(clean(), wanted), wanted)
    else:
        return None
    if quote is None:
        return None
    return _surely_quoting([quote], draft, wanted, {"contact": " ".join(asked.who.split()) if asked else ""})


def _of_post(
    question: str, clean: Clean, draft: ExtractiveAnswer, wanted: QuestionFeatures
) -> ExtractiveAnswer | None:
    """The answer out of the line that says who holds a post; where none does, it is doubted if it tells of
    another post alone. None where no post is asked for."""
    asked = asked_post(question)
    if asked is None:
        return None
    quote = post_holder(asked, score_sentences(clean(), wanted), wanted)
    if quote is None:
        is_other = any(is_of_another(asked, one.text) for one in draft.chosen[:1])
        return lacking(draft, "post") if is_other else None
    return _surely_quoting([quote], draft, wanted, {"post": True})


def _of_list(
    question: str, clean: Clean, draft: ExtractiveAnswer, wanted: QuestionFeatures
) -> ExtractiveAnswer | None:
    """The answer out of the list that is asked for by what it lists, below its name; None where there is
    none, or none is asked for."""
    what = asked_list(question)
    quote = listed(what, score_sentences(clean(), wanted), wanted) if what else None
    if quote is None:
        return None
    return _below_its_name(_surely_quoting([quote], draft, wanted, {"listed": what}))


def _below_its_name(answer: ExtractiveAnswer) -> ExtractiveAnswer:
    """The lines of a list, below the name of their section or page."""
    passage = answer.chosen[0].passage
    name = (passage.section or passage.title).strip().rstrip(":")
    return replace(answer, said=tuple(replace(one, lead=one.lead or f"{name}:") for one in answer.said))


def _surely_quoting(
    quotes: Sequence[ScoredSentence],
    draft: ExtractiveAnswer,
    wanted: QuestionFeatures,
    notes: Mapping[str, object],
) -> ExtractiveAnswer:
    """The answer with these quotes in the place of its own, sure of them; `notes` are for the trace."""
    place = AnswerPlace(quotes[0].text, kinds=tuple(kind.name for kind in wanted.kinds))
    return _surely(replace(_quoting(quotes, draft), notes={**draft.notes, **notes}, place=place))


def _quoting(quotes: Sequence[ScoredSentence], draft: ExtractiveAnswer) -> ExtractiveAnswer:
    """The answer with these quotes in the place of its own."""
    said, cited = cite(quotes, draft.changed)
    place = AnswerPlace(quotes[0].text)
    return replace(draft, said=said, citations=cited, place=place, chosen=tuple(quotes))


def _of_a_column(
    question: str, candidates: Sequence[Candidate], draft: ExtractiveAnswer, wanted: QuestionFeatures
) -> tuple[ExtractiveAnswer, tuple[Computed, Citation]] | None:
    """The answer out of a table that has a column for all that is asked, and what is computed over it; None
    where there is none. A reader that does not know "AC" puts another line first."""
    if not any(read_row(line) for one in candidates for line in one.passage.text.split("\n")):
        return None
    for quote in score_sentences(candidates, replace(wanted, several=True)):
        if "\n" not in quote.text or not read_row(quote.text.partition("\n")[0]):
            continue
        own = _quoting([quote], draft)
        found = computed_over(question, with_tables([quote], own.citations, wanted.passages), wanted)
        if found and found[0].is_all_told:
            return own, found
    return None


def _of_source(draft: ExtractiveAnswer, n: int) -> ExtractiveAnswer:
    """The answer with what it says of its source `n` alone, which is its first then."""
    if len(draft.citations) == 1:
        return draft
    own = list(dict.fromkeys(quote.passage.chunk_id for quote in draft.chosen))[n - 1]
    chosen = tuple(quote for quote in draft.chosen if quote.passage.chunk_id == own)
    said, cited = cite(chosen, draft.changed)
    return replace(draft, said=said, citations=cited, chosen=chosen)
