"""What a term weighs by the fields it stands in: held against the formula, worked out word by word."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from server.index.build import SnapshotBuilder
from server.index.fields import K1, OF_CHUNKS, OF_PAGES, SPREAD, address_words
from server.index.search import Index
from server.models import Chunk, Document
from tests.index.small_index import DIMS, manifest, unit_vectors

FIELDS = {**OF_CHUNKS, **OF_PAGES}


def page(
    url: str, title: str, *texts: str, lang: str = "en", description: str = ""
) -> tuple[Document, list[Chunk]]:
    chunks = [Chunk(url, i, title, (title, f"Part {i}"), text) for i, text in enumerate(texts)]
    return Document(url, title, (), lang=lang, description=description), chunks


def built(
    folder: Path,
    pages: Sequence[tuple[Document, list[Chunk]]],
    anchors: Mapping[str, Sequence[str]] | None = None,
) -> Index:
    folder.mkdir()
    count = sum(len(chunks) for _, chunks in pages)
    with SnapshotBuilder(folder, DIMS, threads=1) as builder:
        builder.add(pages, unit_vectors(count))
        builder.set_anchors(anchors or {})
        builder.finish()
    table = manifest(folder, pages=len(pages), chunks=count)
    (folder / "manifest.json").write_text(json.dumps(table), encoding="utf-8")
    return Index(folder, threads=1)


def expected(index: Index, term: str) -> dict[int, float]:
    """BM25F by its formula, over the stems of each field of each chunk."""
    rows = index.snapshot.rows(
        "SELECT chunk_id, page_id, chunks.title, heading, text, array_to_string(anchors, ' '), description, "
        "url FROM chunks JOIN pages USING (page_id) ORDER BY chunk_id"
    )
    of_chunk = {
        chunk: {
            name: Counter(every_stem(index, text or ""))
            for name, text in zip(FIELDS, [*texts, address_words(url)], strict=True)
        }
        for chunk, _, *texts, url in rows
    }
    pages = {chunk: page_id for chunk, page_id, *_ in rows}
    chunks_of = Counter(pages.values())
    averages = {}
    for name in FIELDS:
        owners = {pages[chunk] if name in OF_PAGES else chunk: own[name] for chunk, own in of_chunk.items()}
        lengths = [words.total() for words in owners.values() if words]
        averages[name] = sum(lengths) / max(len(lengths), 1)
    frequency = sum(any(own[name][term] for name in OF_CHUNKS) for own in of_chunk.values())
    frequency = frequency or sum(any(own[name][term] for name in FIELDS) for own in of_chunk.values())
    idf = math.log((len(rows) - frequency + 0.5) / (frequency + 0.5) + 1)
    found = {}
    for chunk, own in of_chunk.items():
        tf = 0.0
        for name, field in FIELDS.items():
            if own[name][term]:
                length = 1 - field.b + field.b * own[name].total() / averages[name]
                share = chunks_of[pages[chunk]] ** -SPREAD if name in OF_PAGES else 1.0
                tf += share * field.weight * own[name][term] / length
        if tf:
            found[chunk] = idf * tf * (K1 + 1) / (tf + K1)
    return found


def every_stem(index: Index, text: str) -> list[str]:
    return [stem for word in text.split() for stem in index.text.content_stems(word)]


def found(index: Index, question: str) -> dict[int, float]:
    return {hit.chunk_id: hit.score for hit in index.keyword.search(question, 100)}


PAGES = [
    page(
        "https://its.example.edu/help/ResetPassword.aspx",
        "Accounts",
        "The library is mentioned here once, among accounts and mail.",
        "Nothing of it here, but much of mail and more of mail.",
        description="How an account is had, and its mail",
    ),
    page("https://www.example.edu/library/hours/", "Opening hours", "We open at eight and close at ten."),
    page(
        "https://www.example.edu/news/2025/a4f09c1/", "A talk", "Books, mail and accounts were talked about."
    ),
]
ANCHORS = {"https://www.example.edu/library/hours/": ["Library hours", "Library"]}


@pytest.fixture(scope="module")
def college(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return built(tmp_path_factory.mktemp("fields") / "s", PAGES, ANCHORS)


@pytest.mark.parametrize("word", ["library", "mail", "account", "password", "hours", "books", "part", "2025"])
def test_a_word_weighs_what_the_formula_says(college: Index, word: str) -> None:
    [term] = college.text.content_stems(word)
    assert found(college, word) == pytest.approx(expected(college, term), rel=1e-5)


def test_the_words_of_a_question_add_up(college: Index) -> None:
    library, mail = found(college, "library"), found(college, "mail")
    both = {chunk: library.get(chunk, 0) + mail.get(chunk, 0) for chunk in library.keys() | mail.keys()}
    assert found(college, "library mail") == pytest.approx(both)


def test_a_page_is_found_by_what_links_call_it_and_by_its_address(college: Index) -> None:
    assert max(found(college, "library"), key=found(college, "library").__getitem__) == 2
    assert found(college, "password").keys() == {0, 1}


def test_what_is_said_of_a_long_page_counts_less_in_each_of_its_chunks(tmp_path: Path) -> None:
    pages = [
        page("https://x.edu/a/", "Long", *(f"Something of number {i}." for i in range(16))),
        page("https://x.edu/b/", "Short", "Something of number one."),
    ]
    index = built(tmp_path / "s", pages, {url.url: ["Parking"] for url, _ in pages})
    scores = found(index, "parking")
    assert len(scores) == 17
    assert all(scores[16] > scores[chunk] for chunk in range(16))


def test_how_often_a_word_is_found_is_told_by_what_chunks_say_themselves(college: Index) -> None:
    """What the answer's evidence weighs words by is not moved by link texts."""
    terms = college.text.postings(["librari", "password"])
    assert (terms["librari"].chunks, terms["librari"].frequency) == (2, 1)
    assert (terms["password"].chunks, terms["password"].frequency) == (2, 2)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://its.x.edu/help/ResetPassword.aspx?id=7#top", "its help reset password"),
        ("https://www.x.edu/", ""),
        ("https://x.edu/index.html", ""),
        ("https://x.edu/fees-2025_26/p/12345/a1b2c3", "fees 2025 p"),
        ("https://x.edu/matr%C3%ADcula/%20", "matricula"),
        ("https://x.edu/b2b/v1.2/", "b2b v1"),
        ("https:///nowhere", "nowhere"),
    ],
)
def test_the_words_of_an_address(url: str, words: str) -> None:
    assert address_words(url) == words


