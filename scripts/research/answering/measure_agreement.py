"""How far a second hand agrees with a set's labels: Cohen's kappa on answerability, and pages in common.

    .venv/bin/python -m scripts.research.answering.measure_agreement quennell [--differences]

Reads corpus/visitors/second_hand/NAME.jsonl: what a reader who had seen no label found on all pages of the
source, a JSON line a question: `id`, `answerable`, `urls`.
"""

from __future__ import annotations

import argparse

from corpus.visitors.sets import HERE, read_page_questions
from scripts.data_files import read_rows
from server.evaluate.judging.agreement import cohen_kappa


def main() -> None:
    """Print the figures, and with `--differences` the questions that they are about."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("name", help="a set of corpus/visitors")
    parser.add_argument("--differences", action="store_true")
    args = parser.parse_args()
    labels = {row.id: row for row in read_page_questions(args.name)}
    found = [
        (labels[row["id"]], bool(row["answerable"]), set(row["urls"]))
        for row in read_rows(HERE / "second_hand" / f"{args.name}.jsonl")
    ]
    pairs = [(label.answerable, answerable) for label, answerable, _ in found]
    both = [(label, urls) for label, answerable, urls in found if label.answerable and answerable]
    common = [bool({label.url, *label.other_urls} & urls) for label, urls in both]
    same = sum(one == other for one, other in pairs)
    print(
        f"{args.name}: {len(pairs)} read, answerable or not the same {same}, kappa {cohen_kappa(pairs):.2f}"
    )
    print(f"a page in common, where both say answerable: {sum(common)} of {len(common)}")
    if args.differences:
        for label, answerable, urls in found:
            own = {label.url, *label.other_urls}
            if label.answerable != answerable or (answerable and not own & urls):
                print(f"{label.id} {label.question!r}: {label.answerable}, {label.url}")
                print(f"    the second hand: {answerable}, {' '.join(sorted(urls))}")


if __name__ == "__main__":
    main()
