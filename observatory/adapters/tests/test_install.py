"""Installing the adapters beside the package `assay`, whose tests these are, too."""

from __future__ import annotations

from pathlib import Path

from adapters.python.tests import test_install


class Adapters(test_install.Wheel):
    root = Path(__file__).resolve().parents[1]
    entry_points = ""
