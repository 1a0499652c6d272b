"""The Jinja environment of the visitor's pages: what every template may use."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from server.http.assets import Assets
from server.models import FeedbackReasons
from server.visitor import present, theme
from server.visitor.i18n import fill
from server.visitor.present import with_tel_links

TEMPLATES_DIR = Path(__file__).parent / "templates"


def environment(assets: Assets) -> Environment:
    """Templates escape everything and stop at an undefined name."""
    env = Environment(
        loader=FileSystemLoader(TEMPLATES_DIR),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.globals.update(
        asset=assets.url,
        style_sheet=lambda site: theme.style_url(assets, site),
        logo=lambda site: theme.logo_url(assets, site),
        reasons=FeedbackReasons,
        answer_pieces=present.answer_pieces,
        is_rich=present.is_rich,
        rich_answer=present.rich_answer,
        as_of=present.as_of,
        cautions_of=present.cautions_of,
        quote_pieces=present.quote_pieces,
        source_date=present.source_date,
        announcement=present.announcement,
        is_translated=present.is_translated,
    )
    env.filters.update(
        link=present.link,
        host_and_path=present.host_and_path,
        phone_link=present.phone_link,
        with_tel_links=with_tel_links,
        fill=fill,
    )
    return env
