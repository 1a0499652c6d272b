"""Calibration: constants that were fitted by measuring; a site can have a file of its own.

`lodge calibrate --write FILE` writes some of them. A variable of the same name wins over the file.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_type_hints

from server.toml_files import read_toml
from server.variables import SettingError, parsed, setting, shown, words


def _share(default: float, sentence: str) -> Any:
    return setting(default, sentence, at_least=0, at_most=1)


@dataclass(frozen=True, slots=True)
class Calibration:
    """The table; the shipped `corpus/calibration.toml` has the same values, for sites to begin with."""

    # retrieving
    fusion: str = setting(
        "score",
        "How the two rankings are fused: rank fusion score, or reciprocal rank fusion.",
        "score",
        "rrf",
    )
    fusion_alpha: float = _share(0.35, "Weight α of the keyword score in α·K + (1−α)·S.")
    late_interaction: float = _share(
        0.5, "The share β of the score that late interaction, the match of single words, has in `hybrid`."
    )
    term_weight: float = _share(
        0.1, "The share of its score that a passage of the term asked about gains, and one of another loses."
    )
    kind_weight: float = _share(
        0.05,
        "The share of its score that a page of a kind asked for gains, and one of another kind loses.",
    )
    audience_weight: float = _share(
        0.15, "The share that a page for the audience a question names gains, and one for another loses."
    )
    candidates: int = setting(50, "How many chunks each search brings.", at_least=1)
    topic_least: float = _share(
        0.30, "Below this probability of its likeliest topic, `+topics` does not filter."
    )
    topic_others: float = _share(0.15, "Topics above this probability are searched beside the likeliest.")
    wording_share: float = _share(
        0.2, "The share of the score that a question's other wordings have in `+multiquery`."
    )
    question_share: float = _share(
        0.3, "The share of the score that a page's sample questions have in `+questions`."
    )
    question_least: float = _share(
        0.0, "A page's sample question that is less alike (cosine) counts for nothing in `+questions`."
    )
    rerank_candidates: int = setting(8, "How many passages the cross-encoder reads at most.", at_least=1)
    rerank_stop: float = _share(
        0.1, "Reading ends when one not yet read is the right one with less than this probability; 0: never."
    )
    passages: int = setting(5, "How many passages the answer is made from.", at_least=1)
    typesense_weights: str = words(
        "3 2 1 2 2 1",
        "What a match in title, heading, text, link texts, description and address weighs for Typesense, "
        "each from 0 to 127.",
    )
    typesense_num_typos: str = setting("2", "Typing errors that Typesense forgives in a word.", "0", "1", "2")

    # answering and refusing
    refusal_threshold: float = _share(
        0.5, "An answer that is right with less than this probability is not given as one (0 to 1)."
    )
    seems_threshold: float = _share(
        0.25, "Below that, but from this probability on, its passages are shown as what seems to answer."
    )
    confidence_shift: float = setting(
        0.0, "What is added to the log-odds of an answer's confidence.", at_least=-10, at_most=10
    )
    confidence_scale: float = setting(
        1.0, "What these log-odds are multiplied by before.", at_least=0.1, at_most=10
    )
    support_threshold: float = _share(
        0.5, "A language model's sentence whose support by its passages is below this is not shown (0 to 1)."
    )
    llm_temperature: float = setting(
        0.0, "Sampling temperature; 0: the likeliest word every time.", at_least=0
    )
    gate_threshold: float = setting(
        4.2, "Below this score a question is taken for none of the site's business.", at_least=-100
    )
    gate_strikes: int = setting(
        3, "After so many such questions in a row a conversation is told so more plainly.", at_least=1
    )

    # bringing pages in
    crawl_trap_misses: int = setting(
        25,
        "After this many pages in a row that brought nothing new, URLs of that shape are left alone.",
        at_least=1,
    )
    min_chunk_words: int = setting(10, "A shorter chunk is joined to its neighbour or left out.", at_least=1)
    near_duplicate_jaccard: float = _share(
        0.9, "Pages whose word shingles overlap by this much are one page."
    )
    hnsw_from_chunks: int = setting(
        100_000,
        "From this many chunks an unfiltered vector search uses HNSW; below, the exact scan.",
        at_least=0,
    )
    hnsw_min_recall: float = _share(
        0.95, "Publishing stops when HNSW finds less than this share of the exact scan's top 10."
    )


FITTED = tuple(field.name for field in dataclasses.fields(Calibration))


# Characters of a path in a fault's sentence.
MOST_OF_A_PATH = 300


def read_calibration(file: Path) -> dict[str, Any]:
    """The constants that a file sets, by name; a `SettingError` names the file and the key that is wrong."""
    where = f"LODGE_CALIBRATION {shown(str(file), MOST_OF_A_PATH)}"
    try:
        table = read_toml(file)
    except OSError as error:
        raise SettingError(f"{where} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise SettingError(f"{where} is not TOML: {error}.") from None
    return checked_constants(table, where)


def checked_constants(table: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The constants of a table, of their types and within their bounds; `where` begins a fault's sentence."""
    types, fields = get_type_hints(Calibration), {one.name: one for one in dataclasses.fields(Calibration)}
    if unknown := sorted(set(table) - set(fields)):
        raise SettingError(f"{where} has {', '.join(unknown)}; it takes: {', '.join(fields)}.")
    found = {}
    for name, value in table.items():
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise SettingError(f"{where}: {name} is no number or text.")
        found[name] = parsed(f"{where}: {name}", str(value), types[name], fields[name].metadata["takes"])
    return found
