from __future__ import annotations

import tomllib

import pytest

from server.ask.triage import US_HELP_LINES, detect_crisis, help_text
from server.models import HelpLine, Phrase
from server.settings import PROJECT
from tests.ask.asking import ENGLISH, SPANISH

EXAMPLES = tomllib.loads((PROJECT / "corpus/distress_examples.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("text", "level", "matter"),
    [
        ("i want to kill myself", "emergency", "self_harm"),
        ("thinking about sucide", "emergency", "self_harm"),
        ("I feel sucidal", "distress", "self_harm"),
        ("I self-harm and don't know who to tell", "distress", "self_harm"),
        ("I was raped", "distress", "assault"),
        ("my ex keeps stalking me", "distress", "assault"),
        ("i got assulted on campus", "distress", "assault"),
        ("there is a fire in my dorm", "emergency", "danger"),
        ("someone has a gun in the library", "emergency", "danger"),
        ("he overdosed", "emergency", "medical"),
        ("my roommate isn’t breathing", "emergency", "medical"),
        ("I can't breathe", "emergency", "medical"),
    ],
)
def test_what_is_heard(text: str, level: str, matter: str) -> None:
    found = detect_crisis(text)
    assert found is not None
    assert (found.level, found.matter) == (level, matter)


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("Quiero morir", "emergency"),
        ("hay un tirador", "emergency"),
        ("me violaron", "distress"),
        ("Me están acosando", "distress"),
    ],
)
def test_spanish_is_heard_and_answered_in_spanish(text: str, level: str) -> None:
    found = detect_crisis(text)
    assert found is not None
    assert (found.level, found.language) == (level, "es")
    assert "ahora" in help_text(found.level, SPANISH)


@pytest.mark.parametrize("text", EXAMPLES["harmless"])
def test_what_only_sounds_like_it_is_not(text: str) -> None:
    assert detect_crisis(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "three finals on one day, i am going to die",
        "somebody broke into my car on friday and took my laptop",
        "i nearly had a heart attack when i saw the bill",
        "will you hit me with a late fee",
        "it just hit me that the form was due",
        "one W cannot hurt me, right?",
        "will the last part still run or is it jumped",
        "the finally block, it is jumped or it still runs?",
        "a camera flashed me twice on River Road",
        "may my sister sleep in my Carrow room",
        "the roommate who had passed out is fine now",
        "i cannot bear to throw her books out",
    ],
)
def test_what_is_over_and_a_figure_of_speech_are_not(text: str) -> None:
    assert detect_crisis(text, weak=False) is None


def test_what_somebody_had_gets_the_help_lines_and_its_answer() -> None:
    [had, has] = [detect_crisis(f"my roommate {word} a seizure") for word in ("had", "is having")]
    assert had is not None
    assert has is not None
    assert (had.level, has.level) == ("distress", "emergency")


def test_an_emergency_comes_before_distress() -> None:
    found = detect_crisis("I was raped and now I want to kill myself")
    assert found is not None
    assert found.level == "emergency"


def in_all(words: str) -> Phrase:
    return Phrase((("", words),))


def test_the_sites_lines_are_said_in_their_order() -> None:
    lines = (
        HelpLine(in_all("Campus Safety"), in_all("Day and night."), "(802) 555-0190", "https://x.example/"),
        HelpLine(in_all("A friend")),
    )
    found = detect_crisis("i want to die")
    assert found is not None
    opening, *said = help_text(found.level, ENGLISH, lines).splitlines()
    assert "now" in opening
    assert said == ["• Campus Safety: (802) 555-0190. Day and night. https://x.example/", "• A friend."]


def test_without_lines_of_its_own_a_site_has_those_of_the_us() -> None:
    found = detect_crisis("i want to die")
    assert found is not None
    assert [line.phone for line in US_HELP_LINES] == ["911", "988"]
    assert all(line.phone in help_text(found.level, ENGLISH) for line in US_HELP_LINES)
