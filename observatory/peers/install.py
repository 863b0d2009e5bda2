"""Installs peers, each in a venv of its own below a cache."""

from __future__ import annotations

from pathlib import Path

from scripts import venvs
from scripts.venvs import Missing, run

from .cells import PEERS

__all__ = ["Missing", "install", "run", "venv", "wanted"]
REQUIREMENTS = Path(__file__).parent / "requirements"


def packages(name: str) -> venvs.Packages:
    peer = PEERS[name]
    return venvs.Packages(REQUIREMENTS / f"{name}.txt", peer.no_deps, peer.torch, peer.environment)


def wanted(name: str) -> str:
    """The contents of installed.txt in an up-to-date venv."""
    return packages(name).wanted()


def venv(cache: Path, name: str) -> Path:
    return cache / "venv" / name


def install(name: str, cache: Path, offline: bool) -> Path:
    """Installs the peer if necessary; returns its Python. Raises Missing."""
    return venvs.install(packages(name), venv(cache, name), offline) / "python"
