"""python -m assay MODULE:CLASS: serves an engine. The pipes are claimed before the module is imported, so that nothing that its
libraries print reaches the harness."""

from __future__ import annotations

import importlib
import os
import sys

from .pipes import claim


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python -m assay MODULE[:CLASS]   (CLASS: Engine)", file=sys.stderr)
        return 2
    claim()
    module, _, name = arguments[0].partition(":")
    sys.path.insert(0, os.getcwd())
    from .serve import serve
    return serve(getattr(importlib.import_module(module), name or "Engine")())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
