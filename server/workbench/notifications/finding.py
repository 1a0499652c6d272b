"""What there is to tell, of what the records and the crawl stores hold: plain functions, one a topic.

Everything is looked for anew at each look, and told once: a notification's key says what it is about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Protocol

from server.ingest.crawl.contents import LastCrawl
from server.models.curation import CuratedAnswer, Notice
from server.models.deadlines import Deadline
from server.models.hours import EVERYTHING, OFFICES, HoursCorrection, OpeningHours
from server.models.notifications import Notification
from server.workbench.job_store import Job

LOST_SHARE = 0.1  # of a site's pages, gone in one crawl
STANDS_STILL = timedelta(days=1)  # a crawl that has looked at nothing for so long goes on no more by itself
NEW_GAP, GROWN_GAP, GROWN_TIMES = 3, 5, 2.0  # questions in a week; so many times the mean of the weeks before
WEEKS_BEFORE = 4
WEEK = timedelta(days=7)
SOON_DAYS = 14  # what ends within so many days is told of: answers, hours, deadlines
NAMED = 10  # of what is told at once


def of_jobs(jobs: Iterable[Job]) -> Iterator[Notification]:
    """Crawls that failed, snapshots that were held back or could not be built, as jobs ended."""
    for job in jobs:
        if job.state not in ("failed", "lost") or job.kind not in ("crawl", "publish", "index"):
            continue
        key, broken = f"job:{job.id}", (job.result or {}).get("failed", ())
        if broken:
            title = "A new snapshot is held back: golden questions would break"
            quotes = tuple(one["question"] for one in broken[:NAMED])
            told = (f"Golden questions: {len(broken)}. Visitors are answered as before.",)
            yield Notification(key, "snapshots", title, told, quotes, "snapshots", job.ended_at or "")
        elif job.kind == "crawl":
            title = f"The crawl of {job.about} failed"
            yield Notification(
                key, "crawls", title, (job.says,), page=f"crawl?site={job.about}", at=job.ended_at or ""
            )
        else:
            done = "published" if job.kind == "publish" else "built"
            title = f"A snapshot could not be {done}"
            yield Notification(key, "snapshots", title, (job.says,), page="snapshots", at=job.ended_at or "")


def of_crawls(crawls: Iterable[LastCrawl]) -> Iterator[Notification]:
    """Crawls that came to their end with more than a tenth of the site's pages gone, whoever began them."""
    for crawl in crawls:
        gone = sum(one.pages for one in crawl.fates if one.fate == "gone")
        before = crawl.held + gone
        if crawl.ended and before and gone / before > LOST_SHARE:
            told = f"{gone:,} of {before:,} pages are gone ({gone / before:.0%}); {crawl.held:,} are left."
            yield Notification(
                f"lost:{crawl.site}:{crawl.began}", "crawls",
                f"The crawl of {crawl.site} lost pages", (told,), page=f"crawl?site={crawl.site}",
                at=crawl.ended,
            )  # fmt: skip


def of_stopped(crawls: Iterable[LastCrawl], now: datetime) -> Iterator[Notification]:
    """Crawls that broke off, whoever began them: the command line leaves no job behind."""
    for crawl in crawls:
        last = crawl.last_visit or crawl.began
        if crawl.ended is None and now - datetime.fromisoformat(last) > STANDS_STILL:
            told = (f"Nothing was fetched since {last[:16]}. The next crawl goes on where it stopped.",)
            yield Notification(
                f"stopped:{crawl.site}:{crawl.began}", "crawls",
                f"The crawl of {crawl.site} did not end", told, page=f"crawl?site={crawl.site}",
                at=(datetime.fromisoformat(last) + STANDS_STILL).isoformat(),
            )  # fmt: skip


class GoldenRunFacts(Protocol):
    """A run of golden questions: which, when, over what and why."""

    @property
    def number(self) -> int:
        """Counts the runs."""

    @property
    def at(self) -> str:
        """ISO 8601."""

    @property
    def site(self) -> str:
        """Whose questions."""

    @property
    def occasion(self) -> str:
        """ "publish" or "asked"."""

    @property
    def snapshot(self) -> str:
        """Over which pages."""


def of_golden(run: GoldenRunFacts, broken: Sequence[str]) -> Notification | None:
    """A run in which some questions (`broken`) failed that were right the time before; None: none did."""
    if not broken:
        return None
    count = len(broken)
    over = f"over the snapshot {run.snapshot}"
    when = "before it was to be published" if run.occasion == "publish" else "when they were asked"
    what = "A golden question is" if count == 1 else f"{count} golden questions are"
    return Notification(
        f"golden:{run.number}", "golden", f"{what} not answered rightly any more ({run.site})",
        (f"Asked {over}, {when}.",), tuple(broken[:NAMED]), "golden", run.at,
    )  # fmt: skip


