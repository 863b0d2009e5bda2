"""Writes textual cases: JSON with one vector per line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any


def text(document: dict[str, Any], ascii_only: bool = True) -> str:
    """JSON with one vector per line."""
    head = {name: value for name, value in document.items() if name != "groups"}
    lines = json.dumps(head, indent=1)[:-2] + ',\n "groups": ['
    for index, group in enumerate(document["groups"]):
        vectors = ",\n".join("   " + json.dumps(vector, separators=(",", ":"), ensure_ascii=ascii_only) for vector in group["vectors"])
        lines += f'{"," if index else ""}\n  {{"name": "{group["name"]}", "vectors": [\n{vectors}]}}'
    return lines + "]}\n"


def write(path: Path, document: dict[str, Any], ascii_only: bool = True) -> None:
    content = text(document, ascii_only).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".gz":
        content = gzip.compress(content, mtime=0)
    path.write_bytes(content)
