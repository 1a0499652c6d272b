"""BM25F: what a term weighs in a chunk, by the fields of the chunk and of its page that it stands in.

Robertson, Zaragoza & Taylor 2004, "Simple BM25 extension to multiple weighted fields": a term's frequency in
each field, normalised by the field's length, times the field's weight, is summed before saturation. The
weights were fitted by `python -m scripts.research.retrieval.fit_fields`; docs/retrieval.md has what each
field brings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from server.index.text import words

K1 = 0.8
# What stands in a page's own fields counts 1 / chunks^SPREAD in each of its chunks: a page of a hundred
# chunks would else have a hundred answers to whatever its link texts say.
SPREAD = 0.25


@dataclass(frozen=True, slots=True)
class Field:
    """What a match in a field weighs, and how much the field's length takes from it (b, 0 to 1)."""

    weight: float
    b: float


OF_CHUNKS = {"title": Field(1.0, 0.3), "heading": Field(1.5, 0.3), "text": Field(1.0, 0.2)}
OF_PAGES = {"anchors": Field(1.0, 0.75), "description": Field(1.0, 0.75), "address": Field(1.0, 0.75)}

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_ENDING = re.compile(r"\.[A-Za-z0-9]{1,5}$")
_YEAR = re.compile(r"(?:19|20)\d\d")
_SAYS_NOTHING = frozenset({"index", "default", "www"})


def address_words(url: str) -> str:
    """The words of an address: of its sub-domain and path, without the file's ending and without ids.

    "https://its.x.edu/help/ResetPassword.aspx?id=7" → "its help reset password".
    """
    parts = urlsplit(url)
    path = [piece for piece in unquote(parts.path).split("/") if piece]
    path[-1:] = [_ENDING.sub("", piece) for piece in path[-1:]]
    pieces = [*(parts.hostname or "").split(".")[:-2], *path]
    found = [word for piece in pieces for word in words(_CAMEL.sub(" ", piece))]
    return " ".join(word for word in found if word not in _SAYS_NOTHING and not _is_id(word))


def _is_id(word: str) -> bool:
    """A number that is no year, and "a4f09c1"."""
    if word.isdigit():
        return not _YEAR.fullmatch(word)
    return len(word) > 3 and any(letter.isdigit() for letter in word)


def _rows(fields: Mapping[str, Field]) -> str:
    return ", ".join(f"('{name}', {field.weight}, {field.b})" for name, field in fields.items())


# `addresses` has the words of each page's address; `spanish_stop_words` those of Spanish pages. A word
# of a Spanish page stands there by both its stems: pages name offices and forms in English, too.
COUNT = """
CREATE TEMP TABLE tokens AS
WITH texts AS (
    SELECT 'title' AS field, chunk_id AS owner, page_id, title AS words FROM chunks
    UNION ALL SELECT 'heading', chunk_id, page_id, heading FROM chunks
    UNION ALL SELECT 'text', chunk_id, page_id, text FROM chunks
    UNION ALL SELECT 'anchors', page_id, page_id, array_to_string(anchors, ' ') FROM pages
    UNION ALL SELECT 'description', page_id, page_id, description FROM pages
    UNION ALL SELECT 'address', page_id, page_id, words FROM addresses
)
SELECT field, owner, coalesce(lang = 'es', false) AS spanish,
    unnest(fts_main_chunks.tokenize(searchable(words))) AS word
FROM texts JOIN pages USING (page_id);

CREATE TEMP TABLE stems AS
WITH known AS (SELECT DISTINCT word, spanish FROM tokens WHERE word <> '')
SELECT word, spanish, stem(word, 'porter') AS term FROM known
WHERE spanish OR word NOT IN (SELECT sw FROM fts_main_chunks.stopwords)
UNION
SELECT word, spanish, stem(word, 'spanish') FROM known WHERE spanish;
DELETE FROM stems WHERE spanish AND word IN (SELECT word FROM spanish_stop_words);

CREATE TEMP TABLE counted AS
SELECT field, owner, term, count(*) AS tf FROM tokens JOIN stems USING (word, spanish) GROUP BY ALL;
DROP TABLE tokens;
"""

WEIGH = f"""
CREATE TEMP TABLE summed AS
WITH fields(field, weight, b) AS (VALUES {_rows(OF_CHUNKS)}, {_rows(OF_PAGES)}),
lengths AS (SELECT field, owner, sum(tf) AS length FROM counted GROUP BY ALL),
averages AS (SELECT field, avg(length) AS average FROM lengths GROUP BY field),
scaled AS (
    SELECT field, owner, term, weight * tf / (1 - b + b * length / average) AS tf
    FROM counted JOIN lengths USING (field, owner) JOIN averages USING (field) JOIN fields USING (field)
),
sizes AS (SELECT page_id, count(*) AS chunks FROM chunks GROUP BY page_id)
SELECT chunk_id, term, sum(tf) AS tf, bool_or(own) AS own FROM (
    SELECT owner AS chunk_id, term, tf, true AS own FROM scaled WHERE field IN {tuple(OF_CHUNKS)}
    UNION ALL
    SELECT chunk_id, term, tf / pow(sizes.chunks, {SPREAD}), false
    FROM scaled JOIN chunks ON page_id = owner JOIN sizes USING (page_id) WHERE field IN {tuple(OF_PAGES)}
) GROUP BY chunk_id, term;
CREATE TABLE terms AS
SELECT term, chunks, (sum(chunks) OVER (ORDER BY term) - chunks)::BIGINT AS first, frequency FROM (
    SELECT term, count(*)::INTEGER AS chunks, coalesce(nullif(count(*) FILTER (own), 0), count(*))::INTEGER
        AS frequency
    FROM summed GROUP BY term
) ORDER BY term;
"""  # noqa: S608 - our own names

# A snapshot never changes, so what a question adds up is computed once, and kept term after term.
POSTINGS = f"""
SELECT chunk_id, (
    ln(((SELECT count(*) FROM chunks) - frequency + 0.5) / (frequency + 0.5) + 1)
    * tf * {K1 + 1} / (tf + {K1})
)::FLOAT AS weight
FROM summed JOIN terms USING (term) ORDER BY term, chunk_id
"""  # noqa: S608 - our own numbers
