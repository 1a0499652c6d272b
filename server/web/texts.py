"""Every English sentence that the visitor's pages show, in one place."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Texts:
    """A language is one of these. `{site}` stands for the university's name."""

    lang: str = "en"
    title: str = "Ask {site}"
    skip: str = "Skip to the question"
    honesty: str = "Answers are taken from {site}'s own web pages. They may be incomplete: check the source."
    welcome: str = "What would you like to know?"
    welcome_more: str = (
        "Ask about admissions, dates, costs, housing or anything else that {site} writes about. "
        "Each answer names the page it comes from."
    )
    conversation: str = "Conversation"
    question_label: str = "Your question"
    placeholder: str = "Type your question"
    send: str = "Send"
    you_asked: str = "You asked"
    answer_from: str = "Answer"
    searching: str = "Searching…"
    writing: str = "Writing the answer…"
    sources: str = "Sources"
    show_quote: str = "Show the passage"
    new_tab: str = "(opens in a new tab)"
    updated: str = "Updated {date}"
    fetched: str = "Read {date}"
    closest: str = "The closest pages"
    contact: str = "Ask a person"
    degraded: str = "Part of the service is unavailable, so this answer is simpler than usual."
    start_over: str = "Start over"
    announced: str = "Answer: {answer}"
    announced_sources: str = "{count} sources follow."
    announced_source: str = "One source follows."
    lost: str = "The connection was lost before the answer was complete. Your question is still in the box."
    unsent: str = "Your question could not be sent. It is still in the box: check your connection."
    unavailable: str = "Answers are not available at the moment. Please try again in a few minutes."
    expired: str = "This question is no longer waiting for its answer. Please send it again."
    problem_title: str = "That did not work"
    problem_back: str = "Back to the question"
    launcher: str = "Ask a question"

    def for_site(self, name: str) -> Texts:
        """The same with the university's name in place of `{site}`."""
        texts = {field.name: getattr(self, field.name) for field in fields(self)}
        return Texts(**{key: text.replace("{site}", name) for key, text in texts.items()})
