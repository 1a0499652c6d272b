"""From a wrong answer to its mending, over the admin API of a real server over the small college."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from litestar.testing import TestClient

from server.app import create_app
from server.models import Final, Question
from server.models.curation import CuratedAnswer, Favour, RuleSet
from server.models.golden import GoldenQuestion
from server.settings import Settings
from server.wiring import serving as answering
from server.workbench.curation.preview import PastQuestion
from tests import small_site
from tests.small_site import SITE
from tests.workbench.desk import ServedDesk

COST = "How much does a year cost for residents?"
ALIKE = "how much does one year cost residents, I am jo@example.org"


@pytest.fixture(scope="module")
def desk(small_home: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedDesk]:
    settings = replace(small_site.settings_for(tmp_path_factory.mktemp("home")), reranker="")
    settings.snapshots_dir.symlink_to(small_home.snapshots_dir)
    serving = answering.build_serving(settings)
    for n, text in enumerate((COST, COST.upper(), ALIKE, "When is the library open?")):
        list(serving.asker.ask(Question(text, f"c{n}", f"m{n}", f"t{n}", strategy="hybrid")))
    roles = ("viewer", "editor", "developer")
    tokens = {role: serving.records.tokens.create(f"the {role}", role, 1) for role in roles}
    with TestClient(create_app(settings, serving)) as client:
        yield ServedDesk(client, serving, tokens)


def test_a_question_comes_with_what_visitors_asked_like_it_and_without_their_data(desk: ServedDesk) -> None:
    found = desk.send("editor", "GET", "/traces/t0/mending").json()
    assert (found["site"], found["question"]) == ("main", COST)
    [alike] = found["alike"]  # not the library, and not the same words
    assert "residents, I am [e-mail" in alike["question"]
    assert (alike["times"], 0.6 <= alike["cosine"] < 1) == (1, True)
    assert found["topics"] == ([found["topic"]] if found["topic"] else [])
    assert desk.send("viewer", "GET", "/traces/t0/mending").status_code == 403
    assert desk.send("editor", "GET", "/traces/nowhere/mending").status_code == 404


def test_what_visitors_asked_like_it_is_offered_for_an_answer_that_is_not_there_yet(desk: ServedDesk) -> None:
    path = "/answers/alike?site=main&text=what does a year cost residents"
    found = desk.send("editor", "GET", path).json()["alike"]
    assert found[0]["question"].casefold() == COST.casefold()
    assert not any("jo@example.org" in one["question"] for one in found)
    assert not any("library" in one["question"] for one in found)
    assert desk.send("viewer", "GET", path).status_code == 403


def test_passages_are_found_by_other_words(desk: ServedDesk) -> None:
    path = "/passages?site=main&text=tuition for residents of the state"
    [table] = desk.send("editor", "GET", path).json()["tables"]
    assert table["rows"][0]["url"] == SITE + "/tuition"
    assert len(desk.serving.records.search.conversations(limit=9)) == 4  # nothing is recorded


def test_mended_is_said_of_a_right_answer_alone(desk: ServedDesk) -> None:
    pinned = Favour("p", "pin", SITE + "/housing", phrase="live on campus")
    desk.serving.records.rulebooks.put_draft(RuleSet("main", favours=(pinned,)))

    def first(*words: str) -> dict[str, Any]:
        asked = ["live on campus, how much to pay for a place", "When is the library open?"]
        body = {"questions": asked, "pages": [SITE + "/housing"]}
        sent = desk.send("editor", "POST", "/rules/main/draft/try", body | {"answers": list(words)})
        one, other = sent.json()["tried"]
        assert (other["changed"], other["verdict"]) == (False, None)
        assert dict(one)
        return dict(one)

    assert first("$200")["verdict"] == "mended"
    wrong = first("$21,000")
    assert (wrong["verdict"], wrong["changed"]) == ("still_wrong", True)
    assert "none of the right words" in wrong["failed_after"]
    desk.serving.records.rulebooks.drop_draft("main")
    nothing = desk.send("editor", "POST", "/rules/main/draft/try", {"questions": [COST]})
    assert nothing.status_code == 404
    assert desk.send("editor", "POST", "/rules/main/draft/try", {"questions": [" "]}).status_code == 400


def test_a_golden_question_that_forbids_it_is_named_when_a_change_is_tried_alone(desk: ServedDesk) -> None:
    asked, records = "When is the library open?", desk.serving.records
    final = desk.serving.asker.ask(Question(asked, "c9", "m9", "t9", strategy="hybrid"))
    said = [one for one in final if isinstance(one, Final)][-1].answer
    assert not said.refused
    right = GoldenQuestion("lib", "main", asked, (said.citations[0].url,), (said.answer[:12],))
    records.golden.put(right)
    never = CuratedAnswer("never", "main", (asked,), "Never.")
    pinned = Favour("p", "pin", SITE + "/housing", phrase="live on campus")
    records.rulebooks.put_draft(RuleSet("main", favours=(pinned,), curated=(never,)))

    def tried(part: str, own: str) -> dict[str, Any]:
        body = {"questions": [asked], "only": [{"part": part, "id": own}]}
        found: dict[str, Any] = desk.send("editor", "POST", "/rules/main/draft/try", body).json()
        return found

    alone = tried("curated", "never")
    assert alone["tried"][0]["after"]["answer"].startswith("Never.")
    assert [one["id"] for one in alone["broken"]] == ["lib"]
    other = tried("favours", "p")
    assert (other["tried"][0]["changed"], other["broken"]) == (False, [])
    body = {"only": [{"part": "curated", "id": "never"}]}
    held = desk.send("editor", "POST", "/rules/main/publish", body)
    assert (held.status_code, asked in held.json()["error"]["message"]) == (409, True)
    sent = desk.send("editor", "POST", "/rules/main/publish", {"only": [{"part": "favours", "id": "p"}]})
    assert [one["id"] for one in sent.json()["live"]["favours"]] == ["p"]
    assert [one["id"] for one in sent.json()["draft"]["book"]["curated"]] == ["never"]
    nothing = desk.send("editor", "POST", "/rules/main/publish", {"only": [{"part": "favours", "id": "p"}]})
    assert nothing.status_code == 404
    unknown = {"only": [{"part": "suggestions", "id": "p"}]}
    assert desk.send("editor", "POST", "/rules/main/publish", unknown).status_code == 400
    records.rulebooks.drop_draft("main")
    records.rulebooks.go_back("main")
    records.golden.remove("lib")


def test_an_answer_is_tried_before_it_is_kept_and_shown_as_visitors_see_it(desk: ServedDesk) -> None:
    body = {
        "phrasings": ["What does a parking permit cost?", "parking permit price"],
        "text": "**$120** a year, see [parking](https://www.example.edu/parking). <b>No</b>",
        "questions": [
            "how much is a parking permit",
            "How much is tuition?",
            "parking permit price 2031",
            "what would parking permits set me back",
        ],
    }
    found = desk.send("editor", "POST", "/answers/try", body).json()
    assert "<strong>$120</strong>" in found["html"]
    assert "&lt;b&gt;No" in found["html"]
    near, far, other_year, alike = found["questions"]
    assert (near["matched"], near["likelihood"] >= 0.86, near["differs"]) == (True, True, None)
    assert (far["matched"], far["similar"]) == (False, False)
    assert (other_year["matched"], other_year["differs"]) == (False, "term")
    assert (alike["matched"], alike["similar"]) == (False, True)
    assert desk.serving.records.curation.curated() == ()
    assert desk.send("viewer", "POST", "/answers/try", body).status_code == 403
    long = desk.send("editor", "POST", "/answers/try", {"phrasings": ["x" * 301]})
    assert long.status_code == 400


def test_a_draft_is_not_asked_of_questions_that_it_cannot_reach(desk: ServedDesk) -> None:
    answer = CuratedAnswer("c", "main", (COST,), "$9,240.")
    for book, reached in ((RuleSet("main", curated=(answer,)), True), (RuleSet("main"), False)):
        [one] = desk.serving.previews.tried(book, [PastQuestion(COST)])
        assert one["changed"] is reached
    assert one["before"]["answer"] != "$9,240."
