"""One line of a visitor on its way: what was asked, how it is to be looked for, and everything it meets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from server.ask.answer_builder import Speech
from server.ask.conversation.modes import Plan
from server.ask.options import AskOptions, Models, Office, OpenSnapshot
from server.ask.presets import Way
from server.ask.rules import UNRULED, Ruling
from server.ask.trace import TraceLog
from server.models import Question, Site


@dataclass(frozen=True, slots=True)
class Occasion:
    """What all steps of one line have in common. Whatever is said goes through `speech`."""

    question: Question
    way: Way
    plan: Plan
    index: OpenSnapshot
    models: Models
    office: Office
    options: AskOptions
    log: TraceLog
    speech: Speech
    ruling: Ruling = UNRULED

    @property
    def site(self) -> Site | None:
        """The site that was asked, where there is a table of sites."""
        return self.office.site(self.question.site)

    @property
    def site_name(self) -> str:
        """Its name for people."""
        return self.site.name if self.site else self.options.site_name

    @property
    def day(self) -> date:
        """Today."""
        return self.options.terms.day()
