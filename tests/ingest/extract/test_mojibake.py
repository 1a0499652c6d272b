import pytest

from server.ingest.extract.extract import extract
from server.ingest.extract.mojibake import MOST_MANGLED, mended
from server.models import SourcePage


@pytest.mark.parametrize(
    ("mangled", "meant"),
    [
        ("Technologyâ€™s Eyes", "Technology’s Eyes"),
        ("4â€“5 hours a week", "4–5 hours a week"),
        ("caf\u00c3\u00a9 and na\u00c3\u00afve", "café and naïve"),
        ("form (see\u00c2\u00a0Forms)", "form (see\u00a0Forms)"),
    ],
)
def test_what_was_read_as_another_charset_is_as_it_was_meant(mangled: str, meant: str) -> None:
    assert mended(f"<p title=â€¦>{mangled}</p>\n<p>Señor, “naïve” – 5 € – façade</p>") == (
        f"<p title=…>{meant}</p>\n<p>Señor, “naïve” – 5 € – façade</p>"
    )


@pytest.mark.parametrize(
    "text",
    ["plain", "Ã quoi bon ?", "Über Größe – „so“ …", "İstanbul’da", "naïve café", "日本語", "5 × 3 = 15 €"],
)
def test_other_text_stays(text: str) -> None:
    assert mended(f"<p>{text}</p>") == f"<p>{text}</p>"


def test_a_page_is_read_as_it_was_meant() -> None:
    html = "<html><body><h1>Lab</h1><p>Itâ€™s open 9â€“5 on weekdays.</p></body></html>"
    assert extract(SourcePage("https://u.example/", html)).text == "It’s open 9–5 on weekdays."


def test_more_than_any_page_has_is_left() -> None:
    page = "<p>Itâ€™s</p>" * (MOST_MANGLED // 4)
    assert mended(page) == page
