"""Help lines can be touched; what only looks like one stays text."""

from __future__ import annotations

import html
import re
from dataclasses import replace

import pytest
from markupsafe import Markup

from server.ask.triage import help_text
from server.messages.catalogue import shipped
from server.models import HelpLine, Phrase
from server.visitor.rich_text import rich_html
from server.visitor.view_models import has_help_lines, with_tel_links
from tests.scripted_app import site_table
from tests.visitor.test_present import ANSWER

SITE = site_table().all()[0]


def test_the_numbers_and_pages_of_help_lines_are_links() -> None:
    said = help_text("emergency", shipped().spoken("en", SITE.name))
    shown = with_tel_links(said, replace(SITE, help_lines=()))
    assert '<a href="tel:988" dir="ltr">988</a>.' in shown
    assert '<a href="https://988lifeline.org/" target="_blank" rel="noopener">' in shown
    assert 'Call or <a href="sms:988">text</a> at any hour' in shown
    assert shown.count("<a ") == 4
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


def test_a_word_to_text_and_its_number_begin_a_message() -> None:
    says = Phrase((("en", "Text HOME to 741741 at any hour."), ("es", "Envíe HOLA al 741741.")))
    site = replace(SITE, help_lines=(HelpLine(Phrase((("", "Text line"),)), says),))
    linked = '<a href="sms:741741?body=HOME">Text HOME to 741741</a> at any hour.'
    assert linked in with_tel_links("• Text line. Text HOME to 741741 at any hour.", site)
    assert '<a href="sms:741741?body=HOLA">Envíe HOLA al 741741</a>' in with_tel_links(
        "• Text line. Envíe HOLA al 741741.", site
    )
    assert "<a" not in with_tel_links("The textbook says: text ALARM to 12345.", site)


@pytest.mark.parametrize(
    ("says", "hours", "links"),
    [
        ("", "After hours: (802) 555-0161", ["8025550161"]),
        ("If you're in danger, call 911 first.", "", ["911"]),
        (
            "From abroad: +44 20 7946 0958, or 1-800-555-0133 (802.555.0134).",
            "",
            ["+442079460958", "18005550133", "8025550134"],
        ),
        ("Days 555-0170.", "Nights: 988", ["5550170", "988"]),
        ("Open 2026-2027, 8:00-17:00, in room 555 at $911; since 8/25/2026, 10.911.", "", []),
    ],
)
@pytest.mark.parametrize("lang", ["en", "es"])
def test_every_number_in_a_lines_words_and_hours_can_be_called(
    says: str, hours: str, links: list[str], lang: str
) -> None:
    line = HelpLine(
        Phrase((("", "Night line"),)), Phrase(((lang, says),)), "(802) 555-0160", "", Phrase(((lang, hours),))
    )
    site = replace(SITE, help_lines=(line,))
    said = help_text("distress", shipped().spoken(lang, SITE.name), site.help_lines)
    for shown in (with_tel_links(said, site), with_tel_links(rich_html(said, (), {}), site)):
        assert re.findall(r'href="tel:([^"]*)"', shown) == ["8025550160", *links]
    elsewhere = f"In room {says} {hours}"
    assert with_tel_links(elsewhere, site) == html.escape(elsewhere)


@pytest.mark.parametrize("lang", ["en", "es"])
def test_help_lines_can_be_called_and_texted_in_either_language(lang: str) -> None:
    said = help_text("distress", shipped().spoken(lang, SITE.name))
    shown = with_tel_links(said, replace(SITE, help_lines=()))
    assert all(f'href="{link}"' in shown for link in ("tel:911", "tel:988", "sms:988"))


def test_lines_that_say_the_same_are_texted_at_their_own_numbers() -> None:
    says = Phrase((("en", "It's free: call or text."),))
    lines = tuple(HelpLine(Phrase((("", name),)), says, name) for name in ("988", "802-555-0160"))
    site = replace(SITE, help_lines=lines)
    shown = with_tel_links(help_text("distress", shipped().spoken("en", SITE.name), lines), site)
    assert re.findall(r'href="(\w+:[^"]*)"', shown) == [
        "tel:988",
        "sms:988",
        "tel:8025550160",
        "sms:8025550160",
    ]


def test_help_lines_are_known_alone_and_above_an_answer() -> None:
    said = help_text("distress", shipped().spoken("en", SITE.name))
    site = replace(SITE, help_lines=())
    assert has_help_lines(replace(ANSWER, answer="A house's own words.", answerer="help"), site)
    assert has_help_lines(replace(ANSWER, answer=f"{said}\nThe clinic opens at 8. [1]"), site)
    assert not has_help_lines(replace(ANSWER, answer="Call 988, or the clinic. [1]"), site)
