"""The files of a checkpoint. Assay's loader decides which ones are broken, and says why; what it accepts is read here without checks."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
SINGLE, INDEX = "model.safetensors", "model.safetensors.index.json"


class Unsupported(RuntimeError):
    """A checkpoint, a prompt or an option that cannot be recorded; the message names the file and the member."""


def program() -> str:
    """The built program of this tree, or the installed one."""
    built = Path(os.environ.get("ASSAY_BUILD", TOP / "build"), "conformance", "assay")
    if found := shutil.which(built) or shutil.which("assay"):
        return found
    raise Unsupported(f"{built}: not found, expected there or in PATH the program that checks the files of a checkpoint")


def check(checkpoint: Path) -> None:
    """Refuses a broken file in the loader's words, before the published library reads it."""
    done = subprocess.run([program(), "info", "--tensors", checkpoint], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Unsupported(done.stderr.strip().removeprefix("assay: "))


def stop_ids(checkpoint: Path) -> list[int]:
    """The ids that end a stream, of config.json and generation_config.json."""
    found: set[int] = set()
    for path in (checkpoint / "config.json", checkpoint / "generation_config.json"):
        document = json.loads(path.read_text()) if path.exists() else {}
        for part in (document, document.get("text_config") or {}):
            ids = part.get("eos_token_id")
            found |= set(ids if isinstance(ids, list) else [] if ids is None else [ids])
    return sorted(found)


def weight_files(checkpoint: Path) -> list[Path]:
    if (checkpoint / SINGLE).exists():
        return [checkpoint / SINGLE]
    places = json.loads((checkpoint / INDEX).read_text())["weight_map"]
    return [checkpoint / name for name in sorted(set(places.values()))]
