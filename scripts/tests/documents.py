"""Checks that the documents name files, links and modules of Python that exist. For rooms.py.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import re
from pathlib import Path

DOCUMENTS = ("*.md", "docs/*.md", "examples/*/*.md", "adapters/*/*.md", "scripts/record/README.md", "observatory/README.md",
             "observatory/adapters/README.md")
FILE = re.compile(r"`((?:[\w.-]+/)*[\w.-]+\.(?:c|h|py|mk|test|tsv|jsonl))`")  # or the end of its path
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")  # without those of other sites
MODULE = re.compile(r"python3? -m\s+((?:scripts|observatory)(?:\.\w+)*)")
SOURCES = ("adapters", "conformance", "docs", "examples", "fastpath", "fuzz", "include", "lib", "observatory", "ref", "scripts")


def missing(top: Path) -> list[str]:
    """What a document names and the tree does not have."""
    paths = [f"/{path.relative_to(top)}" for folder in SOURCES for path in (top / folder).rglob("*.*")]
    ends = {path[at.start():] for path in paths for at in re.finditer("/", path)}
    found = []
    for document in sorted(file for pattern in DOCUMENTS for file in top.glob(pattern)):
        text = document.read_text(encoding="utf-8")
        lost = [name for name in FILE.findall(text) if f"/{name}" not in ends]
        lost += [name for name in LINK.findall(text) if not (document.parent / name).exists()]
        lost += [name for name in MODULE.findall(text)
                 if not {f"/{name.replace('.', '/')}{end}" for end in (".py", "/__main__.py")} & ends]
        found += [f"{document.relative_to(top)} names {name}, which does not exist" for name in dict.fromkeys(lost)]
    return found
