"""Snapshots over the admin API: looked at and compared by everyone, built, published and rolled back by
developers. What takes long is a job (`jobs_api.py`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK

from server.workbench.access.auth import DEVELOPERS, EDITORS, Caller
from server.workbench.faults import faults
from server.workbench.jobs_api import BEGINS_JOB, seen
from server.workbench.snapshots.service import SnapshotService

Earlier = Annotated[str, QueryParameter(description="The name of the one to compare from.")]
Later = Annotated[str, QueryParameter(description="The name of the one to compare to.")]
OfKind = Annotated[
    Literal["in", "out", "changed"] | None, QueryParameter(description="Only pages of this kind.")
]
Limit = Annotated[int, QueryParameter(ge=1, le=500, description="At most this many rows.")]
Offset = Annotated[int, QueryParameter(ge=0, description="Leave out so many rows: the `next` of a page.")]
PageUrl = Annotated[str, QueryParameter(min_length=1, max_length=2000, description="The page's address.")]


@dataclass(frozen=True, slots=True)
class SnapshotPair:
    """Two snapshots by their names."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class SnapshotPublishBody:
    """`override`: why it is published though golden questions break; null: then it is not."""

    override: str | None = None


@dataclass(frozen=True, slots=True)
class RollbackBody:
    """`name` of an earlier snapshot; null: the one made before the live one."""

    name: str | None = None


def snapshot_handlers(snapshots: SnapshotService) -> list[HTTPRouteHandler]:
    """`/snapshots` and what is under it."""
    return [*_looking(snapshots), *_changing(snapshots)]


def _looking(snapshots: SnapshotService) -> list[HTTPRouteHandler]:
    @get("/snapshots", sync_to_thread=True)
    def all_snapshots() -> dict[str, Any]:
        """Every snapshot, the newest first: when it was made, of how many pages, which is live.

        `dropped` counts the pages that were left out by reason; `checked` the golden questions that passed,
        failed and are known gaps, when it was to be published; `usable`: made with the model that this
        server answers with.
        """
        return {"snapshots": snapshots.all()}

    @get("/snapshots/compare", sync_to_thread=True, responses=faults(404))
    def compare(
        before: Earlier, after: Later, kind: OfKind = None, offset: Offset = 0, limit: Limit = 50
    ) -> dict[str, Any]:
        """Which pages came in, went out (and why), or have another title or text; some of them at a time."""
        return snapshots.compare(before, after, kind, offset=offset, limit=limit)

    @get("/snapshots/compare/page", sync_to_thread=True, responses=faults(404))
    def compare_page(before: Earlier, after: Later, url: PageUrl) -> dict[str, Any]:
        """The passages of one page that only one of the two snapshots has."""
        return snapshots.compare_page(before, after, url)

    @get("/snapshots/{name:str}", sync_to_thread=True)
    def manifest(name: FromPath[str]) -> dict[str, Any]:
        """What a snapshot was made of and with, and how its checks came out."""
        return snapshots.manifest(name)

    return [all_snapshots, compare, compare_page, manifest]


def _changing(snapshots: SnapshotService) -> list[HTTPRouteHandler]:
    @post("/snapshots/compare/golden", sync_to_thread=True, guards=EDITORS, **BEGINS_JOB)
    def compare_golden(request: Caller, data: JSONBody[SnapshotPair]) -> dict[str, Any]:
        """A job that asks every golden question over both snapshots. Nothing is recorded.

        Its result has the `questions`, each with `before`, `after` and `change`: broken, mended, still_wrong
        or still_right.
        """
        return seen(snapshots.compare_golden(data.before, data.after, by=request.user))

    @post("/snapshots/build", sync_to_thread=True, guards=DEVELOPERS, **BEGINS_JOB)
    def build(request: Caller) -> dict[str, Any]:
        """A job that makes a snapshot of everything crawled and shelves it; visitors stay with the live one.

        Its result is the report of `lodge index --json`.
        """
        return seen(snapshots.build(by=request.user))

    @post("/snapshots/{name:str}/publish", sync_to_thread=True, guards=DEVELOPERS, **BEGINS_JOB)
    def publish(request: Caller, name: FromPath[str], data: JSONBody[SnapshotPublishBody]) -> dict[str, Any]:
        """A job that asks the golden questions of all sites over a snapshot and makes it live.

        Where one fails that is right over the live snapshot it is not made live, unless `override` says why:
        the job fails, and its result names those that `failed`. Of what is published, `still_wrong` are the
        questions that fail over both, `known_gaps` those that are known to.
        """
        return seen(snapshots.publish(name, data.override, by=request.user))

    @post(
        "/snapshots/rollback",
        sync_to_thread=True,
        guards=DEVELOPERS,
        status_code=HTTP_200_OK,
        responses=faults(404, 409),
    )
    def roll_back(request: Caller, data: JSONBody[RollbackBody]) -> dict[str, Any]:
        """Make an earlier snapshot live again, at once; no question is asked first."""
        return snapshots.roll_back(data.name, by=request.user)

    return [compare_golden, build, publish, roll_back]
