"""Command line of scripts/e2e."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from . import rows, table

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "e2e"


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/e2e",
        description="Asks `assay generate` and `assay serve` conversations with images of twelve families, and with audio of one, in their published storage, and "
                    "compares each token with the float64 truth. Exit status: 0 if every cell of the table passes, 1 if one does not or "
                    "its family is not supported yet, 2 for a wrong command line.")
    parser.add_argument("--assay", required=True, metavar="PROGRAM", help="the program (default: that of the build directory, $ASSAY_BUILD)")
    parser.add_argument("--engine", default="fastpath", help="the engine (default: fastpath)")
    parser.add_argument("--row", action="append", choices=tuple(rows.STORAGE), metavar="FAMILY",
                        help="only this row, also of a family beside the table (repeatable)")
    parser.add_argument("--fixtures", type=Path, default=FIXTURES, metavar="DIR", help="the recorded cases (default: fixtures/e2e)")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="also write the table as Markdown")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results as JSON")
    options = parser.parse_args(arguments)
    if not os.access(options.assay, os.X_OK):
        parser.error(f"--assay: {options.assay} is no program")
    return options


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    lines = [table.line(options.assay, options.engine, options.fixtures, family) for family in options.row or rows.ROWS]
    document = table.document(lines, options.engine)
    if options.markdown:
        options.markdown.write_text(table.markdown(lines), encoding="utf-8")
    if options.json:
        options.json.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    sys.stdout.write(table.terminal(lines))
    return 0 if document["passed"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
