"""Whose answers two readers prefer who were not told whose they are, and how far the two agree.

    .venv/bin/python -m scripts.research.answering.measure_head_to_head

Reads corpus/visitors/head_to_head/PAIRS/HAND.jsonl, a JSON line a pair of answers to one question: `id`, and
which was `preferred`: "a", "b" or "neither". Of `rerank` a is `hybrid` and b `hybrid+rerank`; of `written` a
is the quoted answer and b what is shown where the small finetuned model may write it; `written_later` is the
same over six other sites, where the model's is shown; of `trimmed` a is the quoted answer with the rest of
its paragraphs and b without what is beside the question; of `leading` b has the sentence first that is most
to the question when read alone; of `named` b has the name of its page and section above what is quoted of
several. Each hand read them in an order of its own, as the
console's page *Which is better?* shows them. Together a pair goes to neither where the hands differ. The
agreement is Cohen's kappa (1960); intervals are by the bootstrap over questions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from corpus.visitors.sets import HERE
from scripts.data_files import read_rows
from server.evaluate.judging.agreement import cohen_kappa
from server.evaluate.judging.head_to_head import Preference, counted
from server.evaluate.significance import Interval

FOLDER = HERE / "head_to_head"
Hand = Mapping[str, Preference]


def read_hands(folder: Path) -> dict[str, Hand]:
    """Each hand's preferences by question, of the pairs in a folder."""
    return {
        path.stem: {row["id"]: row["preferred"] for row in read_rows(path)}
        for path in sorted(folder.glob("*.jsonl"))
    }


def shared(one: Hand, other: Hand) -> list[tuple[Preference, Preference]]:
    """What both say of each question that both judged."""
    return [(word, other[question]) for question, word in one.items() if question in other]


def together(both: Sequence[tuple[Preference, Preference]]) -> list[Preference]:
    """What both prefer, else neither."""
    return [word if word == other else "neither" for word, other in both]


def told(name: str, words: list[Preference]) -> str:
    """The shares and the win rate of b, with their intervals."""
    found = counted(words, 0, 0)
    kinds = {
        "a better": found.a_wins,
        "b better": found.b_wins,
        "neither": found.neither,
        "b wins": found.win_rate,
    }
    shares = ", ".join(f"{what} {_shown(share)}" for what, share in kinds.items())
    return f"{name}: {found.pairs} pairs, {shares}"


def _shown(share: Interval) -> str:
    return f"{share.value:.3f} [{share.low:.3f}, {share.high:.3f}]"


def main() -> None:
    """Of each kind of pairs, print each hand's shares, then both hands' together, and their agreement."""
    for pairs in sorted(path for path in FOLDER.iterdir() if path.is_dir()):
        hands = read_hands(pairs)
        print(f"{pairs.name}:")
        for name, hand in hands.items():
            print(told(f"hand {name}", list(hand.values())))
        one, other, *_ = hands.values()
        both = shared(one, other)
        print(told("both", together(both)))
        same = sum(a == b for a, b in both)
        print(f"the same for {same} of {len(both)}, kappa {cohen_kappa(both):.3f}")


if __name__ == "__main__":
    main()
