"""One variable's text as its setting's value, or a sentence that says what the variable takes."""

from __future__ import annotations

import dataclasses
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, get_type_hints

MOST = 1_000_000_000  # of whatever is counted, where a setting does not say less
# Control characters, and bytes that are no UTF-8 (PEP 383). Among several words, line ends part them as
# spaces do.
_NO_TEXT = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


class SettingError(ValueError):
    """A variable's value cannot be used; the message says what it takes."""


@dataclass(frozen=True, slots=True)
class Takes:
    """What a variable takes, besides its type: one of these texts, a number within bounds, several words."""

    allowed: tuple[str, ...] = ()
    at_least: float | None = None
    at_most: float = MOST
    several: bool = False


def parsed(name: str, text: str, kind: type, takes: Takes) -> Any:
    """The text of the variable `name` as an `int`, `float`, `Path` or `str`, whichever `kind` is."""
    if kind in (int, float):
        return _number(name, text, kind, takes)
    if any(map(_NO_TEXT.search, text.split() if takes.several else [text])):
        # It is not shown: it may be a secret.
        raise SettingError(
            f"{name} has a control character, or a byte that is no UTF-8; it takes plain text."
        )
    if kind is Path:
        return as_path(name, text)
    if takes.allowed and text not in takes.allowed:
        raise SettingError(f"{name} is {_short(text)}; it takes one of: {', '.join(takes.allowed)}.")
    return text


def as_path(name: str, text: str) -> Path:
    """Absolute; an empty one would silently be the folder that the program was started in."""
    try:
        if text.strip():
            return Path(text).expanduser().resolve()
    except (RuntimeError, ValueError, OSError):  # nobody has that home; links that lead to themselves
        pass
    raise SettingError(f"{name} is {_short(text)}; it takes a path.")


