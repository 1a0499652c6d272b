"""What is found is told once, by whichever server, and tried again until it is taken, without names."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import pytest

from server.errors import StorageError
from server.ingest.crawl.known_crawls import KnownCrawls
from server.models import Placement
from server.models.curation import CuratedAnswer
from server.models.golden import GoldenOutcome, GoldenQuestion
from server.models.notifications import Cadence, Channel, NotificationTopics, Owner, Subscription
from server.workbench.job_store import Job
from server.workbench.notifications.digest import due_before
from server.workbench.notifications.sending import MailSender, WebhookSender, new_secret
from server.workbench.notifications.service import DigestTimes, Findings, NotificationService
from server.workbench.notifications.store import BACKOFF, LEASE
from server.workbench.records import Records
from tests.ingest.crawl.test_known_crawls import Opened, let_settle
from tests.ingest.crawl.test_last import SITE, begin
from tests.storage.exchanges import as_typed, exchange
from tests.workbench.coverage.test_coverage import Coverage
from tests.workbench.notifications.receivers import Hook, Mailbox

MONDAY = datetime(2026, 3, 9, 8, tzinfo=UTC)  # the digest of 7:00 is due
BEFORE = "2026-03-01T00:00:00+00:00"
NO_CRAWLS = KnownCrawls(Path("/nonexistent"))
PERSONAL = "I am ana@example.edu, where is the pool?"


def service(
    store: Records, hook: Hook, box: Mailbox | None = None, crawls: KnownCrawls = NO_CRAWLS
) -> NotificationService:
    """What one server has of it; each made anew, as another server's would be."""
    return NotificationService(
        store,
        Findings(store, Coverage(), crawls),
        MailSender("127.0.0.1", box.port, "none", sender="lodge@example.edu") if box else MailSender(),
        WebhookSender(frozenset([urlsplit(hook.url).netloc])),
        DigestTimes(0, 7, ZoneInfo("UTC"), "https://console.example.edu"),
    )


def wants(
    store: Records, channel: Channel, target: str, cadence: Cadence = "weekly", person: str = "ada"
) -> Subscription:
    if person not in {one.name for one in store.tokens.all()}:
        store.tokens.create(person, "editor", 3650)
    secret = new_secret() if channel == "url" else ""
    one = Subscription(
        f"{person}-{channel}", person, channel, target, NotificationTopics, cadence, BEFORE, secret
    )
    store.subscriptions.add(one)
    return one


def ask_in_vain(store: Records, times: int, day: str, question: str = PERSONAL, topic: str = "sport") -> None:
    """The same question, refused so often on that day, in one gap."""
    for number in range(times):
        name = f"{day}-{topic}-{number}"
        made = exchange(question=question, refused=True, topic=topic, asked_at=f"{day}T10:00:00+00:00")
        asked = replace(made.question, conversation_id=name, message_id=name, trace_id=name)
        answer = replace(made.answer, conversation_id=name, message_id=name, trace_id=name)
        store.conversations.record(
            as_typed(replace(made, question=asked, answer=answer, trace=replace(made.trace, trace_id=name)))
        )
    store.gaps.join_known()
    for one in store.gaps.waiting(10):
        store.gaps.place(one.site, [one.key], _a_gap_of_its_own)


def _a_gap_of_its_own(known: Sequence[bytes]) -> Placement:
    return Placement([(len(known), 1.0)], {len(known): b""})


def run_golden(store: Records, *failures: str | None) -> None:
    """A run for each, of one golden question."""
    store.golden.put(GoldenQuestion("aid", "main", "Is there aid?", ("https://www.x.example/aid",)))
    for failure in failures:
        outcome = GoldenOutcome("aid", failure, "", ())
        store.golden.note_run(
            [outcome], site="main", occasion="asked", snapshot="s1", strategy="hybrid", by="ada"
        )


