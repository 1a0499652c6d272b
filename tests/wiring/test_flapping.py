"""A language model that comes and goes while several people ask."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from server.models import Answer, Final, Question
from server.settings import Settings
from server.wiring import serving as answering
from tests.llm.scripted import STREAM, Script, event, hangs, says, sends, serving, status

TUITION = "How much is tuition for residents of the state?"
TRUE = "Undergraduate tuition for residents of the state is $9,240 a year. [1]"
WELL = says(TRUE)
ILL: tuple[Script, ...] = (
    status(503),
    status(500),
    status(429, "Retry-After: 9"),
    sends("garbage"),
    sends(STREAM, event("Undergraduate tuition is")),
    hangs(STREAM),
)


def ask(parts: answering.Serving, key: str) -> Answer:
    *_, final = parts.asker.ask(Question(TUITION, f"c{key}", f"m{key}", f"t{key}"))
    assert isinstance(final, Final)
    return final.answer


def test_a_language_model_that_flaps_leaves_nobody_without_an_answer_and_is_used_again(
    small_home: Settings, tmp_path: Path
) -> None:
    chance = random.Random(8)
    scripts = [WELL if chance.random() < 0.5 else chance.choice(ILL) for _ in range(30)]
    with serving(*scripts, WELL) as server:
        settings = replace(
            small_home,
            records_url=f"sqlite:///{tmp_path}/records.sqlite",
            reranker="",
            llm_url=server.url,
            llm_first_token_s=0.3,
            llm_stall_s=0.3,
            llm_retries=0,
            llm_breaker_failures=2,
            llm_breaker_rest_s=0.05,
        )
        parts = answering.build_serving(settings)
        try:
            with ThreadPoolExecutor(3) as pool:
                answers = list(pool.map(lambda n: ask(parts, str(n)), range(60)))
            assert all("$9,240" in one.answer for one in answers)
            assert {one.answerer for one in answers} == {"llm", "extractive"}
            assert all(one.degraded for one in answers if one.answerer == "extractive")
            healed = (ask(parts, f"h{n}") for n in range(200))
            assert next(one for one in healed if one.answerer == "llm").degraded is None
            assert parts.degraded() == []
        finally:
            parts.close()
