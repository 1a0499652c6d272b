"""Ports: what the steps of a question need of the other rooms. `server/wiring` passes the real parts in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from server.models import (
    CalendarEntry,
    Deadline,
    Exchange,
    Hit,
    OpeningHours,
    PageFacts,
    Passage,
    Reading,
    Scope,
    Site,
)
from server.models.curation import CuratedAnswer, Notice
from server.models.routing import Routing
from server.models.usual import NearestUsual

Vector = npt.NDArray[np.float32]
History = Sequence[tuple[str, str]]
# Keeps an exchange durably before it returns.
Record = Callable[[Exchange], None]
# One question of a conversation, as a language model wrote it; a `LodgeError` when that is down or slow.
Condense = Callable[[str, History], str]
# Whether a page (by its URL) was read again after an ISO 8601 time and said something else, or was gone.
ChangedSince = Callable[[str, str], bool]


class SnapshotText(Protocol):
    """How one snapshot takes a text apart: its words and what they weigh."""

    def content_words(self, text: str) -> list[str]:
        """The words that are not stop words, in lower case and in their order."""

    def word_weights(self, question: str) -> Mapping[str, float]:
        """The question's stemmed content words and their inverse document frequencies."""

    def stems(self, texts: Sequence[str]) -> list[set[str]]:
        """The stemmed words of each text."""

    def knows(self, words: Sequence[str]) -> set[str]:
        """Those of the lower-case words that stand on the site's pages."""

    def knows_a_form(self, words: Sequence[str]) -> set[str]:
        """Those of the lower-case words that stand there with some ending."""

    def nearest_words(self, word: str, max_edits: int, most: int = 1) -> list[str]:
        """The pages' words within so many edits, the nearest first."""


class KeywordSearch(Protocol):
    """Full-text search over one snapshot."""

    def search(
        self,
        question: str,
        limit: int,
        also: Sequence[int] = (),
        within: Scope | None = None,
        said: Mapping[str, str] | None = None,
    ) -> list[Hit]:
        """The best chunks of the scope, and those of `also` that share a word, best first.

        `said` has the visitor's words for which the question has an editor's. An index that has something to
        tell the trace returns a `Ranking`.
        """


class VectorSearch(Protocol):
    """Nearest neighbours over one snapshot."""

    def search(self, vector: Vector, limit: int, within: Scope | None = None) -> list[Hit]:
        """The nearest chunks of the scope, best first; a score is a cosine."""

    def scores(self, vector: Vector, chunk_ids: Sequence[int]) -> list[Hit]:
        """The cosines of these chunks."""

    def late_interaction(self, tokens: Vector, chunk_ids: Sequence[int]) -> list[Hit]:
        """How well each of these chunks matches a question's words, (tokens, token dims); none: unknown."""


class PassageStore(Protocol):
    """The passages themselves."""

    def passages(self, chunk_ids: Sequence[int]) -> Mapping[int, Passage]:
        """By chunk id."""

    @property
    def hosts(self) -> Mapping[str, int]:
        """How many pages each host has."""

    @property
    def terms(self) -> Collection[str]:
        """Every term that a page speaks of, by its name."""

    @property
    def calendar(self) -> Sequence[CalendarEntry]:
        """What the site's own calendars say of days."""

    @property
    def hours(self) -> Sequence[OpeningHours]:
        """What its pages say of when places are open."""

    @property
    def deadlines(self) -> Sequence[Deadline]:
        """Days by which something is due."""

    @property
    def page_facts(self) -> Sequence[PageFacts]:
        """What is known of each page, by page id."""

    @property
    def chunk_pages(self) -> npt.NDArray[np.int32]:
        """The page id of each chunk; shape (chunks,)."""


Probabilities = Mapping[str, float]


class QuestionClassifier(Protocol):
    """What a snapshot's classifiers make of a question's unit vector of shape (dims,)."""

    def topics(self, vector: Vector) -> Probabilities:
        """The probability of each topic, adding up to 1; empty where the snapshot has no topics."""

    def subtopics(self, vector: Vector) -> Mapping[str, Probabilities]:
        """For each topic that has sub-topics, their probabilities given the topic, adding up to 1."""

    def in_scope(self, vector: Vector) -> float | None:
        """The probability that the question is the site's business; None where that was not learnt."""

    def usual(self, vector: Vector) -> float | None:
        """The probability that it is one that any university is asked; None where that was not learnt."""

    def nearest_usual(self, vector: Vector, language: str = "en") -> NearestUsual | None:
        """The one of these that comes closest; None where they are not known."""


class EmbeddingModel(Protocol):
    """Questions as unit vectors, and the words that the model knows whole."""

    def embed_question(self, text: str) -> Vector:
        """Shape (dims,)."""

    def embed_questions(self, texts: Sequence[str]) -> Vector:
        """Shape (len(texts), dims)."""

    def embed_passages(self, texts: Sequence[str]) -> Vector:
        """Shape (len(texts), dims)."""

    def encode_question(self, text: str) -> tuple[Vector, Vector]:
        """Its vector of shape (dims,), and its words', (tokens, token dims), as long as each counts."""

    def is_word(self, word: str) -> bool:
        """Whether a lower-case word is a common one of the language, whether the site uses it or not."""


