from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given

from server.errors import BadInputError
from server.evaluate.questions import (
    EvalQuestion,
    GoldChunk,
    comparable_url,
    is_right,
    read_questions,
    unknown_gold_urls,
)
from tests.json_lines import json_lines

WHOLE = {
    "id": "q1",
    "question": "When is the deadline?",
    "answers": ["May 1", " "],
    "gold_urls": ["https://u.example/dates"],
    "topic": "dates",
    "history": [["user", "Hi"], ["agent", "Hello"]],
    "answerable": True,
    "gold_chunks": ["the deadline is May 1", {"text": "May 1", "url": "https://u.example/dates"}],
}


def _read(path: Path) -> tuple[tuple[EvalQuestion, ...], list[tuple[int, str]]]:
    broken: list[tuple[int, str]] = []
    questions = read_questions(path, lambda number, why: broken.append((number, why)))
    return questions, broken


def _lines(path: Path, *lines: str | bytes) -> Path:
    path.write_bytes(b"\n".join(line.encode() if isinstance(line, str) else line for line in lines))
    return path


def test_reads_every_field(tmp_path: Path) -> None:
    questions, broken = _read(_lines(tmp_path / "q.jsonl", json.dumps(WHOLE)))
    assert questions == (
        EvalQuestion(
            id="q1",
            question="When is the deadline?",
            answers=("May 1",),
            gold_urls=("https://u.example/dates",),
            topic="dates",
            history=(("user", "Hi"), ("agent", "Hello")),
            answerable=True,
            gold_chunks=(
                GoldChunk("the deadline is May 1"),
                GoldChunk("May 1", "https://u.example/dates"),
            ),
        ),
    )
    assert broken == []


def test_only_the_question_is_needed_and_the_line_names_it(tmp_path: Path) -> None:
    questions, _ = _read(_lines(tmp_path / "q.jsonl", "", '{"question": "Why?", "gold_urls": null}'))
    assert questions == (EvalQuestion(id="line-2", question="Why?"),)


def test_reads_gzip_and_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + json.dumps(WHOLE).encode()))
    assert [question.id for question in _read(path)[0]] == ["q1"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("1" * 5_000, "not JSON"),
        (b'{"question": "caf\xe9"}', "not UTF-8"),
        ("[1]", "not a JSON object"),
        ('{"id": "a"}', '"question" is missing'),
        ('{"question": "  "}', '"question" is missing'),
        ('{"question": 5}', '"question" is missing'),
        ('{"question": "?! \\u200b"}', '"question" is missing'),
        ('{"question": "a", "answers": ["\\ud800"]}', "half a character"),
        ('{"question": "a", "answers": "b"}', '"answers" takes a list'),
        ('{"question": "a", "gold_urls": [1]}', '"gold_urls" takes a list'),
        ('{"question": "a", "answerable": "yes"}', "true, false or null"),
        ('{"question": "a", "answerable": 1}', "true, false or null"),
        ('{"question": "a", "topic": 3}', '"topic" is 3'),
        ('{"question": "a", "gold_chunks": "b"}', '"gold_chunks" takes a list'),
        ('{"question": "a", "gold_chunks": [5]}', '"gold_chunks" takes a list'),
        ('{"question": "a", "gold_chunks": [{"url": "u"}]}', '"gold_chunks" takes a list'),
        ('{"question": "a", "gold_chunks": [{"text": "b", "url": 5}]}', '"gold_chunks" takes a list'),
        ('{"question": "a", "gold_chunks": ["The?"]}', "leaves no word"),
        ('{"question": "a", "history": ["user"]}', '"history" takes'),
        ('{"question": "a", "history": [["user", 1]]}', '"history" takes'),
        ('{"question": "a", "history": {"user": "hi"}}', '"history" takes'),
    ],
)
def test_a_broken_line_is_reported_with_its_number_and_the_rest_kept(
    tmp_path: Path, line: str | bytes, why: str
) -> None:
    good = json.dumps(WHOLE)
    questions, broken = _read(_lines(tmp_path / "q.jsonl", good, line, good))
    assert len(questions) == 2
    [(number, sentence)] = broken
    assert number == 2
    assert why in sentence


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("plain.jsonl.gz", b'{"question": "a"}'),
        ("half.jsonl.gz", gzip.compress(b'{"question": "a"}\n' * 99, mtime=0)[:-12]),
    ],
)
def test_a_file_that_cannot_be_read_is_bad_input(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadInputError, match="cannot be read"):
        _read(tmp_path / name)


def test_a_missing_file_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"none\.jsonl"):
        _read(tmp_path / "none.jsonl")


def test_urls_compare_without_fragment_and_with_small_host_but_keep_path_and_slash() -> None:
    assert comparable_url("HTTPS://U.Example/A?b=C#d") == "https://u.example/A?b=C"
    assert comparable_url("https://u.example/a/") != comparable_url("https://u.example/a")
    assert comparable_url("http://[") == "http://["


def test_counts_each_gold_url_outside_the_snapshot_once() -> None:
    questions = [
        EvalQuestion("1", "a", gold_urls=("https://U.example/known", "https://u.example/gone")),
        EvalQuestion("2", "b", gold_urls=("https://u.example/gone#part", "https://u.example/other")),
        EvalQuestion("3", "c"),
    ]
    assert unknown_gold_urls(questions, {"https://u.example/known#top"}) == 2


KEYS = [*WHOLE, "text", "url"]


@given(lines=json_lines(KEYS))
def test_whatever_the_other_lines_are_a_question_is_kept(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    good = b'{"id": "last", "question": "Where?"}'
    path.write_bytes(b"\n".join([*lines, good]))
    broken: dict[int, str] = {}
    questions = read_questions(path, broken.__setitem__)
    there = [n for n, line in enumerate(path.read_bytes().split(b"\n"), 1) if line.strip()]
    assert len(questions) + len(broken) == len(there)
    assert questions[-1].question == "Where?"
    assert all(sentence.endswith(".") for sentence in broken.values())
    repr(questions).encode()
    unknown_gold_urls(questions, {"http://[::1"})


def test_what_a_right_answer_must_have_goes_before_its_answers() -> None:
    question = EvalQuestion("1", "a", answers=("nine",), must_have=(("$145", "145 dollars"), ("August 1",)))
    assert is_right("It is 145 DOLLARS, due August  1. [2]", question) is True
    assert is_right("It is $145; nine of ten pay it.", question) is False
    assert is_right("It is nine.", EvalQuestion("2", "b", answers=("nine",))) is True
    assert is_right("It is nine.", EvalQuestion("3", "c")) is None


def test_the_number_of_a_source_is_no_answer() -> None:
    assert is_right("It is open. [9]", EvalQuestion("1", "a", must_have=(("9",),))) is False


def test_a_lines_own_words_are_read(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    line = {"question": "a", "kind": "plain", "lang": "es", "half": "work", "day": "2026-11-22T08:00"}
    bad = [{"question": "b", "day": 7}, {"question": "c", "kind": 1}, {"question": "d", "must_have": "x"}]
    must = {"must_have": [["x", " "], []]}
    file.write_text("".join(json.dumps(one) + "\n" for one in (line | must, *bad)))
    broken: list[str] = []
    [one] = read_questions(file, lambda number, why: broken.append(why))
    assert (one.kind, one.lang, one.half, one.day) == ("plain", "es", "work", "2026-11-22")
    assert one.must_have == (("x",),)
    assert [why.split()[0] for why in broken] == ['"day"', '"kind"', '"must_have"']
