"""What the people who run a server decide about it: one table, each row an environment variable.

What was fitted by measuring is a table of its own, `Calibration`, of which these settings are more.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from itertools import combinations
from pathlib import Path
from typing import Any, get_type_hints

from server.calibration import Calibration, read_calibration
from server.variables import PREFIX, SettingError, as_path, parsed, setting, words

PROJECT = Path(__file__).resolve().parent.parent
_SEARCHES = ("semantic", "keyword", "hybrid")
_STEPS = ("+rerank", "+topics", "+hyde", "+multiquery", "+llmrerank", "+questions", "+fewshot")
_PRESETS = (
    "brockport",
    "cmu",
    "princeton",
    "cmu-multiquery",
    "princeton-hyde",
    "princeton-llmrerank",
    "salerno",
)
STRATEGIES = (
    *(
        search + "".join(steps)
        for search in _SEARCHES
        for n in range(len(_STEPS) + 1)
        for steps in combinations(_STEPS, n)
    ),
    *_PRESETS,
)
STRATEGIES_TOLD = (
    f"{', '.join(_SEARCHES)}, each with any of {', '.join(_STEPS)} in this order, {', '.join(_PRESETS)}"
)


def _days(sentence: str) -> Any:
    return setting(0, sentence, at_least=0, at_most=36_500)


@dataclass(frozen=True, slots=True)
class Settings(Calibration):
    """The table. Paths are absolute once read."""

    # where things are
    home: Path = setting(PROJECT / "var", "Every file a run writes is under this folder.")
    models_dir: Path = setting(PROJECT / "onnx_models", "One folder a model.")
    filters_file: Path = setting(
        PROJECT / "corpus" / "filters.toml", "Rules that leave pages out of the index."
    )
    calibration: Path = setting(
        PROJECT / "corpus" / "calibration.toml",
        "Fitted constants, as `lodge calibrate --write` writes them; what it leaves out is as below.",
    )
    topics_file: Path = setting(
        PROJECT / "corpus" / "topics.toml", "Which URL prefixes make which topic, where directories do not."
    )
    general_questions_file: Path = setting(
        PROJECT / "corpus" / "general_questions.txt",
        "Questions that are no university's business, one a line; the scope gate learns from them.",
    )
    usual_questions_file: Path = setting(
        PROJECT / "corpus" / "usual_questions.toml",
        "Questions that any university is asked, and what is meant; `lodge index` takes them in.",
    )
    distress_file: Path = setting(
        PROJECT / "corpus" / "distress_model.json",
        "What distress is heard by (`scripts/research/hearing/fit_distress.py`; docs/conversation.md).",
    )
    synonyms_file: Path = setting(PROJECT / "corpus" / "synonyms.toml", "What visitors say and pages write.")
    questions_file: str = setting(
        "",
        "Questions (`lodge eval`'s format) that the pages of their `gold_urls` answer, for `+questions`.",
    )
    sites_file: str = setting(
        "",
        "The table of sites (docs/sites.md); empty: `sites.toml` under `LODGE_HOME`, where there is one.",
    )
    messages_dir: Path = setting(
        PROJECT / "server" / "messages",
        "What Lodge says to visitors in more languages (docs/widget.md); those that ship are always there.",
    )
    records_url: str = setting("", "SQLAlchemy URL of the records store; empty: SQLite under `LODGE_HOME`.")

    # serving
    host: str = setting("127.0.0.1", "Address the server listens on.")
    port: int = setting(8000, "Port of the server.", at_least=1, at_most=65_535)
    allowed_hosts: str = words(
        "",
        "Names by which the server may be called (`ask.example.edu`, `*.example.edu`), separated by spaces; "
        "any other is a 400, but at `/healthz` and `/readyz`. Empty: any (docs/deploying.md).",
    )
    admin_port: int = setting(8501, "Port of the console.", at_least=1, at_most=65_535)
    demo_port: int = setting(8090, "Port of the demo university's own site.", at_least=1, at_most=65_535)
    site_name: str = setting(
        "",
        "What the university is called where the table of sites does not say; empty: as its pages call it.",
    )
    contact_url: str = setting(
        "",
        "Where a visitor who got no answer can reach a person, where the table of sites does not say; "
        "empty: not offered.",
    )
    frame_origins: str = words(
        "",
        "Exact origins (`https://www.example.edu`) whose pages may embed the widget of the site `main`, "
        "beside those in the table of sites, separated by spaces.",
    )
    max_question_chars: int = setting(
        2000, "A longer question is turned away with 413; a site may allow less.", at_least=1
    )
    max_body_bytes: int = setting(65_536, "A longer request body is turned away with 413.", at_least=1)
    request_s: float = setting(
        15.0, "A request that is not there whole after so long is given up, head and body.", at_least=0.1
    )
    answer_workers: int = setting(
        0,
        "Questions worked on at the same time; more wait their turn. 0: as many as there are cores, but no "
        "more than four, or as many as the language model is sent if that is more.",
        at_least=0,
        at_most=1024,
    )
    answer_queue: int = setting(
        64, "Questions that may wait; one more is turned away with 503 at once.", at_least=0
    )
    hurry_from: int = setting(
        8,
        "While so many questions wait, each is answered from what the search by words alone finds, without a "
        "language model, and marked as degraded; 0: never.",
        at_least=0,
    )
    stop_wait_s: float = setting(
        30.0, "Answers under way have so long to finish when the server is told to stop.", at_least=0
    )
    drain_s: float = setting(
        0.0,
        "A server that is told to stop says so at `/readyz` for so long, and still answers, so that a proxy "
        "sends new questions elsewhere; make it longer than two of the proxy's looks.",
        at_least=0,
    )
    log: str = setting(
        "",
        "What the server logs on standard error: lines for people or JSON; empty: plain on a terminal, JSON "
        "elsewhere.",
        "",
        "plain",
        "json",
    )
    metrics_token: str = setting(
        "",
        "Bearer token by which Prometheus reads `/metrics`, from this machine too; empty: nobody may.",
        secret=True,
    )

    # limits
    limit_address: str = setting(
        "120/minute;1200/hour",
        "Questions from one address; empty: no limit. A campus may share one. Calls from the server's own "
        "machine count for their site alone, unless a proxy is trusted.",
    )
    limit_requests: str = setting(
        "600/minute;6000/hour",
        "Requests from one address for the visitors' pages and API, questions, page loads, feedback, saving "
        "and erasing alike; empty: no limit. Counted as questions are.",
    )
    limit_conversation: str = setting("20/minute", "Questions in one conversation; empty: no limit.")
    limit_site: str = setting("", "Questions on one site; empty: no limit.")
    limit_guesses: str = setting(
        "10/5minutes",
        "Wrong admin tokens from one address, after which it is shut out of the admin API for a while; as "
        "many wrong tokens for `/metrics` shut it out of that. Empty: no limit.",
    )
    trusted_hops: int = setting(
        0,
        "Proxies before the server, each of which writes the caller's address into `X-Forwarded-For`, and "
        "the scheme into `X-Forwarded-Proto`; 0: these headers are not believed.",
        at_least=0,
        at_most=100,
    )
    limit_url: str = setting(
        "",
        "Where several servers count together (Redis or Valkey): `redis://host:6379/0`; empty: each alone.",
        secret=True,
    )

    # privacy
    mask: str = setting(
        "on",
        "Whether personal data in visitors' words is masked before anything is recorded or sent to a "
        "language model (docs/privacy.md).",
        "on",
        "off",
    )
    personal_file: str = setting(
        "", "A TOML file of further patterns of personal data, and of those switched off (docs/privacy.md)."
    )
    keep_conversations_days: int = _days(
        "Conversations are removed so many days after their last message; 0: kept."
    )
    keep_comments_days: int = _days(
        "The comment of a visitor's feedback is removed after so many days; 0: kept."
    )
    keep_audit_days: int = _days("Entries of the audit log are removed after so many days; 0: kept.")
    keep_history_days: int = _days(
        "Runs of golden questions are removed after so many days, but for the latest of each site; 0: kept."
    )

    # notifications
    smtp_host: str = setting("", "SMTP server by which notifications are mailed; empty: no mail.")
    smtp_port: int = setting(587, "Its port.", at_least=1, at_most=65_535)
    smtp_security: str = setting(
        "starttls", "How the connection to it is encrypted.", "starttls", "tls", "none"
    )
    smtp_user: str = setting("", "Name to sign in there with; empty: without.")
    smtp_password: str = setting("", "Password to sign in there with.", secret=True)
    mail_from: str = setting("", "Address that mail comes from, such as `lodge@example.edu`; empty: no mail.")
    console_url: str = setting(
        "", "Address of the console, for links in notifications; empty: none are in them."
    )
    digest_weekday: int = setting(
        0, "Day of the weekly digest (0: Monday), in `LODGE_TIMEZONE`.", at_least=0, at_most=6
    )
    digest_hour: int = setting(7, "Hour of the weekly digest.", at_least=0, at_most=23)
    webhook_private_hosts: str = words(
        "",
        "Hosts on this machine or private networks that notifications may be sent to (`host` or "
        "`host:port`), by http too, separated by spaces; any other address must be public, by https.",
    )

    # crawling
    crawl_delay_s: float = setting(
        2.0,
        "Mean delay between two requests to a host; each is drawn from half to one and a half of it.",
        at_least=0,
    )
    crawl_max_pages: int = setting(10_000, "A crawl ends after this many responses.", at_least=1)
    crawl_max_urls: int = setting(
        250_000,
        "A crawl takes up no more addresses of a site than these, visited, waiting or left out.",
        at_least=1,
    )
    crawl_max_depth: int = setting(100, "Links are followed this far from a start URL.", at_least=0)
    crawl_max_page_bytes: int = setting(
        10_000_000, "A larger response, after decompression, is given up.", at_least=1
    )
    crawl_timeout_s: float = setting(30.0, "A request that takes longer is given up.", at_least=0.1)
    crawl_retries: int = setting(3, "A failed request is tried again this often, with back-off.", at_least=0)
    crawl_private_hosts: str = words(
        "", "Loopback and private hosts that may be crawled (`host` or `host:port`), separated by spaces."
    )
    crawl_user_agent: str = setting(
        "LodgeBot/0.1", "How the crawler names itself; robots.txt rules go by it."
    )

    crawl_render_s: float = setting(
        60.0, "A page that is rendered in a browser (sites.toml) may take so long.", at_least=1
    )
    browser: str = setting("", "Path of the Chromium that renders pages; empty: one that is installed.")

    # indexing
    min_page_chars: int = setting(
        275, "A page with less main text is dropped unless it says a fact; 0: none is.", at_least=0
    )
    chunk_chars: int = setting(500, "Target length of a chunk, in characters.", at_least=50)
    chunk_overlap_chars: int = setting(0, "Characters a chunk repeats of the one before it.", at_least=0)
    max_page_passages: int = setting(
        20_000, "Of a page no more passages than these are taken; the rest of it is left out.", at_least=1
    )
    max_site_passages: int = setting(
        250_000, "Once a site (host) has so many passages, its further pages are left out.", at_least=1
    )
    keep_snapshots: int = setting(
        5, "Older snapshots beyond this many are removed after publishing.", at_least=1
    )

    # inference
    embedder: str = setting("minilm-l6-int8", "Folder of the embedder in `LODGE_MODELS_DIR`.")
    reranker: str = setting(
        "reader-l6-int8", "Folder of the cross-encoder in `LODGE_MODELS_DIR`; empty: no strategy reranks."
    )
    paraphraser: str = setting(
        "paraphraser-l6-int8",
        "Folder in `LODGE_MODELS_DIR` of the cross-encoder that tells an editor's answer its questions; "
        "empty, or not there: words alone tell them.",
    )
    verifier: str = setting(
        "verifier-l6-int8",
        "Folder in `LODGE_MODELS_DIR` of the cross-encoder that says whether a quoted answer answers the "
        "question; empty, or not there: the confidence goes without it.",
    )
    router: str = setting(
        "router-l3-int8",
        "Folder in `LODGE_MODELS_DIR` of the model that says how a line is best gone on with "
        "(docs/conversation.md); empty, or not there: rules alone take it apart.",
    )
    inference_threads: int = setting(
        0, "Threads of one inference call; 0: one for each core.", at_least=0, at_most=1024
    )
    duckdb_threads: int = setting(2, "Threads of DuckDB while serving.", at_least=1, at_most=1024)

    # typesense
    typesense_urls: str = words(
        "",
        "Nodes of a cluster (`http://search1.example.edu:8108`), separated by spaces; empty: DuckDB alone.",
    )
    typesense_key: str = setting("", "API key of the cluster.", secret=True)
    typesense_engine: str = setting(
        "keyword",
        "The searches that the cluster does; those it does not, or not in time, are DuckDB's.",
        "keyword",
        "keyword+vector",
    )
    typesense_alias: str = setting(
        "lodge", "Alias of the live collection, and how collections' names begin; one for each installation."
    )
    typesense_timeout_s: float = setting(
        1.0, "A node that takes longer to answer a search is given up.", at_least=0.01
    )
    typesense_import_timeout_s: float = setting(
        60.0, "A node that takes longer to import a batch is given up.", at_least=0.01
    )
    typesense_rest_s: float = setting(
        10.0, "After a failure the cluster is left alone for so long, then tried again.", at_least=0
    )

    # asking
    strategy: str = setting(
        "hybrid+rerank",
        "Default strategy; where `LODGE_RERANKER` is empty, without its `+rerank`.",
        *STRATEGIES,
        told=STRATEGIES_TOLD,
    )
    wordings: int = setting(
        3, "How many other wordings of a question `+multiquery` searches with.", at_least=1, at_most=10
    )
    hypothetical_answers: int = setting(
        1, "How many made-up answers `+hyde` searches for the mean of.", at_least=1, at_most=10
    )
    fewshot_examples: int = setting(
        3, "How many answered golden questions a prompt has in `+fewshot`.", at_least=1, at_most=10
    )
    llm_rerank: str = setting(
        "listwise",
        "How the language model orders passages in `+llmrerank`: several at a time, or each by its yes.",
        "listwise",
        "pointwise",
    )
    asks_back: str = setting(
        "on",
        "Whether an answer for one kind of people asks back, once in a conversation, for whom the question "
        "is meant (docs/conversation.md).",
        "on",
        "off",
    )
    timezone: str = setting(
        "", 'IANA time zone (`America/New_York`) of "today"; a site may have its own; empty: the machine\'s.'
    )
    today: str = setting(
        "", "The day it is taken to be (`2026-11-22`), for old pages and tests; empty: the real one."
    )
    time: str = setting("", "The time of day it is taken to be (`14:30`), for tests; empty: the real one.")
    chat_mode: str = setting(
        "condense_question",
        "How a conversation enters the search and the prompt; `simple` (closed book) is for evaluation only.",
        "simple",
        "context",
        "condense_question",
        "condense_plus_context",
    )

    # the language model
    llm_url: str = setting(
        "",
        "Address of an OpenAI-compatible server, such as `http://gpu-box:8080/v1`; empty: no language model.",
    )
    llm_model: str = setting("", "The model's name there; empty: the server has only one.")
    llm_key: str = setting("", "Bearer token of that server; empty: none is sent.", secret=True)
    judge_url: str = setting(
        "", "OpenAI-compatible server that judges answers for `lodge eval judge`; empty: `LODGE_LLM_URL`."
    )
    judge_model: str = setting("", "The judge's name there; empty: `LODGE_LLM_MODEL`.")
    judge_key: str = setting("", "Bearer token of the judge's server; empty: `LODGE_LLM_KEY`.", secret=True)
    llm_connect_s: float = setting(0.5, "A connection that takes longer is given up.", at_least=0.01)
    llm_first_token_s: float = setting(
        1.5,
        "The first words must come within this time, waiting, connecting and trying again included.",
        at_least=0.05,
    )
    llm_stall_s: float = setting(1.5, "An answer that stands still this long is given up.", at_least=0.05)
    llm_total_s: float = setting(20.0, "A whole answer may take this long.", at_least=0.1)
    llm_decide_s: float = setting(
        6.0,
        "What it has written after this time must be as good as the quoted answer, or that is shown.",
        at_least=0.1,
    )
    llm_writes: str = setting(
        "all",
        "What the language model writes: `all` answers, or only what is `composed`, put together or "
        "explained, as the router has it; a fact of which quoting is sure is quoted at once.",
        "all",
        "composed",
    )
    llm_concurrency: int = setting(
        4, "Questions the language model is sent at the same time.", at_least=1, at_most=1024
    )
    llm_tokens: str = setting(
        "",
        "Tokens of prompts and answers that the language model may use, such as `200000/hour;2000000/day`; "
        "beyond it answers are quoted from the pages. Several servers count together in `LODGE_LIMIT_URL`. "
        "Empty: as many as there are.",
    )
    llm_queue: int = setting(4, "Questions that may wait for it; one more is full.", at_least=0)
    llm_queue_wait_s: float = setting(0.5, "A question waits for its turn no longer than this.", at_least=0)
    llm_retries: int = setting(
        2, "A request that failed before its first word is sent again this often, if time allows.", at_least=0
    )
    llm_breaker_failures: int = setting(3, "So many failures in a row open its circuit breaker.", at_least=1)
    llm_breaker_rest_s: float = setting(10.0, "For so long; then one question probes it.", at_least=0)
    llm_context_tokens: int = setting(
        4096,
        "Tokens that a prompt and its answer may have together; the server must allow as many.",
        at_least=512,
    )
    llm_answer_tokens: int = setting(400, "Tokens an answer may have.", at_least=16)
    llm_prompt: str = setting(
        "full", "How it is asked: full, or compact for models of few parameters and little room."
    )

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> Settings:
        """Settings from `LODGE_…` variables, then the calibration file; a wrong value is a `SettingError`."""
        types = get_type_hints(cls)
        fields = {PREFIX + field.name.upper(): field for field in dataclasses.fields(cls)}
        values = {
            field.name: parsed(name, environ[name], types[field.name], field.metadata["takes"])
            for name, field in fields.items()
            if name in environ
        }
        return cls(**{**read_calibration(values.get("calibration", cls().calibration)), **values})

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
