"""The questions of SQuAD's validation articles, which no model of ours has learnt from, as a questions file.

.venv/bin/python -m scripts.research.reader.validation_questions ../shared/data/squad/questions.jsonl.gz >
    val.jsonl
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from urllib.parse import urlsplit

from scripts.data_files import read_rows
from scripts.research.reader.sources import VALIDATION_ARTICLES


def main() -> None:
    """Print those of a file whose page is of such an article."""
    for row in read_rows(Path(sys.argv[1])):
        if any(urlsplit(url).path.split("/")[1] in VALIDATION_ARTICLES for url in row["gold_urls"]):
            print(json.dumps(row, ensure_ascii=False))


if __name__ == "__main__":
    main()
