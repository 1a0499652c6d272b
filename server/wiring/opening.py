"""What answers are made from, opened by the settings: snapshot, records, sites, what editors set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path

from server.ask.curated import CuratedBook, LiveRules, SiteConfig
from server.ask.opening.corrected import CorrectedHours
from server.ask.paraphraser import Paraphraser
from server.ask.ports import Condense, History, SiteDirectory
from server.errors import StorageError
from server.index.manager import name_in_pages
from server.ingest.crawl.reading import CrawledChanges
from server.masking import Masker, Pattern, masker_for, own_patterns
from server.messages.catalogue import Catalogue
from server.settings import Settings
from server.sites.site import UNNAMED, SiteDefaults
from server.sites.table import SiteStore, SiteTable, edited, load_sites
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
    rules = LiveRules(records.rulebooks.live, records.rulebooks.version, records.suggestions.withheld)
    records.rulebooks.tell(rules.invalidate)
    return rules


def build_site_config(
    settings: Settings,
    sites: SiteTable | SiteStore,
    records: Records,
    paraphraser: Paraphraser,
    rules: LiveRules | None = None,
) -> SiteConfig:
    """What the people who look after the sites have said, and what the crawl stores know since."""
    rules = rules or build_rules(records)
    curation = CuratedBook(records.curation, paraphraser)
    changed = CrawledChanges(settings.crawl_dir).changed
    records.rulebooks.tell(curation.invalidate)
    hours = CorrectedHours(records.hours.corrections, records.hours.version)
    records.hours.tell(hours.invalidate)
    edit_sites(sites, rules, settings)
    read_catalogue = cache(partial(Catalogue.read, settings.messages_dir))
    return SiteConfig(sites, curation, rules, changed, read_catalogue, hours.of_site)


def edit_sites(sites: SiteTable | SiteStore, rules: LiveRules, settings: Settings) -> None:
    """Have each site with what its editors have published, and one without a name with its pages' own."""
    own_name = partial(name_in_pages, settings.current_snapshot)
    sites.edit = partial(edited, book_of=rules.book, withheld_of=rules.withheld, own_name=own_name)


def site_name(settings: Settings, current: Path | None = None) -> str:
    """What a site is called that has no name in the table: the setting, its pages' own, or a word for any.

    Its pages are those of the snapshot that `current` links to; of the live one where none is given.
    """
    return settings.site_name or name_in_pages(current or settings.current_snapshot) or UNNAMED


def build_sites(settings: Settings) -> SiteTable:
    """The table of sites as it is now; a fault in it is a `BadInputError`."""
    return load_sites(settings.sites_path, site_defaults(settings))


def site_defaults(settings: Settings) -> SiteDefaults:
    """What holds where the table of sites says nothing."""
    return SiteDefaults(
        name=settings.site_name or UNNAMED,
        contact_url=settings.contact_url,
        max_question_chars=settings.max_question_chars,
        main_origins=tuple(settings.frame_origins.split()),
    )


def patterns_of(settings: Settings) -> Sequence[Pattern]:
    """What is masked in visitors' words before anything is written; none where masking is switched off.

    `BadInputError` when `LODGE_PERSONAL_FILE` cannot be used.
    """
    if settings.mask == "off":
        return ()
    return own_patterns(settings.personal_path)


def masker_of(settings: Settings, sites: SiteDirectory | None) -> Callable[[], Masker] | None:
    """Makes maskers that leave the sites' own contacts; None where masking is switched off."""
    patterns = patterns_of(settings)
    return partial(masker_for, patterns, sites.all if sites else tuple) if patterns else None


def masked(condense: Condense, masker: Callable[[], Masker]) -> Condense:
    """What a language model makes of a conversation, with what is personal in it masked."""

    def masked_condense(question: str, history: History) -> str:
        return masker().masked(condense(question, history))

    return masked_condense