def hold_back(store: Records) -> None:
    """A crawl by schedule whose snapshot breaks a golden question."""
    job = Job("j1", "crawl", "www.x.example", "schedule", datetime.now(UTC).isoformat())
    store.jobs.add(job, None, None)
    broken = {
        "failed": [{"id": "aid", "site": "main", "question": PERSONAL, "failure": "It is not answered."}]
    }
    store.jobs.end(replace(job, state="failed", says="s2 is not published.", result=broken))


def sent(hook: Hook) -> list[dict[str, Any]]:
    return [json.loads(body) for _, body in hook.posts]


def test_what_went_wrong_is_told_at_once_and_once_without_anything_personal(
    store: Records, hook: Hook
) -> None:
    wants(store, "url", hook.url, "at_once")
    run_golden(store, None, "It is not answered.", "It is not answered.")
    hold_back(store)
    for _ in range(3):
        service(store, hook).look(datetime.now(UTC))
    told = {post["items"][0]["topic"]: post["items"][0] for post in sent(hook)}
    assert len(hook.posts) == len(told) == 2
    assert told["golden"]["quotes"] == ["Is there aid?"]
    assert told["snapshots"]["quotes"] == ["I am [e-mail 1], where is the pool?"]
    assert told["snapshots"]["link"] == "https://console.example.edu/snapshots"
    assert not any(b"ana@example.edu" in body for _, body in hook.posts)


def test_a_crawl_that_stands_still_is_told_and_its_store_is_opened_once(
    store: Records, hook: Hook, tmp_path: Path
) -> None:
    wants(store, "url", hook.url, "at_once")
    begin(tmp_path / "crawl").close()
    let_settle(tmp_path / "crawl")
    opened = Opened()
    own = service(store, hook, crawls=KnownCrawls(tmp_path / "crawl", opened))
    for hours in (1, 2, 26):
        own.look(datetime.now(UTC) + timedelta(hours=hours))
    assert [post["title"] for post in sent(hook)] == [f"The crawl of {SITE} did not end"]
    assert opened.names == [f"{SITE}.sqlite"]


