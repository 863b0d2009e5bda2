"""Where the published server's parsers and endpoints disagree with themselves: the sections of observatory/FINDINGS.md on text."""

from __future__ import annotations

from pathlib import Path

FINDINGS = Path("observatory/FINDINGS.md")
