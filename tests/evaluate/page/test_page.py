from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from lxml import html

from server.evaluate.page.page import report_page
from server.evaluate.runs import Run
from tests.evaluate.kept_runs import small_run

NASTY = '<script>alert("x")</script>'


@pytest.fixture(scope="module")
def page() -> str:
    return report_page(small_run(warnings=("line 3: broken",), broken_lines=1))


def test_it_says_what_was_asked_and_with_what(page: str) -> None:
    root: Any = html.document_fromstring(page)
    text = root.text_content()
    for said in ("Evaluation one", "small-1", "10 from questions.jsonl", "line 3: broken", "fusion_alpha"):
        assert said in text


def test_it_needs_nothing_beside_it_and_runs_nothing(page: str) -> None:
    root: Any = html.document_fromstring(page)
    assert not root.xpath("//script | //link | //iframe | //img | //object | //base")
    assert not [name for element in root.iter() for name in element.attrib if name.startswith("on")]
    addresses = re.findall(r'(?:href|src|xlink:href)="([^"]*)"', page) + re.findall(r"url\(([^)]*)\)", page)
    assert all(address.startswith("#") for address in addresses)
    assert "@import" not in page
    [policy] = root.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy.startswith("default-src 'none'")


def test_ids_are_unique_and_every_reference_leads_to_one(page: str) -> None:
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    named = re.findall(r'(?:aria-labelledby|aria-describedby)="([^"]+)"', page)
    references = [one for names in named for one in names.split()] + re.findall(r'href="#([^"]+)"', page)
    assert references
    assert set(references) <= set(ids)


def test_every_plot_has_a_text_alternative_a_caption_and_a_table(page: str) -> None:
    root: Any = html.document_fromstring(page)
    assert len(root.xpath("//figure")) == 4
    for figure in root.xpath("//figure"):
        [image] = figure.xpath("./*[@role='img']")
        assert image.xpath("./*[local-name()='svg']")
        title, summary = (root.get_element_by_id(one) for one in image.get("aria-labelledby").split())
        assert title.tag == "h2"
        assert title.text_content().strip()
        assert summary.text_content().strip().endswith(".")
        assert figure.xpath("./figcaption")[0].text_content().strip()
        assert figure.xpath("following-sibling::details[1]//table")


def test_tables_have_captions_and_heads(page: str) -> None:
    root: Any = html.document_fromstring(page)
    for table in root.xpath("//table"):
        assert table.xpath("./caption")[0].text_content().strip()
        assert table.xpath("./thead//th[@scope='col']")
        assert all(row.xpath("./th[@scope='row']") for row in table.xpath("./tbody/tr"))


def test_light_dark_and_paper_are_css_and_know_the_same_colours(page: str) -> None:
    blocks = re.findall(r":root \{(.*?)\}", page, re.DOTALL)
    names = [set(re.findall(r"(--[\w-]+):", block)) for block in blocks]
    assert len(blocks) == 3
    assert names[0] == names[1] == names[2]
    assert set(re.findall(r"var\((--[\w-]+)\)", page)) <= names[0]
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page


def test_verdicts_are_counted_and_said_in_words(page: str) -> None:
    root: Any = html.document_fromstring(page)
    assert root.xpath("//summary[starts-with(., 'worst against best: 0 better, 16 worse')]")
    assert root.xpath("//td[@class='worse' and .='worse']")


def test_what_a_page_or_a_file_brings_is_text() -> None:
    run = small_run(
        NASTY, questions_file=NASTY, warnings=(NASTY,), settings={NASTY: NASTY}, models={NASTY: NASTY}
    )
    first, second = run.evaluation.strategies
    odd = replace(first, strategy=NASTY, latency_ms={NASTY: first.latency_ms["total"]})
    nasty: Run = replace(run, evaluation=replace(run.evaluation, strategies=(odd, second), snapshot=NASTY))
    page = report_page(nasty)
    assert "<script" not in page
    root: Any = html.document_fromstring(page)
    assert root.text_content().count(NASTY) >= 8


def test_one_strategy_has_nothing_to_be_compared_with() -> None:
    assert "Comparisons" not in report_page(small_run(strategies=["best"]))
