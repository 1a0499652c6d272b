"""Find a Chromium for the browser tests, or get one: with apt as root, else by Playwright's own download."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from playwright.sync_api import sync_playwright

from scripts.debian import can_install, install

# The same Chromium without the windows it never shows here: the browser tests take two thirds of the time.
SHELL = "chromium-headless-shell"
NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_browser() -> str | None:
    """The path of an installed Chromium, or None. `LODGE_BROWSER` goes before all others."""
    named = [os.environ.get("LODGE_BROWSER"), *map(shutil.which, NAMES)]
    found = next((path for path in named if path and os.access(path, os.X_OK)), None)
    return found or next(filter(os.path.exists, [_playwrights_own()]), None)


def _playwrights_own() -> str:
    with sync_playwright() as playwright:
        return playwright.chromium.executable_path


def main() -> int:
    """0 when there is a browser in the end."""
    if not os.environ.get("LODGE_BROWSER") and shutil.which(SHELL) is None and can_install():
        print("Installing Chromium's headless shell for the browser tests …", flush=True)
        install(SHELL, recommended=True)  # its fonts are among what is recommended
    if find_browser():
        return 0
    print("No Chromium found; installing one for the browser tests …", flush=True)
    if can_install():
        install("chromium", recommended=True)
    if not find_browser():
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)
    if find_browser():
        return 0
    print("No browser could be installed. Install Chromium and run again, or set LODGE_BROWSER to its path.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
