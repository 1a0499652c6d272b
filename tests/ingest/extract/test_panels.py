import pytest
from lxml import html

from server.ingest.extract.panels import panels

BUTTON_THEN_PANEL = '<div><button aria-expanded="false">When?</button><div hidden id="p">Soon.</div></div>'
BUTTON_IN_HEADING = (
    '<div><h3><button aria-expanded="false">When?</button></h3><div hidden id="p">Soon.</div></div>'
)
NAMED_PANEL = '<a aria-controls="p" href="#">When?</a><hr><section id="p" hidden>Soon.</section>'
COLLAPSE = '<a data-toggle="collapse" href="#p">When?</a><i></i><div id="p" class="collapse">Soon.</div>'
TAB = '<ul><li role="tab"><a></a></li><li role="tab" aria-controls="p">When?</li></ul><div id="p">Soon.</div>'
LABELLED = '<b role="tab" id="t">When?</b><hr><div role="tabpanel" aria-labelledby="t" hidden id="p">S</div>'
LINKED = '<ul><li><a href="#p">When?</a></ul><hr><div id="p" style="display: none">Soon.</div>'
TAB_LIST = '<ul class="nav-tabs"><li><a href="#p">When?</a></ul><hr><div id="p">Soon.</div>'
CHECKED = '<input type="radio" id="r"><label for="r">When?</label><div id="p">Soon.</div>'
TERM = '<dl><dt><button aria-expanded="false">When?</button><dd id="p" hidden>Soon.</dl>'
BY_CLASS = '<div class="accordion-title">When?</div><div id="p" style="display:none">Soon.</div>'
UNTIL_FOUND = '<h3>When?</h3><div id="p" hidden="until-found">Soon.</div>'
SCHEMA = (
    '<div itemtype="https://schema.org/Question"><b itemprop="name">When?</b>'
    '<div itemprop="acceptedAnswer" id="p" hidden>Soon.</div></div>'
)


@pytest.mark.parametrize(
    "markup", [LABELLED, LINKED, TAB_LIST, CHECKED, TERM, BY_CLASS, UNTIL_FOUND, SCHEMA, BUTTON_THEN_PANEL]
)
def test_a_panel_is_found_however_it_is_opened(markup: str) -> None:
    found = panels(html.document_fromstring(f"<body>{markup}</body>"))
    assert [(panel.get("id"), "".join(map(str, opener.itertext()))) for panel, opener in found.items()] == [
        ("p", "When?")
    ]


def test_as_many_panels_as_tabs_below_them_go_together_in_order() -> None:
    tabs = "".join(f'<input type="radio" name="t" id="r{n}"><label for="r{n}">{n}</label>' for n in "12")
    found = panels(
        html.document_fromstring(f"<body><div>{tabs}</div><div id=a>A</div><div id=b>B</div></body>")
    )
    assert [(panel.get("id"), opener.text) for panel, opener in found.items()] == [("a", "1"), ("b", "2")]


@pytest.mark.parametrize(
    "markup",
    [
        '<h3>Search</h3><div hidden id="p">No results were found.</div>',  # nothing opens it
        '<ul><li><a href="#p">When?</a></ul><div id="p">Soon.</div>',  # a link within the page
        '<form><input type="radio" id="r"><label for="r">When?</label><div id="p">Soon.</div></form>',
    ],
)
def test_what_only_looks_so_is_no_panel(markup: str) -> None:
    assert not panels(html.document_fromstring(f"<body>{markup}</body>"))


@pytest.mark.parametrize("markup", [BUTTON_THEN_PANEL, BUTTON_IN_HEADING, NAMED_PANEL, COLLAPSE, TAB])
def test_a_panel_is_found_with_what_opens_it(markup: str) -> None:
    found = panels(html.document_fromstring(f"<body>{markup}</body>"))
    assert [(panel.get("id"), opener.text) for panel, opener in found.items()] == [("p", "When?")]


def test_what_nothing_opens_is_no_panel() -> None:
    assert not panels(
        html.document_fromstring("<body><button>Go</button><div hidden id=p>Soon.</div></body>")
    )
