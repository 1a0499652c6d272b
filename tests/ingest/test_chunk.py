import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.ingest.chunk import ChunkSize, chunk, shortened
from server.models import Block, BlockKind, Chunk, Document, Section

WORDS = "the registrar sends every student a letter about fees and dates before term begins in autumn"
SENTENCE = WORDS.capitalize() + "."


def document(*sections: tuple[tuple[str, ...], list[tuple[BlockKind, str]]]) -> Document:
    return Document(
        "https://a.example/",
        "Title",
        tuple(Section(path, tuple(Block(kind, text) for kind, text in blocks)) for path, blocks in sections),
    )


def prose(*texts: str) -> Document:
    return document((("H",), [("paragraph", text) for text in texts]))


def texts(chunks: tuple[Chunk, ...]) -> list[str]:
    return [chunk.text for chunk in chunks]


def test_a_document_is_shortened_within_a_block_and_keeps_its_order() -> None:
    whole = document((("A",), [("paragraph", "12345"), ("list", "678")]), (("B",), [("table", "90")]))
    assert [shortened(whole, most).text.split("\n") for most in (0, 5, 7, 8, 9)] == [
        [""], ["12345"], ["12345", "67"], ["12345", "678"], ["12345", "678", "9"]
    ]  # fmt: skip
    assert shortened(whole, 10) is whole


def test_what_fits_is_one_chunk_with_its_headings() -> None:
    (only,) = chunk(
        document((("Fees", "Housing"), [("paragraph", SENTENCE), ("list", "A\nB")])), ChunkSize(300)
    )
    assert (only.heading_path, only.text, only.ordinal) == (("Fees", "Housing"), f"{SENTENCE}\nA\nB", 0)


def test_a_chunk_knows_what_each_of_its_lines_is() -> None:
    blocks: list[tuple[BlockKind, str]] = [
        ("paragraph", f"{SENTENCE} {SENTENCE}"),
        ("list", "A\nB"),
        ("table", "C"),
    ]
    found = chunk(document((("Fees",), blocks)), ChunkSize(len(SENTENCE) + 10))
    assert [(piece.text.split("\n"), piece.line_kinds) for piece in found] == [
        ([SENTENCE], ("paragraph",)),
        ([SENTENCE, "A", "B", "C"], ("paragraph", "list", "", "table")),
    ]


def test_every_chunk_carries_its_pages_description() -> None:
    page = replace(prose("words " * 200, "more " * 200), description="Of words.")
    assert {piece.description for piece in chunk(page, ChunkSize())} == {"Of words."}


def test_a_cut_comes_between_paragraphs_before_sentences_before_words() -> None:
    size = ChunkSize(250)
    assert texts(chunk(prose(SENTENCE, SENTENCE + " " + SENTENCE), size)) == [
        SENTENCE,
        SENTENCE + " " + SENTENCE,
    ]
    assert texts(chunk(prose(" ".join([SENTENCE] * 5)), size)) == [f"{SENTENCE} {SENTENCE}"] * 2 + [SENTENCE]
    assert all(len(text) > 200 for text in texts(chunk(prose(f"{WORDS} " * 9), size))[:-1])


def test_sections_do_not_share_a_chunk() -> None:
    found = chunk(
        document((("A",), [("paragraph", SENTENCE)]), (("B",), [("paragraph", SENTENCE)])), ChunkSize(900)
    )
    assert [(piece.heading_path, piece.ordinal) for piece in found] == [(("A",), 0), (("B",), 1)]


def test_a_small_section_joins_its_neighbour_and_brings_its_heading() -> None:
    found = chunk(
        document(
            (("Office", "Work"), [("paragraph", SENTENCE)]),
            (("Office", "Phone"), [("paragraph", "555-0120")]),
        ),
        ChunkSize(900),
    )
    assert [(piece.heading_path, piece.text) for piece in found] == [
        (("Office", "Work"), f"{SENTENCE}\nPhone: 555-0120")
    ]


def test_small_siblings_join_under_the_heading_they_share() -> None:
    questions = [(("FAQ", f"Question {n}?"), [("paragraph", "The short answer.")]) for n in range(4)]
    first = (("Fees",), [("paragraph", SENTENCE)])
    found = chunk(document(first, *questions), ChunkSize(900))  # type: ignore[arg-type]  # literals, inferred as str
    assert [piece.heading_path for piece in found][1:] == [("FAQ",)]
    assert found[1].text.splitlines()[0] == "Question 0? The short answer."


