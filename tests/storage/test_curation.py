"""What editors write: kept whole by its id, checked first, and every change can be noticed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from server.errors import BadInputError, NotFoundError
from server.models.curation import CuratedAnswer, Notice
from server.workbench.records import Records, open_records

ANSWER = CuratedAnswer(
    "fafsa-code",
    "main",
    ("What is the FAFSA code?", "fafsa school code"),
    "Our code is 003696.",
    (("Applying for aid", "https://example.edu/aid"),),
    "costs and aid",
    "2026-09-01",
    "2027-06-30",
)
NOTICE = Notice("snow", "main", "Campus is closed.", "2999-02-01T18:00:00+00:00", "https://example.edu/snow")


def test_an_answer_comes_back_as_it_was_put(store: Records) -> None:
    assert store.curation.put_curated(ANSWER) is None
    assert store.curation.curated() == (ANSWER,)
    assert store.curation.curated("main") == (ANSWER,)
    assert store.curation.curated("other") == ()


def test_who_puts_or_removes_an_answer_is_told_what_was_there(store: Records) -> None:
    store.curation.put_curated(ANSWER)
    later = replace(ANSWER, text="It is still 003696.", links=(), topic=None, valid_from=None)
    assert store.curation.put_curated(later) == ANSWER
    assert store.curation.remove_curated("fafsa-code") == later
    assert store.curation.curated() == ()
    with pytest.raises(NotFoundError, match="no curated answer"):
        store.curation.remove_curated("fafsa-code")


def test_texts_are_kept_without_space_around_them_and_each_once(store: Records) -> None:
    store.curation.put_curated(
        replace(
            ANSWER,
            phrasings=(" What is\nthe code? ", "What is the code?"),
            text=" One.\n\nTwo. ",
            links=((" Aid ", " https://example.edu/aid "), ("Aid", "https://example.edu/aid")),
        )
    )
    [kept] = store.curation.curated()
    assert kept.phrasings == ("What is the code?",)
    assert kept.text == "One.\n\nTwo."
    assert kept.links == (("Aid", "https://example.edu/aid"),)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"id": "Two words"}, "id is 'Two words'"),
        ({"site": ""}, "site is ''"),
        ({"phrasings": ()}, "1 to 50 phrasings"),
        ({"phrasings": ("what",) * 51}, "1 to 50 phrasings"),
        ({"phrasings": (" ",)}, "phrasing is empty"),
        ({"phrasings": ("x" * 301,)}, "phrasing has 301 characters; it takes 300"),
        ({"text": " \n"}, "answer is empty"),
        ({"text": "x" * 4001}, "4,001 characters; it takes 4,000"),
        ({"text": "\x00"}, "cannot be shown"),
        ({"links": (("Aid", "javascript:alert(1)"),)}, "no http or https address"),
        ({"links": (("Aid", "https://"),)}, "no http or https address"),
        ({"links": (("Aid", "https://[x"),)}, "no http or https address"),
        ({"links": (("Aid", "https://example.edu/a b"),)}, "no http or https address"),
        ({"links": (("", "https://example.edu/"),)}, "label is empty"),
        ({"links": (("Aid", "https://example.edu/"),) * 11}, "at most 10 links"),
        ({"topic": ""}, "topic is empty"),
        ({"valid_from": "1 May"}, "'1 May' is no day"),
        ({"valid_until": "20270630"}, "'20270630' is no day"),
        ({"valid_from": "2027-07-01"}, "until 2027-06-30, which is before 2027-07-01"),
    ],
)
def test_what_cannot_be_shown_is_refused_and_nothing_changes(
    store: Records, wrong: dict[str, Any], sentence: str
) -> None:
    version = store.curation.curation_version()
    with pytest.raises(BadInputError, match=sentence):
        store.curation.put_curated(replace(ANSWER, **wrong))
    assert (store.curation.curated(), store.curation.curation_version()) == ((), version)


def test_an_answer_may_be_valid_for_a_single_day(store: Records) -> None:
    store.curation.put_curated(replace(ANSWER, valid_from="2026-09-01", valid_until="2026-09-01"))
    [kept] = store.curation.curated()
    assert [kept.valid_on(day) for day in ("2026-08-31", "2026-09-01", "2026-09-02")] == [False, True, False]
    assert replace(kept, valid_from=None, valid_until=None).valid_on("1999-01-01")


def test_a_notice_comes_back_with_its_end_in_utc(store: Records) -> None:
    assert store.curation.put_notice(replace(NOTICE, until="2999-02-01T13:00:00-05:00")) is None
    assert store.curation.notices("main") == (NOTICE,)
    assert store.curation.notices("other") == ()
    assert store.curation.put_notice(replace(NOTICE, url="")) == NOTICE
    assert store.curation.remove_notice("snow") == replace(NOTICE, url="")
    with pytest.raises(NotFoundError, match="no notice"):
        store.curation.remove_notice("snow")


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"text": ""}, "notice is empty"),
        ({"text": "x" * 501}, "501 characters; it takes 500"),
        ({"until": "2020-01-01T00:00Z"}, "is past"),
        ({"until": "2999-01-01"}, "no time such as"),
        ({"until": "tonight"}, "no time such as"),
        ({"url": "ftp://example.edu/"}, "no http or https address"),
    ],
)
def test_a_notice_that_nobody_could_read_is_refused(
    store: Records, wrong: dict[str, str], sentence: str
) -> None:
    with pytest.raises(BadInputError, match=sentence):
        store.curation.put_notice(replace(NOTICE, **wrong))


def test_the_version_is_another_after_every_change_by_whomever(store: Records, url: str) -> None:
    other = open_records(url)
    seen = [store.curation.curation_version(), store.curation.curation_version()]
    assert seen[0] == seen[1]
    for change in (
        lambda: other.curation.put_curated(ANSWER),
        lambda: other.curation.put_curated(ANSWER),
        lambda: other.curation.put_notice(NOTICE),
        lambda: other.curation.remove_curated(ANSWER.id),
        lambda: other.curation.remove_notice(NOTICE.id),
    ):
        change()
        seen.append(store.curation.curation_version())
    assert len(set(seen)) == 6
    other.close()
