"""Starts a server, waits until it answers, and stops it with all its processes."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from .systems import Server

STARTS = 600.0  # seconds until a server must answer
STOPS = 15.0    # seconds after SIGTERM until it is killed


class Silent(Exception):
    """The reason why a server does not answer."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError):
        return False


def last_words(log: Path) -> str:
    """The line of a log that names an error, or the last one."""
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    named = [line for line in lines if "Error" in line or "error:" in line]
    return (named or lines or ["no output"])[-1]


def stop(process: subprocess.Popen) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(STOPS)
    except subprocess.TimeoutExpired:
        pass
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextlib.contextmanager
def running(server: Server, programs: Path, model: Path, log: Path) -> Iterator[str]:
    """Gives the URL of the server once it answers. It is given the checkpoint as a relative path, which is then the name of
    the model in its answers. Raises Silent if it does not within STARTS seconds."""
    port = free_port()
    (log.parent / "hub").mkdir(parents=True, exist_ok=True)
    offline = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "PYTHONUNBUFFERED": "1",
               "HF_HOME": str(log.parent / "hub")}
    with open(log, "w") as out:
        process = subprocess.Popen(server.command(programs, Path(model.name), port), cwd=model.parent, stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=subprocess.STDOUT, start_new_session=True, env=os.environ | offline)
    try:
        url, until = f"http://127.0.0.1:{port}", time.monotonic() + STARTS
        while not answers(url + server.ready):
            if process.poll() is not None:
                raise Silent(f"ends with status {process.returncode}: {last_words(log)}")
            if time.monotonic() > until:
                raise Silent(f"does not answer GET {server.ready} within {STARTS:g} s: {last_words(log)}")
            time.sleep(0.5)
        yield url
    finally:
        stop(process)
