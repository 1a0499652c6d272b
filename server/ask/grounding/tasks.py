"""Tasks: sentences that ask for words about something else ("Explain the theory of relativity.").

A page's own imperatives tell its reader what to do there, and answer questions: "Submit the form to the
registrar." A task asks for an explanation, a poem or a translation, and has next to nothing to do with its
page. It says nothing, least of all to a visitor who asks about just that: it is no answer and no evidence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt

from server.ask.grounding.injection import MAX_CHARS
from server.lexicons import lexicon
from server.models import Passage
from server.sentences import sentences

Vector = npt.NDArray[np.float32]

# A task has at most so much of its subject's weight in common with the rest of its passage, is less like
# that, and its subject is less likely the site's business.
MAX_SHARED, MAX_COSINE, MAX_IN_SCOPE = 0.3, 0.22, 0.7

_QUESTION = re.compile(r"\?[\"'”’»)\]]*$")
_OUTPUT = r"(?:\w+ )?(?:answers?|repl(?:y|ies)|responses?|outputs?)\b"
_YOUR_OUTPUT = re.compile(rf"\byour {_OUTPUT}")
# Who speaks of you, of us and of ours speaks to a visitor.
_TO_A_VISITOR = re.compile(rf"\b(?:you|yours?(?! {_OUTPUT}| messages?\b)|yourself|us|ours?|we)\b")
_CARRIES_ON = re.compile(r"\b(?:following|below)\b|:[\"'”’»)\]]*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Relatedness:
    """Tells whether a sentence has anything to do with where it stands: its passage, and its site.

    `word_weights` gives a text's stemmed content words with their rarity, `stems` all stems of texts, `embed`
    a text's unit vector, `in_scope` how likely (0 to 1) that is the site's business, if it was learnt.
    """

    word_weights: Callable[[str], Mapping[str, float]]
    stems: Callable[[Sequence[str]], list[set[str]]]
    embed: Callable[[str], Vector]
    in_scope: Callable[[Vector], float | None]

    def is_foreign(self, sentence: str, subject: str, around: str) -> bool:
        """Whether neither the text around a sentence nor the site has anything of its subject."""
        weights = self.word_weights(subject)
        [there] = self.stems([around])
        shared = sum(weight for word, weight in weights.items() if word in there)
        if not weights or shared > MAX_SHARED * sum(weights.values()):
            return False
        if float(self.embed(sentence) @ self.embed(around)) >= MAX_COSINE:
            return False
        return (self.in_scope(self.embed(subject)) or 0.0) < MAX_IN_SCOPE


def is_question(sentence: str) -> bool:
    """Whether a sentence asks, so that it cannot be an answer."""
    return _QUESTION.search(sentence) is not None


@lru_cache(maxsize=8192)
def asked_for(sentence: str) -> str | None:
    """The subject, up to a colon, of a sentence that asks for words, or speaks of its reader's reply.

    None where it does neither, or speaks to a visitor.
    """
    plain = sentence[:MAX_CHARS].casefold()
    match = _task().match(plain)
    subject = plain[match.end() if match else 0 :]
    asks = (match or _YOUR_OUTPUT.search(plain)) and not _TO_A_VISITOR.search(subject)
    return (subject.partition(":")[0].strip() or subject) if asks else None


def task_spans(passage: Passage, relatedness: Relatedness) -> list[tuple[int, int]]:
    """The spans of a passage's tasks, in order; one that speaks of what follows takes its line's rest.

    Requests of one line say nothing for each other.
    """
    text, tasks = passage.text, []
    asking = {span: subject for span in sentences(text) if (subject := asked_for(text[slice(*span)]))}
    for (start, end), subject in asking.items():
        line, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", end)
        line_end = line_end if line_end >= 0 else len(text)
        rest = _blanked(text, [span for span in asking if line <= span[0] < line_end])
        sentence, around = text[start:end], f"{passage.title}. {passage.heading}. {rest}"
        if relatedness.is_foreign(sentence, subject, around):
            tasks.append((start, line_end if _CARRIES_ON.search(sentence[:MAX_CHARS]) else end))
    return tasks


def without_tasks(passage: Passage, relatedness: Relatedness) -> Passage:
    """The passage with spaces in place of its tasks, so that all else keeps its place; itself without any."""
    text = _blanked(passage.text, task_spans(passage, relatedness))
    return passage if text == passage.text else replace(passage, text=text)


def _blanked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


@cache
def _task() -> re.Pattern[str]:
    """A request for words, from its beginning to its verb; a numbered step belongs to those beside it."""
    lists = {name: "|".join(entries) for name, entries in lexicon("tasks").items()}
    openings = rf"\W*(?:(?:{lists['openings']})\b\W*)*"
    return re.compile(rf"{openings}(?:{lists['verbs']})(?= )")
