"""The console's entry: `streamlit run admin/console.py`, or `lodge admin`.

Takes `LODGE_API_URL` (the server) and `LODGE_ADMIN_TOKEN` (optional) from the environment.
"""

from __future__ import annotations

import streamlit as st

from admin import session
from admin.client import ApiError


def main() -> None:
    """One run of the page that is open."""
    # An emoji: the favicon of a Material symbol would be fetched from a font server elsewhere.
    st.set_page_config(page_title="Lodge console", page_icon="🚪", layout="wide")
    page = st.navigation(
        {
            "Visitors": [
                st.Page("views/overview.py", title="Overview", icon=":material/monitoring:", default=True),
                st.Page("views/gaps.py", title="Missing answers", icon=":material/help:"),
                st.Page("views/gap.py", title="Missing answer", visibility="hidden"),
                st.Page("views/feedback.py", title="Feedback", icon=":material/thumbs_up_down:"),
                st.Page("views/coverage.py", title="Coverage", icon=":material/menu_book:"),
            ],
            "Answers": [
                st.Page("views/conversations.py", title="Conversations", icon=":material/forum:"),
                st.Page("views/conversation.py", title="Conversation", visibility="hidden"),
                st.Page("views/trace.py", title="Trace", icon=":material/route:"),
            ],
            "Quality": [
                st.Page("views/golden.py", title="Golden questions", icon=":material/verified:"),
                st.Page("views/golden_question.py", title="Golden question", visibility="hidden"),
                st.Page("views/evaluation.py", title="Evaluation", icon=":material/compare_arrows:"),
            ],
            "Pages": [
                st.Page("views/crawl.py", title="Crawl", icon=":material/travel_explore:"),
                st.Page("views/snapshots.py", title="Snapshots", icon=":material/photo_library:"),
            ],
            "Set-up": [
                st.Page("views/filters.py", title="Filters and answers", icon=":material/filter_alt:"),
                st.Page("views/widget.py", title="The widget", icon=":material/code:"),
                st.Page("views/audit.py", title="Who changed what", icon=":material/history:"),
            ],
        },
        expanded=True,
    )
    session.sign_in()
    try:
        page.run()
    except ApiError as error:
        session.explain(error)


main()
