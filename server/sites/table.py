"""The sites of a server, in a TOML file that changes while it runs: by the admin API, or by hand.

What editors set of a site, its suggested questions and contacts, is laid over what the file says. Without a
file there is `main`, out of the settings.
"""

from __future__ import annotations

import logging
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from server.errors import BadInputError, NotFoundError, StorageError
from server.models.curation import OfficeContact, RuleSet
from server.models.sites import MAIN, Contact, Phrase, Site, SiteTopic
from server.sites.entry import Entry
from server.sites.site import UNNAMED, SiteDefaults, checked_origins, read_site
from server.toml_files import read_toml

Edit = Callable[[Site], Site]


class SiteTable:
    """Sites by their keys, which never change, each as `edit` makes it. It may be shared between threads."""

    def __init__(self, sites: Iterable[Site]) -> None:
        self._sites = {site.key: site for site in sites}
        self.edit: Edit = lambda site: site

    def get(self, key: str) -> Site | None:
        """The site of that key, if there is one."""
        site = self._sites.get(key)
        return site and self.edit(site)

    def all(self) -> tuple[Site, ...]:
        """Every site, `main` first."""
        sites = sorted(self._sites.values(), key=lambda site: (site.key != MAIN, site.key))
        return tuple(map(self.edit, sites))


def load_sites(path: Path | None, defaults: SiteDefaults) -> SiteTable:
    """The table of a file, or of none; there is always a `main`. Faults are `BadInputError`s.

    The file holds a table `[sites.KEY]` a site. The defaults' origins are let in to `main`, beside its own.
    """
    _check(defaults)
    source = str(path) if path else "the settings"
    tables = _tables(path) if path else {}
    folder = path.parent if path else None
    sites = [read_site(key, values, defaults, source, folder) for key, values in tables.items()]
    if MAIN not in tables:
        sites.append(read_site(MAIN, {}, defaults, source))
    more = checked_origins(defaults.main_origins, "LODGE_FRAME_ORIGINS")
    return SiteTable(_let_in(site, more) if site.key == MAIN else site for site in sites)


def _let_in(site: Site, origins: tuple[str, ...]) -> Site:
    return replace(site, origins=tuple(dict.fromkeys((*site.origins, *origins))))


def _check(defaults: SiteDefaults) -> None:
    """A fault of the settings is told by their names, whichever site it would have met."""
    given = Entry(
        {"LODGE_SITE_NAME": defaults.name, "LODGE_CONTACT_URL": defaults.contact_url}, "The settings"
    )
    given.text("LODGE_SITE_NAME")
    given.address("LODGE_CONTACT_URL")


