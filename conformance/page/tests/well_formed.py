"""Fails unless each tag of an HTML page is closed in its turn, and no id is given twice.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path

VOID = {"br", "hr", "img", "input", "link", "meta"}


class Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: set[str] = set()

    def refuse(self, what: str) -> None:
        sys.exit(f"{sys.argv[1]}:{self.getpos()[0]}: {what}")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        one = dict(attrs).get("id")
        if one in self.ids:
            self.refuse(f"the id {one} is given twice")
        if one:
            self.ids.add(one)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.refuse(f"</{tag}> closes another tag")


page = Page()
page.feed(Path(sys.argv[1]).read_text(encoding="utf-8"))
page.close()
if page.open or page.rawdata:
    sys.exit(f"{sys.argv[1]}: the page ends in {' '.join(page.open)}")
