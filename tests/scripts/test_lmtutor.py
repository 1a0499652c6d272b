"""The LMTutor experiment's files, made of a few contexts."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from scripts.research.retrieval.lmtutor import Context, experiment, main, read_squad
from server.errors import BadInputError
from server.evaluate.questions import read_questions
from server.ingest.pages_file import read_pages_file


def a_context(article: str, number: int) -> Context:
    """A context with two questions."""
    asked = tuple((f"{article}-{number}-{i}", f"What is {i} of {number}?", ("this",)) for i in range(2))
    return Context(article, f"Context {number} of {article}.", asked)


CONTEXTS = [a_context(article, i) for article in ("The_Pool", "Fees & co", "Été") for i in range(40)]


def split_off(probability: float, seed: int = 0) -> set[str]:
    """The texts that are documents of their own."""
    pages = experiment(CONTEXTS, probability, seed).pages
    return {page["text"] for page in pages if page["url"].rpartition("/")[2].isdecimal()}


def squad_file(path: Path) -> Path:
    """A SQuAD file of one context with a question that it answers and one that it does not."""
    asked = [
        {"id": "a", "question": " When? ", "answers": [{"text": "now", "answer_start": 0}] * 2},
        {"id": "b", "question": "Why?", "answers": [], "is_impossible": True},
    ]
    table = {"data": [{"title": "The_Pool", "paragraphs": [{"context": "now", "qas": asked}]}]}
    path.write_bytes(gzip.compress(json.dumps(table).encode()))
    return path


def test_at_one_every_context_is_a_document_and_at_zero_every_article() -> None:
    assert [page["text"] for page in experiment(CONTEXTS, 1, 0).pages] == [one.text for one in CONTEXTS]
    articles = experiment(CONTEXTS, 0, 0).pages
    assert [page["title"] for page in articles] == ["The Pool", "Fees & co", "Été"]
    assert articles[0]["text"].split("\n\n") == [one.text for one in CONTEXTS[:40]]


def test_the_probability_is_the_share_that_is_split_off() -> None:
    assert 40 <= len(split_off(0.5)) <= 80
    assert len(split_off(0)) == 0


def test_what_is_split_off_stays_so_at_every_higher_probability_and_depends_on_the_seed() -> None:
    assert split_off(0.2) < split_off(0.5) < split_off(0.9)
    assert split_off(0.5) == split_off(0.5)
    assert split_off(0.5, seed=1) != split_off(0.5)


@pytest.mark.parametrize("probability", [0, 0.5, 1])
def test_the_gold_document_holds_the_questions_context(probability: float) -> None:
    made = experiment(CONTEXTS, probability, 0)
    texts = {page["url"]: page["text"] for page in made.pages}
    by_question = {key: context.text for context in CONTEXTS for key, _, _ in context.questions}
    assert len(made.questions) == 240
    for question in made.questions:
        [url] = question["gold_urls"]
        assert by_question[question["id"]] in texts[url].split("\n\n")


def test_a_sample_is_the_same_questions_at_every_probability() -> None:
    samples = [[q["id"] for q in experiment(CONTEXTS, p, 3, 50).questions] for p in (0, 0.5, 1)]
    assert samples[0] == samples[1] == samples[2]
    assert len(set(samples[0])) == 50
    assert len(experiment(CONTEXTS, 1, 3, 10_000).questions) == 240


def test_a_context_that_stands_twice_is_one_document() -> None:
    twice = [a_context("The_Pool", 1), a_context("The_Pool", 1)]
    for probability in (0, 0.5, 1):
        made = experiment(twice, probability, 0)
        assert len(made.pages) == 1
        assert made.pages[0]["text"] == twice[0].text
        assert {url for question in made.questions for url in question["gold_urls"]} == {made.pages[0]["url"]}


def test_the_files_are_what_lodge_eval_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    squad = squad_file(tmp_path / "squad.json.gz")
    main([str(squad), "--split-probability", "1", "--into", str(tmp_path / "out")])
    assert "Documents: 1, questions: 1" in capsys.readouterr().out
    broken: list[object] = []
    [page] = read_pages_file(tmp_path / "out" / "pages.jsonl", lambda *line: broken.append(line))
    [question] = read_questions(tmp_path / "out" / "questions.jsonl", lambda *line: broken.append(line))
    assert (page.url, page.title, page.body) == ("https://squad.example/The_Pool/0", "The Pool", "now")
    assert (question.question, question.answers, question.gold_urls) == ("When?", ("now",), (page.url,))
    assert broken == []
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["pages.jsonl", "questions.jsonl"]


@pytest.mark.parametrize("content", [b"", b"{}", b'{"data": [1]}', b"not json"])
def test_a_file_that_is_no_squad_file_is_bad_input(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "squad.json"
    path.write_bytes(content)
    with pytest.raises(BadInputError, match=r"squad\.json is not a SQuAD file"):
        read_squad(path)


def test_a_file_that_is_not_there_ends_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"Error: .*nowhere\.json\.gz cannot be read"):
        main([str(tmp_path / "nowhere.json.gz"), "--into", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("value", ["-0.1", "1.5", "half", "nan"])
def test_a_probability_is_from_zero_to_one(
    tmp_path: Path, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["squad.json", f"--split-probability={value}", "--into", str(tmp_path)])
    assert f"invalid probability value: '{value}'" in capsys.readouterr().err
