"""What editors set is a draft, then live, and one step leads back."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from server.errors import BadInputError, ConflictError, NotFoundError
from server.models.curation import (
    CuratedAnswer,
    Favour,
    ItemRef,
    LeaveOut,
    Notice,
    OfficeContact,
    PageLabel,
    RuleSet,
    Wording,
)
from server.workbench.curation.rules_store import read_rulebook
from server.workbench.records import Records

NEWS = LeaveOut("news", "prefix", "/news/", "Old news misleads.")
CODE = CuratedAnswer("code", "main", ("What is the FAFSA code?",), "It is 003696.")
SNOW = Notice("snow", "main", "Campus is closed.", "2999-02-01T18:00:00+00:00")
BOOK = RuleSet(
    "main",
    (NEWS,),
    (Favour("fees", "pin", "https://example.edu/fees", phrase="parking permit"),),
    (Wording("dorm", ("dorm", "dorms"), "residence hall"),),
    ("When is spring break?",),
    (OfficeContact("desk", "Front desk", phone="555-0100"),),
    (CODE,),
    (SNOW,),
)


def test_a_draft_is_kept_and_nothing_of_it_is_live(store: Records) -> None:
    store.rulebooks.put_draft(BOOK, by="the editor")
    draft = store.rulebooks.draft("main")
    assert draft
    assert (draft.book, draft.base, draft.by) == (BOOK, RuleSet("main"), "the editor")
    assert store.rulebooks.live() == []
    assert store.curation.curated() == ()
    store.rulebooks.drop_draft("main")
    assert store.rulebooks.draft("main") is None
    with pytest.raises(NotFoundError):
        store.rulebooks.drop_draft("main")


def test_publishing_makes_all_of_it_live_at_once_and_renews_the_version(store: Records) -> None:
    before = store.rulebooks.version()
    store.rulebooks.put_draft(BOOK)
    after_draft = store.rulebooks.version()
    live = store.rulebooks.publish("main", note=" No old news ", by="the editor")
    assert replace(live, number=0) == BOOK
    assert store.rulebooks.live() == [replace(live, curated=(), notices=())]
    assert (store.curation.curated(), store.curation.notices()) == ((CODE,), (SNOW,))
    assert store.rulebooks.version() not in {before, after_draft}
    assert store.rulebooks.draft("main") is None
    [entry] = store.rulebooks.history("main")
    assert (entry["number"], entry["by"], entry["note"]) == (live.number, "the editor", "No old news")
    with pytest.raises(NotFoundError, match="no draft"):
        store.rulebooks.publish("main")


def test_one_step_leads_back_and_keeps_what_others_did_since(store: Records) -> None:
    with pytest.raises(NotFoundError, match="Nothing was published"):
        store.rulebooks.go_back("main")
    store.rulebooks.put_draft(BOOK)
    first = store.rulebooks.publish("main")
    other = replace(CODE, id="other")
    store.curation.put_curated(other)
    back = store.rulebooks.go_back("main", by="the editor")
    assert replace(back, number=0) == RuleSet("main", curated=(other,))
    assert store.rulebooks.go_back("main").leave_out == (NEWS,)  # and forth again
    assert [entry["note"] for entry in store.rulebooks.history("main")][1:] == [
        f"Back to what held before version {first.number}",
        "",
    ]


def test_two_drafts_that_change_the_same_do_not_overrun_each_other(store: Records) -> None:
    store.rulebooks.put_draft(RuleSet("main", (NEWS,)))
    store.rulebooks.publish("main")
    store.rulebooks.put_draft(RuleSet("main", (replace(NEWS, value="/news/2019"),)))
    store.curation.put_curated(CODE)  # somebody else, meanwhile
    store.rulebooks.publish("main")
    assert store.curation.curated() == (CODE,)
    store.rulebooks.put_draft(replace(store.rulebooks.book("main"), curated=()))
    store.curation.put_curated(replace(CODE, text="It is 003697."))
    with pytest.raises(ConflictError, match="'code' was changed"):
        store.rulebooks.publish("main")
    assert store.rulebooks.draft("main") is not None


def test_some_items_of_a_draft_are_published_and_the_rest_stays_a_draft(store: Records) -> None:
    store.rulebooks.put_draft(BOOK)
    chosen = (ItemRef("curated", "code"), ItemRef("favours", "fees"))
    assert store.rulebooks.draft_of("main", chosen) == RuleSet("main", favours=BOOK.favours, curated=(CODE,))
    live = store.rulebooks.publish("main", only=chosen[:1])
    assert replace(live, number=0) == RuleSet("main", curated=(CODE,))
    left = store.rulebooks.draft("main")
    assert left
    assert (left.book, left.base) == (BOOK, RuleSet("main", curated=(CODE,)))
    with pytest.raises(NotFoundError, match="changes no 'code' in curated"):
        store.rulebooks.publish("main", only=chosen[:1])
    assert store.rulebooks.draft("main") == left
    assert replace(store.rulebooks.publish("main"), number=0) == BOOK
    assert store.rulebooks.draft("main") is None


def test_a_draft_whose_items_were_all_published_one_by_one_is_gone(store: Records) -> None:
    store.rulebooks.put_draft(replace(BOOK, suggestions=()))
    for part, own in (("notices", "snow"), ("curated", "code"), ("contacts", "desk"), ("wordings", "dorm")):
        store.rulebooks.publish("main", only=[ItemRef(part, own)])  # type: ignore[arg-type]
        assert store.rulebooks.draft("main")
    store.rulebooks.publish("main", only=[ItemRef("favours", "fees"), ItemRef("leave_out", "news")])
    assert store.rulebooks.draft("main") is None
    gone = replace(BOOK, suggestions=(), curated=())
    store.rulebooks.put_draft(gone)
    assert store.rulebooks.publish("main", only=[ItemRef("curated", "code")]).curated == ()


def test_an_item_that_somebody_else_has_changed_is_not_overrun(store: Records) -> None:
    store.rulebooks.put_draft(RuleSet("main", curated=(CODE,)))
    store.curation.put_curated(replace(CODE, text="It is 1."))
    with pytest.raises(ConflictError):
        store.rulebooks.publish("main", only=[ItemRef("curated", "code")])
    assert store.rulebooks.draft("main")


def test_the_log_has_every_step_with_what_changed(store: Records) -> None:
    store.rulebooks.put_draft(RuleSet("main", (NEWS,)), by="the editor")
    store.rulebooks.publish("main", note="No news", by="the editor")
    published, draft = store.audit.changes(limit=2)
    assert (published.kind, published.who, draft.kind) == ("rules", "the editor", "draft")
    assert published.before == {"leave_out": []}
    assert (published.after or {})["leave_out"][0]["value"] == "/news/"
    assert (published.after or {})["note"] == "No news"


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"leave_out": (LeaveOut("news", "regex", "x"),)}, "the kind 'regex'"),  # type: ignore[arg-type]
        ({"leave_out": (replace(NEWS, value="/"),)}, "every page"),
        ({"leave_out": (replace(NEWS, kind="pattern", value="*"),)}, "every page"),
        ({"leave_out": (replace(NEWS, kind="older", value="0"),)}, "number of months"),
        ({"leave_out": (replace(NEWS, kind="pages", value="the news"),)}, "no http or https address"),
        ({"leave_out": (NEWS, NEWS)}, "two filters with the id 'news'"),
        ({"favours": (Favour("a", "pin", "https://example.edu"),)}, "topic or a phrase"),
        ({"labels": (PageLabel("a", "https://example.edu"),)}, "neither what kind of page"),
        ({"labels": (PageLabel("a", "the news", "news"),)}, "no http or https address"),
        ({"labels": (PageLabel("a", "https://example.edu", "blog"),)}, "the kind 'blog'"),  # type: ignore[arg-type]
        (
            {"labels": (PageLabel("a", "https://example.edu", None, ("everyone",)),)},  # type: ignore[arg-type]
            "the audience 'everyone'",
        ),
        ({"wordings": (Wording("a", ("Dorm",), "dorm"),)}, "in place of itself"),
        ({"contacts": (OfficeContact("a", "Desk"),)}, "no e-mail address"),
        ({"suggestions": ("",)}, "suggested question is empty"),
        ({"notices": (replace(SNOW, until="2020-01-01T00:00Z"),)}, "is past"),
        ({"curated": (replace(CODE, site="library"),)}, "another site"),
    ],
)
def test_what_could_not_be_used_is_named_and_nothing_is_kept(
    store: Records, wrong: dict[str, object], sentence: str
) -> None:
    with pytest.raises(BadInputError, match=sentence):
        store.rulebooks.put_draft(replace(RuleSet("main"), **wrong))  # type: ignore[arg-type]
    assert store.rulebooks.draft("main") is None


def test_what_pages_are_is_kept_published_and_undone(store: Records) -> None:
    label = PageLabel("grad", "https://example.edu/grad/*", "reference", ("graduate",), "It is no news.")
    store.rulebooks.put_draft(RuleSet("main", labels=(label,)))
    assert store.rulebooks.publish("main").labels == (label,)
    [live] = store.rulebooks.live()
    assert live.labels == (label,)
    assert store.rulebooks.go_back("main").labels == ()


def test_a_rulebook_from_before_pages_had_labels_still_opens() -> None:
    document = asdict(RuleSet("main", (NEWS,)))
    del document["labels"]
    assert read_rulebook(document, 3) == RuleSet("main", (NEWS,), number=3)
