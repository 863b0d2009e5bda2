"""scripts/rates: see there.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import difflib
import os
import platform
import re
import sys
from pathlib import Path

from scripts.judging import data, page
from scripts.judging.measure import TOP, measure
from scripts.judging.replays import all_replays
from scripts.marked import Marked

MEASURED, DOCUMENT = TOP / "docs/judging.jsonl", TOP / "docs/judging.md"


def machine() -> str:
    names = re.findall(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.M) or [platform.machine()]
    return str(names[0])


def report(build: Path, check: bool) -> int:
    """Writes the document's tables and its pictures, or compares them with what the data gives."""
    where, runs, tails = data.read(MEASURED)
    marked, made, status = Marked(DOCUMENT, "rates", "scripts/rates"), page.made(where, runs, tails), 0
    for name, picture in page.pictures(build / "conformance/rates/draw", runs, tails).items():
        file = DOCUMENT.with_name(name)
        if not check:
            file.write_text(picture, encoding="utf-8")
        elif file.read_text(encoding="utf-8") != picture:
            sys.stdout.writelines(difflib.unified_diff(file.read_text(encoding="utf-8").splitlines(True), picture.splitlines(True), str(file), "scripts/rates"))
            status = 1
    return (marked.check(made) if check else marked.write(made)) | status


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/rates", description="Measures how often the judge is wrong, and writes docs/judging.md.")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("measure", help="run the replays, sum them up, and write the report")
    run.add_argument("--replay", default="", metavar="PATTERN", help="only the replays whose name or source matches this regular expression; the others stay as they are kept")
    run.add_argument("--kept", type=Path, default=Path.home() / ".cache/assay-rates", metavar="DIR", help="where each replay's tally is kept (%(default)s)")
    run.add_argument("--fixtures", type=Path, default=TOP / "fixtures", metavar="DIR")
    run.add_argument("--python", default=sys.executable, metavar="PROGRAM", help="the Python that has the published systems")
    made = commands.add_parser("report", help="write the report from the data in the tree")
    made.add_argument("--check", action="store_true", help="fail if the report is another one")
    options = parser.parse_args()
    build = Path(os.environ.get("ASSAY_BUILD", TOP / "build"))
    if options.command == "report":
        return report(build, options.check)
    replays = all_replays()
    measure([r for r in replays if re.search(options.replay, f"{r.name} {r.source}")], options.kept, build, options.fixtures.resolve(), options.python)
    data.write(MEASURED, machine(), *data.summed(replays, options.kept))
    return report(build, False)


if __name__ == "__main__":
    sys.exit(main())