def of_gaps(gaps: Iterable[Mapping[str, Any]], week: date) -> Iterator[Notification]:
    """Missing answers that are new in a week (its Monday), or asked far oftener than in the weeks before."""
    for gap in gaps:
        counts = {date.fromisoformat(one["week"]): int(one["questions"]) for one in gap["weeks"]}
        now = counts.get(week, 0)
        before = [counts.get(week - n * WEEK, 0) for n in range(1, WEEKS_BEFORE + 1)]
        page, quotes = f"gap?id={gap['id']}", (str(gap["question"]),)
        concerns: dict[str, Any] = {
            "site": gap["site"],
            "subject": gap["topic"],
            "urls": tuple(one["url"] for one in gap["closest_pages"]),
        }
        about = f"Site {gap['site']}, topic {gap['topic'] or 'none'}."
        if not any(before) and now >= NEW_GAP:
            told = (f"Asked {now:,} times this week, and never in the four weeks before. {about}",)
            title, key = "A new missing answer", f"gap:{gap['id']}:new"
            yield Notification(key, "gaps", title, told, quotes, page, **concerns)
        elif now >= GROWN_GAP and now >= GROWN_TIMES * sum(before) / WEEKS_BEFORE:
            told = (
                f"Asked {now:,} times this week, {sum(before):,} times in the four weeks before. {about}",
            )
            title, key = "A missing answer is asked for more and more", f"gap:{gap['id']}:{week.isoformat()}"
            yield Notification(key, "gaps", title, told, quotes, page, **concerns)


def of_notices(notices: Iterable[Notice], now: datetime) -> Iterator[Notification]:
    """Notices that are over and were not taken away."""
    for one in notices:
        if datetime.fromisoformat(one.until) <= now:
            told = (f"“{one.text}”", f"Over since {one.until[:10]} (site {one.site}).")
            urls = (one.url,) if one.url else ()
            key = f"notice:{one.id}:{one.until}"
            yield Notification(
                key, "upkeep", "A notice is over", told, page="filters", site=one.site, urls=urls
            )


def of_answers(answers: Iterable[CuratedAnswer], today: date) -> Iterator[Notification]:
    """Curated answers that end within two weeks, or ended in the last."""
    for one in answers:
        if one.valid_until is None:
            continue
        end = date.fromisoformat(one.valid_until)
        if _is_soon_over(end, today):
            title = "A curated answer is about to end" if end >= today else "A curated answer has ended"
            told = (f"“{one.phrasings[0]}”, valid until {one.valid_until} (site {one.site}).",)
            key = f"answer:{one.id}:{one.valid_until}:{end < today}"
            urls = tuple(url for _, url in one.links)
            yield Notification(
                key, "upkeep", title, told, page="filters", site=one.site, subject=one.topic, urls=urls
            )


def of_hours(
    hours: Iterable[OpeningHours], corrections: Iterable[HoursCorrection], today: date
) -> Iterator[Notification]:
    """Places whose hours are told for days that are soon over, and for none after them; and corrections of
    some days that are over."""
    last: dict[tuple[str, str], list[date | None]] = {}
    for one in hours:
        if one.spans is not None and one.place not in (OFFICES, EVERYTHING):
            last.setdefault((one.url, one.place), []).append(one.last)
    for (url, place), ends in last.items():
        end = max((day for day in ends if day is not None), default=None)
        if end is not None and None not in ends and _is_soon_over(end, today):
            told = (f"{place}: the page says nothing of the days after {end.isoformat()}.", url)
            title = "Opening hours are about to be over" if end >= today else "Opening hours are over"
            key = f"hours:{url}:{place}:{end.isoformat()}"
            yield Notification(key, "upkeep", title, told, page="hours", urls=(url,))
    for fix in corrections:
        if fix.last and _is_soon_over(end := date.fromisoformat(fix.last), today) and end < today:
            was = f"{fix.place}: “{fix.text}” until {fix.last} (site {fix.site})."
            yield Notification(
                f"correction:{fix.id}:{fix.last}", "upkeep", "A correction of opening hours is over", (was,),
                page="hours", site=fix.site, urls=(fix.url,),
            )  # fmt: skip


def of_deadlines(deadlines: Iterable[Deadline], today: date) -> Iterator[Notification]:
    """Pages whose last deadline is soon over, or was last week: the next ones are to be written down."""
    last: dict[str, date] = {}
    for one in deadlines:
        last[one.url] = max(one.day, last.get(one.url, one.day))
    for url, day in last.items():
        if _is_soon_over(day, today):
            told = (f"The last deadline on it is {day.isoformat()}.", url)
            title = (
                "A page's deadlines are about to be over" if day >= today else "A page's deadlines are over"
            )
            yield Notification(f"deadlines:{url}:{day.isoformat()}", "upkeep", title, told, urls=(url,))


def _is_soon_over(day: date, today: date) -> bool:
    """Within two weeks, or in the last."""
    return -WEEK.days <= (day - today).days <= SOON_DAYS


def of_pages(pages: Iterable[Mapping[str, Any]]) -> Iterator[Notification]:
    """Cited pages that are out of date, the most cited first, as `coverage` lists them."""
    for one in pages:
        why = f"speaks of {one['term']}" if one["reason"] == "past_terms" else f"last changed {one['day']}"
        told = (f"{one['title'] or one['url']}: {why}, cited {one['times']:,} times.", one["url"])
        yield Notification(
            f"page:{one['url']}", "upkeep", "A page that is cited is out of date", told,
            page="coverage", subject=one["topic"], urls=(one["url"],),
        )  # fmt: skip


def monday_of(day: date) -> date:
    """The first day of its week."""
    return day - timedelta(days=day.weekday())
