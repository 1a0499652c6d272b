"""The table of sites as its editors have it: their own suggested questions and contacts before the file's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from server.ask.options import Rules
from server.records import Contact, Phrase, Site, SiteTopic
from server.rulebook import OfficeContact, Rulebook
from server.sites.shelf import SiteShelf
from server.sites.table import SiteTable


class EditedSites:
    """A table of sites with what editors have published for them. Thread-safe if the table is."""

    def __init__(self, sites: SiteShelf | SiteTable, rules: Rules) -> None:
        self._sites = sites
        self._rules = rules

    def get(self, key: str) -> Site | None:
        """The site of that key, if there is one."""
        site = self._sites.get(key)
        return site and edited(site, self._rules.book(key))

    def all(self) -> tuple[Site, ...]:
        """Every site, the default one first."""
        return tuple(edited(site, self._rules.book(site.key)) for site in self._sites.all())


class EditedShelf(EditedSites):
    """The same with the file behind the table, which holds what the file says and nothing of the editors'."""

    def __init__(self, shelf: SiteShelf, rules: Rules) -> None:
        super().__init__(shelf, rules)
        self._shelf = shelf

    def entry(self, key: str) -> dict[str, Any]:
        """What the file says of a site; `NotFoundError`."""
        return self._shelf.entry(key)

    def put(self, key: str, values: dict[str, Any]) -> dict[str, Any] | None:
        """Write a site's entry in the file in place of the one it has, which is returned; `BadInputError`."""
        return self._shelf.put(key, values)

    def remove(self, key: str) -> dict[str, Any]:
        """Take a site's entry out of the file; it is returned. `NotFoundError`."""
        return self._shelf.remove(key)


def edited(site: Site, book: Rulebook) -> Site:
    """A site with its editors' suggested questions and contacts, where they have set any."""
    if not (book.suggestions or book.contacts):
        return site
    own = [contact for contact in book.contacts if not contact.topic]
    topics = tuple(_topic(topic, book.contacts) for topic in site.topics)
    known = {topic.name for topic in topics}
    new = dict.fromkeys(one.topic for one in book.contacts if one.topic and one.topic not in known)
    more = tuple(_topic(SiteTopic(name, _phrase(name)), book.contacts) for name in new)
    return replace(
        site,
        questions=tuple(map(_phrase, book.suggestions)) or site.questions,
        contacts=tuple(map(_contact, own)) or site.contacts,
        topics=topics + more,
    )


def _topic(topic: SiteTopic, contacts: Sequence[OfficeContact]) -> SiteTopic:
    own = tuple(_contact(contact) for contact in contacts if contact.topic == topic.name)
    return replace(topic, contacts=own or topic.contacts)


def _contact(one: OfficeContact) -> Contact:
    return Contact(_phrase(one.label), one.email, one.phone, one.url, _phrase(one.hours))


def _phrase(text: str) -> Phrase:
    """Words as they are, in whatever language."""
    return Phrase((("", text),) if text else ())
