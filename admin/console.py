"""The console's entry: `streamlit run admin/console.py`, or `lodge admin`.

Takes `LODGE_API_URL` (the server) and `LODGE_ADMIN_TOKEN` (optional) from the environment.
"""

from __future__ import annotations

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from admin import session
from admin.client import ApiError

# The parts of a date are smaller than a fingertip as Streamlit draws them (WCAG 2.2, 2.5.8: 24 by 24 pixels).
STYLE = "<style>[role=spinbutton] { display: inline-block; min-width: 24px; min-height: 24px }</style>"


def main() -> None:
    """One run of the page that is open."""
    # An emoji: the favicon of a Material symbol would be fetched from a font server elsewhere.
    st.set_page_config(page_title="Lodge console", page_icon="🚪", layout="wide")
    st.html(STYLE)
    caller = session.recognise()
    if caller.role == "owner":
        mine = [st.Page("owners/owned.py", title="What waits for you", icon=":material/inbox:", default=True)]
        page = st.navigation(mine)
    else:
        page = _everything(caller.role)
    session.sign_in(caller)
    try:
        page.run()
    except ApiError as error:
        session.explain(error)


def _everything(role: str | None) -> StreamlitPage:
    """Every page, for everyone but owners; what a role may not do there, the page says.

    The log is all of it for developers: it is not in the menu of others.
    """
    log = session.offered(role, "developer")
    changes = st.Page("access/audit.py", title="Who changed what", icon=":material/history:", visibility=log)
    return st.navigation(
        {
            "Visitors": [
                st.Page("coverage/overview.py", title="Overview", icon=":material/monitoring:", default=True),
                st.Page("coverage/judge.py", title="Were they right?", icon=":material/fact_check:"),
                st.Page("gaps/gaps.py", title="Missing answers", icon=":material/help:"),
                st.Page("gaps/gap.py", title="Missing answer", visibility="hidden"),
                st.Page("conversations/feedback.py", title="Feedback", icon=":material/thumbs_up_down:"),
                st.Page("coverage/coverage.py", title="Coverage", icon=":material/menu_book:"),
            ],
            "Answers": [
                st.Page("conversations/conversations.py", title="Conversations", icon=":material/forum:"),
                st.Page("conversations/conversation.py", title="Conversation", visibility="hidden"),
                st.Page("traces/trace.py", title="Trace", icon=":material/route:"),
                st.Page("mending/mend.py", title="Mend an answer", visibility="hidden"),
            ],
            "Quality": [
                st.Page("golden/golden.py", title="Golden questions", icon=":material/verified:"),
                st.Page("golden/golden_question.py", title="Golden question", visibility="hidden"),
                st.Page("labelling/label.py", title="Worth keeping?", icon=":material/label:"),
                st.Page("evaluations/evaluation.py", title="Evaluation", icon=":material/compare_arrows:"),
                st.Page("evaluations/blind.py", title="Which is better?", icon=":material/balance:"),
            ],
            "Pages": [
                st.Page("crawls/crawl.py", title="Crawl", icon=":material/travel_explore:"),
                st.Page("snapshots/snapshots.py", title="Snapshots", icon=":material/photo_library:"),
            ],
            "Set-up": [
                st.Page("curation/filters.py", title="Filters and answers", icon=":material/filter_alt:"),
                st.Page("hours/hours.py", title="Opening hours", icon=":material/schedule:"),
                st.Page("hours/place.py", title="Hours of a place", visibility="hidden"),
                st.Page("sites/widget.py", title="The widget", icon=":material/code:"),
                st.Page("owners/owners.py", title="Owners", icon=":material/group:"),
                st.Page("owners/owned.py", title="What waits", visibility="hidden"),
                st.Page("notifications/notifications.py", title="Notifications", icon=":material/mail:"),
                changes,
            ],
        },
        expanded=True,
    )


main()
