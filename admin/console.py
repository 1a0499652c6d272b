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
        [
            st.Page("views/conversations.py", title="Conversations", icon=":material/forum:", default=True),
            st.Page("views/conversation.py", title="Conversation", visibility="hidden"),
            st.Page("views/trace.py", title="Trace", icon=":material/route:"),
            st.Page("views/filters.py", title="Filters and answers", icon=":material/filter_alt:"),
            st.Page("views/golden.py", title="Golden questions", icon=":material/verified:"),
            st.Page("views/golden_question.py", title="Golden question", visibility="hidden"),
            st.Page("views/evaluation.py", title="Evaluation", icon=":material/monitoring:"),
            st.Page("views/widget.py", title="The widget", icon=":material/code:"),
            st.Page("views/audit.py", title="Who changed what", icon=":material/history:"),
        ]
    )
    session.sign_in()
    try:
        page.run()
    except ApiError as error:
        session.explain(error)


main()
