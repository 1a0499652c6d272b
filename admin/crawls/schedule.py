"""When a site is crawled by itself, and what is done with what the crawl brings."""

from __future__ import annotations

from typing import Any

import streamlit as st

from admin import formatting as wording
from admin import session, widgets
from admin.client import AdminApi

Json = dict[str, Any]
EVERY = {"never": "not by itself", "day": "every day", "week": "every week"}
THEN = {
    "nothing": "nothing more: I look at it first",
    "build": "build a snapshot of it, to be looked at",
    "publish": "build a snapshot, and publish it unless a golden question fails",
}
NOBODY = {"every": "never", "hour": 3, "weekday": 6, "then": "nothing", "zone": "", "prefixes": []}


def draw(api: AdminApi, site: Json) -> None:
    """What holds for the site, and for developers the form that changes it."""
    st.subheader("By itself")
    kept = next(
        (one for one in api.get("crawl", "schedule")["schedules"] if one["site"] == site["site"]), None
    )
    _tell(kept)
    if session.may("developer"):
        _form(api, site["site"], kept or NOBODY)


def _tell(kept: Json | None) -> None:
    if kept is None:
        st.write("This site is crawled only when somebody starts it.")
        return
    zone = st.context.timezone
    day = f" on {wording.WEEKDAYS[kept['weekday']]}" if kept["every"] == "week" else ""
    st.write(
        wording.literal(
            f"It is crawled {EVERY[kept['every']]}{day} at {kept['hour']:02}:00 ({kept['zone']}). "
            f"Then: {THEN[kept['then']]}. Next: {wording.moment(kept['next_at'], zone)}."
        )
    )
    if kept["last_at"]:
        came = kept["last_said"] or "it is under way, or the server was stopped meanwhile."
        st.caption(wording.literal(f"Last started {wording.moment(kept['last_at'], zone)}: {came}"))


def _form(api: AdminApi, site: str, now: Json) -> None:
    zone = now["zone"] or st.context.timezone or "UTC"
    with st.expander("Change it"), st.form(f"schedule-{site}", border=False):
        often, weekday, hour = st.columns(3)
        every = widgets.pick(often, "Crawl it", EVERY, now["every"])
        on = widgets.pick(weekday, "On (every week)", dict(enumerate(wording.WEEKDAYS)), now["weekday"])
        hours = {one: f"{one:02}:00" for one in range(24)}
        at = widgets.pick(hour, f"At ({zone})", hours, now["hour"])
        then = widgets.pick(st, "Then", THEN, now["then"])
        if st.form_submit_button("Keep it so", icon=":material/schedule:"):
            wanted = {"site": site, "every": every, "hour": at, "weekday": on, "then": then, "zone": zone}
            with session.told():
                api.put("crawl", "schedule", body=wanted | {"prefixes": now["prefixes"]})
                st.rerun()
