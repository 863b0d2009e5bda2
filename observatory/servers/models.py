"""The checkpoints of the bundle in the forms that servers read, below the cache."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

BUNDLE = Path(__file__).resolve().parents[2] / "fixtures" / "bundle"
FAMILIES = ("qwen3", "gemma4")
FORMS = ("older", "newer", "gguf-F32", "gguf-F16")  # of config.json, or of a GGUF file's matrices


def prepare(family: str, form: str, cache: Path, programs: Path) -> Path:
    """Makes the checkpoint anew; returns its directory or file. programs: of a venv that has the package gguf."""
    place = cache / "models" / f"{family}-{form}"
    place.parent.mkdir(parents=True, exist_ok=True)
    if form.startswith("gguf-"):
        place = place.with_suffix(".gguf")
        subprocess.run([str(programs / "python"), "-m", "observatory.servers.gguf_twin", str(BUNDLE / family), str(place),
                        "--type", form.removeprefix("gguf-")], check=True, cwd=BUNDLE.parents[1])
        return place
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(BUNDLE / family / "model", place)
    if form == "newer":
        shutil.copy(BUNDLE / family / "config.json.newer", place / "config.json")
    return place
