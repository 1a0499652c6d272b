"""Larkmoor University's pages: read from pages/ and tables/, wrapped in the site's templates."""

import calendar
import csv
import html
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2

HERE = Path(__file__).parent
DEFAULT_ORIGIN = "http://127.0.0.1:8090"
DEFAULT_MONTH = "2026-11"
SECTIONS = {
    "academics": "Academics",
    "admissions": "Admissions",
    "scholarships-aid": "Scholarships & Aid",
    "graduate": "Graduate",
    "life": "Life",
    "support": "Support",
    "library": "Library",
    "research": "Research",
    "international": "International",
    "news": "News",
    "alumni": "Alumni",
    "about": "About",
}
DATED_SECTIONS = {"academics", "scholarships-aid", "library", "support"}  # these print "Last updated"
PRINTABLE = ("/academics/policies/", "/academics/registrar/", "/scholarships-aid/")
TABLE_MARK = re.compile(r"<!--\s*table:\s*([\w.-]+)\s*-->")
CALENDAR_MARK = "<!-- calendar -->"
MONTH = re.compile(r"(?!0000)(\d{4})-(0[1-9]|1[0-2])")


class SiteError(ValueError):
    """A page, table or setting that cannot be read."""


@dataclass(frozen=True)
class Page:
    """One page: its header and the HTML an editor wrote."""

    path: str
    title: str
    description: str
    modified: date
    published: date
    body: str
    lang: str = "en"
    robots: str = ""
    canonical: str = ""
    in_nav: bool = True

    @property
    def section(self) -> str:
        """The first part of the path, empty for the home page."""
        return self.path.strip("/").split("/")[0]


@dataclass
class MenuItem:
    """A page's place in the left-hand menu."""

    page: Page
    current: bool
    children: list["MenuItem"] = field(default_factory=list)


@dataclass(frozen=True)
class Redirect:
    """Where an address that no longer has a page sends its visitors."""

    to: str
    status: int


@dataclass(frozen=True)
class View:
    """What of a request changes the page that answers it."""

    path: str
    origin: str
    month: str = ""
    printing: bool = False


def parse_page(text: str, path: str) -> Page:
    """Read one page file."""
    head, mark, body = text.partition("\n---\n")
    if not mark:
        raise SiteError(f"{path}: no '---' line after the header")
    fields = dict(_header_line(line, path) for line in head.splitlines() if line.strip())
    try:
        return Page(
            path=path,
            title=fields["title"],
            description=fields.get("description", ""),
            modified=date.fromisoformat(fields["modified"]),
            published=date.fromisoformat(fields.get("published", fields["modified"])),
            body=body.strip(),
            lang=fields.get("lang", "en"),
            robots=fields.get("robots", ""),
            canonical=fields.get("canonical", ""),
            in_nav=fields.get("nav", "yes") != "no",
        )
    except KeyError as missing:
        raise SiteError(f"{path}: the header has no {missing} line") from missing
    except ValueError as wrong:
        raise SiteError(f"{path}: {wrong}") from wrong


def _header_line(line: str, path: str) -> tuple[str, str]:
    key, colon, value = line.partition(":")
    if not colon:
        raise SiteError(f"{path}: not a header line: {line!r}")
    return key.strip(), value.strip()


def url_path(file: Path, root: Path) -> str:
    """The address of a page file: its path without the ending, index.html being its folder."""
    parts = list(file.relative_to(root).with_suffix("").parts)
    if parts[-1] == "index":
        parts.pop()
    return "/" + "".join(f"{part}/" for part in parts)


def table_html(file: Path) -> str:
    """An HTML table of a CSV file, its first row being the header."""
    with file.open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.reader(lines) if row]
    if not rows:
        raise SiteError(f"{file.name}: the table is empty")
    head = "".join(f'<th scope="col">{html.escape(cell)}</th>' for cell in rows[0])
    body = "\n".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows[1:]
    )
    return f'<table class="data-table">\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>'


def long_date(day: date) -> str:
    """A date as the site prints it: November 3, 2026."""
    return f"{day:%B} {day.day}, {day.year}"


def month_step(month: str, step: int) -> str:
    """The month that many months later, as YYYY-MM."""
    year, index = divmod(int(month[:4]) * 12 + int(month[5:]) - 1 + step, 12)
    return f"{year:04d}-{index + 1:02d}"


