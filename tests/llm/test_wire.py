from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.errors import LlmUnavailableError
from server.llm.wire import PassingError, StreamPiece, read_piece, refusal, retry_after_s

STREAM = {"content-type": "text/event-stream; charset=utf-8"}


def test_a_piece_has_its_text_its_finish_and_the_counts() -> None:
    event = {
        "choices": [{"delta": {"content": "Nine."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 1},
    }
    assert read_piece(json.dumps(event)) == StreamPiece("Nine.", "stop", 5, 1)


@pytest.mark.parametrize(
    "event",
    [
        '{"choices": []}',
        '{"choices": null, "usage": null}',
        '{"choices": [{"delta": {"role": "assistant", "content": null}, "finish_reason": null}]}',
        '{"choices": [{"delta": null}]}',
    ],
)
def test_an_event_without_text_is_an_empty_piece(event: str) -> None:
    assert read_piece(event) == StreamPiece()


def test_half_a_pair_of_surrogates_is_replaced() -> None:
    piece = read_piece(r'{"choices": [{"delta": {"content": "a\ud83db"}}]}')
    assert piece.text == "a\ufffdb"
    assert piece.text.encode()


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["choices", "delta", "content", "usage"]), inner, max_size=3)
        ),
        max_leaves=6,
    )
)
def test_whatever_json_comes_is_a_piece_or_broken(event: object) -> None:
    try:
        piece = read_piece(json.dumps(event))
    except LlmUnavailableError as error:
        assert error.trouble == "broken"  # noqa: PT017 (either is right)
    else:
        assert isinstance(piece.text, str)


def test_a_stream_is_welcome() -> None:
    assert refusal(200, STREAM) is None


@pytest.mark.parametrize(
    ("status", "trouble", "passes"),
    [
        (200, "broken", False),  # without a stream's media type
        (204, "refused", False),
        (301, "refused", False),
        (400, "refused", False),
        (403, "refused", False),
        (413, "refused", False),
        (429, "full", True),
        (500, "broken", True),
        (503, "down", True),
    ],
)
def test_a_status_has_its_word(status: int, trouble: str, passes: bool) -> None:
    error = refusal(status, {})
    assert error is not None
    assert (error.trouble, isinstance(error, PassingError)) == (trouble, passes)


def test_hints_name_the_setting_to_look_at() -> None:
    errors = {status: refusal(status, {}) for status in (401, 404, 302, 400)}
    assert {status: error.message for status, error in errors.items() if error} == {
        401: "The language model's server does not accept LODGE_LLM_KEY (status 401).",
        404: "The language model is not there; see LODGE_LLM_URL and LODGE_LLM_MODEL (status 404).",
        302: "The language model is not there; see LODGE_LLM_URL and LODGE_LLM_MODEL (status 302).",
        400: "The language model's server does not accept the request; the prompt may be too long for it"
        " (status 400).",
    }


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0),
        (" 7 ", 7),
        ("Wed, 01 Oct 2025 12:00:05 GMT", 5),
        ("Wed, 01 Oct 2025 11:00:00 GMT", 0),
        ("Wed, 01 Oct 2025 12:00:05 -0000", 5),
        ("", None),
        ("soon", None),
        ("-3", None),
        ("1.5", None),
    ],
)
def test_retry_after_is_read_in_both_its_forms(value: str, seconds: float | None) -> None:
    assert retry_after_s(value, datetime(2025, 10, 1, 12, tzinfo=UTC)) == seconds
