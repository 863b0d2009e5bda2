"""A headless Chromium, over two pipes of the DevTools protocol.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
SECONDS = 60.0  # for one call
OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
           "--disable-extensions", "--hide-scrollbars", "--remote-debugging-pipe")


class Failed(Exception):
    """The browser has ended, does not answer, or reports an error."""


def program() -> str | None:
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A page in a browser of its own, which close() ends with all of its processes. problems: exceptions and errors of the page's scripts."""

    def __init__(self, path: str) -> None:
        self.place = tempfile.mkdtemp()
        given, self.out = os.pipe()
        self.given, taken = os.pipe()
        environment = {**os.environ, "HOME": self.place, "XDG_CONFIG_HOME": self.place, "XDG_CACHE_HOME": self.place}
        # The browser reads from file 3, and writes to 4.
        command = ["sh", "-c", f'exec "$0" "$@" 3<&{given} 4>&{taken}', path, *OPTIONS, f"--user-data-dir={self.place}/profile", "about:blank"]
        self.process = subprocess.Popen(command, pass_fds=(given, taken), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, start_new_session=True, env=environment)
        os.close(given)
        os.close(taken)
        self.buffer, self.n_calls, self.session = b"", 0, ""
        self.events: list[str] = []
        self.problems: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def close(self) -> None:
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.out)
        os.close(self.given)
        shutil.rmtree(self.place, ignore_errors=True)

    def read(self, until: float) -> dict[str, Any]:
        while b"\0" not in self.buffer:
            if not select.select([self.given], [], [], max(0.0, until - time.monotonic()))[0]:
                raise Failed(f"no answer in {SECONDS:g} seconds")
            data = os.read(self.given, 1 << 20)
            if not data:
                raise Failed("the browser has ended")
            self.buffer += data
        message, _, self.buffer = self.buffer.partition(b"\0")
        return dict(json.loads(message))

    def note(self, message: dict[str, Any]) -> None:
        method, values = message.get("method", ""), message.get("params", {})
        self.events.append(method)
        if method == "Runtime.exceptionThrown":
            details = values["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and values["entry"]["level"] == "error":
            self.problems.append(values["entry"]["text"])
        elif method == "Page.javascriptDialogOpening":
            self.problems.append(f"a dialog: {values['message']}")

    def call(self, method: str, **values: Any) -> dict[str, Any]:
        self.n_calls += 1
        session = {"sessionId": self.session} if self.session else {}
        os.write(self.out, json.dumps({"id": self.n_calls, "method": method, "params": values, **session}).encode() + b"\0")
        until = time.monotonic() + SECONDS
        while (message := self.read(until)).get("id") != self.n_calls:
            self.note(message)
        if "error" in message:
            raise Failed(f"{method}: {message['error']['message']}")
        return dict(message["result"])

    def open(self, path: Path, width: int, scheme: str) -> None:
        """Loads a file in a window that wide. scheme: light or dark."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.show_as("screen", scheme)
        self.events.clear()
        self.call("Page.navigate", url=path.resolve().as_uri())
        until = time.monotonic() + SECONDS
        while "Page.loadEventFired" not in self.events:
            self.note(self.read(until))

    def show_as(self, medium: str, scheme: str) -> None:
        self.call("Emulation.setEmulatedMedia", media=medium, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def run(self, script: str) -> Any:
        """The value of an expression."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise Failed(found["exceptionDetails"].get("exception", {}).get("description", "a script failed"))
        return found["result"].get("value")

    def pdf(self) -> bytes:
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])
