"""From the visitor's page to the database file and a language model's server: nothing personal arrives."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from litestar.testing import TestClient

from server.app import WebOptions
from server.ask.context import AskOptions, Models, ScopeOptions
from server.ask.pipeline import Asker
from server.ask.trace import question_of
from server.cli import main
from server.errors import BadInputError
from server.inference.encoders import Embedder
from server.llm.options import ChatOptions
from server.masking import PATTERNS
from server.models import Final, Question
from server.settings import Settings
from server.wiring.generation import ChatWriter
from server.wiring.opened import OpenedSnapshot
from server.wiring.opening import patterns_of
from server.wiring.serving import build_serving
from server.workbench.conversations.retention_store import DailyPurge, keep_of
from server.workbench.records import open_records
from tests import small_site
from tests.ask.asking import OneSnapshot
from tests.llm.scripted import ScriptedServer, says, serving
from tests.scripted_app import ScriptedParts, web_app
from tests.storage.exchanges import exchange

TUITION = "Undergraduate tuition for residents of the state is $9,240 a year. [1]"
MAIL, SSN = "quilla.brandt@example.com", "987-65-4321"
ASKED = f"I am {MAIL}, SSN {SSN}. How much is tuition for residents of the state?"
AGAIN = f"And what does {MAIL.upper()} or other.person@example.net pay for housing?"


@pytest.fixture
def model() -> Iterator[ScriptedServer]:
    with serving(says(TUITION)) as server:
        yield server


@pytest.fixture
def parts(
    tmp_path: Path, opened: OpenedSnapshot, embedder: Embedder, model: ScriptedServer
) -> Iterator[ScriptedParts]:
    """The real flow over the small college, with a scripted model."""
    parts = ScriptedParts(tmp_path)
    writer = ChatWriter(ChatOptions(model.url, retries=0), "Brackwater College")
    models = Models(embedder, writer=writer, condense=writer.condense)
    options = AskOptions(gate=ScopeOptions(threshold=-100.0), refusal_threshold=0.2)
    parts.asker = Asker(OneSnapshot(opened).lease, models, options, parts.records.conversations.record)  # type: ignore[assignment]
    yield parts
    writer.close()


def ask(client: TestClient[Any], text: str, **more: Any) -> dict[str, Any]:
    response = client.post("/api/ask", json={"question": text, **more})
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()
    return answer


def test_nothing_personal_is_written_or_sent(
    parts: ScriptedParts, model: ScriptedServer, tmp_path: Path
) -> None:
    with TestClient(web_app(WebOptions(), parts)) as client:
        first = ask(client, ASKED)
        own = first["conversation_id"]
        ask(client, AGAIN, conversation_id=own)
        client.post(
            "/api/feedback",
            json={
                "conversation_id": own,
                "message_id": first["message_id"],
                "helpful": False,
                "comment": f"Write to {MAIL} or call 802-555-0187",
            },
        )
        kept = parts.records.conversations.conversation(own)["messages"]
        trace = parts.records.conversations.trace(first["trace_id"])
        written = b"".join(one.read_bytes() for one in tmp_path.iterdir() if one.is_file())
    said = [message["text"] for message in kept if message["role"] == "user"]
    assert said[0].startswith("I am [e-mail 1], SSN [national number 1]. How much")
    assert said[1].startswith("And what does [e-mail 1] or [e-mail 2] pay")
    assert kept[1]["feedback"]["comment"] == "Write to [e-mail 1] or call [phone 1]"
    assert trace["question"] == said[0]
    sent = str([seen.body for seen in model.chats])
    assert first["answerer"] == "llm"
    assert "How much is tuition" in sent
    for secret in (MAIL, MAIL.upper(), SSN, "other.person", "555-0187"):
        assert secret not in sent
        assert secret not in str(trace)
        assert secret.encode() not in written


def test_what_a_model_condenses_is_masked_before_it_is_searched_sent_or_written(
    small_home: Settings, tmp_path: Path
) -> None:
    own = f"How much is tuition for residents who write to {MAIL}?"
    with serving(says(own), says(TUITION)) as model:
        settings = small_site.settings_for(tmp_path / "home")
        shutil.copytree(small_home.snapshots_dir, settings.snapshots_dir, symlinks=True)
        # However little was found, and whatever is asked.
        always = replace(settings, llm_url=model.url, seems_threshold=0.0, router="")
        with closing(build_serving(always)) as server:
            history = (("user", "How much is tuition?"), ("assistant", "It depends."))
            question = Question("and for residents?", "c1" * 8, "m1", "t1", history=history)
            *_, final = server.asker.ask(question)
            kept = server.records.conversations.trace("t1")
    assert isinstance(final, Final)
    received = next(step for step in final.trace.steps if step.step == "contextualize").notes
    assert (received["how"], MAIL in received["question"]) == ("model", False)
    assert "[e-mail 1]" in received["question"]
    assert len(model.chats) > 1
    assert MAIL not in str([seen.body for seen in model.chats])
    assert MAIL not in str(kept)


@pytest.mark.parametrize(("mask", "kept"), [("on", "[card number 1]"), ("off", "4111–1111–1111–1111")])
def test_what_comes_to_the_flow_by_another_way_is_written_masked(
    small_home: Settings, tmp_path: Path, mask: str, kept: str
) -> None:
    settings = replace(small_site.settings_for(tmp_path / "home"), mask=mask)
    shutil.copytree(small_home.snapshots_dir, settings.snapshots_dir, symlinks=True)
    with closing(build_serving(settings)) as server:
        text = "My card 4111–1111–1111–1111: how much is tuition for residents of the state?"
        list(server.asker.ask(Question(text, "c1" * 8, "m1", "t1")))
        trace = server.records.conversations.trace("t1")
        said = server.records.conversations.conversation("c1" * 8)["messages"][0]["text"]
    assert kept in said
    assert kept in trace["question"]


def test_a_switch_leaves_it_as_it_was_typed(parts: ScriptedParts, model: ScriptedServer) -> None:
    """The test of the test above: without masking, all of it arrives."""
    with TestClient(web_app(WebOptions(masked=()), parts)) as client:
        own = ask(client, ASKED)["conversation_id"]
        kept = parts.records.conversations.conversation(own)["messages"][0]["text"]
    assert kept == ASKED
    assert MAIL in str([seen.body for seen in model.chats])


def test_what_was_masked_can_be_asked_again(parts: ScriptedParts) -> None:
    with TestClient(web_app(WebOptions(), parts)) as client:
        first = ask(client, ASKED)
        question = question_of(parts.records.conversations.trace(first["trace_id"]))
        again = replace(question, conversation_id="again", message_id="again", trace_id="again")
        *_, final = parts.asker.ask(again)
    assert isinstance(final, Final)
    assert final.answer.answer == first["answer"]


def test_the_settings_say_what_is_masked(tmp_path: Path) -> None:
    settings = Settings()
    assert patterns_of(settings) == PATTERNS
    assert patterns_of(replace(settings, mask="off")) == ()
    own = tmp_path / "personal.toml"
    own.write_text('off = ["us ssn"]\n[[pattern]]\nname = "locker"\nregex = "L-[0-9]{4}"\n')
    patterns = patterns_of(replace(settings, personal_file=str(own)))
    assert patterns[0].kind == "locker"
    assert len(patterns) == len(PATTERNS)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("off = [", "cannot be read"),
        ('off = ["nothing"]', "There are: .*us ssn"),
        ('[[pattern]]\nname = "A1"\nregex = "x"', "no name"),
        ('[[pattern]]\nname = "locker"', "lacks a `regex`"),
        ('[[pattern]]\nname = "locker"\nregex = "("', "is none"),
        ('[[pattern]]\nname = "locker"\nregex = "x*"', "matches nothing at all"),
    ],
)
def test_a_file_of_patterns_that_is_wrong_says_how(tmp_path: Path, text: str, sentence: str) -> None:
    own = tmp_path / "personal.toml"
    own.write_text(text)
    with pytest.raises(BadInputError, match=sentence):
        patterns_of(replace(Settings(), personal_file=str(own)))


def test_a_server_purges_once_a_day_and_not_at_all_where_everything_is_kept(tmp_path: Path) -> None:
    with closing(open_records(f"sqlite:///{tmp_path / 'records.sqlite'}")) as store:
        store.conversations.record(exchange(1))
        settings = replace(Settings(), keep_conversations_days=30)
        now = datetime.now(UTC) + timedelta(days=4000)
        assert DailyPurge(store.retention, keep_of(Settings()))(now) is None
        purge = DailyPurge(store.retention, keep_of(settings))
        first = purge(now)
        assert first is not None
        assert first["conversations"] == 1
        assert purge(now) is None
        assert purge(now + timedelta(days=1)) == dict.fromkeys(first, 0)


def test_a_clock_that_leaps_ahead_removes_nothing_on_its_first_day(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(open_records(f"sqlite:///{tmp_path / 'records.sqlite'}")) as store:
        purge = DailyPurge(store.retention, keep_of(replace(Settings(), keep_conversations_days=30)))
        now = datetime.now(UTC)
        store.conversations.record(exchange(1, asked_at=now.isoformat()))
        assert purge(now) == dict.fromkeys(("conversations", "comments", "audit", "history"), 0)
        leapt = now + timedelta(days=3650)
        assert purge(leapt) is None
        assert "3650 days ago" in caplog.text
        assert purge(leapt) is None  # nor a minute later
        assert purge(now) is not None  # the clock is put right, and the days go on from there
        assert len(store.search.conversations(limit=9)) == 1
        assert purge(leapt) is None
        removed = purge(leapt + timedelta(days=1))  # it was right after all
        assert removed is not None
        assert removed["conversations"] == 1


def test_lodge_purge_counts_before_it_removes(tmp_path: Path) -> None:
    env = {"LODGE_HOME": str(tmp_path), "LODGE_KEEP_CONVERSATIONS_DAYS": "1"}
    with closing(open_records(f"sqlite:///{tmp_path / 'records.sqlite'}")) as store:
        store.conversations.record(exchange(1))
    said = [
        CliRunner().invoke(main, ["purge", *more], env=env).stdout
        for more in (["--dry-run", "--json"], ["--json"], ["--json"], [])
    ]
    counts = [json.loads(one)["removed"]["conversations"] for one in said[:3]]
    assert counts == [1, 1, 0]
    assert "for ever" in said[3]
