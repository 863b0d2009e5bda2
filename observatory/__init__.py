"""The observatory: what published systems make of the recorded cases. It imports the instrument (scripts/record), which does not import it."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "adapters" / "python"), str(HERE / "adapters")]  # assay and assay.adapters