def ancestors(path: str) -> list[str]:
    """The addresses above one, the home page first."""
    parts = path.strip("/").split("/")[:-1]
    above = ["/" + "".join(f"{part}/" for part in parts[:count]) for count in range(1, len(parts) + 1)]
    return ["/", *above] if path != "/" else []


class Site:
    """The whole site, read once; pages are rendered on demand and kept."""

    def __init__(self, root: Path = HERE, widget_src: str | None = None) -> None:
        self.root = root
        self.widget_src = widget_src
        self.pages = self._load_pages()
        self.files = self._load_files("files") | self._load_files("static")
        self.redirects, self.also_at = self._load_moves()
        self.events = self._load_events()
        self._children = self._load_children()
        self._templates = self._environment()
        self._render = lru_cache(maxsize=1024)(self._render_view)

    @property
    def newest(self) -> date:
        """The day the site was last changed."""
        return max(page.modified for page in self.pages.values())

    def page(self, path: str) -> Page | None:
        """The page at an address, also at its second address."""
        return self.pages.get(self.also_at.get(path, path))

    def render(
        self, path: str, origin: str = DEFAULT_ORIGIN, query: Mapping[str, str] | None = None
    ) -> bytes:
        """The whole HTML document of a page; KeyError when there is none."""
        if self.page(path) is None:
            raise KeyError(path)
        wanted = (query or {}).get("month", "")
        month = wanted if MONTH.fullmatch(wanted) else DEFAULT_MONTH
        shows_month = CALENDAR_MARK in self.pages[self.also_at.get(path, path)].body
        printing = (query or {}).get("print") == "1"
        return self._render(View(path, origin, month if shows_month else "", printing))

    def render_missing(self, origin: str = DEFAULT_ORIGIN) -> bytes:
        """The document sent with status 404."""
        page = Page("/404/", "Page not found", "", self.newest, self.newest, "", robots="noindex")
        context = self._context(page, View("/404/", origin))
        return self._templates.get_template("404.html").render(context).encode()

    def robots(self, origin: str = DEFAULT_ORIGIN) -> bytes:
        """The text of robots.txt."""
        return self._templates.get_template("robots.txt").render(origin=origin).encode()

    def sitemap(self, origin: str = DEFAULT_ORIGIN) -> bytes:
        """The text of sitemap.xml: what is indexable, with the day it last changed."""
        entries = [(path, page.modified) for path, page in self.pages.items() if self._listed(page)]
        entries += [
            (path, self.pages[target].modified)
            for path, target in self.also_at.items()
            if not self.pages[target].canonical
        ]
        return self._templates.get_template("sitemap.xml").render(origin=origin, entries=entries).encode()

    def children(self, path: str) -> list[Page]:
        """The pages right below one that its menus show, by title."""
        return self._children.get(path, [])

    def menu(self, current: Page) -> MenuItem | None:
        """The left-hand menu of a page: its section, opened along the way to the page."""
        top = self.pages.get(f"/{current.section}/")
        return self._menu_item(top, current) if top and current.path != "/" else None

    def _menu_item(self, page: Page, current: Page) -> MenuItem:
        below = self.children(page.path) if current.path.startswith(page.path) else []
        return MenuItem(page, page.path == current.path, [self._menu_item(child, current) for child in below])

    @staticmethod
    def _listed(page: Page) -> bool:
        return page.in_nav and "noindex" not in page.robots and page.section != "internal"

    def _load_pages(self) -> dict[str, Page]:
        folder = self.root / "pages"
        found = {}
        for file in sorted(folder.rglob("*.html")):
            page = parse_page(file.read_text(encoding="utf-8"), url_path(file, folder))
            found[page.path] = Page(**{**vars(page), "body": self._fill_tables(page)})
        if "/" not in found:
            raise SiteError(f"{folder}: there is no home page (index.html)")
        return found

    def _fill_tables(self, page: Page) -> str:
        def table(match: re.Match[str]) -> str:
            file = self.root / "tables" / f"{match[1]}.csv"
            if not file.is_file():
                raise SiteError(f"{page.path}: there is no table {file.name}")
            return table_html(file)

        return TABLE_MARK.sub(table, page.body)

    def _load_files(self, folder: str) -> dict[str, Path]:
        top = self.root / folder
        files = (file for file in sorted(top.rglob("*")) if file.is_file())
        return {f"/{folder}/{file.relative_to(top).as_posix()}": file for file in files}

    def _load_moves(self) -> tuple[dict[str, Redirect], dict[str, str]]:
        with (self.root / "redirects.toml").open("rb") as file:
            config = tomllib.load(file)
        also_at: dict[str, str] = config["also_at"]
        missing = [target for target in also_at.values() if target not in self.pages]
        if missing:
            raise SiteError(f"redirects.toml: no page at {', '.join(missing)}")
        return {path: Redirect(**entry) for path, entry in config["redirects"].items()}, also_at

    def _load_events(self) -> list[dict[str, str]]:
        with (self.root / "tables" / "events.csv").open(encoding="utf-8", newline="") as lines:
            return list(csv.DictReader(lines))

    def _load_children(self) -> dict[str, list[Page]]:
        below: dict[str, list[Page]] = {}
        for page in sorted(self.pages.values(), key=lambda page: page.title.casefold()):
            above = [path for path in ancestors(page.path) if path in self.pages]
            if above and page.in_nav:
                below.setdefault(above[-1], []).append(page)
        return below

    def _environment(self) -> jinja2.Environment:
        environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(self.root / "templates"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=jinja2.StrictUndefined,
        )
        environment.filters["long_date"] = long_date
        return environment

    def _render_view(self, view: View) -> bytes:
        page = self.pages[self.also_at.get(view.path, view.path)]
        return self._templates.get_template("page.html").render(self._context(page, view)).encode()

    def _context(self, page: Page, view: View) -> dict[str, Any]:
        crumbs = [self.pages[path] for path in ancestors(page.path) if path in self.pages]
        return {
            "page": page,
            "view": view,
            "body": page.body.replace(CALENDAR_MARK, self._calendar(view.month) if view.month else ""),
            "crumbs": crumbs,
            "menu": self.menu(page),
            "sections": self._mega_menu(),
            "section_name": SECTIONS.get(page.section, ""),
            "linked_data": _linked_data(page, crumbs, view),
            "dated": page.section in DATED_SECTIONS,
            "printable": page.path.startswith(PRINTABLE),
            "widget_src": self.widget_src,
        }

    def _mega_menu(self) -> list[tuple[str, str, list[Page]]]:
        return [(f"/{name}/", title, self.children(f"/{name}/")) for name, title in SECTIONS.items()]

    def _calendar(self, month: str) -> str:
        name = f"{calendar.month_name[int(month[5:])]} {int(month[:4])}"
        events = [event for event in self.events if event["date"].startswith(month)]
        steps = {"before": month_step(month, -1), "after": month_step(month, 1)}
        return self._templates.get_template("calendar.html").render(month=name, events=events, **steps)


