"""Where the published server's parsers and endpoints disagree with themselves: the sections of docs/FINDINGS.md on text."""

from __future__ import annotations

from pathlib import Path

FINDINGS = Path("docs/FINDINGS.md")
