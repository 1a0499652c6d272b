"""Client of an OpenAI-compatible chat server: llama-server, vLLM, Ollama.

It is called from ordinary threads and works on an event loop of its own, where every wait has a time-out: for
a place, the connection, the first words, the next words, the whole answer. Every failure is an
`LlmUnavailableError`, raised early enough to answer without the model.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import random
import ssl
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from itertools import count
from queue import SimpleQueue
from typing import Any, TypeVar

import httpx

from server.circuit_breaker import CircuitBreaker, Outcome
from server.errors import LlmUnavailableError
from server.llm.options import ChatOptions
from server.llm.tokens import TokenBudget, TokenCounter, upper_estimate
from server.llm.wire import (
    DONE,
    ChatMessage,
    EventReader,
    Finish,
    PassingError,
    StreamedReply,
    garbage,
    refusal,
    request_body,
)

T = TypeVar("T")


class LoopThread:
    """An event loop in a thread of its own, from the object's making to `close`.

    Every await on it can be cancelled at a moment; a blocking call (a name look-up, a read) cannot. At its
    end what still runs is cancelled, and after that `tidy_up` runs.
    """

    def __init__(self, name: str, tidy_up: Callable[[], Awaitable[None]]) -> None:
        self._tidy_up = tidy_up
        self._lock = threading.Lock()
        self._closed = False
        self._started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._live()), name=name, daemon=True)
        self._thread.start()
        self._loop, self._end = self._started.result()

    async def _live(self) -> None:
        end = asyncio.Event()
        self._started.set_result((asyncio.get_running_loop(), end))
        await end.wait()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._tidy_up()

    def start(self, task: Coroutine[Any, Any, T]) -> Future[T]:
        """Run it on the loop; cancelling the future cancels it there."""
        with self._lock:
            if not self._closed:
                return asyncio.run_coroutine_threadsafe(task, self._loop)
        task.close()
        raise LlmUnavailableError("The language model's client has been closed.", "down")

    def close(self) -> None:
        """Cancel everything and end the thread. A second call does nothing."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()


BACK_OFF_S = 0.1  # before the second try; twice as long before each further one
MAX_TOKENIZE_BYTES = 1_000_000

Chat = Sequence[ChatMessage]


class ConcurrencyLimit:
    """Concurrency limit: so many calls at a time, first come, first served. Belongs to one event loop."""

    def __init__(self, places: int, queue: int) -> None:
        self._semaphore = asyncio.Semaphore(places)
        self._queue = queue
        self._waiting = 0

    @asynccontextmanager
    async def taken(self, wait_s: float) -> AsyncIterator[None]:
        """A place for the length of a `with`; `LlmUnavailableError` (`full`) when none comes free in time."""
        await self._acquire(wait_s)
        try:
            yield
        finally:
            self._semaphore.release()

    async def _acquire(self, wait_s: float) -> None:
        if self._semaphore.locked() and self._waiting >= self._queue:
            raise _full()
        self._waiting += 1
        try:
            async with asyncio.timeout(wait_s):
                await self._semaphore.acquire()
        except TimeoutError:
            raise _full() from None
        finally:
            self._waiting -= 1


def _full() -> LlmUnavailableError:
    return LlmUnavailableError("The language model has more questions than it can take.", "full")


