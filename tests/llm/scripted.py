"""A chat server that follows a script: real HTTP on loopback, written by hand, so that it can be broken."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

STREAM = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
PATIENCE_S = 60.0  # how long a scripted server waits for a client before the test has failed anyway


@dataclass(frozen=True)
class Seen:
    """A request as it came in."""

    path: str
    headers: Mapping[str, str]
    body: Any


class Line:
    """One connection, as a script drives it."""

    def __init__(self, sock: socket.socket, server: ScriptedServer) -> None:
        self._sock = sock
        self.server = server
        self.sent = 0

    def send(self, data: str | bytes) -> None:
        """Out at once, in a packet of its own."""
        raw = data.encode() if isinstance(data, str) else data
        self._sock.sendall(raw)
        self.sent += len(raw)

    def wait_until_left(self, seconds: float = PATIENCE_S) -> bool:
        """Whether the client hung up within this time. It has said all it had to say."""
        self._sock.settimeout(seconds)
        try:
            left = self._sock.recv(1) == b""
        except TimeoutError:
            return False
        except OSError:
            left = True
        if left:
            self.server.left.set()
        return left

    def reset(self) -> None:
        """Break the connection off instead of ending it."""
        self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")


Script = Callable[[Line], None]


class ScriptedServer:
    """Plays its scripts one after another, a request each, and the last one for ever."""

    def __init__(self, *scripts: Script, tokenize: Script | None = None) -> None:
        self.left = threading.Event()  # a client hung up before it had an answer
        self.seen: list[Seen] = []
        self.at_once = self.most_at_once = 0
        self._scripts = list(scripts)
        self._tokenize = tokenize
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"

    @property
    def chats(self) -> list[Seen]:
        """The requests for an answer."""
        return [request for request in self.seen if request.path == "/v1/chat/completions"]

    def serve(self) -> None:
        while True:
            try:
                sock, _ = self._socket.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._handle, args=(sock,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _handle(self, sock: socket.socket) -> None:
        with sock:
            sock.settimeout(PATIENCE_S)
            try:
                request = read_request(sock)
                if request is None:
                    self.left.set()
                    return
                line = Line(sock, self)
                self._choose(request)(line)
            except OSError:
                self.left.set()

    def _choose(self, request: Seen) -> Script:
        with self._lock:
            self.seen.append(request)
            if request.path != "/v1/chat/completions":
                return self._tokenize or status(404)
            return self._scripts.pop(0) if len(self._scripts) > 1 else self._scripts[0]

    @contextmanager
    def working(self) -> Iterator[None]:
        """Counts how many scripts are inside at once."""
        with self._lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            yield
        finally:
            with self._lock:
                self.at_once -= 1

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


@contextmanager
def serving(*scripts: Script, tokenize: Script | None = None) -> Iterator[ScriptedServer]:
    """The server, up for the length of a `with`."""
    server = ScriptedServer(*scripts, tokenize=tokenize)
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join()


def read_request(sock: socket.socket) -> Seen | None:
    """One request with its body; None where the client leaves without one."""
    raw = b""
    while b"\r\n\r\n" not in raw:
        block = sock.recv(65536)
        if not block:
            return None
        raw += block
    head, _, body = raw.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    while len(body) < int(headers.get("content-length", "0")):
        body += sock.recv(65536)
    return Seen(first.split(" ")[1], headers, json.loads(body))


# --- what a server may say -----------------------------------------------------------------------


def event(text: str | None, finish: str | None = None, **more: Any) -> str:
    """One event of a chat stream."""
    choice = {"index": 0, "delta": {} if text is None else {"content": text}, "finish_reason": finish}
    return f"data: {json.dumps({'object': 'chat.completion.chunk', 'choices': [choice], **more})}\n\n"


def usage(prompt: int, answer: int) -> str:
    """The event after the last one, with the counts of tokens."""
    counts = {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer}
    return f"data: {json.dumps({'choices': [], 'usage': counts})}\n\n"


def says(*texts: str, finish: str = "stop", end: str = "data: [DONE]\n\n") -> Script:
    """A whole, good answer."""

    def script(line: Line) -> None:
        with line.server.working():
            line.send(STREAM)
            for text in texts:
                line.send(event(text))
            line.send(event(None, finish) + usage(11, len(texts)) + end)

    return script


def sends(*parts: str | bytes, then: Callable[[Line], object] = lambda _: None) -> Script:
    """These bytes, and then something else or the end."""

    def script(line: Line) -> None:
        for part in parts:
            line.send(part)
        then(line)

    return script


def status(code: int, *headers: str, body: str = '{"error": {"message": "no"}}') -> Script:
    """A response with no answer in it."""
    lines = (
        f"HTTP/1.1 {code} No",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        *headers,
    )
    return sends("\r\n".join((*lines, "Connection: close", "", body)))


def json_answer(answer: Any) -> Script:
    """A good answer that is no stream."""
    return status(200, body=json.dumps(answer))


def hangs(*parts: str | bytes) -> Script:
    """These bytes, and then nothing until the client hangs up."""
    return sends(*parts, then=Line.wait_until_left)


def repeats(part: str, head: str = STREAM, every_s: float = 0.02) -> Script:
    """The same again and again until the client hangs up."""

    def script(line: Line) -> None:
        line.send(head)
        while not line.wait_until_left(every_s):
            line.send(part)

    return script


def waits_for(gate: threading.Event, script: Script) -> Script:
    """Holds the request until the gate is open."""

    def held(line: Line) -> None:
        with line.server.working():
            assert gate.wait(PATIENCE_S)
        script(line)

    return held
