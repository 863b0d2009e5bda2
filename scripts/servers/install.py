"""Installs servers from PyPI, each in a venv of its own below the cache; an up-to-date venv is used as it is."""

from __future__ import annotations

import sys
from pathlib import Path

from ..peers.install import CPU_TORCH, Missing, run

ALONE = "# without its dependencies: "  # begins a line of the requirements

REQUIREMENTS = Path(__file__).parent / "requirements"


def wanted(package: str) -> str:
    return (REQUIREMENTS / f"{package}.txt").read_text()


def torch_version(package: str) -> str | None:
    """The version that the requirements pin, which PyPI's wheels have for GPUs only."""
    pinned = [line.removeprefix("torch==") for line in wanted(package).splitlines() if line.startswith("torch==")]
    return pinned[0] if pinned else None


def install(package: str, cache: Path, offline: bool) -> Path:
    """Installs the package if necessary; returns the directory of its programs. Raises Missing."""
    place = cache / "venv" / package
    stamp, python = place / "installed.txt", place / "bin" / "python"
    if stamp.exists() and stamp.read_text() == wanted(package):
        return place / "bin"
    if offline:
        raise Missing(f"not installed below {place}")
    place.parent.mkdir(parents=True, exist_ok=True)
    log = place.with_name(f"{package}.log")
    log.unlink(missing_ok=True)
    run([sys.executable, "-m", "venv", "--clear", str(place)], log)
    pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    if torch := torch_version(package):
        try:
            run([*pip, "--no-deps", "--retries", "1", "--extra-index-url", CPU_TORCH, f"torch=={torch}+cpu"], log)
        except Missing:
            pass  # the requirements install PyPI's torch
    run([*pip, "--prefer-binary", "-r", str(REQUIREMENTS / f"{package}.txt")], log)
    for line in wanted(package).splitlines():
        if line.startswith(ALONE):
            run([*pip, "--no-deps", line.removeprefix(ALONE)], log)
    stamp.write_text(wanted(package))
    return place / "bin"