class ChatClient:
    """Chat client. Thread-safe; `close` cancels the calls under way."""

    def __init__(self, options: ChatOptions, clock: Callable[[], float] = time.monotonic) -> None:
        self._options = options
        self._places = ConcurrencyLimit(options.concurrency, options.queue)
        self._breaker = CircuitBreaker(options.breaker_failures, options.breaker_rest_s, clock)
        self._http = httpx.AsyncClient(
            headers=options.headers,
            # The waits that httpx would limit one by one are limited together, by the loop.
            timeout=httpx.Timeout(None, connect=options.connect_s),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=options.concurrency),
            verify=_certificates(options),
            trust_env=False,  # the server is on the local network, which the environment's proxy is not for
        )
        self._budget = TokenBudget(options.tokens, options.count_url)
        self._loop = LoopThread("llm", self._let_go)
        self._counter = TokenCounter(self._post, options.model, options.tokenize_s / 4, clock)

    def stream(
        self,
        messages: Chat,
        *,
        answer_tokens: int | None = None,
        model: str | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> Generator[str, None, Finish]:
        """The answer's text in pieces as they come, and its `Finish` as the generator's value.

        `model` is another of the server's models than the usual one; `more` are further fields of the
        request, or others in the place of the usual ones, such as `temperature` and `logprobs`.

        Closing the generator cancels the request, wherever it is. An `LlmUnavailableError` may come at any
        point; before the first piece it comes within `first_token_s`. What has begun is counted in the
        budget of tokens, by the server's count or else an upper estimate.
        """
        prompt_tokens = sum(upper_estimate(message.content) for message in messages)
        self._wait_for(self._budget.require(prompt_tokens + (answer_tokens or self._options.answer_tokens)))
        said: list[str] = []
        finish: Finish | None = None
        pieces: SimpleQueue[str | concurrent.futures.Future[Finish]] = SimpleQueue()
        call = self._loop.start(self._converse(messages, answer_tokens, model, more, pieces.put))
        call.add_done_callback(pieces.put)
        try:
            while isinstance(piece := pieces.get(), str):
                said.append(piece)
                yield piece
            finish = _result(piece)
            return finish
        finally:
            call.cancel()
            if said:
                with suppress(LlmUnavailableError):  # the client has been closed
                    self._wait_for(self._budget.spend(_used(finish, prompt_tokens, "".join(said))))

    def complete(
        self, messages: Chat, *, answer_tokens: int | None = None, more: Mapping[str, Any] | None = None
    ) -> str:
        """The whole answer at once."""
        return "".join(self.stream(messages, answer_tokens=answer_tokens, more=more))

    def first_token(self, messages: Chat, choices: int) -> tuple[str, tuple[tuple[str, float], ...]]:
        """The first token of an answer, and the likeliest so many in its place with their log-probabilities:
        none where the server does not tell."""
        more = {"logprobs": True, "top_logprobs": choices}
        stream = self.stream(messages, answer_tokens=1, more=more)
        text = ""
        while True:
            try:
                text += next(stream)
            except StopIteration as end:
                return text, end.value.likely

    @property
    def resting(self) -> bool:
        """Whether the circuit breaker is open or half-open, after repeated failures."""
        return self._breaker.state != "closed"

    def count_tokens(self, text: str) -> int:
        """Tokens of a text: the server's count, or an upper estimate. Never fails, and does not take long."""
        return self._counter.count(text)

    def close(self) -> None:
        """Cancel what is under way, with `LlmUnavailableError` for whoever waits for it, and let go."""
        self._loop.close()

    async def _converse(
        self,
        messages: Chat,
        answer_tokens: int | None,
        model: str | None,
        more: Mapping[str, Any] | None,
        put: Callable[[str], None],
    ) -> Finish:
        """One call, within the concurrency limit and with the circuit breaker's permission."""
        options, began = self._options, asyncio.get_running_loop().time()
        body = request_body(
            model or options.model,
            messages,
            max_tokens=answer_tokens or options.answer_tokens,
            temperature=options.temperature,
        ) | dict(more or {})
        async with self._places.taken(min(options.queue_wait_s, options.first_token_s)):
            permit = self._breaker.admit()
            if permit is None:
                raise LlmUnavailableError("The language model has failed and is left in peace.", "down")
            outcome: Outcome = "withdrawn"
            try:
                finish = await self._patiently(body, put, began)
                outcome = "well"
                return finish
            except LlmUnavailableError as error:
                outcome = "well" if error.trouble in ("full", "refused") else "failed"
                raise
            finally:
                self._breaker.settle(permit, outcome)

    async def _patiently(self, body: Mapping[str, Any], put: Callable[[str], None], began: float) -> Finish:
        """One time-out over all waits: until the first words it is theirs, and each piece extends it."""
        options, loop = self._options, asyncio.get_running_loop()
        reply, attempts = StreamedReply(put), 0
        latest = began + options.total_s
        try:
            async with asyncio.timeout_at(min(began + options.first_token_s, latest)) as patience:
                reply.on_text = lambda: patience.reschedule(min(loop.time() + options.stall_s, latest))
                attempts = await self._try(body, reply, patience)
        except TimeoutError:
            if reply.finish is None:
                raise LlmUnavailableError("The language model takes too long.", "slow") from None
        return reply.finished(began, attempts)

    async def _try(self, body: Mapping[str, Any], reply: StreamedReply, patience: asyncio.Timeout) -> int:
        """Retry while the failure may pass, nothing has come and there is time. Returns the tries made."""
        loop = asyncio.get_running_loop()
        for attempt in count(1):
            try:
                await self._once(body, reply)
                return attempt
            except PassingError as error:
                pause = _pause_s(attempt) if error.retry_after_s is None else error.retry_after_s
                is_late = loop.time() + pause >= (patience.when() or 0.0)
                if attempt > self._options.retries or is_late:
                    raise
            await asyncio.sleep(pause)
        raise AssertionError

    async def _once(self, body: Mapping[str, Any], reply: StreamedReply) -> None:
        try:
            async with self._http.stream("POST", self._options.chat_url, json=body) as response:
                if error := refusal(response.status_code, response.headers):
                    raise error
                await self._hear(response, reply)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            raise PassingError("The language model does not answer.", "down") from None
        except httpx.HTTPError:
            if reply.has_begun:
                raise _cut_off() from None
            raise PassingError("The language model's server hung up.", "broken") from None

    async def _hear(self, response: httpx.Response, reply: StreamedReply) -> None:
        """Read the stream to its end; what comes after the end is not waited for."""
        reader = EventReader()
        async for block in _limited(response, self._options.max_bytes):
            for data in reader.feed(block):
                if data.strip() == DONE:
                    return reply.check()
                reply.take(data)
        if reply.finish is None:
            raise _cut_off()
        return reply.check()

    def _post(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._wait_for(self._post_json(path, body))

    def _wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            return self._loop.start(work).result()
        except concurrent.futures.CancelledError:
            raise _closing() from None

    async def _let_go(self) -> None:
        await self._budget.close()
        await self._http.aclose()

    async def _post_json(self, path: str, body: Mapping[str, Any]) -> Any:
        """The JSON of a good answer, within a short time."""
        try:
            async with (
                asyncio.timeout(self._options.tokenize_s),
                self._http.stream("POST", self._options.root_url + path, json=body) as response,
            ):
                if response.status_code != 200:
                    raise LlmUnavailableError("The language model's server does not know this.", "refused")
                blocks = [block async for block in _limited(response, MAX_TOKENIZE_BYTES)]
                return httpx.Response(200, content=b"".join(blocks)).json()
        except TimeoutError:
            raise LlmUnavailableError("The language model's server takes too long.", "slow") from None
        except httpx.HTTPError:
            raise LlmUnavailableError("The language model's server does not answer.", "down") from None
        except (ValueError, RecursionError):
            raise garbage() from None


def _used(finish: Finish | None, prompt_tokens: int, said: str) -> int:
    """Tokens of a call: as the server has counted them, or else at most."""
    prompt, answer = (finish.prompt_tokens, finish.answer_tokens) if finish else (None, None)
    return (prompt or prompt_tokens) + (answer or upper_estimate(said))


async def _limited(response: httpx.Response, max_bytes: int) -> AsyncIterator[bytes]:
    """The body's blocks as they come, until there are too many bytes of it."""
    received = 0
    async for block in response.aiter_raw():
        received += len(block)
        if received > max_bytes:
            raise LlmUnavailableError(f"The language model sent more than {max_bytes:,} bytes.", "broken")
        yield block


def _certificates(options: ChatOptions) -> ssl.SSLContext | bool:
    """The machine's own authorities. Without TLS nothing is verified, and no redirect leads to it."""
    return ssl.create_default_context() if options.url.startswith("https:") else False


def _result(call: concurrent.futures.Future[Finish]) -> Finish:
    try:
        return call.result()
    except concurrent.futures.CancelledError:
        raise _closing() from None


def _pause_s(attempt: int) -> float:
    """Back-off with jitter, so that calls that failed together do not retry together."""
    longest: float = BACK_OFF_S * 2 ** (attempt - 1)
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 (there is nothing to guess)


def _cut_off() -> LlmUnavailableError:
    return LlmUnavailableError("The language model's answer was cut off.", "broken")


def _closing() -> LlmUnavailableError:
    return LlmUnavailableError("The language model's client is being closed.", "down")
