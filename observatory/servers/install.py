"""Installs servers, each in a venv of its own below the cache."""

from __future__ import annotations

from pathlib import Path

from scripts import venvs
from scripts.venvs import ALONE, Missing

__all__ = ["ALONE", "Missing", "install", "wanted"]
REQUIREMENTS = Path(__file__).parent / "requirements"


def wanted(package: str) -> str:
    return (REQUIREMENTS / f"{package}.txt").read_text()


def install(package: str, cache: Path, offline: bool) -> Path:
    """Installs the package if necessary; returns the directory of its programs. Raises Missing."""
    return venvs.install(venvs.Packages(REQUIREMENTS / f"{package}.txt"), cache / "venv" / package, offline)