def _number(name: str, text: str, kind: type, takes: Takes) -> Any:
    try:
        value = kind(text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        noun = "a whole number" if kind is int else "a number"
        raise SettingError(f"{name} is {_short(text)}; it takes {noun}.")
    if takes.at_least is not None and value < takes.at_least:
        raise SettingError(f"{name} is {_short(text)}; it takes {takes.at_least} or more.")
    if value > takes.at_most:
        raise SettingError(f"{name} is {_short(text)}; it takes {takes.at_most} or less.")
    return value


def _short(text: str) -> str:
    """A wrong value as it is shown: in quotes, and not for pages on end."""
    return repr(text if len(text) <= 80 else text[:80] + "…")


PROJECT = Path(__file__).resolve().parent.parent
PREFIX = "LODGE_"
STRATEGIES = (
    *(
        search + steps
        for search in ("semantic", "keyword", "hybrid")
        for steps in ("", "+rerank", "+topics", "+rerank+topics")
    ),
    *("brockport", "cmu", "princeton"),
)


def _setting(
    default: Any,
    sentence: str,
    *allowed: str,
    at_least: float | None = None,
    at_most: float = MOST,
    secret: bool = False,
) -> Any:
    takes = Takes(allowed, at_least, at_most)
    return dataclasses.field(
        default=default, repr=not secret, metadata={"sentence": sentence, "takes": takes}
    )


def _words(default: str, sentence: str) -> Any:
    return dataclasses.field(default=default, metadata={"sentence": sentence, "takes": Takes(several=True)})


@dataclass(frozen=True, slots=True)
class Settings:
    """The table. Paths are absolute once read."""

    # where things are
    home: Path = _setting(PROJECT / "var", "Every file a run writes is under this folder.")
    models_dir: Path = _setting(PROJECT / "onnx_models", "One folder a model.")
    filters_file: Path = _setting(
        PROJECT / "corpus" / "filters.toml", "Rules that leave pages out of the index."
    )
    topics_file: Path = _setting(
        PROJECT / "corpus" / "topics.toml", "Which URL prefixes make which topic, where directories do not."
    )
    general_questions_file: Path = _setting(
        PROJECT / "corpus" / "general_questions.txt",
        "Questions that are no university's business, one a line; the scope gate learns from them.",
    )
    distress_file: Path = _setting(
        PROJECT / "corpus" / "distress_examples.toml",
        "What people in distress write, and what only sounds like it (docs/conversation.md).",
    )
    synonyms_file: Path = _setting(
        PROJECT / "corpus" / "synonyms.toml", "What visitors say and pages write, for Typesense."
    )
    sites_file: str = _setting(
        "",
        "The table of sites (docs/sites.md); empty: `sites.toml` under `LODGE_HOME`, where there is one.",
    )
    messages_dir: Path = _setting(
        PROJECT / "server" / "visitor" / "messages",
        "Messages of the chat page in more languages (docs/widget.md); those that ship are always there.",
    )
    records_url: str = _setting("", "SQLAlchemy URL of the records store; empty: SQLite under `LODGE_HOME`.")

    # serving
    host: str = _setting("127.0.0.1", "Address the server listens on.")
    port: int = _setting(8000, "Port of the server.", at_least=1, at_most=65_535)
    allowed_hosts: str = _words(
        "",
        "Names by which the server may be called (`ask.example.edu`, `*.example.edu`), separated by spaces; "
        "any other is a 400, but at `/healthz` and `/readyz`. Empty: any (docs/deploying.md).",
    )
    admin_port: int = _setting(8501, "Port of the console.", at_least=1, at_most=65_535)
    demo_port: int = _setting(8090, "Port of the demo university's own site.", at_least=1, at_most=65_535)
    site_name: str = _setting(
        "Larkmoor University",
        "What the chat page calls the university, where the table of sites gives no name.",
    )
    contact_url: str = _setting(
        "",
        "Where a visitor who got no answer can reach a person, where the table of sites does not say; "
        "empty: not offered.",
    )
    frame_origins: str = _words(
        "",
        "Exact origins (`https://www.example.edu`) whose pages may embed the widget of the site `main`, "
        "beside those in the table of sites, separated by spaces.",
    )
    max_question_chars: int = _setting(
        2000, "A longer question is turned away with 413; a site may allow less.", at_least=1
    )
    max_body_bytes: int = _setting(65_536, "A longer request body is turned away with 413.", at_least=1)
    request_s: float = _setting(
        15.0, "A request that is not there whole after so long is given up, head and body.", at_least=0.1
    )
    answer_workers: int = _setting(
        0,
        "Questions worked on at the same time; more wait their turn. 0: as many as there are cores, but no "
        "more than four, or as many as the language model is sent if that is more.",
        at_least=0,
        at_most=1024,
    )
    answer_queue: int = _setting(
        64, "Questions that may wait; one more is turned away with 503 at once.", at_least=0
    )
    hurry_from: int = _setting(
        8,
        "While so many questions wait, each is answered from what the search by words alone finds, without a "
        "language model, and marked as degraded; 0: never.",
        at_least=0,
    )
    stop_wait_s: float = _setting(
        30.0, "Answers under way have so long to finish when the server is told to stop.", at_least=0
    )
    drain_s: float = _setting(
        0.0,
        "A server that is told to stop says so at `/readyz` for so long, and still answers, so that a proxy "
        "sends new questions elsewhere; make it longer than two of the proxy's looks.",
        at_least=0,
    )
    log: str = _setting(
        "",
        "What the server logs on standard error: lines for people or JSON; empty: plain on a terminal, JSON "
        "elsewhere.",
        "",
        "plain",
        "json",
    )
    metrics_token: str = _setting(
        "",
        "Bearer token by which Prometheus reads `/metrics`, from this machine too; empty: nobody may.",
        secret=True,
    )

    # limits
    limit_address: str = _setting(
        "120/minute;1200/hour",
        "Questions from one address; empty: no limit. A campus may share one. Calls from the server's own "
        "machine count for their site alone, unless a proxy is trusted.",
    )
    limit_requests: str = _setting(
        "600/minute;6000/hour",
        "Requests from one address for the visitors' pages and API, questions, page loads, feedback, saving "
        "and erasing alike; empty: no limit. Counted as questions are.",
    )
    limit_conversation: str = _setting("20/minute", "Questions in one conversation; empty: no limit.")
    limit_site: str = _setting("", "Questions on one site; empty: no limit.")
    limit_guesses: str = _setting(
        "10/5minutes",
        "Wrong admin tokens from one address, after which it is shut out of the admin API for a while; as "
        "many wrong tokens for `/metrics` shut it out of that. Empty: no limit.",
    )
    trusted_hops: int = _setting(
        0,
        "Proxies before the server, each of which writes the caller's address into `X-Forwarded-For`, and "
        "the scheme into `X-Forwarded-Proto`; 0: these headers are not believed.",
        at_least=0,
        at_most=100,
    )
    limit_url: str = _setting(
        "",
        "Where several servers count together (Redis or Valkey): `redis://host:6379/0`; empty: each alone.",
        secret=True,
    )

    # privacy
    mask: str = _setting(
        "on",
        "Whether personal data in visitors' words is masked before anything is recorded or sent to a "
        "language model (docs/privacy.md).",
        "on",
        "off",
    )
    personal_file: str = _setting(
        "", "A TOML file of further patterns of personal data, and of those switched off (docs/privacy.md)."
    )
    keep_conversations_days: int = _setting(
        0,
        "Conversations are removed so many days after their last message; 0: kept.",
        at_least=0,
        at_most=36_500,
    )
    keep_comments_days: int = _setting(
        0,
        "The comment of a visitor's feedback is removed after so many days; 0: kept.",
        at_least=0,
        at_most=36_500,
    )
    keep_audit_days: int = _setting(
        0, "Entries of the audit log are removed after so many days; 0: kept.", at_least=0, at_most=36_500
    )
    keep_history_days: int = _setting(
        0,
        "Runs of golden questions are removed after so many days, but for the latest of each site; 0: kept.",
        at_least=0,
        at_most=36_500,
    )

    # crawling
    crawl_delay_s: float = _setting(
        2.0,
        "Mean delay between two requests to a host; each is drawn from half to one and a half of it.",
        at_least=0,
    )
    crawl_max_pages: int = _setting(10_000, "A crawl ends after this many responses.", at_least=1)
    crawl_max_urls: int = _setting(
        250_000,
        "A crawl takes up no more addresses of a site than these, visited, waiting or left out.",
        at_least=1,
    )
    crawl_max_depth: int = _setting(100, "Links are followed this far from a start URL.", at_least=0)
    crawl_max_page_bytes: int = _setting(
        10_000_000, "A larger response, after decompression, is given up.", at_least=1
    )
    crawl_timeout_s: float = _setting(30.0, "A request that takes longer is given up.", at_least=0.1)
    crawl_retries: int = _setting(3, "A failed request is tried again this often, with back-off.", at_least=0)
    crawl_private_hosts: str = _words(
        "", "Loopback and private hosts that may be crawled (`host` or `host:port`), separated by spaces."
    )
    crawl_user_agent: str = _setting(
        "LodgeBot/0.1", "How the crawler names itself; robots.txt rules go by it."
    )
    crawl_trap_misses: int = _setting(
        25,
        "After this many pages in a row that brought nothing new, URLs of that shape are left alone.",
        at_least=1,
    )

    # indexing
    min_page_chars: int = _setting(275, "A page with less main text than this is dropped.", at_least=0)
    chunk_chars: int = _setting(500, "Target length of a chunk, in characters.", at_least=50)
    chunk_overlap_chars: int = _setting(0, "Characters a chunk repeats of the one before it.", at_least=0)
    min_chunk_words: int = _setting(10, "A shorter chunk is joined to its neighbour or left out.", at_least=1)
    max_page_passages: int = _setting(
        2_000, "Of a page no more passages than these are taken; the rest of it is left out.", at_least=1
    )
    max_site_passages: int = _setting(
        250_000, "Once a site (host) has so many passages, its further pages are left out.", at_least=1
    )
    near_duplicate_jaccard: float = _setting(
        0.9, "Pages whose word shingles overlap by this much are one page.", at_least=0, at_most=1
    )
    hnsw_from_chunks: int = _setting(
        100_000,
        "From this many chunks an unfiltered vector search uses HNSW; below, the exact scan.",
        at_least=0,
    )
    hnsw_min_recall: float = _setting(
        0.95,
        "Publishing stops when HNSW finds less than this share of the exact scan's top 10.",
        at_least=0,
        at_most=1,
    )
    keep_snapshots: int = _setting(
        5, "Older snapshots beyond this many are removed after publishing.", at_least=1
    )

    # inference
    embedder: str = _setting("minilm-l6-int8", "Folder of the embedder in `LODGE_MODELS_DIR`.")
    reranker: str = _setting(
        "reader-l6-int8", "Folder of the cross-encoder in `LODGE_MODELS_DIR`; empty: no strategy reranks."
    )
    inference_threads: int = _setting(
        0, "Threads of one inference call; 0: one for each core.", at_least=0, at_most=1024
    )
    duckdb_threads: int = _setting(2, "Threads of DuckDB while serving.", at_least=1, at_most=1024)

    # typesense
    typesense_urls: str = _words(
        "",
        "Nodes of a cluster (`http://search1.example.edu:8108`), separated by spaces; empty: DuckDB alone.",
    )
    typesense_key: str = _setting("", "API key of the cluster.", secret=True)
    typesense_engine: str = _setting(
        "keyword",
        "The searches that the cluster does; those it does not, or not in time, are DuckDB's.",
        "keyword",
        "keyword+vector",
    )
    typesense_alias: str = _setting(
        "lodge", "Alias of the live collection, and how collections' names begin; one for each installation."
    )
    typesense_timeout_s: float = _setting(
        1.0, "A node that takes longer to answer a search is given up.", at_least=0.01
    )
    typesense_import_timeout_s: float = _setting(
        60.0, "A node that takes longer to import a batch is given up.", at_least=0.01
    )
    typesense_rest_s: float = _setting(
        10.0, "After a failure the cluster is left alone for so long, then tried again.", at_least=0
    )
    typesense_weights: str = _words(
        "3 2 1", "What a match in title, heading and text weighs for Typesense, each from 0 to 127."
    )
    typesense_num_typos: str = _setting(
        "2", "Typing errors that Typesense forgives in a word.", "0", "1", "2"
    )

    # asking
    strategy: str = _setting(
        "hybrid+rerank",
        "Default strategy; where `LODGE_RERANKER` is empty, without its `+rerank`.",
        *STRATEGIES,
    )
    fusion: str = _setting(
        "score",
        "How the two rankings are fused: rank fusion score, or reciprocal rank fusion.",
        "score",
        "rrf",
    )
    fusion_alpha: float = _setting(
        0.3, "Weight α of the keyword score in α·K + (1−α)·S.", at_least=0, at_most=1
    )
    term_weight: float = _setting(
        0.1,
        "The share of its score that a passage of the term asked about gains, and one of another loses.",
        at_least=0,
        at_most=1,
    )
    today: str = _setting(
        "", "The day it is taken to be (`2026-11-22`), for old pages and tests; empty: the real one."
    )
    candidates: int = _setting(50, "How many chunks each search brings.", at_least=1)
    topic_least: float = _setting(
        0.30,
        "Below this probability of its likeliest topic, `+topics` does not filter.",
        at_least=0,
        at_most=1,
    )
    topic_others: float = _setting(
        0.15, "Topics above this probability are searched beside the likeliest.", at_least=0, at_most=1
    )
    rerank_candidates: int = _setting(10, "How many passages the cross-encoder reads at most.", at_least=1)
    rerank_stop: float = _setting(
        0.1,
        "Reading ends when one not yet read is the right one with less than this probability; 0: never.",
        at_least=0,
        at_most=1,
    )
    passages: int = _setting(5, "How many passages the answer is made from.", at_least=1)
    refusal_threshold: float = _setting(
        0.5, "An answer whose evidence is below this is refused (0 to 1).", at_least=0, at_most=1
    )

    support_threshold: float = _setting(
        0.5,
        "A language model's sentence whose support by its passages is below this is not shown (0 to 1).",
        at_least=0,
        at_most=1,
    )
    gate_threshold: float = _setting(
        4.2, "Below this score a question is taken for none of the site's business.", at_least=-100
    )
    gate_strikes: int = _setting(
        3, "After so many such questions in a row a conversation is told so more plainly.", at_least=1
    )
    chat_mode: str = _setting(
        "condense_question",
        "How a conversation enters the search and the prompt; `simple` (closed book) is for evaluation only.",
        "simple",
        "context",
        "condense_question",
        "condense_plus_context",
    )

    # the language model
    llm_url: str = _setting(
        "",
        "Address of an OpenAI-compatible server, such as `http://gpu-box:8080/v1`; empty: no language model.",
    )
    llm_model: str = _setting("", "The model's name there; empty: the server has only one.")
    llm_key: str = _setting("", "Bearer token of that server; empty: none is sent.", secret=True)
    llm_connect_s: float = _setting(0.5, "A connection that takes longer is given up.", at_least=0.01)
    llm_first_token_s: float = _setting(
        1.5,
        "The first words must come within this time, waiting, connecting and trying again included.",
        at_least=0.05,
    )
    llm_stall_s: float = _setting(1.5, "An answer that stands still this long is given up.", at_least=0.05)
    llm_total_s: float = _setting(20.0, "A whole answer may take this long.", at_least=0.1)
    llm_concurrency: int = _setting(
        4, "Questions the language model is sent at the same time.", at_least=1, at_most=1024
    )
    llm_tokens: str = _setting(
        "",
        "Tokens of prompts and answers that the language model may use, such as `200000/hour;2000000/day`; "
        "beyond it answers are quoted from the pages. Several servers count together in `LODGE_LIMIT_URL`. "
        "Empty: as many as there are.",
    )
    llm_queue: int = _setting(4, "Questions that may wait for it; one more is full.", at_least=0)
    llm_queue_wait_s: float = _setting(0.5, "A question waits for its turn no longer than this.", at_least=0)
    llm_retries: int = _setting(
        2, "A request that failed before its first word is sent again this often, if time allows.", at_least=0
    )
    llm_breaker_failures: int = _setting(
        3, "After this many failures in a row the language model is left in peace.", at_least=1
    )
    llm_breaker_rest_s: float = _setting(
        10.0, "For this long; then one question tries whether it is well again.", at_least=0
    )
    llm_context_tokens: int = _setting(
        4096,
        "Tokens that a prompt and its answer may have together; the server must allow as many.",
        at_least=512,
    )
    llm_answer_tokens: int = _setting(400, "Tokens an answer may have.", at_least=16)
    llm_temperature: float = _setting(
        0.0, "Sampling temperature; 0: the likeliest word every time.", at_least=0
    )

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> Settings:
        """Settings from `LODGE_…` variables; a wrong value is a `SettingError`."""
        types = get_type_hints(cls)
        fields = {PREFIX + field.name.upper(): field for field in dataclasses.fields(cls)}
        values = {
            field.name: parsed(name, environ[name], types[field.name], field.metadata["takes"])
            for name, field in fields.items()
            if name in environ
        }
        return cls(**values)

    def as_environ(self) -> dict[str, str]:
        """The variables that `read` makes these settings of, for a program started with the same ones."""
        return {
            PREFIX + field.name.upper(): str(getattr(self, field.name)) for field in dataclasses.fields(self)
        }

    @property
    def workers(self) -> int:
        """How many questions are worked on at the same time.

        Workers share Python's one lock with the event loop. More of them than there are cores answer no
        quicker, and keep it waiting (docs/running.md); those that wait for a language model do not.
        """
        at_once = min(cores(), 4)
        return self.answer_workers or (max(at_once, self.llm_concurrency) if self.llm_url else at_once)

    @property
    def day(self) -> date | None:
        """`today`, if it is set; `SettingError` if it is no day."""
        try:
            return date.fromisoformat(self.today) if self.today else None
        except ValueError:
            raise SettingError(f"LODGE_TODAY is {self.today!r}; it takes a day such as 2026-11-22.") from None

    @property
    def personal_path(self) -> Path | None:
        """The file of further patterns of personal data; None: there is none."""
        return as_path("LODGE_PERSONAL_FILE", self.personal_file) if self.personal_file else None

    @property
    def sites_path(self) -> Path | None:
        """The table of sites; None: there is none."""
        if self.sites_file:
            return as_path("LODGE_SITES_FILE", self.sites_file)
        own = self.home / "sites.toml"
        return own if own.exists() else None

    @property
    def crawl_dir(self) -> Path:
        """The crawl stores, one file a site."""
        return self.home / "crawl"

    @property
    def snapshots_dir(self) -> Path:
        """The snapshots, one folder each, and `current`."""
        return self.home / "snapshots"

    @property
    def current_snapshot(self) -> Path:
        """The link that names the live snapshot."""
        return self.snapshots_dir / "current"

    @property
    def records_database_url(self) -> str:
        """`records_url`, or SQLite under `home`."""
        return self.records_url or f"sqlite:///{self.home / 'records.sqlite'}"


def cores() -> int:
    """How many cores this process may use; a container may be given fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
