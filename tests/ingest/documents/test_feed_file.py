"""RSS and Atom feeds as items: title, address, day, summary."""

from __future__ import annotations

import json

import pytest

from server.ingest.documents.failures import UnreadableDocumentError
from server.ingest.documents.feed_file import FeedItem, feed_as_json

RSS = """<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
<title>Campus news</title><link>https://h/news/</link>
<item><title>Bridge &amp; path closed</title><link>https://h/news/bridge</link>
<pubDate>Tue, 03 Nov 2026 09:00:00 -0500</pubDate>
<description><![CDATA[<p>The bridge is <b>closed</b> until spring.</p>]]></description></item>
<item><title>No link</title><guid isPermaLink="false">17</guid>
<content:encoded>All of it.</content:encoded></item>
<item><description>without a title</description></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Notices</title><entry>
<title type="html">Water &lt;i&gt;off&lt;/i&gt;</title>
<link rel="self" href="/feed/1"/><link href="/notices/1"/><updated>2026-11-02T08:00:00Z</updated>
<summary>From nine to noon.</summary></entry></feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>Old news</title></channel>
<item><title>Still here</title><link>https://h/still</link><dc:date>2026-10-01</dc:date></item></rdf:RDF>"""


def items(text: str) -> tuple[str, list[FeedItem]]:
    told = json.loads(feed_as_json(text.encode()))
    return told["title"], [FeedItem(**one) for one in told["items"]]


def test_rss_has_items_without_markup() -> None:
    title, (first, second) = items(RSS)
    assert title == "Campus news"
    assert first == FeedItem(
        "Bridge & path closed", "https://h/news/bridge", "2026-11-03", "The bridge is closed until spring."
    )
    assert second == FeedItem("No link", "", "", "All of it.")


def test_atom_and_rdf_are_read_alike() -> None:
    assert items(ATOM) == (
        "Notices",
        [FeedItem("Water off", "/notices/1", "2026-11-02", "From nine to noon.")],
    )
    assert items(RDF) == ("Old news", [FeedItem("Still here", "https://h/still", "2026-10-01", "")])


def test_a_feed_that_breaks_off_has_the_items_before() -> None:
    assert [one.title for one in items(RSS[: RSS.index("<item><description>")])[1]] == [
        "Bridge & path closed",
        "No link",
    ]


def test_entities_are_not_written_out() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "many">]><rss><item><title>&a;</title></item></rss>'
    assert "many" not in feed_as_json(bomb.encode())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "damaged"),
        ("no markup at all", "damaged"),
        ("<rss><channel><title>Empty</title></channel></rss>", "empty_feed"),
        (RSS.replace("Campus news", "Comments on: Bridge closed"), "comments"),
    ],
)
def test_what_cannot_be_read_has_a_reason(text: str, reason: str) -> None:
    with pytest.raises(UnreadableDocumentError) as raised:
        feed_as_json(text.encode())
    assert raised.value.reason == reason
