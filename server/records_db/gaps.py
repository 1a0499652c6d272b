"""Gaps: questions of one meaning that were not answered well, and what became of them.

Which questions those are is one expression, `kind_of_turn`. No visitor's word is in the table of gaps: what a
gap is called is one of its questions, and goes with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    literal,
    null,
    or_,
    select,
    update,
)  # fmt: skip

from server.errors import BadInputError, NotFoundError
from server.records import GapState, GapStates, Placement, Waiting
from server.records_db.audit import note_change
from server.records_db.tables import Gap, Turn

NO_GAP = "There is no gap with that id."
NOTE_CHARS = 2000
# Answered, but hardly. So little above the threshold, the page cited was not the right one for 3 of 7 golden
# questions; further above, for 20 of 86.
NEARLY_REFUSED = 0.1

Places = Callable[[Sequence[bytes]], Placement]  # of the middles that there are


def kind_of_turn() -> ColumnElement[str | None]:
    """What went wrong with a question: a `GapKind`, or null. A refusal of what is unsafe is right."""
    return case(
        (
            and_(Turn.refused.is_(True), or_(Turn.reason == "no_evidence", Turn.reason.is_(None))),
            "no_evidence",
        ),
        (Turn.helpful.is_(False), "unhelpful"),
        (and_(Turn.refused.is_(True), Turn.reason == "off_topic"), "off_topic"),
        (and_(Turn.refused.is_(False), Turn.evidence < Turn.threshold + NEARLY_REFUSED), "low_evidence"),
        else_=null(),
    )


def gap_of_turn() -> ColumnElement[int]:
    """The gap that a question is in, or 0; an expression, as those of `counting.SLICES`."""
    return func.coalesce(Turn.gap_id, 0)


# --- putting questions into gaps ---


def count_waiting(connection: Connection) -> int:
    """How many questions that were not answered well are in no gap yet."""
    return connection.execute(select(func.count()).select_from(Turn).where(*_is_waiting())).scalar_one()


def read_waiting(connection: Connection, limit: int) -> list[Waiting]:
    """Some of them, the latest first, each wording once."""
    latest = func.max(Turn.number).label("latest")
    worded = select(latest).where(*_is_waiting()).group_by(Turn.site, Turn.asked)
    numbers = list(connection.scalars(worded.order_by(latest.desc()).limit(limit)))
    rows = connection.execute(select(Turn.site, Turn.asked, Turn.question).where(Turn.number.in_(numbers)))
    return [Waiting(row.site, row.asked, row.question) for row in rows]


def join_known(connection: Connection) -> None:
    """Puts questions that were asked before, in the same words, where those are."""
    other = Turn.__table__.alias("other")
    same = (other.c.site == Turn.site, other.c.asked == Turn.asked, other.c.gap_id.is_not(None))
    theirs = select(func.min(other.c.gap_id)).where(*same).correlate(Turn).scalar_subquery()
    known = exists(select(literal(1)).select_from(other).where(*same).correlate(Turn))
    connection.execute(update(Turn).where(*_is_waiting(), known).values(gap_id=theirs))
    _reopen(connection)


def place(connection: Connection, site: str, keys: Sequence[str], places: Places) -> None:
    """Puts the waiting questions of these wordings where `places` says, given the middles of the gaps."""
    known = connection.execute(select(Gap.id, Gap.middle).where(Gap.site == site).order_by(Gap.id)).all()
    ids = [own for own, _ in known]
    placement = places([middle for _, middle in known])
    for number, middle in sorted(placement.middles.items()):
        if number < len(known):
            connection.execute(update(Gap).where(Gap.id == ids[number]).values(middle=middle))
        else:
            ids.append(_new_gap(connection, site, middle))
    change = (
        update(Turn)
        .where(*_is_waiting(), Turn.site == site, Turn.asked == bindparam("key"))
        .values(gap_id=bindparam("own"), likeness=bindparam("like"))
    )
    placed = zip(keys, placement.places, strict=True)
    connection.execute(
        change, [{"key": key, "own": ids[number], "like": likeness} for key, (number, likeness) in placed]
    )
    _reopen(connection)


def drop_empty(connection: Connection, gap_ids: Sequence[int]) -> None:
    """Removes those of these gaps that no question is left of."""
    left = exists().where(Turn.gap_id == Gap.id)
    connection.execute(delete(Gap).where(Gap.id.in_(gap_ids), ~left))


# --- what becomes of them ---


def change_gap(  # noqa: PLR0913  (what, by whom, over which snapshot)
    connection: Connection, gap_id: int, state: GapState, note: str, *, snapshot: str | None, by: str
) -> None:
    """Notes what an editor makes of a gap, over the snapshot live then; `NotFoundError`, `BadInputError`."""
    if state not in ("mended", "ignored", "reopened"):
        raise BadInputError(f"state is {state!r}; it takes one of: mended, ignored, reopened.")
    if state == "ignored" and not note.strip():
        raise BadInputError("To ignore a gap takes a reason, for whoever wonders later.")
    if len(note) > NOTE_CHARS:
        raise BadInputError(f"The note is longer than {NOTE_CHARS} characters.")
    before = _kept(connection, gap_id)
    after = {"state": state, "note": note.strip(), "snapshot": snapshot}
    values = {**after, "changed_by": by, "changed_at": datetime.now(UTC), "again": None, "again_at": None}
    connection.execute(update(Gap).where(Gap.id == gap_id).values(values))
    note_change(connection, by, ("gap", str(gap_id)), before, after)


def read_mended(connection: Connection, live: str, limit: int) -> list[int]:
    """The gaps that were marked as mended over an earlier snapshot than the live one."""
    earlier = or_(Gap.snapshot.is_(None), Gap.snapshot < live)
    open_ones = exists().where(Turn.gap_id == Gap.id, kind_of_turn().is_not(None))
    asked = (
        select(Gap.id).where(Gap.state == "mended", earlier, open_ones).order_by(Gap.changed_at).limit(limit)
    )
    return list(connection.scalars(asked))


def note_again(connection: Connection, gap_id: int, answer: dict[str, Any], by: str | None) -> None:
    """Keeps what a gap's question was answered when it was asked again: by an editor, or, once, by itself."""
    own = [Gap.id == gap_id] if by else [Gap.id == gap_id, Gap.state == "mended"]
    before = _kept(connection, gap_id)
    after = {"state": "unanswered" if answer["refused"] else "answered", "snapshot": answer["snapshot"]}
    latest = select(func.max(Turn.number)).scalar_subquery()
    values = {**after, "again": answer, "again_at": datetime.now(UTC), "last_number": latest}
    if connection.execute(update(Gap).where(*own).values(values)).rowcount and by:
        note_change(connection, by, ("gap", str(gap_id)), before, before | after)


def count_states(connection: Connection) -> dict[str, int]:
    """How many gaps are in each state."""
    found = connection.execute(select(Gap.state, func.count().label("n")).group_by(Gap.state))
    return dict.fromkeys(GapStates, 0) | {row.state: row.n for row in found}


def _is_waiting() -> tuple[ColumnElement[bool], ...]:
    return (gap_of_turn() == 0, kind_of_turn().is_not(None))


def _new_gap(connection: Connection, site: str, middle: bytes) -> int:
    row = {"site": site, "middle": middle, "state": "open", "note": "", "changed_by": ""}
    return connection.execute(insert(Gap).returning(Gap.id), row).scalar_one()


def _reopen(connection: Connection) -> None:
    """What was answered when it was asked again, and was not since."""
    later = exists().where(Turn.gap_id == Gap.id, Turn.number > Gap.last_number, kind_of_turn().is_not(None))
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