class OtherWordings(Protocol):
    """How else a question could be put, by what a snapshot knows of words."""

    def of(self, question: str, most: int, said: Mapping[str, str] | None = None) -> Sequence[str]:
        """At most so many other wordings, the likeliest first; none where nothing is known.

        `said` has the visitor's words for which the question has an editor's.
        """

    def synonyms_of(self, question: str) -> Sequence[tuple[frozenset[str], frozenset[str]]]:
        """Stems of the question, each time with those of another wording that pages have for them."""

    def as_in(self, question: str) -> Callable[[str], str]:
        """What puts the question in a text's own words: a synonym for what the text has no other word for."""


class PageQuestions(Protocol):
    """Sample questions of pages, as a second index of their passages; a score is a cosine."""

    def search(self, vector: Vector, limit: int) -> list[Hit]:
        """The chunks whose questions are nearest to a question's unit vector, best first."""

    def scores(self, vector: Vector, chunk_ids: Sequence[int]) -> list[Hit]:
        """The best score of each of these chunks' questions."""


class SearchIndex(Protocol):
    """One snapshot as it is searched."""

    @property
    def name(self) -> str:
        """The snapshot's name."""

    @property
    def keyword(self) -> KeywordSearch:
        """Its full-text search."""

    @property
    def vector(self) -> VectorSearch:
        """Its vector search."""

    @property
    def text(self) -> SnapshotText:
        """Its words."""

    @property
    def snapshot(self) -> PassageStore:
        """Its passages."""


class OpenSnapshot(SearchIndex, Protocol):
    """One snapshot with its classifiers, open for one question."""

    @property
    def classifier(self) -> QuestionClassifier:
        """What it learnt of its topics when it was built."""

    @property
    def questions(self) -> PageQuestions:
        """What its pages answer, as questions."""

    @property
    def wordings(self) -> OtherWordings:
        """Its synonyms and link texts, as other wordings of a question."""


# The snapshot of the moment, kept open until the question is done; a `NotReadyError` where there is none.
Lease = Callable[[], AbstractContextManager[OpenSnapshot]]


class SiteDirectory(Protocol):
    """The table of sites."""

    def get(self, key: str) -> Site | None:
        """The site of that key, if there is one."""

    def all(self) -> Sequence[Site]:
        """Every site."""


class CurationSource(Protocol):
    """Where curated answers and notices are kept."""

    def curated(self, site: str | None = None) -> Sequence[CuratedAnswer]:
        """Those of a site, or all."""

    def notices(self, site: str | None = None) -> Sequence[Notice]:
        """Those of a site, or all."""

    def curation_version(self) -> str:
        """Another value after every change."""


class CrossEncoder(Protocol):
    """Reads passages for a question."""

    @property
    def weights(self) -> Mapping[str, float]:
        """What its log-odds and whatever else is known of a passage count (relevance.py)."""

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        """A reading for each (title and headings, text)."""


class LineRouter(Protocol):
    """What says how a visitor's line is best gone on with."""

    def route(self, line: str) -> Routing:
        """How likely each way helps best, and where in the line another question begins."""


class SearchLlm(Protocol):
    """A language model that helps to search. Thread-safe; any method may raise a `LodgeError`."""

    def paraphrases(self, question: str, most: int) -> Sequence[str]:
        """At most so many other wordings of a question, each in one line; none where nothing is of use."""

    def hypothetical_answers(self, question: str, most: int) -> Sequence[str]:
        """At most so many answers as a page might have them, true or not."""

    def order(self, question: str, passages: Sequence[Passage]) -> Sequence[int]:
        """The passages' places, from 0, each once, in the order in which they answer the question."""

    def yes_probability(self, question: str, passage: Passage) -> float | None:
        """How likely the passage answers the question, 0 to 1; None where the model did not say."""


@dataclass(frozen=True, slots=True)
class PromptContext:
    """Who speaks and when, for the prompt; `examples` are questions with their answers, to be followed."""

    site_name: str
    today: date
    examples: tuple[tuple[str, str], ...] = ()


class AnsweredQuestions(Protocol):
    """Questions with answers that are known to be right."""

    def nearest(self, question: str, vector: Vector, most: int, site: str) -> Sequence[tuple[str, str]]:
        """At most so many of a site, the nearest in meaning first; never the question itself."""


class GenerationStream(Protocol):
    """One answer under way."""

    @property
    def passages(self) -> Sequence[Passage]:
        """Those that the model was given, number 1 first."""

    @property
    def notes(self) -> Mapping[str, Any]:
        """The prompt and how the answer came about, for the trace."""

    @property
    def declined(self) -> bool:
        """Whether the model wrote that the passages do not answer the question; known at the end."""

    @property
    def cut_off(self) -> bool:
        """Whether the model's tokens ran out before its answer ended; known at the end."""

    def pieces(self) -> Generator[str, None, None]:
        """The text as it comes; an `LlmUnavailableError` at any point."""


class AnswerGenerator(Protocol):
    """A language model that answers from passages. Thread-safe."""

    def begin(
        self,
        question: str,
        passages: Sequence[Passage],
        history: Sequence[tuple[str, str]],
        scene: PromptContext,
    ) -> GenerationStream:
        """An answer from as many of the passages, best first, as fit; nothing is sent yet."""

    def from_memory(self, question: str, scene: PromptContext) -> str:
        """An answer without any passage, for evaluation only; an `LlmUnavailableError`."""

    def named(self, model: str) -> AnswerGenerator:
        """The same by another model of the same server."""

    @property
    def resting(self) -> bool:
        """Whether it is left in peace after failures."""

    @property
    def versions(self) -> Mapping[str, str]:
        """The model's name and the prompts' hash, for the trace."""

    def close(self) -> None:
        """Cancel what is under way."""
