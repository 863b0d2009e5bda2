"""Families are listed in one place, lib/model/families/local.mk: prints TAP.

A source or document that names ten families or more, outside readers, recorders, fixtures and the data of tests, is a second list, to which the next
family would have to be added. It is allowed if a line of it says why: "Names families: REASON.".

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import tap

FOLDERS = ("conformance", "docs", "fastpath", "fuzz", "include", "lib", "observatory", "ref", "scripts")
OWN = re.compile(r"(^|/)tests/(?!check_)|^fuzz/seeds/|^scripts/record/families/|^lib/model/families/.*\.c$|^(docs|observatory)/([A-Z]+\.md|.*\.html|.*\.jsonl|.*\.tsv)$")
GENERATED = re.compile(r"<!-- (\w+): made by .*?<!-- end of \1 -->", re.S)
REASON = re.compile(r"Names families: \w")
MOST = 9


def recorded(top: Path) -> list[str]:
    return sorted(path.stem for path in (top / "scripts/record/families").glob("[a-z]*.py"))


def sources(top: Path) -> list[Path]:
    found = [path for folder in FOLDERS for path in (top / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return sorted(path for path in [*found, *top.glob("*.md")] if not OWN.search(str(path.relative_to(top))))


def second_lists(top: Path) -> list[str]:
    names, found = set(recorded(top)), []
    for path in sources(top):
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        named = names & set(re.findall(r"\w+", GENERATED.sub("", text)))
        is_row = path.relative_to(top) == Path("lib/model/families/local.mk")
        if len(named) > MOST and not is_row and not REASON.search(text):
            found.append(f"{path.relative_to(top)} names {len(named)} families")
    return found


def unlisted(top: Path) -> list[str]:
    """Readers that FAMILY_READERS lacks, or has without a file."""
    folder = top / "lib/model/families"
    listed = re.search(r"^FAMILY_READERS = ((?:.*\\\n)*.*)", (folder / "local.mk").read_text(), re.M)
    rows = set(re.findall(r"[\w/]+\.c\b", listed.group(1))) if listed else set()
    readers = {str(path.relative_to(top)) for path in folder.rglob("*.c") if re.search(r"^const family_reader ", path.read_text(), re.M)}
    return sorted(f"{path}: in one of reader and FAMILY_READERS" for path in rows ^ readers)


def without_cases(top: Path) -> list[str]:
    return [name for name in recorded(top) if not any((top / "fixtures" / name).glob("*/*.h5"))]


def main() -> int:
    top = Path(sys.argv[1])
    results = [("every reader has its row", unlisted(top)), ("every recorder has cases", without_cases(top)),
               ("no other file lists the families", second_lists(top))]
    tap.rules(results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
