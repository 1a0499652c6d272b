"""Which is better? Two answers to one question, side by side, without a word on whose they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from admin import formatting as wording
from admin import session, widgets
from admin.client import AdminApi

Json = dict[str, Any]
PAGE = "evaluations/blind.py"
CHOICES = (
    ("first", "The first is better", "1"),
    ("second", "The second is better", "2"),
    ("neither", "Neither is", "0"),
)
CHOSEN = {"first": "the first", "second": "the second", "neither": "neither"}
NEEDS_TWO = (
    "It takes two strategies that were asked the same questions. A developer keeps them with `lodge eval "
    "--questions FILE --strategies hybrid,hybrid+rerank`, or in two runs, before and after a change."
)
BLIND = (
    "Read both as a visitor would, and say which helps more: right first, then complete, then short. You are "
    "not told which is which, and everyone sees them in an order of their own. The keys 1, 2 and 0 do it too."
)


def show(api: AdminApi) -> None:
    """The next pair of the two that the address names; else the choice of two."""
    st.title("Which is better?")
    st.write(BLIND)
    sides = sides_of(api.get("evaluations")["evaluations"])
    if len(sides) < 2:
        st.info(NEEDS_TWO)
        return
    a, b = _chosen(list(sides))
    if a == b:
        st.info("Choose two that are not the same.")
        return
    asked = {"a": sides[a][0], "a_strategy": sides[a][1], "b": sides[b][0], "b_strategy": sides[b][1]}
    if session.may("editor"):
        _judge(api, asked)
    else:
        st.caption("To judge takes an editor.")
    with st.expander("What was found so far (names the two)"):
        _found(api.get("head-to-head", **asked))


def sides_of(runs: Sequence[Json]) -> dict[str, tuple[str, str]]:
    """`20261125-120000 · hybrid+rerank` → the run and its strategy, newest first."""
    return {
        f"{run['name']} · {strategy}": (run["name"], strategy)
        for run in runs
        for strategy in run["strategies"]
    }


def _chosen(names: list[str]) -> tuple[str, str]:
    """The two that are compared; at first the two newest. The address keeps them."""
    left, right = st.columns(2)
    words = {name: name for name in names}
    a = widgets.pick(left, "One", words, st.query_params.get("one", names[1]))
    b = widgets.pick(right, "The other", words, st.query_params.get("other", names[0]))
    st.query_params.update(one=a, other=b)
    return a, b


def _judge(api: AdminApi, asked: Mapping[str, str]) -> None:
    key = f"again-{sorted(asked.items())}"
    found = api.get("head-to-head", "next", question=st.session_state.get(key), **asked)
    total, judged = found["pairs"], found["judged"]
    left_out = f"{found['refused']} refused by either, {found['same']} the same in both"
    if not total:
        st.info(f"There is no pair to judge: {left_out}.")
        return
    st.progress(judged / total, f"{judged} of {total} judged ({left_out})")
    pair = found["pair"]
    if pair is None:
        st.success("All are judged. Thank you.")
    else:
        _pair(api, asked, pair, key)
    last = st.session_state.get(f"last-{key}")
    is_shown = pair is not None and last == pair["question_id"]
    if last and not is_shown and st.button("Back to the one before", icon=":material/undo:"):
        st.session_state[key] = last
        st.rerun()


def _pair(api: AdminApi, asked: Mapping[str, str], pair: Json, key: str) -> None:
    own = pair["question_id"]
    st.header(wording.literal(pair["question"]))
    for role, text in pair["history"]:
        st.caption(f"{'Visitor' if role == 'user' else 'Answer'}, before: {wording.literal(text)}")
    if pair["expected"]:
        st.caption(f"Known to be right: {wording.literal(pair['expected'])}")
    if pair["chosen"]:
        st.caption(f"You found before: {CHOSEN[pair['chosen']]}.")
    for column, heading, text in zip(
        st.columns(2), ("First", "Second"), (pair["first"], pair["second"]), strict=True
    ):
        with column.container(border=True):
            st.subheader(heading)
            st.text(text)
    with st.container(horizontal=True):
        for choice, words, shortcut in CHOICES:
            if st.button(words, key=f"{own}-{choice}", shortcut=shortcut):
                api.put("head-to-head", own, body={**asked, "choice": choice})
                st.session_state.pop(key, None)
                st.session_state[f"last-{key}"] = own
                st.rerun()


def _found(found: Json) -> None:
    """Shares, who judged how many, and how far they agree."""
    if not found["shares"]:
        st.write("Nobody has judged a pair yet.")
        return
    shares = found["shares"]
    st.dataframe(
        pd.DataFrame(
            {
                "Better": [found["a"], found["b"], "neither", f"{found['b']} wins (neither: half)"],
                "Share": [share(shares[name]) for name in ("a_wins", "b_wins", "neither", "win_rate")],
            }
        ),
        hide_index=True,
        alt="Which of the two was found better, as shares with their 95 % intervals",
    )
    st.caption(
        f"{found['judged']} of {found['pairs']} pairs were judged; {found['same']} that are the same in both "
        f"count as neither, and {found['refused']} that either refused are left out. "
        "Where several judged one, most decide."
    )
    for line in told(found):
        st.write(line)


def share(of: Mapping[str, float]) -> str:
    """`61% (54% to 68%)`."""
    return f"{of['value']:.0%} ({of['low']:.0%} to {of['high']:.0%})"


def told(found: Json) -> list[str]:
    """Who judged how many, and their agreement beyond chance, a sentence each."""
    people = ", ".join(f"{name} {count}" for name, count in found["people"].items())
    lines = [f"Judged by {people}."]
    for one in found["cohen"]:
        first, second = one["people"]
        lines.append(
            f"{first} and {second} agree with κ {one['kappa']:.2f} over {one['n']} pairs (Cohen's kappa)."
        )
    if fleiss := found["fleiss"]:
        agree = f"agree with κ {fleiss['kappa']:.2f} over {fleiss['n']} pairs (Fleiss' kappa)."
        lines.append(f"All {len(fleiss['people'])} {agree}")
    return [wording.literal(line) for line in lines]


show(session.api())
