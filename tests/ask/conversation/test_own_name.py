from __future__ import annotations

from collections.abc import Mapping

import pytest

from server.ask.conversation.own_name import OwnName, without_own_name
from server.inference.encoders import Embedder

IRVINE = {"www.ics.uci.edu": 900, "www.stat.uci.edu:8080": 200}
TEXAS, CORNELL = {"www.cs.utexas.edu": 725, "ma.utexas.edu": 10}, {"www.cs.cornell.edu": 706}
PITTSBURGH, WISCONSIN = {"lti.cs.cmu.edu": 20, "www.cmu.edu": 80}, {"pages.cs.wisc.edu": 100}


def without(
    question: str, hosts: Mapping[str, int], embedder: Embedder, site: str = "the university"
) -> OwnName:
    return without_own_name(question, site, hosts, embedder.is_word)


@pytest.mark.parametrize(
    ("asked", "hosts", "left"),
    [
        ("ms deadline at UC Irvine", IRVINE, "ms deadline"),
        ("ms deadline at UC Irvine?", IRVINE, "ms deadline?"),
        ("University of California, Irvine ms deadline", IRVINE, "ms deadline"),
        ("ms deadline at the university of california irvine", IRVINE, "ms deadline"),
        ("does uci offer a minor in informatics", IRVINE, "does the university offer a minor in informatics"),
        ("What is UCI's code?", IRVINE, "What is the university's code?"),
        (
            "im not a uci student, can i take a class",
            IRVINE,
            "im not a university student, can i take a class",
        ),
        ("uci advising hours", IRVINE, "advising hours"),
        (
            "which classes can i take once im at uci",
            IRVINE,
            "which classes can i take once im at the university",
        ),
        ("can i get a master's from uci", IRVINE, "can i get a master's from the university"),
        ("who chairs cs at UT Austin", TEXAS, "who chairs cs"),
        ("phd requirements at the University of Texas at Austin", TEXAS, "phd requirements"),
        (
            "my password for the UT cs machines stopped",
            TEXAS,
            "my password for the university cs machines stopped",
        ),
        ("what gre score does Cornell want", CORNELL, "what gre score does the university want"),
        ("When was Carnegie Mellon University founded?", PITTSBURGH, "When was the university founded?"),
        ("spring break at CMU", PITTSBURGH, "spring break"),
        ("phd at the university of wisconsin-madison", WISCONSIN, "phd"),
        ("parking at bath", {"www.bath.ac.uk": 10}, "parking"),
        ("nc state parking", {"ncsu.edu": 10}, "parking"),
        ("cost of living in berkeley", {"eecs.berkeley.edu": 10}, "cost of living in berkeley"),
        ("housing at berkeley", {"eecs.berkeley.edu": 10}, "housing"),
    ],
)
def test_the_own_name_is_left_out(
    asked: str, hosts: Mapping[str, int], left: str, embedder: Embedder
) -> None:
    assert without(asked, hosts, embedder).text == left


@pytest.mark.parametrize(
    ("asked", "hosts"),
    [
        ("uc davis housing", IRVINE),
        ("who teaches cs304 at UT Austin", CORNELL),
        ("university of washington tuition", {"wustl.edu": 10}),
        ("university of vermont tuition", {"larkmoor.example": 126}),
        ("mail to help@uci.edu came back", IRVINE),
        ("is www.uci.edu down", IRVINE),
        ("UC Irvine", IRVINE),
        ("brown bag seminar", {"www.brown.edu": 10}),
        ("library hours", {"www.library.example": 10}),
        ("math placement", {"math.example": 10}),
    ],
)
def test_another_name_stays(asked: str, hosts: Mapping[str, int], embedder: Embedder) -> None:
    assert without(asked, hosts, embedder) == OwnName(asked, asked)


def test_a_passage_may_have_the_name_as_it_was_said(embedder: Embedder) -> None:
    own = without("is uci far from the sea", IRVINE, embedder)
    assert own.is_in("UCI is four miles from the Pacific Ocean.")
    assert not own.is_in("UC Irvine is in Orange County; write to info@uci.edu.")


def test_the_name_of_the_table_is_known_too(embedder: Embedder) -> None:
    demo = {"127.0.0.1:8090": 100, "127.0.0.1:8091": 20}
    for asked in ("stipend for a phd at larkmoor", "stipend for a phd at Larkmoor University"):
        assert without(asked, demo, embedder, "Larkmoor University").text == "stipend for a phd"
    school = "the Bren School of Information and Computer Sciences"
    assert without("is there a minor in the bren school?", demo, embedder, school).text == "is there a minor?"
    department = "Department of Computer Science"
    assert (
        without("fax of the computer science dept", demo, embedder, department).text
        == "fax of the university"
    )
    assert without("phd in computer science", demo, embedder, department).said == ()
    assert without("how do I apply to graduate school", demo, embedder, "Graduate School").said == ()
    assert without("which university is best", demo, embedder).said == ()


def test_of_several_universities_the_one_that_is_named_is_searched(embedder: Embedder) -> None:
    both = TEXAS | CORNELL | {"www.example.org": 3}
    assert without("phd requirements at cornell", both, embedder) == OwnName(
        "phd requirements", "phd requirements at cornell", ("cornell",), ("www.cs.cornell.edu",)
    )
    assert without("phd requirements", both, embedder).hosts == ()
    assert without("is Cornell older than UT Austin", both, embedder).hosts == ()
    assert without("phd requirements at cornell", CORNELL, embedder).hosts == ()
