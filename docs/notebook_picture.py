"""Draws docs/notebook.png: JupyterLab in a headless browser, with the cells of CELLS run in it.

    pip install -e '.[notebook]' jupyterlab playwright; apt-get install chromium
    python docs/notebook_picture.py [--theme dark] [FILE]

The picture shows what a user sees; look at the picture before you commit it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import nbformat
from playwright.sync_api import Page, expect, sync_playwright

CELLS = (
    "%load_ext porter",
    '%%gpusnek -n 100000 --stdout 64\nprint("hello from", threadIdx % 3)',
    "%%gpusnek\ndef inverse(value):\n    # of 0 there is none\n    return 1 / value\n\n"
    "y = inverse(threadIdx % 5)",
    "%%gpusnek -n 65536\nx0 = threadIdx % 256 / 256 * 0.13 - 0.62\n"
    "y0 = threadIdx // 256 / 256 * 0.13 - 0.65\nx, y, i = 0, 0, 0\n"
    "while x * x + y * y <= 4 and i < 30:\n"
    "    x, y, i = x * x - y * y + x0, 2 * x * y + y0, i + 1\nc = i / 30\n"
    "outbuf[threadIdx * 3 : threadIdx * 3 + 3] = [256 * (1 - c), 256 * c**2, 256 * c]\noutbuf",
    "%gpusnek",
)
ENDLESS = "%%gpusnek -n 20000\nwhile threadIdx > 15000:\n    pass"
WIDTH, HEIGHT = 900, 1440
PATIENCE = 300_000  # milliseconds: a build may be needed first


def notebook(cells: tuple[str, ...]) -> str:
    """The text of a notebook with these cells of code."""
    node = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    node.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    return str(nbformat.writes(node))


@contextmanager
def jupyterlab(folder: Path, theme: str) -> Iterator[str]:
    """A server over `folder`; the address of its pages, to which /NAME.ipynb is added."""
    settings = folder / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    for name, chosen in {
        "themes": {"theme": f"JupyterLab {theme.title()}"},
        "notification": {"fetchNews": "false", "checkForUpdates": False},
    }.items():
        (settings / f"{name}.jupyterlab-settings").write_text(json.dumps(chosen))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token = secrets.token_hex(16)
    options = {
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": port,
        "ServerApp.root_dir": folder,
        "ServerApp.allow_root": True,
        "IdentityProvider.token": token,
        "LabApp.user_settings_dir": folder / "settings",
        "LabApp.news_url": None,
    }
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser"]
    command += [f"--{name}={value}" for name, value in options.items()]
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, env=os.environ)
    try:
        wait_for(f"http://127.0.0.1:{port}/api/status?token={token}", server)
        yield f"http://127.0.0.1:{port}/doc/tree/{{}}?token={token}"
    finally:
        server.terminate()
        server.wait()


def wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    """Until `server` answers."""
    for _ in range(600):
        if server.poll() is not None:
            raise SystemExit("jupyter lab has ended; is it installed?")
        try:
            with urlopen(address):
                return
        except URLError:
            time.sleep(0.1)
    raise SystemExit("jupyter lab does not answer")


def run_cells(page: Page, count: int) -> None:
    """Run `count` cells, each when the one before has ended, whether or not it raised."""
    page.wait_for_selector('[data-status="idle"]', timeout=60_000)
    cells = page.locator(".jp-CodeCell")
    for index in range(count):
        start(page, index)
        prompt = cells.nth(index).locator(".jp-InputArea-prompt")
        expect(prompt).to_have_text(re.compile(r"\[\d+\]"), timeout=PATIENCE)
    page.keyboard.press("Escape")
    page.mouse.click(5, 5)


def start(page: Page, index: int) -> None:
    """Begin to run a cell; asked again where the kernel did not listen yet."""
    cell = page.locator(".jp-CodeCell").nth(index)
    for _ in range(30):
        cell.locator(".jp-InputArea-editor").click()
        page.keyboard.press("Control+Enter")
        page.wait_for_timeout(1000)
        if "[ ]" not in cell.locator(".jp-InputArea-prompt").inner_text():
            return
    raise SystemExit("the kernel does not start")


def draw(theme: str, file: Path, bar: Path | None) -> None:
    """Write the picture; and to `bar` one of a cell that still runs."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        place = Path(folder)
        (place / "porter.ipynb").write_text(notebook(CELLS))
        (place / "bar.ipynb").write_text(notebook((CELLS[0], ENDLESS)))
        with jupyterlab(place, theme) as address:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            page.goto(address.format("porter.ipynb"))
            run_cells(page, len(CELLS))
            page.wait_for_timeout(1000)
            page.screenshot(path=file)
            if bar is not None:
                page.set_viewport_size({"width": WIDTH, "height": 400})
                page.goto(address.format("bar.ipynb"))
                start(page, 0)
                start(page, 1)
                page.wait_for_selector("progress", timeout=PATIENCE)
                page.wait_for_timeout(1000)
                page.screenshot(path=bar)
            browser.close()


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "file", nargs="?", type=Path, default=Path(__file__).with_name("notebook.png")
    )
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    parser.add_argument("--bar", type=Path, help="and a picture of a cell that still runs")
    arguments = parser.parse_args()
    draw(arguments.theme, arguments.file, arguments.bar)


if __name__ == "__main__":
    main()
