"""What answers are made from, opened by the settings: snapshot, records, sites, what editors set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from server.ask.context import RuleSource, SiteConfig
from server.ask.curated import CuratedBook
from server.ask.ports import Condenser, Sites
from server.ask.rules import LiveRules
from server.errors import LodgeError, StorageError
from server.index.index import Index
from server.index.manager import SnapshotManager
from server.inference.embedder import Embedder
from server.ingest.crawl.reading import CrawledChanges
from server.masking import Masker, Pattern, own_patterns
from server.models import Contact, Phrase, Site, SiteTopic
from server.models.curation import OfficeContact, RuleSet
from server.settings import Settings
from server.sites.shelf import SiteStore
from server.sites.site import SiteDefaults
from server.sites.table import SiteTable, load_sites
from server.wiring.opened import OpenedSnapshot, SearchEngine, private_copy
from server.workbench.records import Records, open_records


def build_records(settings: Settings) -> Records:
    """The records store, brought to the newest revision; its folder is made when it is not there."""
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{settings.home} cannot be made: {error.strerror}.") from error
    return open_records(settings.records_database_url)


def build_rules(records: Records) -> LiveRules:
    """What editors have set, followed as it changes, and at once where it changes here."""
    rules = LiveRules(records.rulebooks)
    records.rulebooks.tell(rules.look_soon)
    return rules


def build_site_config(
    settings: Settings,
    sites: SiteTable | SiteStore,
    records: Records,
    embedder: Embedder,
    rules: LiveRules | None = None,
) -> SiteConfig:
    """What the people who look after the sites have said, and what the crawl stores know since."""
    rules = rules or build_rules(records)
    curation, changes = CuratedBook(records.curation, embedder), CrawledChanges(settings.crawl_dir)
    records.rulebooks.tell(curation.look_soon)
    return SiteConfig(EditedSites(sites, rules), curation, rules, changes)


def build_sites(settings: Settings) -> SiteTable:
    """The table of sites as it is now; a fault in it is a `BadInputError`."""
    return load_sites(settings.sites_path, site_defaults(settings))


def site_defaults(settings: Settings) -> SiteDefaults:
    """What holds where the table of sites says nothing."""
    return SiteDefaults(
        name=settings.site_name,
        contact_url=settings.contact_url,
        max_question_chars=settings.max_question_chars,
        main_origins=tuple(settings.frame_origins.split()),
    )


def build_live(settings: Settings, current: Path, embedder: Embedder) -> SnapshotManager[OpenedSnapshot]:
    """The snapshot that `current` names, followed as it changes; one of another embedder is refused."""
    open_engine = _engine_opener(settings, current)
    return SnapshotManager(current, lambda folder: open_folder(settings, folder, embedder, open_engine))


def open_folder(
    settings: Settings,
    folder: Path,
    embedder: Embedder,
    open_engine: Callable[[Index], SearchEngine] | None = None,
) -> OpenedSnapshot:
    """One snapshot, ready for questions; `SnapshotError` when it is damaged, or of another embedder."""
    with private_copy(settings, folder) as copy:
        opened = OpenedSnapshot(
            copy,
            threads=settings.duckdb_threads,
            hnsw_from_chunks=settings.hnsw_from_chunks,
            open_engine=open_engine,
        )
        try:
            opened.index.require_embedder(embedder.name, embedder.sha256)
            opened.index.warm_up()
        except LodgeError:
            opened.close()
            raise
    return opened


def _engine_opener(settings: Settings, current: Path) -> Callable[[Index], SearchEngine] | None:
    """What searches in the snapshot's place: Typesense, which has none but the snapshots of the home."""
    if not settings.typesense_urls or current != settings.current_snapshot:
        return None
    from server.wiring.typesense import engine_opener  # noqa: PLC0415 - a client that few need

    return engine_opener(settings)


class EditedSites:
    """A table of sites with what editors have published for them. Thread-safe if the table is."""

    def __init__(self, sites: SiteStore | SiteTable, rules: RuleSource) -> None:
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

    def __init__(self, shelf: SiteStore, rules: RuleSource) -> None:
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


def edited(site: Site, book: RuleSet) -> Site:
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


def patterns_of(settings: Settings) -> Sequence[Pattern]:
    """What is masked in visitors' words before anything is written; none where masking is switched off.

    `BadInputError` when `LODGE_PERSONAL_FILE` cannot be used.
    """
    if settings.mask == "off":
        return ()
    return own_patterns(settings.personal_path)


def masker_of(settings: Settings, sites: Sites | None) -> Callable[[], Masker] | None:
    """Makes maskers that leave the sites' own contacts; None where masking is switched off."""
    patterns = patterns_of(settings)
    if not patterns:
        return None

    def new() -> Masker:
        official = [one for site in sites.all() for one in site.own_contacts] if sites else []
        return Masker(patterns, official=official)

    return new


class MaskedCondenser:
    """A language model that makes one question of a conversation, with what is personal in it masked."""

    def __init__(self, condenser: Condenser, masker: Callable[[], Masker]) -> None:
        self._condenser = condenser
        self._masker = masker

    def condense(self, question: str, history: Sequence[tuple[str, str]]) -> str:
        """What it wrote, masked; a `LodgeError` when it is down or slow."""
        return self._masker().masked(self._condenser.condense(question, history))
