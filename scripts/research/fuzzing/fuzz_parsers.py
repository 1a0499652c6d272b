"""What reads text from outside, by its properties and by how it grows.

    .venv/bin/python -m scripts.research.fuzzing.fuzz_parsers [--examples N]

Prints how many inputs each property was tried with, and whether it holds; then, for texts that make patterns
try again, the seconds for one text and for one four times as long. Ends with 1 where anything was found.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys

from scripts.research.fuzzing.growth import MOST, SMALL, TIMES, rows
from server.settings import PROJECT
from server.terminal import print_table

TESTS = (
    "tests/test_masking_properties.py",
    "tests/test_settings_properties.py",
    "tests/test_toml_files.py",
    "tests/models/test_rulebook.py",
    "tests/llm/test_sse.py",
    "tests/llm/test_wire.py",
    "tests/http/test_sse.py",
    "tests/http/test_proxies.py",
    "tests/messages/test_catalogue.py",
    "tests/index/typesense/test_any_scope.py",
    "tests/index/typesense/test_schema.py",
    "tests/sites/test_any_entry.py",
    "tests/storage/test_engine.py",
    "tests/ingest/test_pages_file.py",
    "tests/ingest/extract/test_extract.py",
    "tests/ingest/crawl/test_links.py",
    "tests/ingest/crawl/test_urls.py",
    "tests/ingest/extract/test_charset.py",
    "tests/ingest/extract/test_dates.py",
    "tests/evaluate/test_questions.py",
)
_TRIED = re.compile(r"- (\d+) passing, (\d+) failing")


def main() -> None:
    """Run both, and end with 1 where anything was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--examples", type=int, default=20_000, help="of each property")
    found = tried(parser.parse_args().examples)
    found += grown()
    sys.exit(bool(found))


def tried(examples: int) -> int:
    """Run the tests of each file with so many examples; how many files fail."""
    table, all_inputs, failing = [], 0, 0
    for path in TESTS:
        command = [sys.executable, "-m", "pytest", "-q", "--timeout=0",
                   "--hypothesis-show-statistics", path]  # fmt: skip
        done = subprocess.run(
            command,
            cwd=PROJECT,
            env={**os.environ, "LODGE_EXAMPLES": str(examples)},
            capture_output=True,
            text=True,
            check=False,
        )
        phases = _TRIED.findall(done.stdout)
        inputs = sum(int(passing) + int(failed) for passing, failed in phases)
        if done.returncode:
            failing += 1
            print(done.stdout[-3000:])
        table.append([path, f"{inputs:,}", "no" if done.returncode else "yes"])
        all_inputs += inputs
        print(f"{path}: {inputs:,}", file=sys.stderr)
    print_table(["tests", "inputs", "hold"], [*table, ["all", f"{all_inputs:,}", "no" if failing else "yes"]])
    return failing


def grown() -> int:
    """Measure growth; how many are above `MOST`."""
    measured = sorted(rows(), key=lambda row: -row[3])
    found = [row for row in measured if row[3] > MOST]
    table = [[name, f"{first * 1000:.1f}", f"{second * 1000:.1f}", f"{ratio:.1f}"]
             for name, first, second, ratio in (found or measured[:8])]  # fmt: skip
    print_table(
        [f"{len(measured)} kinds of text", f"ms for {SMALL:,} characters", f"ms for {TIMES} times", "ratio"],
        table,
    )
    return len(found)


if __name__ == "__main__":
    main()
