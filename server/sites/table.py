"""The sites of a server, read from a TOML file once; without a file there is `main`, out of the settings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from server.errors import BadInputError
from server.models import Site
from server.sites.entry import Entry
from server.sites.site import SiteDefaults, checked_origins, read_site
from server.toml_files import read_toml

MAIN = "main"


class SiteTable:
    """Sites by their keys. It never changes, and may be shared between threads."""

    def __init__(self, sites: Iterable[Site]) -> None:
        self._sites = {site.key: site for site in sites}

    def get(self, key: str) -> Site | None:
        """The site of that key, if there is one."""
        return self._sites.get(key)

    def all(self) -> tuple[Site, ...]:
        """Every site, `main` first."""
        return tuple(sorted(self._sites.values(), key=lambda site: (site.key != MAIN, site.key)))


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
