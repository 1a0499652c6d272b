"""A long run at a share of the capacity: what grows, what slows down, what fails."""

from __future__ import annotations

import math
import threading
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

from scripts.research.load.arrivals import Outcome
from scripts.research.load.figures import latency_ms
from scripts.research.load.subject import Subject, Vital
from scripts.research.load.trial import Trial
from scripts.research.load.visitors import ASKING

SAMPLE_S = 5.0


@dataclass(slots=True)
class Minutes:
    """Outcomes by the minute they were due in; of each the times are kept, a few bytes an answer."""

    kept: dict[int, list[Outcome]] = field(default_factory=dict)
    what: Counter[str] = field(default_factory=Counter)

    def note(self, outcome: Outcome) -> None:
        """Take one."""
        self.what[f"{outcome.kind}, {outcome.way}: {outcome.verdict} {outcome.why or outcome.status}"] += 1
        self.kept.setdefault(int(outcome.due // 60), []).append(outcome)

    def rows(self) -> list[dict[str, Any]]:
        """A row a minute."""
        found: list[dict[str, Any]] = []
        for minute, outcomes in sorted(self.kept.items()):
            asks = [one for one in outcomes if one.kind in ASKING]
            verdicts: dict[str, int] = Counter(one.verdict for one in asks)
            whole = latency_ms(one for one in asks if one.verdict == "answered")
            wrong = sum(one.verdict == "failed" for one in outcomes)
            found.append({"minute": minute, "asked": len(asks), **verdicts, "errors": wrong, **whole})
        return found


def soak(trial: Trial, rate: float, minutes: float, warm_up_minutes: float) -> dict[str, Any]:
    """Bring `rate` questions a second for so long, with a look at the process every few seconds."""
    gathered = Minutes()
    vitals: list[Vital] = []
    over = threading.Event()
    watcher = threading.Thread(target=_watch, args=(trial.subject, vitals, over), daemon=True)
    watcher.start()
    try:
        trial.watch(rate, minutes * 60, gathered.note)
    finally:
        over.set()
        watcher.join()
    found: dict[str, Any] = {
        "rate": rate,
        "minutes": gathered.rows(),
        "what": dict(sorted(gathered.what.items())),
        "vitals": [asdict(one) for one in vitals],
    }
    settled = [one for one in vitals if one.at >= vitals[0].at + 60 * warm_up_minutes]
    if len(settled) > 2:
        found["growth_mb_per_h"] = {
            name: growth([one.at for one in settled], [getattr(one, name) for one in settled])
            for name in ("rss_mb", "private_mb")
        }
        found["first_and_last"] = [asdict(settled[0]), asdict(settled[-1])]
    return found


def growth(at: list[float], values: list[float]) -> dict[str, float] | None:
    """The slope of the regression line an hour, with its 95 % interval, over means of minutes.

    Samples a few seconds apart hang together, so that their own interval would be far too narrow. None for
    fewer than four minutes.
    """
    minute = ((np.array(at) - at[0]) // 60).astype(int)
    names = np.unique(minute)
    if len(names) < 4:
        return None
    y = np.array([np.array(values)[minute == name].mean() for name in names])
    x = names / 60.0
    spread = ((x - x.mean()) ** 2).sum()
    slope = float(((x - x.mean()) * (y - y.mean())).sum() / spread)
    left = y - y.mean() - slope * (x - x.mean())
    free = len(names) - 2
    error = math.sqrt(float((left**2).sum()) / free / spread)
    wide = student_t(free) * error
    return {"slope": round(slope, 2), "low": round(slope - wide, 2), "high": round(slope + wide, 2)}


def student_t(free: int) -> float:
    """The 97.5 % quantile of Student's t, by its expansion about the normal's (Hill 1970); 1 % off at 3."""
    z = NormalDist().inv_cdf(0.975)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return float(sum(term / free**power for power, term in enumerate(terms)))


def chart(found: dict[str, Any], path: Path) -> None:
    """Memory and latency over the minutes, as SVG."""
    import altair as alt

    start = found["vitals"][0]["at"] if found["vitals"] else 0.0
    memory = {"rss_mb": "resident", "private_mb": "without mapped files"}
    vitals = [
        {"minute": (one["at"] - start) / 60, "value": one[name], "of": label}
        for one in found["vitals"]
        for name, label in memory.items()
    ]
    answers = [
        {"minute": one["minute"] + 0.5, "value": one[name], "of": name}
        for one in found["minutes"]
        for name in ("p50", "p99")
    ]
    x = alt.X("minute:Q", title=f"minutes at {found['rate']:.2f} questions a second")
    rows = [
        alt.Chart(alt.InlineData(values=values), width=640, height=220)
        .mark_line()
        .encode(x=x, y=alt.Y("value:Q", title=title), color=alt.Color("of:N", title=None, sort=None))
        for values, title in ((vitals, "memory (MB)"), (answers, "whole answers (ms)"))
    ]
    alt.vconcat(*rows).resolve_scale(x="shared", color="independent").save(path, format="svg")


def _watch(subject: Subject, into: list[Vital], over: threading.Event) -> None:
    while True:
        vital = subject.vital()
        if vital:
            into.append(vital)
        if over.wait(SAMPLE_S):
            return
