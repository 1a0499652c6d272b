"""The questions over real departments that only name their page, and what readers made of the answers."""

from __future__ import annotations

import pytest

from corpus.visitors.sets import HERE
from scripts.data_files import read_rows
from scripts.research.answering.measure_grades import read_hands
from server.evaluate.questions import read_questions

NAMES = ("webkb", "uci_later", "cmu_help", "as_people_write", "everybody_real", "everybody_departments")
QUESTIONS = {name: read_questions(HERE / f"{name}.jsonl", lambda line, why: None) for name in NAMES}
README = (HERE / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_each_has_an_id_of_its_own_and_a_page_where_it_has_an_answer(name: str) -> None:
    asked = QUESTIONS[name]
    assert len({one.id for one in asked}) == len(asked) == len(read_rows(HERE / f"{name}.jsonl"))
    assert all(bool(one.gold_urls) == one.answerable for one in asked)


@pytest.mark.parametrize("name", NAMES)
def test_the_readme_counts_them(name: str) -> None:
    pages = {url for one in QUESTIONS[name] for url in one.gold_urls or ()}
    unanswerable = sum(not one.answerable for one in QUESTIONS[name])
    assert f"| `{name}.jsonl` | {len(QUESTIONS[name])} | {unanswerable} | {len(pages)} |" in README


@pytest.mark.parametrize(
    ("graded", "name", "ids"),
    [
        ("webkb", "webkb", ("cp-", "ty-")),
        ("before-webkb", "webkb", ("cp-", "ty-")),
        ("uci-later", "uci_later", ("ua-", "ub-")),
        ("cmu-help", "cmu_help", ("cn-", "gw-")),
        ("before-cmu-help", "cmu_help", ("cn-", "gw-")),
        ("as-people-write", "as_people_write", ("w",)),
        ("before-as-people-write", "as_people_write", ("w",)),
        ("as-people-write-later", "as_people_write", ("x",)),
        ("before-as-people-write-later", "as_people_write", ("x",)),
        ("everybody-real", "everybody_real", ("e",)),
        ("before-everybody-real", "everybody_real", ("e",)),
    ],
)
def test_two_hands_graded_them(graded: str, name: str, ids: tuple[str, ...]) -> None:
    fresh = {one.id for one in QUESTIONS[name] if one.id.startswith(ids)}
    hands = read_hands(graded)
    assert len(hands) == 2
    assert all({str(row["id"]) for row in rows} == fresh for rows in hands.values())


@pytest.mark.parametrize("name", ["larkmoor", "uci"])
def test_what_a_new_model_changed_was_graded_before_and_after(name: str) -> None:
    sets = [read_hands(f"{when}-{name}") for when in ("untuned", "tuned")]
    whole = {str(row["id"]) for row in read_hands(name)["n"]}
    [ids] = {frozenset(str(row["id"]) for row in rows) for hands in sets for rows in hands.values()}
    assert [set(hands) for hands in sets] == [{"r", "s"}] * 2
    assert ids < whole