def test_a_page_of_too_few_words_has_no_chunk() -> None:
    assert chunk(prose("Nine words are not enough to make a"), ChunkSize()) == ()
    assert chunk(document(), ChunkSize()) == ()


def test_table_rows_stay_whole() -> None:
    rows = [
        f"Plan: number {n} — Price: ${n},240 a year; Meals: {n} a week; Guests: {n} a term" for n in range(9)
    ]
    found = chunk(document((("Plans",), [("table", row) for row in rows])), ChunkSize(200))
    assert sorted(line for piece in found for line in piece.text.splitlines()) == rows


def test_a_row_that_must_be_cut_repeats_its_subject_and_ends_at_a_cell() -> None:
    row = "Cedar Hall — " + "; ".join(f"Rate {n}: {n},150 dollars for the year" for n in range(20))
    found = texts(chunk(document((("Halls",), [("table", row)])), ChunkSize(250)))
    assert len(found) > 2
    assert all(text.startswith("Cedar Hall — Rate") and len(text) <= 250 for text in found)


def test_what_leads_in_a_list_stays_with_it() -> None:
    found = texts(
        chunk(prose(SENTENCE + " " + SENTENCE, "Bring with you:", SENTENCE, SENTENCE), ChunkSize(300))
    )
    assert [text for text in found if text.endswith("with you:")] == []


def test_overlap_repeats_the_end_of_the_chunk_before() -> None:
    first, second, *_ = texts(chunk(prose(f"{WORDS} " * 9), ChunkSize(250, overlap_chars=40)))
    shared = next(second[:n] for n in range(60, 0, -1) if first.endswith(second[:n]))
    assert 20 <= len(shared) <= 40


def test_four_megabytes_take_seconds_not_hours() -> None:
    start = time.perf_counter()
    sections = [((f"H{n}",), [("paragraph", "Few words.")]) for n in range(20_000)]
    chunk(document((("A",), [("paragraph", f"{SENTENCE} " * 20_000)])), ChunkSize())
    chunk(document((("A",), [("table", f"{SENTENCE}")] * 20_000)), ChunkSize())
    chunk(document(*sections), ChunkSize())  # type: ignore[arg-type]  # literals, inferred as str
    assert time.perf_counter() - start < 20


word = st.text(alphabet="abcdefgh.:;—é", min_size=1, max_size=14)
block = st.tuples(
    st.sampled_from(["paragraph", "list", "table", "definition"]),
    st.lists(word, min_size=1, max_size=60).map(" ".join),
)
section = st.tuples(st.lists(st.sampled_from("ABC"), max_size=2).map(tuple), st.lists(block, max_size=4))


@given(st.lists(section, max_size=6), st.integers(100, 400), st.integers(0, 60), st.integers(1, 12))
def test_no_word_is_lost_order_is_kept_and_the_limits_hold(
    sections: list[tuple[tuple[str, ...], list[tuple[BlockKind, str]]]], chars: int, overlap: int, least: int
) -> None:
    page = document(*sections)
    found = chunk(page, ChunkSize(chars, overlap, least))
    words = page.text.split()
    if len(words) < least:
        assert found == ()
        return
    everything = iter(" ".join(texts(found)).split())
    assert all(word in everything for word in words)
    for ordinal, piece in enumerate(found):
        count = len(piece.text.split())
        assert piece.ordinal == ordinal
        assert count >= least
        assert len(piece.text) <= chars or count < 2 * least


def test_where_the_rest_has_no_room_for_it_nothing_is_repeated() -> None:
    words = " ".join(":" * length for length in (*[1] * 28, 3, 8, 8, 11, 13))
    found = texts(chunk(prose(words), ChunkSize(100, 40, 12)))
    assert max(map(len, found)) <= 100


@pytest.mark.parametrize("overlap", [0, 25])
def test_a_word_longer_than_a_chunk_is_left_whole(overlap: int) -> None:
    found = texts(chunk(prose(f"{WORDS} {'x' * 400} {WORDS}"), ChunkSize(100, overlap)))
    assert sum("x" * 400 in text for text in found) >= 1
    assert max(map(len, found)) < 400 + 10 * 15


def test_a_word_without_end_is_cut() -> None:
    """Ten of them would be one passage of a megabyte, which every step of an answer has to read."""
    endless = " ".join(letter * 100_000 for letter in "abcdefghijkl")
    cut = texts(chunk(prose(endless), ChunkSize()))
    assert max(map(len, cut)) < 5_000
    assert "".join(cut).replace(" ", "") == endless.replace(" ", "")
