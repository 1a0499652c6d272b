"""Find a Chromium for the browser tests, or get one: apt where we may, else Playwright's own download."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_browser() -> str | None:
    """The path of an installed Chromium, or None. `LODGE_BROWSER` goes before all others."""
    candidates = [os.environ.get("LODGE_BROWSER"), *map(shutil.which, NAMES), _playwrights_own()]
    return next((path for path in candidates if path and os.access(path, os.X_OK)), None)


def _playwrights_own() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return playwright.chromium.executable_path


def main() -> int:
    """0 when there is a browser in the end."""
    if find_browser():
        return 0
    print("No Chromium found; installing one for the browser tests …", flush=True)
    if shutil.which("apt-get") and os.geteuid() == 0:
        subprocess.run(["apt-get", "update", "-qq"], check=False)
        subprocess.run(
            ["apt-get", "install", "-y", "-qq", "chromium"], check=False, stdout=subprocess.DEVNULL
        )
    if not find_browser():
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)
    if find_browser():
        return 0
    print("No browser could be installed. Install Chromium and run again, or set LODGE_BROWSER to its path.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
