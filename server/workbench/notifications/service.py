"""Looks for what is to be told, puts it into the outbox, and sends what is due. Any number of servers may.

Told twice is nothing: a message's key is there once, and whoever sends it has claimed it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from server.errors import BadInputError, LodgeError, StorageError
from server.ingest.crawl.known_crawls import KnownCrawls
from server.models import GapFilter, TurnFilter
from server.models.notifications import Notification, Owner, Subscription
from server.workbench.coverage.service import CoverageService
from server.workbench.job_store import Job
from server.workbench.notifications import finding
from server.workbench.notifications.digest import document_of, due_before, mine, text_of
from server.workbench.notifications.sending import MailSender, SendingError, WebhookSender
from server.workbench.notifications.store import DueMessage, Message, Outbox
from server.workbench.records import Records

logger = logging.getLogger("lodge.notifications")

AT_ONCE_DAYS = 2  # what is older when it is found is left to the digest
GAPS_LOOKED_AT, OLD_MONTHS = 100, 24
GAPS_EVERY_S, FORGET_EVERY_S = 900.0, 3_600.0
MOST_SENT = 50  # in one look
A_WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class DigestTimes:
    """When the week's digest is due; `zone` None is the machine's own. `console_url` is for links."""

    weekday: int = 0
    hour: int = 7
    zone: ZoneInfo | None = None
    console_url: str = ""


@dataclass(frozen=True, slots=True)
class Findings:
    """What there is to tell now. A part that is missing (no snapshot, say) is told of by the others."""

    records: Records
    coverage: CoverageService
    crawls: KnownCrawls

    def happened(self, since: datetime, now: datetime) -> Iterator[Notification]:
        """Crawls, snapshots and golden questions that went wrong since then."""
        crawls = self.crawls.latest()
        found = (
            *finding.of_jobs(self._jobs()),
            *finding.of_crawls(crawls),
            *finding.of_stopped(crawls, now),
        )
        yield from (one for one in found if datetime.fromisoformat(one.at) >= since)
        for run in self.records.golden.runs(limit=50):
            if run.failed and datetime.fromisoformat(run.at) >= since:
                told = finding.of_golden(run, self.records.golden.broken_in(run.number))
                if told is not None:
                    yield told

    def gaps(self, week: date) -> Iterator[Notification]:
        """Missing answers that are new in that week, or grow."""
        since = (week - finding.WEEKS_BEFORE * A_WEEK).isoformat()
        wanted = GapFilter(asked=TurnFilter(since, (week + timedelta(days=6)).isoformat()))
        yield from finding.of_gaps(self.records.gaps.all(wanted, limit=GAPS_LOOKED_AT), week)

    def upkeep(self, now: datetime) -> Iterator[Notification]:
        """Notices that are over; answers, hours and deadlines about to be; cited pages out of date."""
        yield from finding.of_notices(self.records.curation.notices(), now)
        yield from finding.of_answers(self.records.curation.curated(), now.date())
        quarter = TurnFilter((now.date() - timedelta(days=90)).isoformat())
        try:
            stale = self.coverage.coverage(quarter, OLD_MONTHS)["stale"]
            hours, deadlines = self.coverage.days_known()
        except LodgeError as error:
            logger.info("Old pages are not told of: %s", error.message)
            return
        yield from finding.of_hours(hours, self.records.hours.corrections(), now.date())
        yield from finding.of_deadlines(deadlines, now.date())
        yield from finding.of_pages(stale)

    def _jobs(self) -> Iterator[Job]:
        for kind in ("crawl", "publish", "index"):
            for job in self.records.jobs.all(kind):
                yield self.records.jobs.get(job.id) if job.state == "failed" else job


@dataclass(slots=True)
class NotificationService:
    """What one server does of it, in a thread of its own: `look`, every few seconds."""

    records: Records
    findings: Findings
    mail: MailSender
    webhooks: WebhookSender
    times: DigestTimes = field(default_factory=DigestTimes)
    _arrived: list[str] = field(default_factory=list)  # which could not be noted yet
    _gaps_at: float = 0.0
    _forget_at: float = 0.0

    @property
    def outbox(self) -> Outbox:
        """What is to be sent, and what was."""
        return self.records.outbox

    def check(self, wanted: Subscription) -> None:
        """`BadInputError` where nothing could be sent to its target."""
        if wanted.channel == "url":
            self.webhooks.check(wanted.target)
        elif not self.mail.is_ready:
            raise BadInputError("This server sends no mail: LODGE_SMTP_HOST and LODGE_MAIL_FROM are not set.")

    def look(self, now: datetime) -> None:
        """Put what is new into the outbox, and send what is due."""
        known = self._valid(self.records.subscriptions.all())
        self._tell_at_once([one for one in known if one.cadence == "at_once"], now)
        self._tell_weekly([one for one in known if one.cadence == "weekly"], now)
        if time.monotonic() >= self._forget_at:
            self._forget_at = time.monotonic() + FORGET_EVERY_S
            self.outbox.forget_old(now)
        self.send_due(now)

    def send_due(self, now: datetime, key: str | None = None) -> None:
        """Send what is due (or the message with this key), one after the other."""
        while self._arrived:
            self.outbox.sent(self._arrived[-1])
            self._arrived.pop()
        for _ in range(MOST_SENT):
            one = self.outbox.claim(now, key)
            if one is None:
                return
            self._send(one)

    def send_test(self, wanted: Subscription, now: datetime) -> None:
        """A message to one subscription, at once, so that its person sees whether it arrives."""
        text = "This is a test: what you chose to be told of will come here."
        told = Notification("test", wanted.topics[0], "It works", (text,))
        key = f"test:{now.isoformat()}:{wanted.id}"
        self.outbox.put([self._message(wanted, key, "A test from Lodge", "test", [told])], now)
        self.send_due(now, key)

    def _send(self, one: DueMessage) -> None:
        try:
            if one.channel == "url":
                self.webhooks.send(one.target, one.id, one.secret, one.document)
            else:
                self.mail.send(one.target, one.id, one.subject, text_of(one.document))
        except SendingError as error:
            self.outbox.failed(one, error.message, datetime.now(UTC))
        except Exception as error:  # a target nobody foresaw must not hold back the others
            logger.exception("a message was not sent")
            self.outbox.failed(one, f"It could not be sent: {type(error).__name__}.", datetime.now(UTC))
        else:
            self._note_sent(one.id)

    def _note_sent(self, own: str) -> None:
        """What has arrived and cannot be noted now is noted at the next look, lest it is sent again."""
        try:
            self.outbox.sent(own)
        except StorageError as error:
            logger.warning("That a message was sent could not be noted yet: %s", error.message)
            self._arrived.append(own)

    def _tell_at_once(self, known: Sequence[Subscription], now: datetime) -> None:
        if not known:
            return
        told = list(self.findings.happened(now - timedelta(days=AT_ONCE_DAYS), now))
        if time.monotonic() >= self._gaps_at and any("gaps" in one.topics for one in known):
            self._gaps_at = time.monotonic() + GAPS_EVERY_S
            told += self.findings.gaps(finding.monday_of(now.date()))
        self.outbox.put(
            (
                self._message(one, f"{new.key}:{one.id}", new.title, "notification", [new])
                for one in known
                for new in mine(told, one.topics)
                if not new.at or new.at >= one.created_at
            ),
            now,
        )

    def _tell_weekly(self, known: Sequence[Subscription], now: datetime) -> None:
        """The digests that are due and not in the outbox yet, to those who want them, and to owners."""
        due = due_before(now, self.times.weekday, self.times.hour, self.times.zone)
        wanted = {
            f"digest:{due.date()}:{one.id}": one
            for one in known
            if datetime.fromisoformat(one.created_at) <= due
        }
        owners = self._owners_by_mail(due) if self.mail.is_ready else {}
        keys = self.outbox.unknown((*wanted, *owners))
        if not keys:
            return
        told = list(self.week(now, due))
        title = f"Lodge: the week until {due.date()}"
        messages = [
            self._message(one, key, title, "digest", mine(told, one.topics))
            for key, one in wanted.items()
            if key in keys
        ]
        for key, own in owners.items():
            if key in keys and (theirs := [new for new in told if any(one.has(new) for one in own)]):
                messages.append(self._to_owner(own[0], key, title, theirs))
        self.outbox.put(messages, now)

    def week(self, now: datetime, due: datetime) -> Iterator[Notification]:
        """All that a digest may tell: what happened in the week before `due`, and what waits now."""
        yield from self.findings.gaps(finding.monday_of((due - timedelta(days=1)).date()))
        yield from self.findings.happened(due - A_WEEK, now)
        yield from self.findings.upkeep(now)

    def _owners_by_mail(self, due: datetime) -> dict[str, list[Owner]]:
        found: dict[str, list[Owner]] = {}
        for one in self.records.owners.all():
            if one.email:
                found.setdefault(f"owner:{due.date()}:{one.email}", []).append(one)
        return found

    def _message(
        self, one: Subscription, key: str, subject: str, kind: str, told: Iterable[Notification]
    ) -> Message:
        document = document_of(kind, subject, told, self.times.console_url)
        return Message(key, one.person, one.channel, one.target, subject, document, one.id)

    def _to_owner(self, one: Owner, key: str, title: str, told: Iterable[Notification]) -> Message:
        document = document_of("digest", title, told, self.times.console_url)
        return Message(key, one.name, "mail", one.email, title, document)

    def _valid(self, known: Sequence[Subscription]) -> list[Subscription]:
        """Those of people who still have a token: who has left is told of nothing more."""
        if not known:
            return []
        now = datetime.now(UTC)
        people = {one.name for one in self.records.tokens.all() if one.valid_at(now)}
        return [one for one in known if one.person in people]
