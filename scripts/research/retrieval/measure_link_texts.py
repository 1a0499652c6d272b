"""Show on a crawled site which questions find their page by the texts of the links to it.

    LODGE_HOME=HOME python -m scripts.research.retrieval.measure_link_texts [--show 10]

Over the live snapshot of a crawl of http://www.ics.uci.edu/: the questions of `corpus/visitors/uci_cmu.jsonl`
whose page it has, and twenty of ours in the words of links, ranked as before the reader by the weights that
ship and with link texts left out. A rank is that of the page's best passage; the tables have the questions
whose rank changes most, for better and for worse.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from corpus.visitors.sets import read_page_questions
from scripts.research.retrieval.fit_fields import UNRANKED, QuestionSet, shipped
from scripts.research.retrieval.measure_retrieval import FIRST, Asked
from server.settings import Settings
from server.wiring.measuring import open_ground

# Questions of ours in the words by which pages of the site are linked, and the page that each is after.
OURS = (
    ("what is it like to live here, student life at ics", "/ugrad/resources/index.php"),
    ("second baccalaureate, can i get a 2nd one", "/ugrad/degrees/Second_BA.php"),
    ("2nd baccalaureate in computing", "/ugrad/degrees/Second_BA.php"),
    ("is using computers ethically a rule", "/ugrad/policies/Computer_Copyrights.php"),
    ("when can i walk in without an appointment, hours", "/ugrad/sao/Appts_Walk-Ins.php"),
    ("undergraduate majors", "/ugrad/degrees/index.php"),
    ("learn about majors", "/ugrad/degrees/index.php"),
    ("centers of excellence", "/faculty/centers/index.php"),
    ("cutting edge research", "/faculty/area/index.php"),
    ("newsroom", "/community/news"),
    ("find a staff member in the directory", "/about/search"),
    ("recruit forum", "/community/events/extreme/extreme_recruit.php"),
    ("who won hitec in 2009", "/community/events/extreme/hitec_awards_2009.php"),
    ("groundbreaking ceremony photos", "/about/bren/bren_press.php"),
    ("watch a recording of the ribbon cutting", "/community/events/openhouse/video_dedication.html"),
    ("complexities of failure", "/community/news/student_blogs/blog_posts/Nguyen_Dang-February2017.php"),
    (
        "merging music with technology",
        "/community/news/student_blogs/blog_posts/Emma_Anderson-January2018.php",
    ),
    ("voluntary withdrawal on probation, how do i come back", "/ugrad/policies/Readmission_AP.php"),
    ("sponsor a fellowship", "/community/scholarships/scholar_corporate.php"),
    ("which scholarships do donors give", "/community/scholarships/index.php"),
)
SITE = "www.ics.uci.edu"


def asked_of(settings: Settings) -> tuple[list[Asked], list[Asked]]:
    """The corpus' questions whose page the live snapshot has, under whichever scheme, and ours."""
    with open_ground(settings, None) as ground, ground.live.lease() as index:
        crawled = {_bare(page.url): page.url for page in index.snapshot.page_facts}

    def after(name: str, text: str, urls: Iterable[str]) -> Asked:
        known = frozenset(crawled[_bare(url)] for url in urls if _bare(url) in crawled)
        return Asked(name, text, "", True, known, ())

    rows = [row for row in read_page_questions("uci_cmu") if row.source == "uci" and row.answerable]
    theirs = (after(row.id, row.question, (row.url, *row.other_urls)) for row in rows)
    ours = (after(path, text, [f"http://{SITE}{path}"]) for text, path in OURS)
    return [one for one in theirs if one.urls], [one for one in ours if one.urls]


def _bare(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.netloc}{parts.path.rstrip('/')}?{parts.query}"


def print_table(label: str, asked: Sequence[Asked], settings: Settings, show: int) -> None:
    """The shares of pages among the first 1, 3 and 10, and the questions whose rank changes most."""
    questions, by = QuestionSet(asked, Path(settings.home)), shipped(settings)
    without, with_them = questions.ranks({**by, "w.anchors": 0.0}), questions.ranks(by)
    print(f"\n{len(asked)} questions, {label}: page first/among 3/among 10")
    print(f"without link texts {_shares(without)}, with them {_shares(with_them)}")
    rows = list(zip(asked, without, with_them, strict=True))
    print(f"{sum(new < old for _, old, new in rows)} pages stand higher by link texts, ", end="")
    print(f"{sum(new > old for _, old, new in rows)} lower\n")
    print("| question | rank without | with link texts |\n|---|---|---|")
    rows.sort(key=lambda row: -abs(1 / row[1] - 1 / row[2]))
    for one, old, new in rows[:show]:
        if old != new:
            print(f"| {one.text} | {_said(old)} | {_said(new)} |")


def _shares(ranks: Sequence[int]) -> str:
    return "/".join(f"{sum(rank <= k for rank in ranks) / len(ranks):.3f}" for k in FIRST)


def _said(rank: int) -> str:
    return "not found" if rank == UNRANKED else str(rank)


def main() -> None:
    """Rank all questions twice, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--show", type=int, default=10)
    given = parser.parse_args()
    settings = Settings.read(os.environ)
    theirs, ours = asked_of(settings)
    if not ours:
        raise SystemExit(f"The live snapshot has none of these pages; crawl and index http://{SITE}/.")
    print_table("written from the pages", theirs, settings, given.show)
    print_table("in the words of the links", ours, settings, given.show)


if __name__ == "__main__":
    main()
