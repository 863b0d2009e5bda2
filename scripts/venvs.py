"""Installs packages from PyPI, each set in a venv of its own; an up-to-date venv is used as it is."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ALONE = "# without its dependencies: "  # begins a line of the requirements
CPU_TORCH = "https://download.pytorch.org/whl/cpu"  # PyPI's torch depends on the GPU libraries


class Missing(Exception):
    """The reason why packages cannot be installed."""


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


@dataclass(frozen=True)
class Packages:
    """What a venv contains. requirements: a file of pip, in which lines that begin with ALONE name further packages. no_deps: more of them.
    torch: the version whose CPU build is installed first, if the requirements do not pin it. environment: of pip, while it builds."""

    requirements: Path
    no_deps: tuple[str, ...] = ()
    torch: str = ""
    environment: tuple[tuple[str, str], ...] = ()

    def wanted(self) -> str:
        """The contents of installed.txt in an up-to-date venv."""
        lines = self.requirements.read_text().splitlines()
        return "\n".join([*lines, *self.no_deps, *(f"{k}={v}" for k, v in self.environment)]) + "\n"

    def lines(self) -> list[str]:
        return [line.strip() for line in self.requirements.read_text().splitlines()]

    def torch_version(self) -> str:
        pinned = [line.removeprefix("torch==") for line in self.lines() if line.startswith("torch==")]
        return pinned[0] if pinned else self.torch

    def alone(self) -> list[str]:
        return [line.removeprefix(ALONE) for line in self.lines() if line.startswith(ALONE)] + list(self.no_deps)

    def pins(self) -> dict[str, str]:
        """Package -> version."""
        pairs = (line.removeprefix(ALONE).split("==") for line in self.lines() if "==" in line and (line[:1] != "#" or line.startswith(ALONE)))
        return {name.split("[")[0]: version for name, version in pairs}


def install(packages: Packages, place: Path, offline: bool) -> Path:
    """Installs the packages in the venv `place` if necessary; returns the directory of its programs. Raises Missing."""
    stamp, programs = place / "installed.txt", place / "bin"
    if stamp.exists() and stamp.read_text() == packages.wanted():
        return programs
    if offline:
        raise Missing(f"not installed below {place}")
    place.parent.mkdir(parents=True, exist_ok=True)
    log = place.with_name(f"{place.name}.log")
    log.unlink(missing_ok=True)
    run([sys.executable, "-m", "venv", "--clear", str(place)], log)
    pip = [str(programs / "python"), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    if torch := packages.torch_version():
        try:
            run([*pip, "--no-deps", "--retries", "1", "--extra-index-url", CPU_TORCH, f"torch=={torch}+cpu"], log)
        except Missing:
            pass  # the requirements install PyPI's torch
    run([*pip, "--prefer-binary", "-r", str(packages.requirements)], log, dict(packages.environment))
    for package in packages.alone():
        run([*pip, "--no-deps", package], log)
    stamp.write_text(packages.wanted())
    return programs
