"""The observatory: what published systems make of the recorded cases. It imports the instrument (scripts/record), which does not import it."""

from __future__ import annotations

from scripts import engines_package  # noqa: F401 # makes assay importable
