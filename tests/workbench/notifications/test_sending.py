"""Messages arrive, signed, by mail or at a URL; never at an address of our own network."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from urllib.parse import urlsplit

import pytest

from server.errors import BadInputError
from server.workbench.notifications.sending import (
    MailSender,
    SendingError,
    WebhookSender,
    new_secret,
    signature,
)
from tests.workbench.notifications.receivers import Hook, Mailbox

DOCUMENT = {"type": "digest", "title": "Die Woche – ñ", "items": []}


def to_loopback(hook: Hook) -> WebhookSender:
    return WebhookSender(frozenset([urlsplit(hook.url).netloc]), clock=lambda: 1_770_000_000.5)


def test_a_post_carries_a_signature_that_its_receiver_can_check(hook: Hook) -> None:
    secret = new_secret()
    to_loopback(hook).send(hook.url, "m1", secret, DOCUMENT)
    [(headers, body)] = hook.posts
    assert json.loads(body) == DOCUMENT
    assert (headers["webhook-id"], headers["webhook-timestamp"]) == ("m1", "1770000000")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    assert len(key) == 32
    wanted = hmac.new(key, b"m1.1770000000." + body, hashlib.sha256).digest()
    assert headers["webhook-signature"] == "v1," + base64.b64encode(wanted).decode()


def test_the_signature_is_that_of_the_standards_own_example() -> None:
    """https://github.com/standard-webhooks/standard-webhooks, `spec/standard-webhooks.md`."""
    secret, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", b'{"test": 2432232314}'
    signed = signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body)
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.parametrize("status", [301, 400, 410, 500])
def test_what_is_not_taken_is_an_error_and_a_redirect_is_not_followed(hook: Hook, status: int) -> None:
    hook.status, hook.location = status, hook.url
    with pytest.raises(SendingError, match=f"127.0.0.1 answered {status}"):
        to_loopback(hook).send(hook.url, "m1", new_secret(), DOCUMENT)
    assert len(hook.posts) == 1


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/",
        "https://127.1/",
        "https://0x7f000001/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://10.1.2.3/",
        "https://169.254.169.254/latest/meta-data/",
        "https://localhost:8000/",
        "https://records.internal/",
        "http://www.example.edu/",
        "https://ada:secret@www.example.edu/",
        "ftp://www.example.edu/",
    ],
)
def test_addresses_of_our_own_network_and_open_connections_are_refused(url: str) -> None:
    with pytest.raises(BadInputError):
        WebhookSender().check(url)


@pytest.mark.parametrize("addresses", [["127.0.0.1"], ["93.184.215.14", "10.0.0.1"], ["fd00::1"]])
def test_a_name_that_leads_to_our_own_network_is_refused(hook: Hook, addresses: list[str]) -> None:
    sender = WebhookSender(look_up=lambda _host, _port: addresses)
    sender.check("https://hooks.example.edu/")
    with pytest.raises(SendingError, match="private network"):
        sender.send("https://hooks.example.edu/", "m1", new_secret(), DOCUMENT)


def test_the_connection_is_made_to_the_address_that_was_looked_at(hook: Hook) -> None:
    """A name that leads elsewhere a moment later (DNS rebinding) gains nothing: it is looked up once."""
    port = urlsplit(hook.url).port
    asked: list[str] = []

    def once(host: str, _port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    sender = WebhookSender(frozenset(["hooks.example.edu"]), look_up=once)
    sender.send(f"http://hooks.example.edu:{port}/", "m1", new_secret(), DOCUMENT)
    [(headers, _)] = hook.posts
    assert headers["Host"] == f"hooks.example.edu:{port}"
    assert asked == ["hooks.example.edu"]


def test_mail_arrives_as_plain_text_and_starts_no_holiday_notice(box: Mailbox) -> None:
    sender = MailSender("127.0.0.1", box.port, "none", sender="Lodge <lodge@example.edu>")
    sender.send("registrar@example.edu", "m1", "Two\nlines", "Grüße\n.\n..\nEnd\n")
    [mail] = box.mails
    assert box.recipients == ["registrar@example.edu"]
    assert mail["Subject"] == "Two lines"
    assert mail["Message-ID"] == "<m1@example.edu>"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail.get_content().splitlines() == ["Grüße", ".", "..", "End"]


def test_what_the_mail_server_refuses_is_an_error_without_its_words(box: Mailbox) -> None:
    box.refuses = True
    sender = MailSender("127.0.0.1", box.port, "none", sender="lodge@example.edu")
    with pytest.raises(SendingError) as told:
        sender.send("ada@example.edu", "m1", "Words", "Words")
    assert told.value.message == "127.0.0.1 did not take the mail: it refuses the address."


def test_a_password_is_not_sent_where_the_server_has_no_encryption(box: Mailbox) -> None:
    sender = MailSender("127.0.0.1", box.port, "starttls", "lodge", "secret", "lodge@example.edu")
    with pytest.raises(SendingError):
        sender.send("ada@example.edu", "m1", "Words", "Words")
    assert box.mails == []
