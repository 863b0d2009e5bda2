"""Starts assay serve on a free port, asks it, measures its memory, and stops it."""

from __future__ import annotations

import http.client
import json
import os
import re
import resource
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

DEADLINE = 600.0  # seconds for any answer: long prompts take minutes under the thread sanitizer

# What differs between two answers to the same request.
DRAWN = re.compile(rb'"(id|item_id|call_id|created|created_at)": ?("[^"]*"|\d+)')
CHOICE = re.compile(rb'"choices": ?\[\{"index": ?(\d+)')


def fold(content: bytes) -> bytes:
    """The answer without what differs between two answers to the same request: ids and times, and how the chunks of several choices
    interleave."""
    lines = DRAWN.sub(b"", content).split(b"\n")
    if not content.startswith(b"data: "):
        return b"\n".join(lines)
    return b"\n".join(sorted(lines, key=lambda line: (CHOICE.search(line) or [b"", b""])[1]))


def waits_for(condition: Callable[[], Any], seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


class Server:
    """assay serve, as `name`. Its standard error is collected while it runs. n_files: how many files it may have open; None: as many as
    this process."""

    def __init__(self, assay: str, model: Path, name: str, *options: str, environment: dict[str, str] | None = None,
                 n_files: int | None = None) -> None:
        self.name = name
        limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (n_files, n_files))) if n_files else None
        self.process = subprocess.Popen([assay, "serve", "--model", str(model), "--name", name, "--port", "0", *options],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **(environment or {})}, preexec_fn=limit)
        assert self.process.stdout is not None
        line = self.process.stdout.readline().decode()
        match = re.fullmatch(rf"serving {re.escape(name)} on http://127\.0\.0\.1:(\d+)\n", line)
        if not match:
            raise RuntimeError(f"the server says {line!r} and {self.process.communicate()[1].decode()!r}")
        self.port = int(match.group(1))
        self._errors: list[bytes] = []
        self._reader = threading.Thread(target=self._read_errors)
        self._reader.start()

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._errors.append(line)

    def connect(self, timeout: float = DEADLINE) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def dial(self, timeout: float = DEADLINE) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout)

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> tuple[int, bytes]:
        connection = self.connect()
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def metric(self, name: str) -> int:
        match = re.search(rf"^{name} (\d+)$", self.ask("GET", "/metrics")[1].decode(), re.M)
        return int(match.group(1)) if match else -1

    def resident(self) -> float:
        """MiB of memory that are resident."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(re.search(r"^VmRSS:\s+(\d+) kB", status, re.M).group(1)) / 1024  # type: ignore[union-attr]

    def runs(self) -> bool:
        return self.process.poll() is None

    def stop(self, *signals: signal.Signals) -> tuple[int, str]:
        """Sends SIGTERM, or these signals. Returns the exit status and what the server said to standard error."""
        for each in signals or (signal.SIGTERM,):
            self.process.send_signal(each)
        code = self.process.wait(DEADLINE)
        self._reader.join()
        assert self.process.stdout is not None and self.process.stderr is not None
        self.process.stdout.close()
        self.process.stderr.close()
        return code, b"".join(self._errors).decode(errors="replace")

    def kill(self) -> None:
        if self.runs():
            self.process.kill()
            self.stop(signal.SIGKILL)
