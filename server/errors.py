"""The few ways Lodge fails, each with a stable code and a sentence for a person.

Everything we raise on purpose is a `LodgeError`. The borders translate it once: the CLI prints the
sentence and exits 1, the web layer turns the class into a status code (`http/errors.py`).
"""

from collections.abc import Mapping, Sequence
from typing import Literal

LlmTrouble = Literal["down", "slow", "full", "broken", "refused", "spent"]


class LodgeError(Exception):
    """The root. `code` is stable and machine-readable; the message is for a person and holds no internals."""

    code = "error"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code


def unforeseen(error: Exception) -> str:
    """What an exception that nobody foresaw says, in one line that any store takes."""
    said = " ".join(str(error).split())[:200].encode("utf-8", "replace").decode()
    return f"{type(error).__name__}: {said}." if said else f"{type(error).__name__}."


class BadInputError(LodgeError):
    """What was given cannot be used: an empty question, a URL that is none, an unknown strategy."""

    code = "bad_input"


class TooLargeError(BadInputError):
    """What was given is over a limit; the message names the limit."""

    code = "too_large"


class NotFoundError(LodgeError):
    """The named thing is not there."""

    code = "not_found"


class ConflictError(LodgeError):
    """Something else has changed or is at work that this would cross; look again and decide."""

    code = "conflict"


class TooManyError(LodgeError):
    """So much was asked that more must wait: `retry_after_s` seconds at least."""

    code = "too_many"

    def __init__(self, message: str, retry_after_s: int = 60) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class BusyError(LodgeError):
    """All places are taken and as many are waiting as may wait; nothing was begun."""

    code = "busy"


class BlockedError(ConflictError):
    """A snapshot is not published, because it breaks golden questions. `failed` names them.

    Keys of each: id, site, question, failure (a sentence).
    """

    code = "blocked"

    def __init__(self, message: str, failed: Sequence[Mapping[str, str]] = ()) -> None:
        super().__init__(message)
        self.failed = list(failed)


class NotAllowedError(LodgeError):
    """No token, a wrong one, or one whose role does not reach that far."""

    code = "not_allowed"


class NotReadyError(LodgeError):
    """A part is missing for now: no snapshot has been published, a model folder is absent."""

    code = "not_ready"


class CrawlError(LodgeError):
    """A crawl could not start or brought nothing back."""

    code = "crawl_failed"


class SnapshotError(LodgeError):
    """A snapshot cannot be built, opened or published."""

    code = "snapshot_failed"


class ModelError(LodgeError):
    """A model folder is missing, incomplete, or not the one a snapshot was built with."""

    code = "model_failed"


class StorageError(LodgeError):
    """A store could not be written: a full disk, a missing folder, a locked file."""

    code = "storage_failed"


class LlmUnavailableError(LodgeError):
    """The language model gives no answer, or no more of it; the extractive answer stands in.

    `trouble` is a stable word: `down` (nothing answers, it is starting, or the circuit breaker is open),
    `slow` (a time-out), `full` (too many questions at once, here or there), `broken` (no answer, or one that
    was cut off), `refused` (it turned this request down: a wrong key, model or address, too long a prompt),
    `spent` (its tokens are used up for now).
    """

    code = "llm_unavailable"

    def __init__(self, message: str, trouble: LlmTrouble = "down") -> None:
        super().__init__(message)
        self.trouble = trouble
