"""`make run`: crawl and index the demo university, then serve it, Lodge and the console until Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from server.errors import SnapshotError
from server.index.snapshot import Manifest
from server.inference.session import EmbedderCard, read_card
from server.settings import Settings

PROJECT = Path(__file__).resolve().parent.parent
TOKEN_NAME = "make-run"  # noqa: S105 - a name, not a secret
START_TIMEOUT_S = 60.0


class Demo:
    """The three servers of a demonstration, and the commands that prepare it."""

    def __init__(self, settings: Settings) -> None:
        self.site_url = f"http://{settings.host}:{settings.demo_port}"
        self.server_url = f"http://{settings.host}:{settings.port}"
        self.console_url = f"http://{settings.host}:{settings.admin_port}"
        self._settings = settings
        self._environ = {**self._demo_settings(), **os.environ}
        self._processes: list[tuple[str, subprocess.Popen[bytes]]] = []

    def _demo_settings(self) -> dict[str, str]:
        """The demo university's table of sites, and what in it depends on the ports."""
        also = f"http://localhost:{self._settings.demo_port}"
        return {
            "LODGE_SITES_FILE": str(PROJECT / "corpus" / "demo_site" / "sites.toml"),
            "LODGE_FRAME_ORIGINS": f"{self.site_url} {also}",
            "LODGE_CONTACT_URL": f"{self.site_url}/about/contact/",
            # The console starts crawls too, and this site is ours.
            "LODGE_CRAWL_PRIVATE_HOSTS": f"{self._settings.host}:{self._settings.demo_port}",
            "LODGE_CRAWL_DELAY_S": "0.05",
        }

    def run(self) -> int:
        """Everything, in order; the exit status."""
        try:
            self._start_site()
            self._update_snapshot()
            self._start("server", ["server.cli", "serve"], f"{self.server_url}/healthz")
            self._start("console", ["server.cli", "admin"], f"{self.console_url}/_stcore/health")
            self._print_addresses(self._new_token())
            return self._wait()
        except KeyboardInterrupt:
            print("\nStopping.")
            return 0
        finally:
            self._stop()

    def _start_site(self) -> None:
        site = [
            "corpus.demo_site.serve",
            "--host",
            self._settings.host,
            "--port",
            str(self._settings.demo_port),
        ]
        self._start("demo university", [*site, "--widget-src", f"{self.server_url}/widget.js"], self.site_url)

    def _update_snapshot(self) -> None:
        """Crawl; index only when there is something new or no snapshot yet."""
        print("Crawling the demo university …", flush=True)
        host = f"{self._settings.host}:{self._settings.demo_port}"
        report = json.loads(
            self._lodge("crawl", f"{self.site_url}/", "--delay", "0", "--private-host", host, "--json")
        )
        changed = report["fetched"] + report["gone"]
        print(f"  {report['fetched']} new pages, {report['unchanged']} unchanged, {report['seconds']:.0f} s")
        if changed or not self.is_usable():
            print("Indexing …", flush=True)
            self._index()

    def is_usable(self) -> bool:
        """Whether there is a snapshot that this Lodge reads, of the embedder that it has now.

        After an upgrade either may have changed.
        """
        models, name = self._settings.models_dir, self._settings.embedder
        try:
            made_with = Manifest.read(self._settings.current_snapshot).embedder_sha256
        except SnapshotError:
            return False
        return made_with == read_card(models / name, EmbedderCard).sha256

    def _index(self) -> None:
        """What is live stays where golden questions hold the new snapshot back."""
        try:
            index = json.loads(self._lodge("index", "--json"))
        except SystemExit:
            if not self._settings.current_snapshot.exists():
                raise
            print("  Going on with the snapshot that is live.", flush=True)
        else:
            print(f"  {index['pages']} pages, {index['chunks']} passages, {index['seconds']['total']:.0f} s")

    def _new_token(self) -> str:
        """A fresh token for the console; the one of the last run is worthless from now on."""
        tokens = json.loads(self._lodge("token", "list", "--json"))
        if any(token["name"] == TOKEN_NAME and not token["revoked_at"] for token in tokens):
            self._lodge("token", "revoke", TOKEN_NAME)
        return self._lodge("token", "create", TOKEN_NAME, "--role", "developer").strip()

    def _lodge(self, *arguments: str) -> str:
        """A `lodge` command's standard output; it shows its own progress. The demo ends when it fails."""
        command = [sys.executable, "-m", "server.cli", *arguments]
        done = subprocess.run(
            command, check=False, stdout=subprocess.PIPE, text=True, env=self._environ, cwd=PROJECT
        )
        if done.returncode:
            raise SystemExit(f"`lodge {arguments[0]}` failed; see above.")
        return done.stdout

    def _start(self, name: str, module: Sequence[str], ready_url: str) -> None:
        """Start a server in its own process and wait until it answers."""
        command = [sys.executable, "-m", *module]
        process = subprocess.Popen(command, env=self._environ, cwd=PROJECT, stdout=subprocess.DEVNULL)
        self._processes.append((name, process))
        deadline = time.monotonic() + START_TIMEOUT_S
        while not _answers(ready_url):
            if process.poll() is not None:
                raise SystemExit(f"The {name} could not start; see above.")
            if time.monotonic() > deadline:
                raise SystemExit(f"The {name} does not answer on {ready_url}.")
            time.sleep(0.1)

    def _print_addresses(self, token: str) -> None:
        rows = [
            ("Ask a question", f"{self.server_url}/"),
            ("The widget on an ordinary page", f"{self.server_url}/demo"),
            ("The widget on the whole demo university", f"{self.site_url}/"),
            ("The console", f"{self.console_url}/"),
            ("  its token", token),
        ]
        print("\nLodge is ready. Ctrl-C stops it.\n")
        for name, value in rows:
            print(f"  {name:42}{value}")
        print(flush=True)

    def _wait(self) -> int:
        """Until one of the servers ends by itself, which none should."""
        while True:
            for name, process in self._processes:
                if process.poll() is not None:
                    print(f"The {name} ended unexpectedly (exit status {process.returncode}).")
                    return 1
            time.sleep(0.5)

    def _stop(self) -> None:
        for _, process in reversed(self._processes):
            process.terminate()
        for _, process in self._processes:
            try:
                process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                process.kill()


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2):  # noqa: S310 - our own loopback servers
            return True
    except (urllib.error.URLError, OSError):
        return False


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def stop_on_signals() -> None:
    """Ctrl-C, named outright: a shell starts what it puts in the background with it ignored."""
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, _interrupt)


if __name__ == "__main__":
    stop_on_signals()
    sys.exit(Demo(Settings.read(os.environ)).run())
