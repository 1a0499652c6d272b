import pytest
from lxml import html

from server.ingest.extract.blocks import sections_of
from server.ingest.extract.panels import panels

LINKS = '<li><a href="/d">All deadlines</a><li><a href="/a">Start an application</a>'


def kinds(markup: str) -> list[tuple[str, str]]:
    root = html.document_fromstring(f"<body>{markup}</body>")
    return [
        (block.kind, block.text) for section in sections_of(root, panels(root)) for block in section.blocks
    ]


@pytest.mark.parametrize(
    ("markup", "kind"),
    [
        (f"<ul>{LINKS}</ul>", "links"),
        ('<p><a href="/d">All deadlines</a> | <a href="/a">Start an application</a></p>', "links"),
        (
            '<ul><li><a href="/r">Registrar</a>: grades and courses<li><a href="/b">Bursar</a>: bills</ul>',
            "list",
        ),
        ('<p>Ask the <a href="/r">registrar</a> or the <a href="/b">bursar</a>.</p>', "paragraph"),
        ("<ol><li>Apply<li>Wait</ol>", "steps"),
        ('<div role="alert"><p>We are closed on Friday.</p></div>', "notice"),
        ('<div class="site-notice"><p>We are closed on Friday.</p></div>', "notice"),
        ("<pre><code>ssh lab.example</code></pre>", "code"),
        ("<pre>Mon  9-5\nTue  9-5</pre>", "paragraph"),
        ("<form>Your name <input type=text></form>", "form"),
        ("<form><input type=hidden>The office is open on weekdays.</form>", "paragraph"),
        ("<address>Quarry Hall 204</address>", "card"),
        ("<details><summary>When?</summary><p>On Friday.</p></details>", "question"),
        ("<details><summary>Fall</summary><p>On Friday.</p></details>", "paragraph"),
    ],
)
def test_the_markup_says_what_a_block_is(markup: str, kind: str) -> None:
    assert [found for found, _ in kinds(markup)] == [kind]


def test_what_follows_a_notice_or_a_question_is_text_again() -> None:
    markup = "<div role=note><p>A</p></div><p>B</p><details><summary>C?</summary>D</details>E"
    assert kinds(markup) == [("notice", "A"), ("paragraph", "B"), ("question", "D"), ("paragraph", "E")]


def test_a_table_of_contents_is_no_text_of_the_page() -> None:
    contents = '<h2>On this page</h2><ul><li><a href="#a">Fees</a><li><a href="#b">Dates</a></ul>'
    assert kinds(f"{contents}<h2 id=a>Fees</h2><p>It is free.</p>") == [("paragraph", "It is free.")]
