"""How a message gets out: by mail (SMTP), or as a signed POST to a URL that is not on our own network.

Webhooks are signed as standardwebhooks.com has it, so that receivers find a library that checks them.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import json
import secrets
import smtplib
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Any
from urllib.parse import urlsplit

from server.errors import BadInputError, LodgeError
from server.ingest.crawl.urls import AddressGuard

TIMEOUT_S = 10.0  # of each step; a receiver that trickles is cut off after so long in all:
WHOLE_S = 30.0
ANSWER_BYTES = 4096  # of a receiver's answer no more is read
SECRET_PREFIX = "whsec_"  # noqa: S105  (what the standard calls it)
PORTS = {"http": 80, "https": 443}


class SendingError(LodgeError):
    """A message did not arrive; the sentence says why, and nothing of its words."""


def new_secret() -> str:
    """256 random bits that sign what is sent to one URL."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """`v1,` and the HMAC-SHA256 of `id.timestamp.body` in Base64, by the secret's bytes."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def look_up(host: str, port: int) -> list[str]:
    """The addresses that a name leads to; `OSError` for one that leads nowhere."""
    return [str(one[4][0]) for one in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


@dataclass(frozen=True, slots=True)
class WebhookSender:
    """Posts a message to a URL. Addresses of this machine and of private networks are refused unless named.

    The name is looked up once, and the connection is made to the very address that was looked at. Redirects
    are not followed, and the environment's proxy is not used: it would look the name up anew.
    """

    private_hosts: frozenset[str] = frozenset()
    clock: Callable[[], float] = time.time
    look_up: Callable[[str, int], list[str]] = look_up

    def check(self, url: str) -> None:
        """`BadInputError` for a URL that nothing is sent to, as far as it shows before it is looked up."""
        parts = urlsplit(url)
        if parts.username or parts.password:
            raise BadInputError("The address has a name or a password in it; the signature is what tells.")
        host, port = _host_and_port(url)
        if parts.scheme != "https" and not self._guard().allows_private(host, port):
            raise BadInputError("Messages are sent by https:// alone, but to hosts that are named for it.")
        if not self._guard().allows_host(host, port):
            raise BadInputError(_private(host))

    def send(self, url: str, message_id: str, secret: str, document: Mapping[str, Any]) -> None:
        """Signed, with its time; `SendingError` unless the answer is a 2xx within ten seconds."""
        self.check(url)
        body, now = json.dumps(document, ensure_ascii=False).encode(), int(self.clock())
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "Lodge",
            "webhook-id": message_id,
            "webhook-timestamp": str(now),
            "webhook-signature": signature(secret, message_id, now, body),
        }
        parts = urlsplit(url)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection = self._connection(url)
        cut_off = threading.Timer(WHOLE_S, connection.cut_off)
        cut_off.start()
        try:
            connection.request("POST", path, body, headers)
            answer = connection.getresponse()
            answer.read(ANSWER_BYTES)
        except (OSError, http.client.HTTPException) as error:
            raise SendingError(f"{parts.hostname} did not take it: {_why(error)}.") from error
        finally:
            cut_off.cancel()
            connection.close()
        if not 200 <= answer.status < 300:
            raise SendingError(f"{parts.hostname} answered {answer.status}.")

    def _connection(self, url: str) -> _PinnedConnection:
        host, port = _host_and_port(url)
        try:
            addresses = self.look_up(host, port)
        except OSError as error:
            raise SendingError(f"{host} was not found.") from error
        if not self._guard().allows_addresses(host, port, addresses):
            raise SendingError(_private(host))
        return _PinnedConnection(host, port, addresses[0], tls=urlsplit(url).scheme == "https")

    def _guard(self) -> _Guard:
        return _Guard(self.private_hosts)


class _Guard(AddressGuard):
    """The crawler's guard, which also says which hosts were named."""

    def allows_private(self, host: str, port: int) -> bool:
        """Whether this host was named in the settings."""
        return self._named(host, port)


