"""Help lines can be touched; what only looks like one stays text."""

from __future__ import annotations

from dataclasses import replace

from markupsafe import Markup

from server.ask.triage import help_text
from server.messages.catalogue import shipped
from server.models import HelpLine, Phrase
from server.visitor.view_models import with_tel_links
from tests.scripted_app import site_table

SITE = site_table().all()[0]


def test_the_numbers_and_pages_of_help_lines_are_links() -> None:
    said = help_text("emergency", shipped().spoken("en", SITE.name))
    shown = with_tel_links(said, replace(SITE, help_lines=()))
    assert '<a href="tel:988" dir="ltr">988</a>.' in shown
    assert '<a href="https://988lifeline.org/" target="_blank" rel="noopener">' in shown
    assert shown.count("<a ") == 3
    assert "988 Suicide &amp; Crisis Lifeline: <a" in shown


def test_a_sites_own_lines_go_before_the_usual_ones() -> None:
    own = HelpLine(Phrase((("", "Night line"),)), phone="(802) 555-0199", url="javascript:alert(1)")
    site = replace(SITE, help_lines=(own,))
    assert with_tel_links("• Night line: (802) 555-0199. javascript:alert(1)", site) == (
        '• Night line: <a href="tel:8025550199" dir="ltr">(802) 555-0199</a>. javascript:alert(1)'
    )
    assert "<a" not in with_tel_links("• Police: 911.", site)


def test_a_number_elsewhere_is_text_and_html_stays_html() -> None:
    assert with_tel_links("Room 988 costs $911. <b>", SITE) == "Room 988 costs $911. &lt;b&gt;"
    assert with_tel_links(Markup("<p>Call: 911.</p>"), replace(SITE, help_lines=())) == (
        '<p>Call: <a href="tel:911" dir="ltr">911</a>.</p>'
    )
