"""The broken checkpoints of lib/model/checkpoint/tests/broken.json, which the loader and the recorder refuse with the same words.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

LIST = "lib/model/checkpoint/tests/broken.json"
BASE = "fixtures/llama/base/model"


def read(top: Path) -> list[dict[str, Any]]:
    return json.loads((top / LIST).read_text(encoding="utf-8"))


def make(top: Path, row: dict[str, Any], directory: Path) -> Path:
    """A copy of a bundled checkpoint with the changes of a row, as lib/model/checkpoint/tests/check_broken.c makes it."""
    shutil.copytree(top / BASE, directory)
    for file in directory.iterdir():
        file.chmod(0o644)
    for name in row.get("remove", ()):
        (directory / name).unlink()
    for name, text in row.get("text", {}).items():
        (directory / name).write_bytes(text.encode())
    for name, digits in row.get("hex", {}).items():
        (directory / name).write_bytes(bytes.fromhex(digits))
    for name, members in row.get("set", {}).items():
        document = json.loads((directory / name).read_text()) | members
        (directory / name).write_text(json.dumps(document))
    for name, file in row.get("safetensors", {}).items():
        header = file["header"].encode()
        (directory / name).write_bytes(len(header).to_bytes(8, "little") + header + bytes(file["data"]))
    return directory