def _linked_data(page: Page, crumbs: list[Page], view: View) -> list[dict[str, object]]:
    trail = [*crumbs, page]
    return [
        {
            "@context": "https://schema.org",
            "@type": "WebPage",
            "@id": f"{view.origin}{view.path}#webpage",
            "url": f"{view.origin}{view.path}",
            "name": page.title,
            "description": page.description,
            "inLanguage": page.lang,
            "datePublished": page.published.isoformat(),
            "dateModified": page.modified.isoformat(),
            "publisher": {"@id": f"{view.origin}/#organization"},
        },
        {
            "@context": "https://schema.org",
            "@type": "BreadcrumbList",
            "itemListElement": [
                {"@type": "ListItem", "position": place, "name": step.title, "item": view.origin + step.path}
                for place, step in enumerate(trail, start=1)
            ],
        },
        _organization(view.origin),
    ]


def _organization(origin: str) -> dict[str, object]:
    return {
        "@context": "https://schema.org",
        "@type": "CollegeOrUniversity",
        "@id": f"{origin}/#organization",
        "name": "Larkmoor University",
        "url": f"{origin}/",
        "logo": f"{origin}/static/heron.svg",
        "foundingDate": "1891",
        "telephone": "+1-802-555-0100",
        "address": {
            "@type": "PostalAddress",
            "streetAddress": "1 Quarry Road",
            "addressLocality": "Larkmoor",
            "addressRegion": "VT",
            "postalCode": "05099",
            "addressCountry": "US",
        },
    }
