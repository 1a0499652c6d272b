"""What a snapshot looks like in Typesense: a collection of its own, a document for each chunk."""

from __future__ import annotations

import hashlib
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from server.index.fields import address_words
from server.index.snapshot import Manifest, Snapshot
from server.models import Scope

# Whatever changes here makes collections that are there already other than wanted: count on.
SCHEMA = 2
# Of the chunk, and of its page: link texts, the page's description of itself, the words of its address.
QUERY_BY = ("title", "heading", "text", "anchors", "description", "address")
VECTOR = "embedding"

_ROWS = """
SELECT chunk_id, page_id, chunks.title, heading, text, url, host, lang, topic, subtopic, chunks.terms,
    archived, published, modified{fields}
FROM chunks JOIN pages USING (page_id)
WHERE chunk_id >= ? AND chunk_id < ? ORDER BY chunk_id
"""
_COLUMNS = (
    "chunk_id", "page_id", "title", "heading", "text", "url", "host", "lang", "topic", "subtopic", "terms",
    "archived", "published", "modified", "anchors", "description",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Names:
    """What things of ours are called in Typesense. Installations that share a cluster need an alias each."""

    alias: str

    @property
    def synonyms(self) -> str:
        """The synonym set."""
        return f"{self.alias}-synonyms"

    def collection(self, snapshot: str) -> str:
        """The collection of a snapshot."""
        return f"{self.alias}-{snapshot}"


def key(kind: str, value: str | None) -> int:
    """A number for a topic, a host, a language; None: the number of having none.

    Typesense compares strings word by word, without case and signs, and a long one by its beginning alone
    (typesense issues 1079, 1930, 2548); filters must compare to the letter. Every reader of JSON keeps 53
    bits: among 10,000 different values two are alike once in 10⁸ times.
    """
    text = f"{kind}\0none" if value is None else f"{kind}\0some\0{value}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 11


def day_number(day: str | None) -> int:
    """ "2026-05-01" or a time on that day → 20260501; "2026" → 20260000; 0 for anything else.

    Numbers compare as the texts do.
    """
    digits = (day or "")[:10].replace("-", "")
    return int(digits.ljust(8, "0")) if digits.isascii() and digits.isdigit() else 0


def collection_schema(name: str, synonyms: str, dims: int | None, about: Mapping[str, Any]) -> dict[str, Any]:
    """What `POST /collections` takes; without `dims` the collection has no vectors."""
    fields: list[dict[str, Any]] = [
        *({"name": field, "type": "string", "stem": True} for field in QUERY_BY),
        {"name": "url", "type": "string", "index": False, "optional": True},
        *(
            {"name": field, "type": "string", "facet": True, "optional": True}
            for field in ("host", "lang", "topic", "subtopic")
        ),
        {"name": "terms", "type": "string[]", "facet": True, "optional": True},
        {"name": "published", "type": "string", "index": False, "optional": True},
        {"name": "modified", "type": "string", "index": False, "optional": True},
        # What filters compare: see `filter_by`.
        {"name": "keys", "type": "int64[]"},
        {"name": "page", "type": "int32"},
        {"name": "day", "type": "int32"},
        {"name": "archived", "type": "bool"},
    ]
    if dims is not None:
        fields.append(
            {
                "name": VECTOR,
                "type": "float[]",
                "num_dim": dims,
                "vec_dist": "cosine",
                "hnsw_params": {"M": 32, "ef_construction": 256},  # as in the snapshot (index/build.py)
            }
        )
    return {
        "name": name,
        "fields": fields,
        # Typesense would otherwise make one word of "add/drop"; words.py makes two.
        "token_separators": list(string.punctuation),
        "synonym_sets": [synonyms],
        "metadata": dict(about),
    }


def about(manifest: Manifest, *, vectors: bool) -> dict[str, Any]:
    """What a collection says of itself; one that says something else was made of something else."""
    return {
        "lodge_schema": SCHEMA,
        "snapshot": manifest.name,
        "created_at": manifest.created_at,
        "embedder_sha256": manifest.embedder_sha256,
        "vectors": vectors,
    }


def documents(snapshot: Snapshot, batch: int, *, vectors: bool) -> Iterator[list[dict[str, Any]]]:
    """Every chunk of a snapshot as a document, in batches."""
    for start in range(0, snapshot.manifest.chunks, batch):
        rows = snapshot.rows(_ROWS.format(fields=snapshot.page_fields), [start, start + batch])
        found = [_document(dict(zip(_COLUMNS, row, strict=True))) for row in rows]
        if vectors:
            for document, vector in zip(found, snapshot.vectors[start : start + batch], strict=True):
                document[VECTOR] = vector.tolist()
        yield found


def _document(row: Mapping[str, Any]) -> dict[str, Any]:
    known = ("url", "host", "lang", "topic", "subtopic", "published", "modified")
    document = {field: row[field] for field in known if row[field] is not None}
    said = {**row, "anchors": " ".join(row["anchors"] or ()), "address": address_words(row["url"])}
    document |= {field: said[field] or "" for field in QUERY_BY}
    return document | {
        "id": str(row["chunk_id"]),
        "keys": page_keys(row["host"], row["lang"], row["topic"], row["subtopic"]),
        "page": row["page_id"],
        "day": day_number(row["modified"] if row["modified"] is not None else row["published"]),
        "archived": bool(row["archived"]),
        "terms": list(row["terms"] or ()),
    }


def page_keys(host: str | None, lang: str | None, topic: str | None, subtopic: str | None) -> list[int]:
    """What a page is to filters; its path is its topic with the sub-topic, as `index/search.py` has it."""
    path = topic and "/".join(part for part in (topic, subtopic) if part is not None)
    found = [key("host", host), key("lang", lang), key("topic", topic)]
    return [*found, key("path", path)] if path is not None else found


_LAST_DAY = 99_999_999
_NONE = "-1"  # no page, and no day, has this number


def filter_by(scope: Scope | None, snapshot: Snapshot) -> str:
    """The filter of a search; empty when the scope limits nothing.

    It names numbers alone (`schema.key`), so nothing that stands in a scope can break it or reach beyond it.
    """
    if scope is None:
        return ""
    found = [
        _any_of(_topic_keys(scope.topics)) if scope.topics is not None else "",
        _any_of(key("host", site) for site in scope.sites) if scope.sites else "",
        f"page:=[{_ranges(_pages_below(scope.prefix, snapshot))}]" if scope.prefix else "",
        _any_of([key("lang", None), key("lang", scope.lang)]) if scope.lang else "",
        _days(scope.since, scope.until) if scope.since or scope.until else "",
        "archived:=false" if not scope.archived else "",
    ]
    return " && ".join(condition for condition in found if condition)


def _any_of(keys: Iterable[int]) -> str:
    return f"keys:=[{','.join(str(number) for number in keys)}]"


def _topic_keys(topics: Mapping[str, Sequence[str]]) -> list[int]:
    """A page without a topic may be about anything; one without a sub-topic, about any of its topic's."""
    keys = [key("topic", None)]
    for topic, subtopics in topics.items():
        if subtopics:
            keys += [key("path", topic), *(key("path", f"{topic}/{subtopic}") for subtopic in subtopics)]
        else:
            keys.append(key("topic", topic))
    return keys


def _days(since: str | None, until: str | None) -> str:
    """Both days included; a page without a day has the number 0, and is outside."""
    first = max(1, day_number(since)) if since else 1
    last = day_number(until) if until else _LAST_DAY
    return f"day:=[{f'{first}..{last}' if first <= last else _NONE}]"


def _pages_below(prefix: str, snapshot: Snapshot) -> list[int]:
    """The pages whose URL begins so. Typesense's own prefixes are those of words."""
    sql = "SELECT page_id FROM pages WHERE starts_with(url, ?) ORDER BY page_id"
    return [page for (page,) in snapshot.rows(sql, [prefix])]


def _ranges(pages: Sequence[int]) -> str:
    """`[0, 1, 2, 7]` → `0..2,7`: pages that were crawled one after another are often alike."""
    runs: list[tuple[int, int]] = []
    for page in pages:
        if runs and page == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], page)
        else:
            runs.append((page, page))
    return ",".join(str(a) if a == b else f"{a}..{b}" for a, b in runs) or _NONE