def test_several_servers_that_look_at_once_send_it_once(store: Records, hook: Hook) -> None:
    wants(store, "url", hook.url, "at_once")
    run_golden(store, None, "It is not answered.")
    hold_back(store)

    def look_until_all_is_sent() -> None:
        own = service(store, hook)
        while [row.state for row in store.outbox.log()] != ["sent", "sent"]:
            with suppress(StorageError):  # a slow disk: the clock would look again too
                own.look(datetime.now(UTC))

    threads = [threading.Thread(target=look_until_all_is_sent) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(hook.posts) == 2
    assert [(row.state, row.says) for row in store.outbox.log()] == [("sent", "")] * 2


def test_what_is_not_taken_is_tried_again_later_and_later_and_then_given_up(
    store: Records, hook: Hook
) -> None:
    one = wants(store, "url", hook.url, "at_once")
    own, now, hook.status = service(store, hook), datetime.now(UTC), 500
    own.send_test(one, now)
    [row] = store.outbox.log("ada")
    assert (row.state, row.tries, row.says) == ("waiting", 1, "127.0.0.1 answered 500.")
    own.send_due(now)
    assert len(hook.posts) == 1
    for wait in BACKOFF:
        now += wait + timedelta(minutes=1)
        own.send_due(now)
    [row] = store.outbox.log("ada")
    assert (row.state, row.tries, len(hook.posts)) == ("failed", 1 + len(BACKOFF), 1 + len(BACKOFF))
    assert len({headers["webhook-id"] for headers, _ in hook.posts}) == 1
    own.send_due(now + timedelta(days=9))
    assert len(hook.posts) == 1 + len(BACKOFF)


def test_a_server_that_dies_while_it_sends_leaves_it_to_another(store: Records, hook: Hook) -> None:
    one, now = wants(store, "url", hook.url), datetime.now(UTC)
    own = service(store, hook)
    hook.status = 500
    own.send_test(one, now)
    hook.status, later = 204, now + BACKOFF[0] + timedelta(minutes=1)
    assert store.outbox.claim(later)
    own.send_due(later + LEASE - timedelta(seconds=1))
    assert len(hook.posts) == 1
    own.send_due(later + LEASE)
    assert [row.state for row in store.outbox.log()] == ["sent"]


def test_the_digest_has_the_week_and_comes_once_a_week(store: Records, hook: Hook, box: Mailbox) -> None:
    wants(store, "mail", "ada@example.edu")
    ask_in_vain(store, 3, "2026-03-04")
    ends = CuratedAnswer("fees", "main", ("What does it cost?",), "$310.", valid_until="2026-03-20")
    store.curation.put_curated(ends)
    for _ in range(2):
        service(store, hook, box).look(MONDAY)
    [mail] = box.mails
    text = mail.get_content()
    assert "I am [e-mail 1], where is the pool?" in text
    assert "Asked 3 times this week, and never in the four weeks before." in text
    assert "https://console.example.edu/gap?id=" in text
    assert "“What does it cost?”, valid until 2026-03-20" in text
    assert "https://x.example/aid" in text
    service(store, hook, box).look(MONDAY + timedelta(days=6))
    assert len(box.mails) == 1
    service(store, hook, box).look(MONDAY + timedelta(days=7))
    assert len(box.mails) == 2
    [row, _] = store.outbox.log("ada")
    assert (row.state, row.subject) == ("sent", "Lodge: the week until 2026-03-16")


def test_an_owner_gets_what_is_theirs_and_nothing_else(store: Records, hook: Hook, box: Mailbox) -> None:
    ask_in_vain(store, 3, "2026-03-04")
    store.owners.put(Owner("a", "main", "topic", "sport", "Recreation", "pool@example.edu"))
    store.owners.put(Owner("b", "main", "prefix", "https://x.example/aid", "Aid", "aid@example.edu"))
    store.owners.put(Owner("c", "main", "topic", "housing", "Housing", "housing@example.edu"))
    service(store, hook, box).look(MONDAY)
    service(store, hook, box).look(MONDAY)
    got = dict(zip(box.recipients, (mail.get_content() for mail in box.mails), strict=True))
    assert set(got) == {"pool@example.edu", "aid@example.edu"}
    assert "where is the pool?" in got["pool@example.edu"]
    assert "x.example/aid" not in got["pool@example.edu"]
    assert "x.example/aid" in got["aid@example.edu"]
    assert "pool" not in got["aid@example.edu"]


def test_who_has_left_is_told_of_nothing_more(store: Records, hook: Hook) -> None:
    wants(store, "url", hook.url, "at_once")
    store.tokens.revoke("ada")
    run_golden(store, None, "It is not answered.")
    service(store, hook).look(datetime.now(UTC))
    assert hook.posts == []
    assert store.outbox.log() == []


def test_the_log_keeps_no_visitors_word(store: Records, hook: Hook) -> None:
    wants(store, "url", hook.url, "at_once")
    hold_back(store)
    service(store, hook).look(datetime.now(UTC))
    with store.transactions.reading() as connection:
        [row] = connection.exec_driver_sql("SELECT subject, document, says FROM deliveries").all()
    assert row.document is None
    assert "pool" not in f"{row.subject} {row.says}"


@pytest.mark.parametrize(
    ("now", "due"),
    [
        ("2026-03-09T06:59:00+01:00", "2026-03-02T07:00:00+01:00"),
        ("2026-03-09T07:00:00+01:00", "2026-03-09T07:00:00+01:00"),
        ("2026-03-15T23:59:00+01:00", "2026-03-09T07:00:00+01:00"),
        ("2026-04-02T12:00:00+02:00", "2026-03-30T07:00:00+02:00"),
    ],
)
def test_a_digest_is_due_at_an_hour_of_its_own_zone(now: str, due: str) -> None:
    found = due_before(datetime.fromisoformat(now), 0, 7, ZoneInfo("Europe/Berlin"))
    assert found == datetime.fromisoformat(due)
