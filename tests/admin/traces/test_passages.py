"""A table of the admin API as columns: signs and figures a person follows from left to right."""

from __future__ import annotations

from typing import Any

from admin.traces.passages import COLOURS, colour, fate, heading, table


def row(
    chunk_id: int, fell_at: str | None, cited_as: list[int], **ranks: tuple[int, float | None]
) -> dict[str, Any]:
    standings = {
        {"v": "retrieve.semantic", "k": "retrieve.keyword", "f": "retrieve"}.get(step, step): {
            "rank": rank,
            "score": score,
        }
        for step, (rank, score) in ranks.items()
    }
    return {
        "chunk_id": chunk_id, "title": f"Page {chunk_id}", "heading": "Fees" if chunk_id == 1 else "",
        "url": f"https://e.example/{chunk_id}", "text": "A text.", "cited_as": cited_as,
        "standings": standings, "fell_at": fell_at,
    }  # fmt: skip


TABLE: dict[str, Any] = {
    "question": "How much?",
    "steps": ["retrieve.semantic", "retrieve.keyword", "retrieve", "rerank", "extract", "generate"],
    "rows": [
        row(
            1, None, [1],
            v=(2, 0.7), k=(1, 9.2), f=(1, 1), rerank=(1, 0.9), extract=(1, 1), generate=(1, None),
        ),
        row(2, "extract", [], v=(1, 0.71), f=(2, 0.5), rerank=(6, 0.1)),
        row(3, "generate", [], k=(2, 4.1), f=(3, 0.1), rerank=(2, 0.4), extract=(2, 0.4)),
    ],
}  # fmt: skip


def test_rank_and_score_stand_in_one_cell_a_step_with_the_sign_of_what_it_did() -> None:
    columns = table(TABLE)
    assert columns["by meaning"] == ["2 · 0.700", "1 · 0.710", ""]
    assert columns["by words"] == ["1 · 9.200", "", "2 · 4.100"]
    assert columns["compared"] == ["1 · 0.900", "▼ 6 · 0.100", "▲ 2 · 0.400"]
    assert columns["read"] == ["1 · 1.000", "✕", "2 · 0.400"]
    assert columns["prompt"] == ["1", "", "✕"]


def test_what_became_of_a_passage_is_said_in_words() -> None:
    assert table(TABLE)["What became of it"] == [
        "✓ cited [1]",
        "✕ not read for the answer",
        "✕ no room in the prompt",
    ]
    assert fate({"cited_as": [], "fell_at": "scope"}) == "✕ not the site's business"
    assert fate({"cited_as": [], "fell_at": "threshold"}) == "✕ not sure enough"
    assert fate({"cited_as": [1, 3], "fell_at": None}) == "✓ cited [1], [3]"


def test_columns_follow_the_steps() -> None:
    assert list(table(TABLE)) == [
        "Page", "What became of it",
        "by meaning", "by words", "both", "compared", "read", "prompt",
        "Text", "Address",
    ]  # fmt: skip
    assert table(TABLE)["Page"] == ["Page 1 · Fees", "Page 2", "Page 3"]
    assert heading("boost") == "put first"
    assert heading("retrieve.excluded") == "excluded"


def test_every_colour_has_a_sign_beside_it() -> None:
    assert {sign: colour(f"{sign} 3") for sign in COLOURS} == COLOURS
    assert colour("3 · 0.700") == colour("") == colour(None) == ""
