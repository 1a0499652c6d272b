"""Opening hours over the admin API of a real server over the small college."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from litestar.testing import TestClient

from server.app import create_app
from server.models import Answer, Final, Question
from server.settings import Settings
from server.wiring import serving as answering
from tests import small_site
from tests.small_site import SITE
from tests.workbench.desk import ServedDesk

LIBRARY = {"url": SITE + "/library", "place": "Harbour Library"}
WEEK = {**LIBRARY, "kind": "week", "text": "Mon–Thu 9 a.m.–9 p.m.; Fri 9 a.m.–5 p.m.; closed Sat and Sun"}
THURSDAY = "2026-10-08"


class Desk(ServedDesk):
    """What these tests ask of a server, and of its visitors' side."""

    def library(self) -> dict[str, Any]:
        found: dict[str, Any] = self.send("viewer", "GET", f"/hours/place?{_query()}").json()
        return found

    def ask(self, text: str) -> Answer:
        own = uuid.uuid4().hex
        *_, final = self.serving.asker.ask(Question(text, own, own, own))
        assert isinstance(final, Final)
        return final.answer


def _query() -> str:
    return f"url={LIBRARY['url']}&name={LIBRARY['place']}"


@pytest.fixture(scope="module")
def settings(two_snapshots: Settings, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    own = small_site.settings_for(tmp_path_factory.mktemp("home"))
    shutil.copytree(two_snapshots.snapshots_dir, own.snapshots_dir, symlinks=True)
    return replace(own, reranker="", today=THURSDAY, time="10:00")


@pytest.fixture(scope="module")
def desk(settings: Settings) -> Iterator[Desk]:
    serving = answering.build_serving(settings)
    roles = ("viewer", "editor")
    tokens = {role: serving.records.tokens.create(f"the {role}", role, 1) for role in roles}
    with TestClient(create_app(settings, serving)) as client:
        yield Desk(client, serving, tokens)


@pytest.fixture
def corrected(desk: Desk) -> Iterator[str]:
    """The id of a correction of the library's week."""
    own: str = desk.send("editor", "POST", "/hours/corrections", WEEK).json()["id"]
    yield own
    desk.send("editor", "DELETE", f"/hours/corrections/{own}")


def test_places_come_with_what_was_read_of_them_and_what_was_not(desk: Desk) -> None:
    library, gymnasium = desk.send("viewer", "GET", "/hours").json()["places"]
    assert (library["place"], library["read"], library["unclear"]) == ("Harbour Library", 2, 0)
    assert (gymnasium["place"], gymnasium["read"], gymnasium["unclear"]) == ("Gymnasium", 0, 1)
    lines = desk.library()["lines"]
    [weekdays] = [one for one in lines if one["times"]["weekdays"] == [0, 1, 2, 3, 4]]
    assert weekdays["times"]["spans"] == [[480, 1440]]
    assert "from 8 a.m. to midnight on weekdays" in weekdays["line"]
    assert desk.send("viewer", "GET", "/hours/place?url=x&name=y").status_code == 404


def test_a_corrected_week_is_told_with_its_page_and_is_undone(desk: Desk, corrected: str) -> None:
    answer = desk.ask("Is Harbour Library open on Saturday?")
    assert answer.answer.startswith("No. Harbour Library is closed on Saturday, October 10.")
    assert "This site's editors said so on " in answer.answer
    [citation] = answer.citations
    assert (citation.url, citation.quote) == (LIBRARY["url"], "")
    [kept] = desk.library()["corrections"]
    assert (kept["by"], kept["changed"], kept["times"][1]["spans"]) == ("the editor", False, [[540, 1020]])

    assert desk.send("editor", "POST", f"/hours/corrections/{corrected}/undo").status_code == 200
    assert desk.ask("Is Harbour Library open on Saturday?").answer.startswith("Yes.")
    assert desk.send("editor", "POST", f"/hours/corrections/{corrected}/undo").status_code == 200
    assert desk.ask("Is Harbour Library open on Saturday?").answer.startswith("No.")
    assert [one["who"] for one in desk.library()["changes"][:3]] == ["the editor"] * 3
    log = desk.serving.records.audit.changes(limit=3, kind="hours")
    assert [(one.id, bool(one.before), bool(one.after)) for one in log] == [
        (corrected, False, True),
        (corrected, True, False),
        (corrected, False, True),
    ]


def test_an_exception_goes_before_the_week_on_its_days_alone(desk: Desk, corrected: str) -> None:
    day = {**LIBRARY, "kind": "dates", "text": "noon–3 p.m.", "first": "2026-10-09", "last": None}
    own = desk.send("editor", "PUT", "/hours/corrections/a-day", day).json()["id"]
    assert "from noon to 3 p.m." in desk.ask("Is Harbour Library open tomorrow?").answer
    assert "from 9 a.m. to 9 p.m." in desk.ask("Is Harbour Library open today?").answer
    assert desk.send("editor", "DELETE", f"/hours/corrections/{own}").status_code == 204


def test_an_editor_may_have_the_page_quoted(desk: Desk) -> None:
    own = desk.send("editor", "POST", "/hours/corrections", {**LIBRARY, "kind": "quote"}).json()["id"]
    answer = desk.ask("Is Harbour Library open today?").answer
    assert answer.startswith("The library is open from 8 a.m. to midnight on weekdays")
    desk.send("editor", "DELETE", f"/hours/corrections/{own}")


def test_a_place_that_was_not_understood_is_added(desk: Desk) -> None:
    commons = {
        "url": SITE + "/dining",
        "place": "Commons kitchen",
        "kind": "week",
        "text": "Daily 7 a.m.–9 p.m.",
    }
    own = desk.send("editor", "POST", "/hours/corrections", commons).json()["id"]
    assert desk.ask("Is the Commons kitchen open now?").answer.startswith("Yes. Commons kitchen is open now")
    desk.send("editor", "DELETE", f"/hours/corrections/{own}")


def test_a_place_is_known_by_what_else_visitors_call_it(desk: Desk) -> None:
    """ "gym" and "fitness center" are synonyms of the page's own word."""
    week = {"url": SITE + "/athletics", "place": "Gymnasium", "kind": "week", "text": "Daily 6 a.m.–10 p.m."}
    own = desk.send("editor", "POST", "/hours/corrections", week).json()["id"]
    for name in ("gym", "fitness center"):
        assert desk.ask(f"is the {name} open now").answer.startswith("Yes. The gymnasium is open now"), name
    assert not desk.ask("is the museum open now").answer.startswith("Yes.")
    desk.send("editor", "DELETE", f"/hours/corrections/{own}")


def test_what_visitors_would_be_told_is_tried_and_nothing_is_kept(desk: Desk) -> None:
    body = {"correction": WEEK, "today": "2026-10-09", "time": "18:00"}
    today, saturday, now = desk.send("editor", "POST", "/hours/try", body).json()["tried"]
    assert today["before"].startswith("Yes. Harbour Library is open today, Friday, October 9, from 8 a.m.")
    assert "from 9 a.m. to 5 p.m." in today["after"]
    assert saturday["after"].startswith("No.")
    assert now["after"].startswith("No. Harbour Library is closed now")
    assert desk.library()["corrections"] == []


def test_a_page_that_changed_since_is_told_of(desk: Desk, corrected: str, settings: Settings) -> None:
    live = (settings.snapshots_dir / "current").resolve().name
    [later] = [
        one for one in settings.snapshots_dir.iterdir() if one.is_dir() and one.name not in (live, "current")
    ]
    for name, changed in ((later.name, True), (live, False)):
        link = settings.snapshots_dir / "next"
        link.symlink_to(name)
        link.replace(settings.snapshots_dir / "current")
        with closing(answering.build_serving(settings)) as serving:
            [kept] = serving.hours.place("main", LIBRARY["url"], LIBRARY["place"]).corrections
            [told] = serving.hours.tried(kept.correction, None, None)[:1]
        assert kept.changed is changed
        assert kept.correction.id == corrected
        assert ("page has changed since" in told.before) is changed


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"text": "Mon 9–5"}, "could not be read: say a.m. or p.m."),
        ({"text": "9 a.m.–5 p.m."}, "names no day of the week"),
        ({"text": "Mon 9 a.m.–5 p.m.; Mon–Fri noon–1 p.m."}, "Monday is said twice"),
        ({"text": "Mon 9 a.m.–5 p.m.; ask at the desk"}, "“ask at the desk” could not be read"),
        ({"text": ""}, "The hours is empty"),
        ({"kind": "dates", "text": "Closed"}, "is no day such as"),
        (
            {"kind": "dates", "text": "Closed", "first": "2026-10-09", "last": "2026-10-08"},
            "before the first",
        ),
        ({"url": SITE + "/nowhere"}, "no page of the live snapshot"),
    ],
)
def test_what_cannot_be_read_whole_is_refused_with_a_sentence(
    desk: Desk, more: dict[str, str], sentence: str
) -> None:
    response = desk.send("editor", "POST", "/hours/corrections", {**WEEK, **more})
    assert response.status_code == 400
    assert sentence in response.json()["error"]["message"]


def test_viewers_change_nothing(desk: Desk) -> None:
    assert desk.send("viewer", "POST", "/hours/corrections", WEEK).status_code == 403
    assert desk.send("editor", "DELETE", "/hours/corrections/none").status_code == 404
    assert desk.send("editor", "POST", "/hours/corrections/none/undo").status_code == 409
