import pytest
from lxml import html

from server.ingest.extract.main_content import panels

BUTTON_THEN_PANEL = '<div><button aria-expanded="false">When?</button><div hidden id="p">Soon.</div></div>'
BUTTON_IN_HEADING = (
    '<div><h3><button aria-expanded="false">When?</button></h3><div hidden id="p">Soon.</div></div>'
)
NAMED_PANEL = '<a aria-controls="p" href="#">When?</a><hr><section id="p" hidden>Soon.</section>'
COLLAPSE = '<a data-toggle="collapse" href="#p">When?</a><i></i><div id="p" class="collapse">Soon.</div>'
TAB = '<ul><li role="tab"><a></a></li><li role="tab" aria-controls="p">When?</li></ul><div id="p">Soon.</div>'


@pytest.mark.parametrize("markup", [BUTTON_THEN_PANEL, BUTTON_IN_HEADING, NAMED_PANEL, COLLAPSE, TAB])
def test_a_panel_is_found_with_what_opens_it(markup: str) -> None:
    found = panels(html.document_fromstring(f"<body>{markup}</body>"))
    assert [(panel.get("id"), opener.text) for panel, opener in found.items()] == [("p", "When?")]


def test_what_nothing_opens_is_no_panel() -> None:
    assert not panels(
        html.document_fromstring("<body><button>Go</button><div hidden id=p>Soon.</div></body>")
    )
