"""The masks of a conversation: alike throughout, and nothing raw is remembered."""

from __future__ import annotations

import gc

from server.masking import PATTERNS, Masker
from server.visitor.sessions import VisitorMasks
from tests.scripted_app import site_table


def masks() -> VisitorMasks:
    return VisitorMasks(site_table(), PATTERNS)


def test_the_same_is_masked_alike_in_every_turn_of_its_own_conversation() -> None:
    those = masks()
    assert those.masked("c1", "I am ana@example.com")[0] == "I am [e-mail 1]"
    assert those.masked("c1", "bob@example.com or Ana@Example.com")[0] == "[e-mail 2] or [e-mail 1]"
    assert those.masked("c2", "I am bob@example.com")[0] == "I am [e-mail 1]"


def test_the_sites_own_contacts_are_left() -> None:
    text = "my call to (802) 555-0110 and admissions@larkmoor.example"
    assert masks().masked("c1", text)[0] == text
    assert masks().masked("c1", "my number is (802) 555-0111")[0] == "my number is [phone 1]"


def test_a_server_that_has_forgotten_goes_on_with_the_next_number() -> None:
    history = (("user", "I am [e-mail 1]"), ("assistant", "Write to staff.member@larkmoor.example."))
    text, before = masks().masked("c1", "and bob@example.com?", history)
    assert text == "and [e-mail 2]?"
    assert before == history


def test_what_a_script_gives_as_history_is_masked_in_the_answers_that_repeat_it_too() -> None:
    history = (
        ("user", "I am ana@example.com"),
        ("assistant", "Dear ana@example.com, ask staff.member@larkmoor.example."),
    )
    _, before = masks().masked("c1", "Thanks", history)
    assert before[1] == ("assistant", "Dear [e-mail 1], ask staff.member@larkmoor.example.")


def test_what_the_assistant_is_said_to_have_begun_with_is_masked_like_the_visitors_words() -> None:
    history = (
        ("assistant", "Was card 4111–1111–1111–1111 charged?"),
        ("assistant", "Write to ana@example.com."),
    )
    text, before = masks().masked("c1", "yes, ana＠example.com", history)
    assert before == (
        ("assistant", "Was card [card number 1] charged?"),
        ("assistant", "Write to [e-mail 1]."),
    )
    assert text == "yes, [e-mail 1]"


def test_nothing_raw_is_remembered() -> None:
    those = masks()
    those.masked("c1", "I am ana@example.com")
    own = [one for one in gc.get_objects() if isinstance(one, Masker)]
    assert own
    assert all("ana" not in str(vars(one)) for one in own)


def test_without_patterns_nothing_is_masked() -> None:
    assert VisitorMasks(site_table(), ()).masked("c1", "a@b.example") == ("a@b.example", ())