def _tables(path: Path) -> dict[str, Any]:
    try:
        found = read_toml(path)
    except OSError as error:
        raise BadInputError(f"The sites file {path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise BadInputError(f"The sites file {path} is not TOML: {error}.") from None
    tables = found.pop("sites", {})
    if found or not isinstance(tables, dict):
        raise BadInputError(f"The sites file {path} may hold nothing but [sites.…] tables.")
    return tables


logger = logging.getLogger("lodge.sites")

# A change by hand, or by another process, is seen after so long at most.
LOOK_EVERY_S = 2.0
_KEPT_NAME = "sites.toml"


class SiteStore:
    """The sites as the file has them now, each as `edit` makes it; entries are the file's own. Thread-safe.

    A file that has become wrong changes nothing: what it said before holds, and the log says why. What is
    written through here is checked first, comments in the file stay, and it is there whole or not at all.
    """

    def __init__(
        self,
        path: Path | None,
        home: Path,
        defaults: SiteDefaults,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`path` None: there is no file yet; one is made under `home` when a site is written.

        `BadInputError` when the file is wrong already, or one that was named is not there.
        """
        self._path = path or home / _KEPT_NAME
        self._defaults = defaults
        self._clock = clock
        self._lock = threading.Lock()
        self._stamp = self._stamp_now()
        self._table = load_sites(self._path if self._stamp or path else None, defaults)
        self._look_at = clock() + LOOK_EVERY_S
        self.edit: Edit = lambda site: site

    def get(self, key: str) -> Site | None:
        """The site of that key, if there is one."""
        site = self._now().get(key)
        return site and self.edit(site)

    def all(self) -> tuple[Site, ...]:
        """Every site, `main` first."""
        return tuple(map(self.edit, self._now().all()))

    def entry(self, key: str) -> dict[str, Any]:
        """What the file says of a site, as JSON has it; `NotFoundError` when it says nothing of it."""
        entries = self._document().unwrap().get("sites", {})
        if key not in entries:
            raise NotFoundError(f"The table of sites has no entry {key!r}.")
        found: dict[str, Any] = entries[key]
        return found

    def put(self, key: str, values: Mapping[str, Any]) -> dict[str, Any] | None:
        """Write a site's entry in place of the one it has, which is returned; `BadInputError`."""
        with self._lock:
            document = self._document()
            sites = document.setdefault("sites", tomlkit.table(is_super_table=True))
            before = sites[key].unwrap() if key in sites else None
            try:
                sites[key] = tomlkit.item(dict(values))
            except (TOMLKitError, ValueError, TypeError) as error:
                raise BadInputError(f"The site {key} cannot be written: {error}.") from None
            self._write(document)
        return before

    def remove(self, key: str) -> dict[str, Any]:
        """Take a site's entry out of the file; it is returned. `NotFoundError` when there is none."""
        with self._lock:
            before = self.entry(key)
            document = self._document()
            del document["sites"][key]
            self._write(document)
        return before

    def _now(self) -> SiteTable:
        if self._clock() >= self._look_at and self._lock.acquire(blocking=False):
            try:
                self._look()
            finally:
                self._lock.release()
        return self._table

    def _look(self) -> None:
        """Read the file again if it has changed."""
        self._look_at = self._clock() + LOOK_EVERY_S
        stamp = self._stamp_now()
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._table = load_sites(self._path if stamp else None, self._defaults)
        except BadInputError as error:
            logger.warning("%s The table of sites stays as it was.", error.message)

    def _stamp_now(self) -> tuple[int, int, int] | None:
        """What tells one state of the file from another; None where there is none."""
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise BadInputError(f"The sites file {self._path} cannot be read: {error.strerror}.") from None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _document(self) -> tomlkit.TOMLDocument:
        try:
            document = tomlkit.parse(self._path.read_text(encoding="utf-8-sig"))
        except FileNotFoundError:
            return tomlkit.document()
        except (OSError, ValueError, RecursionError, TOMLKitError) as error:
            raise BadInputError(f"The sites file {self._path} cannot be read: {error}.") from None
        if not isinstance(document.get("sites", {}), Mapping):
            raise BadInputError(f"The sites file {self._path} may hold nothing but [sites.…] tables.")
        return document

    def _write(self, document: tomlkit.TOMLDocument) -> None:
        """Write a temporary file, check it by reading it, and rename it; its table is the current one."""
        aside = self._path.with_name(f".{uuid.uuid4().hex[:8]}-{self._path.name}")
        try:
            content = tomlkit.dumps(document).encode()
        except UnicodeEncodeError:
            raise BadInputError("A site's entry has half a character, which no file can hold.") from None
        try:
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                with aside.open("xb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                table = _checked(aside, self._path, self._defaults)
                aside.replace(self._path)
            finally:
                aside.unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(f"{self._path} could not be written: {error.strerror}.") from error
        self._table, self._stamp = table, self._stamp_now()


def _checked(aside: Path, path: Path, defaults: SiteDefaults) -> SiteTable:
    """The table of the new file; a fault is told by the name that people know the file by."""
    try:
        return load_sites(aside, defaults)
    except BadInputError as error:
        raise BadInputError(error.message.replace(str(aside), path.name)) from None


def edited(
    site: Site,
    book_of: Callable[[str], RuleSet],
    withheld_of: Callable[[str], frozenset[str]],
    own_name: Callable[[], str],
) -> Site:
    """A site with its editors' suggested questions and contacts, where they have set any, by the site's key.

    `withheld_of` gives the words of suggested questions that are not shown, `own_name` what the pages of a
    site without a name call it, "" where they do not.
    """
    if site.name == UNNAMED:
        site = replace(site, name=own_name() or UNNAMED)
    if withheld := withheld_of(site.key):
        site = replace(site, withheld=withheld)
    book = book_of(site.key)
    if not (book.suggestions or book.contacts):
        return site
    own = [contact for contact in book.contacts if not contact.topic]
    topics = tuple(_edited_topic(topic, book.contacts) for topic in site.topics)
    known = {topic.name for topic in topics}
    new = dict.fromkeys(one.topic for one in book.contacts if one.topic and one.topic not in known)
    more = tuple(_edited_topic(SiteTopic(name, _phrase(name)), book.contacts) for name in new)
    return replace(
        site,
        questions=tuple(map(_phrase, book.suggestions)) or site.questions,
        contacts=tuple(map(_edited_contact, own)) or site.contacts,
        topics=topics + more,
    )


def _edited_topic(topic: SiteTopic, contacts: Sequence[OfficeContact]) -> SiteTopic:
    own = tuple(_edited_contact(contact) for contact in contacts if contact.topic == topic.name)
    return replace(topic, contacts=own or topic.contacts)


def _edited_contact(one: OfficeContact) -> Contact:
    return Contact(_phrase(one.label), one.email, one.phone, one.url, _phrase(one.hours))


def _phrase(text: str) -> Phrase:
    """Words as they are, in whatever language."""
    return Phrase((("", text),) if text else ())
