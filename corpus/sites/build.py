"""A pages file of one of the sites: its pages, each wrapped in the layout of its folder.

    .venv/bin/python -m corpus.sites.build tamsettferry OUT.jsonl.gz

A folder beside this file is a site: pages/ as the demo site has them, layouts/ (Jinja), tables/ (CSV, where a
page asks for them with `<!-- table: NAME -->`), and site.toml, which says which folder has which layout.
"""

import csv
import gzip
import json
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from corpus.demo_site.site import TABLE_MARK, Page, SiteError, ancestors, parse_page, url_path

HERE = Path(__file__).parent
NAMES = tuple(sorted(file.parent.name for file in HERE.glob("*/site.toml")))


@dataclass(frozen=True)
class Folder:
    """How the pages under an address are drawn: by layouts/`layout`.html, as those of the unit `name`."""

    layout: str
    name: str = ""


class Site:
    """A site's pages, layouts and menus, read once."""

    def __init__(self, root: Path) -> None:
        try:
            config = tomllib.loads((root / "site.toml").read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise SiteError(f"There is no site {root.name}; there are {', '.join(NAMES)}.") from error
        self.root = root
        self.base_url: str = config["base_url"]
        self.menus: Mapping[str, Sequence[Mapping[str, Any]]] = config.get("menus", {})
        self.folders = {
            "/": Folder(config["layout"]),
            **{f"/{path}/": Folder(**entry) for path, entry in config.get("folders", {}).items()},
        }
        self.pages = {page.path: page for page in self._read_pages()}
        self._layouts = jinja2.Environment(
            loader=jinja2.FileSystemLoader(root / "layouts"),
            autoescape=True,
            trim_blocks=True,
            keep_trailing_newline=True,
            undefined=jinja2.StrictUndefined,
        )

    def lines(self) -> Iterator[str]:
        """The lines of the pages file, in the order of the page files' names."""
        for page in self.pages.values():
            line = {
                "url": self.base_url + page.path,
                "title": page.title,
                "html": self.render(page),
                "last_modified": page.modified.isoformat(),
            }
            yield json.dumps(line, ensure_ascii=False) + "\n"

    def render(self, page: Page) -> str:
        """The whole HTML document of a page."""
        folder = self.folder_of(page)
        return self._layouts.get_template(f"{folder.layout}.html").render(
            page=page,
            url=self.base_url + page.path,
            unit=folder.name,
            crumbs=[self.pages[path] for path in ancestors(page.path)[1:] if path in self.pages],
            menu=self.menus.get(folder.layout) or self._section_menu(page),
            content=Markup(self._with_tables(page)),  # noqa: S704 - an editor wrote it as HTML
        )

    def folder_of(self, page: Page) -> Folder:
        """The deepest folder of site.toml that the page is in."""
        return self.folders[max((path for path in self.folders if page.path.startswith(path)), key=len)]

    def _read_pages(self) -> Iterator[Page]:
        folder = self.root / "pages"
        for file in sorted(folder.rglob("*.html")):
            yield parse_page(file.read_text(encoding="utf-8"), url_path(file, folder))

    def _section_menu(self, page: Page) -> list[dict[str, str]]:
        """The pages right below the page's section; on the home page, the sections."""
        top = f"/{page.section}/" if page.section else "/"
        below = re.compile(re.escape(top) + "[^/]+/")
        return [
            {"title": other.title, "url": path} for path, other in self.pages.items() if below.fullmatch(path)
        ]

    def _with_tables(self, page: Page) -> str:
        def table(mark: re.Match[str]) -> str:
            file = self.root / "tables" / f"{mark[1]}.csv"
            if not file.is_file():
                raise SiteError(f"{page.path}: there is no table {file.name}")
            with file.open(encoding="utf-8", newline="") as lines:
                rows = list(csv.reader(lines))
            return self._layouts.get_template("table.html").render(rows=rows)

        return TABLE_MARK.sub(table, page.body)


def build(name: str, out: Path) -> int:
    """Write the pages file of a site, always the same bytes for the same files; the number of its pages."""
    site = Site(HERE / name)
    out.write_bytes(gzip.compress("".join(site.lines()).encode(), mtime=0))
    return len(site.pages)


def main(arguments: Sequence[str]) -> int:
    """Build what the command line names."""
    if len(arguments) != 2:
        sys.stderr.write(f"python -m corpus.sites.build {{{','.join(NAMES)}}} OUT.jsonl.gz\n")
        return 2
    name, out = arguments
    try:
        count = build(name, Path(out))
    except (SiteError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{count} pages in {out}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
