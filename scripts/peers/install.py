"""Installs peers from PyPI, each in a venv of its own below a cache; an up-to-date venv is used as it is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from .cells import PEERS

REQUIREMENTS = Path(__file__).parent / "requirements"
CPU_TORCH = "https://download.pytorch.org/whl/cpu"  # PyPI's torch depends on the GPU libraries


class Missing(Exception):
    """The reason why a peer cannot be installed."""


def wanted(name: str) -> str:
    """The contents of installed.txt in an up-to-date venv: requirements, further packages and environment."""
    peer = PEERS[name]
    lines = (REQUIREMENTS / f"{name}.txt").read_text().splitlines()
    return "\n".join([*lines, *peer.no_deps, *(f"{k}={v}" for k, v in peer.environment)]) + "\n"


def venv(cache: Path, name: str) -> Path:
    return cache / "venv" / name


def run(command: list[str], log: Path, environment: dict[str, str] | None = None) -> None:
    """Runs a command, and appends its output to `log`. Raises Missing if it fails."""
    with open(log, "a") as file:
        file.write(f"$ {' '.join(command)}\n")
        file.flush()
        done = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, env=os.environ | (environment or {}))
    if done.returncode == 0:
        return
    said = [line.strip() for line in log.read_text(errors="replace").splitlines()
            if "ERROR" in line or "rror:" in line]
    raise Missing(f"{said[-1] if said else f'status {done.returncode}'} (see {log})")


def install(name: str, cache: Path, offline: bool) -> Path:
    """Installs the peer if necessary; returns its Python. Raises Missing."""
    place, peer = venv(cache, name), PEERS[name]
    stamp, python = place / "installed.txt", place / "bin" / "python"
    if stamp.exists() and stamp.read_text() == wanted(name):
        return python
    if offline:
        raise Missing(f"not installed below {place}")
    place.parent.mkdir(parents=True, exist_ok=True)
    log = place.with_name(f"{name}.log")
    log.unlink(missing_ok=True)
    run([sys.executable, "-m", "venv", "--clear", str(place)], log)
    pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    if peer.torch:
        try:
            run([*pip, "--no-deps", "--retries", "1", "--extra-index-url", CPU_TORCH,
                 f"torch=={peer.torch}+cpu"], log)
        except Missing:
            pass  # the requirements install PyPI's torch
    run([*pip, "--prefer-binary", "-r", str(REQUIREMENTS / f"{name}.txt")], log,
        dict(peer.environment))
    if peer.no_deps:
        run([*pip, "--no-deps", *peer.no_deps], log)
    stamp.write_text(wanted(name))
    return python
