"""Suggested questions: what each was answered from over the live snapshot, and which page is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime

from sqlalchemy import Connection, and_, delete, insert, select, update

from server.ask.conversation.turns import squeezed
from server.errors import ConflictError, NotFoundError
from server.models.curation import AskedSuggestion
from server.models.golden import bare_address
from server.storage.audit import COMMAND_LINE, note_change
from server.storage.engine import RecordStore
from server.storage.kept import renew_version
from server.storage.tables.editors import StoredGoldenQuestion, StoredSuggestion


class SuggestionStore(RecordStore):
    """What became of the suggested questions of all sites. Every method is one transaction."""

    def all(self, site: str | None = None) -> list[AskedSuggestion]:
        """Those of a site, or all, by site, question and language, as they were last asked."""
        with self._transactions.reading() as connection:
            return [one for one in _kept(connection) if site in (None, one.site)]

    def withheld(self) -> Mapping[str, frozenset[str]]:
        """By site, the words of those that visitors are not shown."""
        found: dict[str, frozenset[str]] = {}
        for one in self.all():
            if one.fault:
                found[one.site] = found.get(one.site, frozenset()) | {one.question}
        return found

    def keep(self, asked: Sequence[AskedSuggestion], snapshot: str) -> list[AskedSuggestion]:
        """Keeps what was asked in place of what was known, and returns it.

        The right page is one of the golden question's in the same words, where there is one; else it stays
        the one it was before; that of a question asked for the first time, or never answered before, is the
        first that it is answered from now.
        """
        with self._transactions.writing() as connection:
            pages, golden = {_key(one): one.page for one in _kept(connection)}, _golden_pages(connection)
            kept = [
                replace(one, page=_right_page(one, golden) or pages.get(_key(one)) or _first_page(one))
                for one in asked
            ]
            connection.execute(delete(StoredSuggestion))
            if kept:
                about = {"snapshot": snapshot, "at": datetime.now(UTC)}
                rows = [asdict(one) | {"cited": list(one.cited)} | about for one in kept]
                connection.execute(insert(StoredSuggestion), rows)
            renew_version(connection)
        return kept

    def accept(self, site: str, lang: str, question: str, *, by: str = COMMAND_LINE) -> AskedSuggestion:
        """The page that it is answered from now is the right one; visitors are shown it again.

        `NotFoundError`: it was never asked. `ConflictError`: it is not answered from any page, or a golden
        question in the same words knows others.
        """
        with self._transactions.writing() as connection:
            for one in _kept(connection):
                if _key(one) == (site, lang, question):
                    break
            else:
                raise NotFoundError("No such suggested question was asked yet.")
            page = _first_page(one)
            if page is None:
                raise ConflictError("It is not answered from any page, so there is none that could be right.")
            right = _right_page(one, _golden_pages(connection))
            if right and bare_address(right) != bare_address(page):
                raise ConflictError(f"A golden question in the same words says that {right} is right.")
            same = and_(
                StoredSuggestion.site == site,
                StoredSuggestion.lang == lang,
                StoredSuggestion.question == question,
            )
            connection.execute(update(StoredSuggestion).where(same).values(page=page))
            renew_version(connection)
            note_change(connection, by, ("suggestion", question), {"page": one.page}, {"page": page})
        return replace(one, page=page)


def _kept(connection: Connection) -> list[AskedSuggestion]:
    table = StoredSuggestion
    query = select(table.site, table.lang, table.question, table.refused, table.cited, table.page)
    rows = connection.execute(query.order_by(table.site, table.question, table.lang))
    return [
        AskedSuggestion(site, lang, question, refused, tuple(cited), page)
        for site, lang, question, refused, cited, page in rows
    ]


def _golden_pages(connection: Connection) -> Mapping[tuple[str, str], list[str]]:
    """The right pages of golden questions, by site and words."""
    table = StoredGoldenQuestion
    rows = connection.execute(select(table.site, table.question, table.pages))
    return {(site, squeezed(question)): pages for site, question, pages in rows if pages}


def _right_page(one: AskedSuggestion, golden: Mapping[tuple[str, str], list[str]]) -> str | None:
    """The golden question's page that is cited first; none of them: its first; None: there is no such one."""
    pages = golden.get((one.site, squeezed(one.question)), [])
    bare = {bare_address(page) for page in pages}
    return next((url for url in one.cited if bare_address(url) in bare), next(iter(pages), None))


def _key(one: AskedSuggestion) -> tuple[str, str, str]:
    return one.site, one.lang, one.question


def _first_page(one: AskedSuggestion) -> str | None:
    return None if one.refused else next(iter(one.cited), None)
