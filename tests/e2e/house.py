"""One server and one host site for all tests that only look, which takes less time than starting them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from server.app import WebOptions
from tests.e2e.hosting import HostSite, host_site
from tests.scripted_app import ScriptedParts, serving, site_table, web_app

ARABIC = """
name = "العربية"
dir = "rtl"
question_label = "سؤالك"
send = "إرسال"
welcome = "ماذا تريد أن تعرف؟"
"""


@dataclass(frozen=True)
class House:
    """A server that speaks Arabic too, and a site that may embed it."""

    url: str
    host: HostSite
    parts: ScriptedParts

    @property
    def chat(self) -> str:
        """The address of the chat page."""
        return f"{self.url}/chat?site=main"


@contextmanager
def open_house(folder: Path) -> Iterator[House]:
    """One, running; its files are in the folder."""
    (folder / "messages").mkdir()
    (folder / "messages" / "ar.toml").write_text(ARABIC, encoding="utf-8")
    parts = ScriptedParts(folder)
    with host_site() as host:
        parts.sites = site_table(main={"origins": [host.url]}, library={"origins": [host.url]})
        with serving(web_app(WebOptions(messages_dir=folder / "messages"), parts)) as url:
            host.lodge = url
            yield House(url, host, parts)
