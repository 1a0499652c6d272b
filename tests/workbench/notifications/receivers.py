"""A mail server and a web server on loopback, that keep what they are sent. The first is small but real:
`smtplib` speaks to it (RFC 5321: HELO or EHLO, MAIL, RCPT, DATA, RSET, NOOP, QUIT)."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Mailbox:
    """What arrived; while `refuses`, every address is refused."""

    port: int = 0
    mails: list[EmailMessage] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    refuses: bool = False


@contextmanager
def mail_server() -> Iterator[Mailbox]:
    box = Mailbox()

    class Session(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.say("220 tests ESMTP")
            for line in iter(self.rfile.readline, b""):
                word = line[:4].upper().strip()
                if word == b"DATA":
                    self.say("354 go on")
                    self.data()
                elif word == b"RCPT" and box.refuses:
                    self.say("550 nobody of that name")
                elif word == b"QUIT":
                    self.say("221 bye")
                    return
                else:
                    if word == b"RCPT":
                        box.recipients.append(line.decode().partition("<")[2].partition(">")[0])
                    known = (b"EHLO", b"HELO", b"MAIL", b"RCPT", b"RSET", b"NOOP")
                    self.say("250 good" if word in known else "502 not here")

        def data(self) -> None:
            lines = []
            for line in iter(self.rfile.readline, b".\r\n"):
                lines.append(line[1:] if line.startswith(b"..") else line)
            mail = message_from_bytes(b"".join(lines), policy=policy.default)
            assert isinstance(mail, EmailMessage)
            box.mails.append(mail)
            self.say("250 kept")

        def say(self, line: str) -> None:
            self.wfile.write(f"{line}\r\n".encode())

    with _running(socketserver.ThreadingTCPServer(("127.0.0.1", 0), Session)) as box.port:
        yield box


@dataclass
class Hook:
    """What was posted, each with its headers; and what it answers."""

    url: str = ""
    posts: list[tuple[Mapping[str, str], bytes]] = field(default_factory=list)
    status: int = 204
    location: str = ""


@contextmanager
def web_server() -> Iterator[Hook]:
    hook = Hook()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            hook.posts.append((dict(self.headers), body))
            self.send_response(hook.status)
            if hook.location:
                self.send_header("Location", hook.location)
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            """Nothing."""

    with _running(ThreadingHTTPServer(("127.0.0.1", 0), Receiver)) as port:
        hook.url = f"http://127.0.0.1:{port}/hooks/secret-path"
        yield hook


@contextmanager
def _running(server: socketserver.TCPServer) -> Iterator[int]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield int(server.server_address[1])
    server.shutdown()
    server.server_close()
    thread.join(10)