class _PinnedConnection(http.client.HTTPConnection):
    """A connection to one address, whatever its host's name leads to by now; TLS is held to the name."""

    def __init__(self, host: str, port: int, address: str, *, tls: bool) -> None:
        super().__init__(host, port, timeout=TIMEOUT_S)
        self.default_port = PORTS["https" if tls else "http"]  # which the Host header leaves out
        self._address = address
        self._context = ssl.create_default_context() if tls else None

    def connect(self) -> None:
        """To the address that was looked at."""
        self.sock = socket.create_connection((self._address, self.port), TIMEOUT_S)
        if self._context is not None:
            self.sock = self._context.wrap_socket(self.sock, server_hostname=self.host)

    def cut_off(self) -> None:
        """Ends whatever is under way, from another thread."""
        if self.sock is not None:
            with suppress(OSError):
                self.sock.shutdown(socket.SHUT_RDWR)


@dataclass(frozen=True, slots=True)
class MailSender:
    """Sends plain mail through one SMTP server. `security` is starttls, tls or none."""

    host: str = ""
    port: int = 587
    security: str = "starttls"
    user: str = ""
    password: str = field(default="", repr=False)
    sender: str = ""

    @property
    def is_ready(self) -> bool:
        """Whether there is a server to send by, and an address to send from."""
        return bool(self.host and self.sender)

    def send(self, address: str, message_id: str, subject: str, text: str) -> None:
        """`SendingError` where the server does not take it; a second try carries the same Message-ID."""
        if not self.is_ready:
            raise SendingError("This server sends no mail: LODGE_SMTP_HOST and LODGE_MAIL_FROM are not set.")
        mail = self._mail(address, message_id, subject, text)
        try:
            with self._connection() as server:
                if self.user:
                    server.login(self.user, self.password)
                server.send_message(mail)
        except (OSError, smtplib.SMTPException) as error:
            raise SendingError(f"{self.host} did not take the mail: {_why(error)}.") from error

    def _mail(self, address: str, message_id: str, subject: str, text: str) -> EmailMessage:
        mail = EmailMessage()
        mail["From"], mail["To"] = self.sender, address
        mail["Subject"] = " ".join(subject.split())
        mail["Date"] = formatdate()
        domain = self.sender.rpartition("@")[2].strip("> ") or make_msgid().rpartition("@")[2]
        mail["Message-ID"] = f"<{message_id}@{domain}>"
        mail["Auto-Submitted"] = "auto-generated"  # so that no holiday notice comes back
        mail.set_content(text)
        return mail

    def _connection(self) -> smtplib.SMTP:
        if self.security == "tls":
            context = ssl.create_default_context()
            return smtplib.SMTP_SSL(self.host, self.port, timeout=TIMEOUT_S, context=context)
        server = smtplib.SMTP(self.host, self.port, timeout=TIMEOUT_S)
        if self.security == "starttls":
            try:
                server.starttls(context=ssl.create_default_context())
            except (OSError, smtplib.SMTPException):
                server.close()
                raise
        return server


def _host_and_port(url: str) -> tuple[str, int]:
    try:
        parts = urlsplit(url)
        return (parts.hostname or "").rstrip("."), parts.port or PORTS[parts.scheme]
    except (ValueError, KeyError):
        raise BadInputError("The address is no http or https URL.") from None


def _private(host: str) -> str:
    return (
        f"{host} is on this machine or a private network, to which nothing is sent unless it is named in "
        "LODGE_WEBHOOK_PRIVATE_HOSTS."
    )


def _why(error: Exception) -> str:
    """The kind of failure, without what the other side wrote into it."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return "it refuses the address"
    if isinstance(error, smtplib.SMTPResponseException):
        return f"it answered {error.smtp_code}"
    if isinstance(error, TimeoutError):
        return "it took too long"
    return getattr(error, "strerror", None) or type(error).__name__
