"""One module per family; a family consists of data and a few functions.

Rows of a table: one a source, as many as there are.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from ..variants.variant import Family

NAMES = tuple(sorted(module.name for module in iter_modules(__path__)))


def load(name: str) -> Family:
    return import_module(f".{name}", __package__).FAMILY
