"""Gaps: questions of one meaning that were not answered well, and what became of them.

Which questions those are is one expression, `kind_of_turn`. No visitor's word is in the table of gaps: what a
gap is called is one of its questions, and goes with it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from sqlalchemy import (  # fmt: skip
    ColumnElement,
    Connection,
    and_,
    bindparam,
    case,
    exists,
    func,
    insert,
    literal,
    null,
    or_,
    select,
    update,
)

from server.errors import BadInputError, NotFoundError
from server.models import GapFilter, GapKinds, GapState, GapStates, Placement, Waiting
from server.storage.audit import COMMAND_LINE, note_change
from server.storage.conversations import plain
from server.storage.engine import RecordStore
from server.storage.tables.visitors import Gap, MessageRow, TurnRow
from server.storage.turns import counted, how_many

NO_GAP = "There is no gap with that id."
NOTE_CHARS = 2000
# Answered, but hardly. So little above the threshold, the page cited was not the right one for 3 of 7 golden
# questions; further above, for 20 of 86.
NEARLY_REFUSED = 0.1

Places = Callable[[Sequence[bytes]], Placement]  # of the middles that there are
SAMPLES = 5
MOST_APART = 500  # wordings of one gap that are told apart from one another
Row = dict[str, Any]
ByGap = Mapping[int, list[Any]]


class GapStore(RecordStore):
    """The gaps of all sites. Every method is one transaction.

    What editors make of a gap is in the audit log.
    """

    def all(self, wanted: GapFilter, *, limit: int, offset: int = 0) -> list[Row]:
        """The gaps that are wanted, those with most of the wanted questions first.

        Keys: id, site, state, note, changed_by, changed_at, snapshot, again (an answer's JSON, or None),
        again_at, questions, kinds (questions of each kind), first_day, last_day, question (the commonest of
        all, so that it is called the same wherever it stands), topic, weeks (week, questions), samples
        (question, asked: as it was typed, day, kind, times, conversation_id, trace_id), closest_pages (url,
        title).
        """
        with self._transactions.reading() as connection:
            conditions = (kind_of_turn().in_(wanted.kinds), *counted(wanted.asked))
            return _read(connection, conditions, Gap.state.in_(wanted.states), limit, offset)

    def get(self, gap_id: int) -> Row:
        """One of them, with all its questions; `NotFoundError`."""
        with self._transactions.reading() as connection:
            conditions = (TurnRow.gap_id == gap_id, kind_of_turn().in_(GapKinds))
            for row in _read(connection, conditions, Gap.state.in_(GapStates), 1, 0):
                return row
            raise NotFoundError(NO_GAP)

    def states(self) -> dict[str, int]:
        """How many gaps are in each state."""
        with self._transactions.reading() as connection:
            found = connection.execute(select(Gap.state, func.count().label("n")).group_by(Gap.state))
            return dict.fromkeys(GapStates, 0) | {row.state: row.n for row in found}

    def change(
        self, gap_id: int, state: GapState, note: str, *, snapshot: str | None, by: str = COMMAND_LINE
    ) -> None:
        """Marks a gap as mended (over the snapshot that is live), ignored or reopened.

        `NotFoundError`; `BadInputError` for a note that is missing or too long.
        """
        if state not in ("mended", "ignored", "reopened"):
            raise BadInputError(f"state is {state!r}; it takes one of: mended, ignored, reopened.")
        if state == "ignored" and not note.strip():
            raise BadInputError("To ignore a gap takes a reason, for whoever wonders later.")
        if len(note) > NOTE_CHARS:
            raise BadInputError(f"The note is longer than {NOTE_CHARS} characters.")
        after = {"state": state, "note": note.strip(), "snapshot": snapshot}
        change = {"changed_by": by, "changed_at": datetime.now(UTC), "again": None, "again_at": None}
        with self._transactions.writing() as connection:
            before = _kept(connection, gap_id)
            connection.execute(update(Gap).where(Gap.id == gap_id).values(after | change))
            note_change(connection, by, ("gap", str(gap_id)), before, after)

    def mended(self, live: str, *, limit: int) -> list[int]:
        """The ids of gaps that were marked as mended over an earlier snapshot than the live one."""
        with self._transactions.reading() as connection:
            earlier = or_(Gap.snapshot.is_(None), Gap.snapshot < live)
            open_ones = exists().where(TurnRow.gap_id == Gap.id, kind_of_turn().is_not(None))
            asked = (
                select(Gap.id)
                .where(Gap.state == "mended", earlier, open_ones)
                .order_by(Gap.changed_at)
                .limit(limit)
            )
            return list(connection.scalars(asked))

    def note_again(self, gap_id: int, answer: dict[str, Any], *, by: str | None = None) -> None:
        """Keeps what a gap's question was answered when asked again; without `by`, only while mended."""
        with self._transactions.writing() as connection:
            own = [Gap.id == gap_id] if by else [Gap.id == gap_id, Gap.state == "mended"]
            before = _kept(connection, gap_id)
            after = {
                "state": "unanswered" if answer["refused"] else "answered",
                "snapshot": answer["snapshot"],
            }
            latest = select(func.max(TurnRow.number)).scalar_subquery()
            values = {**after, "again": answer, "again_at": datetime.now(UTC), "last_number": latest}
            if connection.execute(update(Gap).where(*own).values(values)).rowcount and by:
                note_change(connection, by, ("gap", str(gap_id)), before, before | after)

    def count_waiting(self) -> int:
        """How many questions that were not answered well are in no gap yet."""
        with self._transactions.reading() as connection:
            return connection.execute(
                select(func.count()).select_from(TurnRow).where(*_is_waiting())
            ).scalar_one()

    def waiting(self, limit: int) -> list[Waiting]:
        """Some of them, the latest first, each wording once."""
        with self._transactions.reading() as connection:
            latest = func.max(TurnRow.number).label("latest")
            worded = select(latest).where(*_is_waiting()).group_by(TurnRow.site, TurnRow.asked)
            numbers = list(connection.scalars(worded.order_by(latest.desc()).limit(limit)))
            rows = connection.execute(
                select(TurnRow.site, TurnRow.asked, TurnRow.question).where(TurnRow.number.in_(numbers))
            )
            return [Waiting(row.site, row.asked, row.question) for row in rows]

    def join_known(self) -> None:
        """Puts those that were asked before, in the same words, where the others are."""
        with self._transactions.writing() as connection:
            other = TurnRow.__table__.alias("other")
            same = (other.c.site == TurnRow.site, other.c.asked == TurnRow.asked, other.c.gap_id.is_not(None))
            theirs = select(func.min(other.c.gap_id)).where(*same).correlate(TurnRow).scalar_subquery()
            known = exists(select(literal(1)).select_from(other).where(*same).correlate(TurnRow))
            connection.execute(update(TurnRow).where(*_is_waiting(), known).values(gap_id=theirs))
            _reopen(connection)

    def wordings(self, gap_id: int, trace_id: str) -> tuple[list[Waiting], str]:
        """The different wordings of a gap, at most `MOST_APART`, the latest first; and which of them, by its
        key, is that of a trace. `NotFoundError`: no gap, or a trace that is none of its questions.
        """
        with self._transactions.reading() as connection:
            _kept(connection, gap_id)
            of_trace = (
                select(TurnRow.asked)
                .join(MessageRow, MessageRow.number == TurnRow.number)
                .where(TurnRow.gap_id == gap_id, MessageRow.trace_id == trace_id)
            )
            chosen = connection.scalars(of_trace).first()
            if chosen is None:
                raise NotFoundError("That question is none of this missing answer's.")
            latest = func.max(TurnRow.number).label("latest")
            worded = select(latest).where(TurnRow.gap_id == gap_id).group_by(TurnRow.asked)
            own = (TurnRow.gap_id == gap_id, TurnRow.asked == chosen)
            numbers = {
                *connection.scalars(worded.order_by(latest.desc()).limit(MOST_APART)),
                *connection.scalars(select(func.max(TurnRow.number)).where(*own)),
            }
            rows = connection.execute(
                select(TurnRow.site, TurnRow.asked, TurnRow.question)
                .where(TurnRow.number.in_(numbers))
                .order_by(TurnRow.number.desc())
            )
            return [Waiting(row.site, row.asked, row.question) for row in rows], chosen

    def set_apart(
        self, gap_id: int, keys: Sequence[str], middles: tuple[bytes, bytes], *, by: str = COMMAND_LINE
    ) -> int:
        """Puts these wordings of a gap into a new one, and returns its id; `middles` are those of what stays
        and of what goes."""
        with self._transactions.writing() as connection:
            _kept(connection, gap_id)
            site = connection.execute(select(Gap.site).where(Gap.id == gap_id)).scalar_one()
            stays, goes = middles
            connection.execute(update(Gap).where(Gap.id == gap_id).values(middle=stays))
            new = _new_gap(connection, site, goes)
            own = (TurnRow.gap_id == gap_id, TurnRow.asked.in_(keys))
            connection.execute(update(TurnRow).where(*own).values(gap_id=new))
            note_change(connection, by, ("gap", str(new)), None, {"state": "open", "set_apart_from": gap_id})
            return new

    def place(self, site: str, keys: Sequence[str], places: Places) -> None:
        """Puts those of these wordings into gaps of their site, as `places` says of the gaps' middles."""
        with self._transactions.writing() as connection:
            known = connection.execute(
                select(Gap.id, Gap.middle).where(Gap.site == site).order_by(Gap.id)
            ).all()
            ids = [own for own, _ in known]
            placement = places([middle for _, middle in known])
            for number, middle in sorted(placement.middles.items()):
                if number < len(known):
                    connection.execute(update(Gap).where(Gap.id == ids[number]).values(middle=middle))
                else:
                    ids.append(_new_gap(connection, site, middle))
            change = (
                update(TurnRow)
                .where(*_is_waiting(), TurnRow.site == site, TurnRow.asked == bindparam("key"))
                .values(gap_id=bindparam("own"), likeness=bindparam("like"))
            )
            placed = zip(keys, placement.places, strict=True)
            connection.execute(
                change,
                [{"key": key, "own": ids[number], "like": likeness} for key, (number, likeness) in placed],
            )
            _reopen(connection)


def kind_of_turn() -> ColumnElement[str | None]:
    """What went wrong with a question: a `GapKind`, or null. A refusal of what is unsafe is right."""
    return case(
        (
            and_(TurnRow.refused.is_(True), or_(TurnRow.reason == "no_evidence", TurnRow.reason.is_(None))),
            "no_evidence",
        ),
        (TurnRow.helpful.is_(False), "unhelpful"),
        (and_(TurnRow.refused.is_(True), TurnRow.reason == "off_topic"), "off_topic"),
        (
            and_(TurnRow.refused.is_(False), TurnRow.evidence < TurnRow.threshold + NEARLY_REFUSED),
            "low_evidence",
        ),
        else_=null(),
    )


def gap_of_turn() -> ColumnElement[int]:
    """The gap that a question is in, or 0; an expression, as those of `turns.SLICES`."""
    return func.coalesce(TurnRow.gap_id, 0)


def _is_waiting() -> tuple[ColumnElement[bool], ...]:
    return (gap_of_turn() == 0, kind_of_turn().is_not(None))


def _new_gap(connection: Connection, site: str, middle: bytes) -> int:
    row = {"site": site, "middle": middle, "state": "open", "note": "", "changed_by": ""}
    return connection.execute(insert(Gap).returning(Gap.id), row).scalar_one()


def _reopen(connection: Connection) -> None:
    """What was answered when it was asked again, and was not since."""
    later = exists().where(
        TurnRow.gap_id == Gap.id, TurnRow.number > Gap.last_number, kind_of_turn().is_not(None)
    )
    connection.execute(
        update(Gap)
        .where(Gap.state == "answered", later)
        .values(state="reopened", changed_by="", changed_at=datetime.now(UTC))
    )


def _kept(connection: Connection, gap_id: int) -> dict[str, Any]:
    kept = connection.execute(select(Gap.state, Gap.note, Gap.snapshot).where(Gap.id == gap_id))
    row = kept.mappings().one_or_none()
    if row is None:
        raise NotFoundError(NO_GAP)
    return dict(row)


def _read(
    connection: Connection,
    conditions: Sequence[ColumnElement[bool]],
    of_gap: ColumnElement[bool],
    limit: int,
    offset: int,
) -> list[Row]:
    kind = kind_of_turn()
    own_gap = gap_of_turn()
    numbers = (
        select(
            own_gap.label("gap_id"),
            func.count().label("questions"),
            *(how_many(kind == one).label(one) for one in GapKinds),
            func.min(TurnRow.day).label("first_day"),
            func.max(TurnRow.day).label("last_day"),
            func.max(TurnRow.number).label("latest"),
        )
        .where(own_gap != 0, *conditions)
        .group_by(own_gap)
        .subquery()
    )
    own = [column for column in Gap.__table__.columns if column.name not in ("middle", "last_number")]
    page = (
        select(*own, *(column for column in numbers.c if column.name != "gap_id"))
        .join(numbers, numbers.c.gap_id == Gap.id)
        .where(of_gap)
        .order_by(numbers.c.questions.desc(), Gap.id.desc())
        .limit(limit)
        .offset(offset)
    )
    rows = [dict(row) for row in connection.execute(page).mappings()]
    of_these = (TurnRow.gap_id.in_([row["id"] for row in rows]), *conditions)
    days, topics = _per(connection, TurnRow.day, of_these), _per(connection, TurnRow.topic, of_these)
    samples, nearest = _samples(connection, of_these), _nearest(connection, [row["latest"] for row in rows])
    headings = _samples(connection, (of_these[0], kind_of_turn().in_(GapKinds)))
    return [
        _plain(row)
        | {
            "kinds": {one: row[one] for one in GapKinds},
            "question": headings[row["id"]][0]["question"],
            "topic": _commonest(topics[row["id"]]),
            "weeks": _weeks(days[row["id"]]),
            "samples": samples[row["id"]],
            "closest_pages": nearest.get(row["latest"], []),
        }
        for row in rows
    ]


def _per(connection: Connection, column: Any, conditions: Iterable[ColumnElement[bool]]) -> ByGap:
    """(value, questions) for each gap, in the order of the values."""
    found: dict[int, list[Any]] = defaultdict(list)
    counts = select(TurnRow.gap_id, column, func.count()).where(*conditions).group_by(TurnRow.gap_id, column)
    for gap_id, value, count in connection.execute(counts):
        found[gap_id].append((value, count))
    return found


def _samples(connection: Connection, conditions: Sequence[ColumnElement[bool]]) -> ByGap:
    """The commonest wordings of each gap; among equals, the nearest to its middle."""
    likeness = func.max(func.coalesce(TurnRow.likeness, 0.0))
    worded = (
        select(
            TurnRow.gap_id,
            func.max(TurnRow.number).label("number"),
            func.count().label("times"),
            likeness.label("like"),
        )
        .where(*conditions)
        .group_by(TurnRow.gap_id, TurnRow.asked)
    )
    wordings: dict[int, list[Any]] = defaultdict(list)
    for row in connection.execute(worded):
        wordings[row.gap_id].append((row.times, row.like, row.number))
    chosen = {gap_id: sorted(own, reverse=True)[:SAMPLES] for gap_id, own in wordings.items()}
    numbers = [number for own in chosen.values() for *_, number in own]
    typed = MessageRow.__table__.alias("typed")
    shown = (
        select(
            TurnRow.number, TurnRow.question, typed.c.text.label("asked"), TurnRow.day,
            kind_of_turn().label("kind"), TurnRow.conversation_id, MessageRow.trace_id,
        )
        .join(MessageRow, MessageRow.number == TurnRow.number)
        .join(typed, typed.c.id == MessageRow.id + "-question", isouter=True)
        .where(TurnRow.number.in_(numbers))
    )  # fmt: skip
    rows = {row["number"]: dict(row) for row in connection.execute(shown).mappings()}
    return {
        gap_id: [_without(rows[number], "number") | {"times": times} for times, _, number in own]
        for gap_id, own in chosen.items()
    }


def _nearest(connection: Connection, numbers: Sequence[int]) -> Mapping[int, list[Row]]:
    """The pages that the latest answer named as closest, or cited."""
    answers = connection.execute(
        select(MessageRow.number, MessageRow.answer).where(MessageRow.number.in_(numbers))
    )
    found = {}
    for number, answer in answers:
        pages = (answer or {}).get("closest_pages") or (answer or {}).get("citations") or []
        unique = {page["url"]: {"url": page["url"], "title": page["title"]} for page in pages}
        found[number] = list(unique.values())
    return found


def _commonest(topics: Sequence[tuple[str | None, int]]) -> str | None:
    """The topic of most of the questions that have one."""
    named = [(count, topic) for topic, count in topics if topic]
    return max(named)[1] if named else None


def _weeks(days: Sequence[tuple[str, int]]) -> list[Row]:
    """Questions a week, by its Monday, oldest first; weeks between without any are there with 0."""
    counts: dict[date, int] = defaultdict(int)
    for day, count in days:
        at = date.fromisoformat(day)
        counts[at - timedelta(days=at.weekday())] += count
    weeks, week = [], min(counts)
    while week <= max(counts):
        weeks.append({"week": week.isoformat(), "questions": counts.get(week, 0)})
        week += timedelta(days=7)
    return weeks


def _plain(row: Row) -> Row:
    return plain(_without(row, "latest", *GapKinds))


def _without(row: Row, *names: str) -> Row:
    return {key: value for key, value in row.items() if key not in names}
