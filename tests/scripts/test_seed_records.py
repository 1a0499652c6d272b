"""The made-up conversations are the same every time, and a store takes them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from scripts.seed_records import exchanges, fill, golden_questions
from server.models import ConversationFilter
from server.workbench.records import open_records


def test_the_same_seed_makes_the_same_conversations() -> None:
    golden = golden_questions()
    first, second = (list(exchanges(60, golden)) for _ in range(2))
    assert first == second
    assert len({exchange.question.conversation_id for exchange, _ in first}) < 60
    assert any(feedback for _, feedback in first)


def test_a_store_is_filled_with_them(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'records.sqlite'}"
    fill(url, 400)
    with closing(open_records(url)) as store:
        rows = store.search.conversations(limit=200)
        assert sum(row.messages for row in rows) == 400
        assert store.search.conversations(limit=1, wanted=ConversationFilter(refused=True))
        assert "academics" in store.search.choices().topics
