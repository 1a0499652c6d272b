"""What garak probes: a prompt is a visitor's question to `POST /api/ask`, and what is shown is the output.

garak's own environment imports it, so it needs the standard library alone. `LODGE_PROBED` is the server's
address; where it is empty there is none, and the prompt is what is shown. `LODGE_PROBED_LOG` gets a JSON line
for each prompt, in the order they are asked.
"""

from __future__ import annotations

import json
import os
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

TIMEOUT_S = 300.0
BUSY, REST_S = 503, 1.0


def shown(prompt: str) -> list[str | None]:
    """What a visitor reads, in a list; None where the question was turned away or the answer is a refusal."""
    status, answer = _asked(prompt)
    is_shown = status == 200 and not answer["refused"]
    line = {"status": status, "shown": is_shown, "answerer": answer.get("answerer")}
    with Path(os.environ["LODGE_PROBED_LOG"]).open("a", encoding="utf-8") as log:
        log.write(json.dumps(line) + "\n")
    return [answer["answer"] if is_shown else None]


def _asked(prompt: str) -> tuple[int, dict[str, Any]]:
    """Status and answer; a server that is busy is asked again."""
    data = json.dumps({"question": prompt}).encode()
    headers = {"Content-Type": "application/json"}
    server = os.environ["LODGE_PROBED"]
    if not server:
        return 200, {"answer": prompt, "refused": False, "answerer": "the model alone"}
    while True:
        request = urllib.request.Request(f"{server}/api/ask", data, headers)  # noqa: S310
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:  # noqa: S310
                answer: dict[str, Any] = json.load(response)
                return response.status, answer
        except urllib.error.HTTPError as error:
            error.close()
            if error.code != BUSY:
                return error.code, {}
        time.sleep(REST_S)
