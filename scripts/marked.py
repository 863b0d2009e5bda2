"""The part of a document that a script makes: the lines between its marks.

    <!-- families: made by scripts/families -->
    …
    <!-- end of families -->

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import difflib
import sys
from pathlib import Path


class Marked:
    def __init__(self, document: Path, name: str, script: str) -> None:
        self.document, self.script = document, script
        self.begin, self.end = f"<!-- {name}: made by {script} -->\n", f"<!-- end of {name} -->"
        before, begin, rest = document.read_text(encoding="utf-8").partition(self.begin)
        self.found, end, after = rest.partition(self.end)
        if not begin or not end:
            sys.exit(f"{document}: expected the lines {self.begin.strip()} and {self.end}")
        self.around = before, after

    def write(self, made: str) -> int:
        before, after = self.around
        self.document.write_text(before + self.begin + made + self.end + after, encoding="utf-8")
        return 0

    def check(self, made: str) -> int:
        """The status to exit with: 1 if the document has another text; the difference is printed."""
        sys.stdout.writelines(difflib.unified_diff(self.found.splitlines(True), made.splitlines(True), str(self.document), self.script))
        return int(self.found != made)
