"""Visitors who ask a server over HTTP without end, and remember what it has acknowledged."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

QUESTIONS = ("When is the library open?", "How much is tuition?", "Where can I park?", "Who mends the nets?")
ASKED_IN_ONE = 3  # questions in one conversation


@dataclass
class Acknowledged:
    """Answers by trace id, as the server gave them; and the last feedback it took, by message id."""

    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    feedback: dict[str, bool] = field(default_factory=dict)
    statuses: Counter[int] = field(default_factory=Counter)


class Visitors:
    """Threads that ask and rate until told to stop; what the server does not answer they ask again."""

    def __init__(self, port: int, number: int = 3, asked_in_one: int = ASKED_IN_ONE) -> None:
        self._url, self._asked_in_one = f"http://127.0.0.1:{port}", asked_in_one
        self._stop, self._lock = threading.Event(), threading.Lock()
        self.had = Acknowledged()
        self.answered = threading.Event()
        self._threads = [threading.Thread(target=self._visit, daemon=True) for _ in range(number)]
        for thread in self._threads:
            thread.start()

    def stop(self) -> Acknowledged:
        """Send everybody home; what they were told."""
        self._stop.set()
        for thread in self._threads:
            thread.join()
        return self.had

    def _visit(self) -> None:
        conversation: str | None = None
        number = 0
        while not self._stop.is_set():
            asked = {"question": QUESTIONS[number % len(QUESTIONS)], "conversation_id": conversation}
            status, answer = self.post("/api/ask", asked)
            if status != 200:
                self._stop.wait(0.02)
                continue
            number += 1
            with self._lock:
                self.had.answers[answer["trace_id"]] = answer
            self.answered.set()
            conversation = answer["conversation_id"] if number % self._asked_in_one else None
            self._rate(answer, helpful=bool(number % 2))

    def _rate(self, answer: Mapping[str, Any], *, helpful: bool) -> None:
        ids = {name: answer[name] for name in ("conversation_id", "message_id")}
        status, _ = self.post("/api/feedback", {**ids, "helpful": helpful})
        if status == 204:
            with self._lock:
                self.had.feedback[answer["message_id"]] = helpful

    def post(self, path: str, body: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """Status and JSON of an answer; status 0 where there was none, or not all of it."""
        data, headers = json.dumps(body).encode(), {"Content-Type": "application/json"}
        request = urllib.request.Request(self._url + path, data, headers)  # noqa: S310  (http alone)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:  # noqa: S310
                read = response.read()
                status, answer = response.status, json.loads(read) if read else {}
        except urllib.error.HTTPError as error:
            status, answer = error.code, {}
            error.close()
        except (OSError, ValueError, urllib.error.URLError):
            status, answer = 0, {}
        except Exception as error:  # http.client's: an answer that was cut off
            if type(error).__module__ != "http.client":
                raise
            status, answer = 0, {}
        with self._lock:
            self.had.statuses[status] += 1
        return status, answer
