"""Agreement of judges beyond chance: Cohen's kappa of two, Fleiss' kappa of several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence


def cohen_kappa(pairs: Sequence[tuple[Hashable, Hashable]]) -> float:
    """Cohen's kappa (1960) of two judges' words on the same things, -1 to 1; there must be a pair.

    Where both only ever say one and the same word there is nothing to agree on beyond chance: 1.
    """
    count = len(pairs)
    agreed = sum(one == other for one, other in pairs) / count
    first, second = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    by_chance = sum(first[word] * second[word] for word in first) / count**2
    return (agreed - by_chance) / (1 - by_chance) if by_chance < 1 else 1.0


def fleiss_kappa(ratings: Sequence[Sequence[Hashable]]) -> float:
    """Fleiss' kappa (1971): for each thing the words of its judges, as many of each thing, two at least.

    Who said which word does not matter. Where all only ever say one word: 1.
    """
    judges, things = len(ratings[0]), len(ratings)
    counts = [Counter(words) for words in ratings]
    within = [sum(n * (n - 1) for n in count.values()) / (judges * (judges - 1)) for count in counts]
    total: Counter[Hashable] = sum(counts, Counter())
    by_chance = sum((n / (judges * things)) ** 2 for n in total.values())
    agreed = sum(within) / things
    return (agreed - by_chance) / (1 - by_chance) if by_chance < 1 else 1.0
