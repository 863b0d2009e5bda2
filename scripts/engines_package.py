"""The package `assay` of adapters/python, of the clone that these scripts are in: importing this module makes it importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "adapters" / "python"))