SPANISH = [
    page("https://x.edu/es/biblioteca/", "Biblioteca", "La biblioteca cierra a las diez.", lang="es"),
    page("https://x.edu/es/matricula/", "Matrícula", "Las inscripciones abren en otoño.", lang="es"),
    page("https://x.edu/hours/", "Hours", "The library closes at ten. La Casa is a hall."),
]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("¿Cuándo cierra la biblioteca?", 0),
        ("cuando cierran las bibliotecas", 0),
        ("¿cómo es la inscripción?", 1),
        ("quiero la matricula", 1),
        ("when does the library close", 2),
    ],
)
def test_a_spanish_question_finds_spanish_pages_by_their_own_stems(
    tmp_path: Path, question: str, first: int
) -> None:
    index = built(tmp_path / "s", SPANISH)
    assert index.keyword.search(question, 3)[0].chunk_id == first


def test_spanish_small_words_say_nothing_in_spanish_alone(tmp_path: Path) -> None:
    index = built(tmp_path / "s", SPANISH)
    assert index.text.content_words("¿Dónde está la casa de los estudiantes?") == ["casa", "estudiantes"]
    assert index.text.content_words("where is la casa") == ["la", "casa"]


def test_a_site_without_spanish_pages_takes_spanish_as_it_always_did(college: Index) -> None:
    assert college.text.content_stems("dónde están las bibliotecas")[0] == "dond"
