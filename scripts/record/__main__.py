"""Command line of the recorder; `python -m scripts.record --help` from the repository's root."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .support import shards


def parse(arguments: list[str]) -> argparse.Namespace:
    from .families import NAMES
    parser = argparse.ArgumentParser(
        prog="python -m scripts.record",
        description="Records tiny checkpoints with the published systems' answers on them: the "
                    "float64 truth, its float32 noise, and traces.")
    parser.add_argument("--family", action="append", choices=(*NAMES, "positions", "rope", "threads", "trained",
                                                             "bundle"),
                        help="record only this family, the cases of positions or ropes, the programs of "
                             "threads, the trained models or the bundle (repeatable; default all)")
    parser.add_argument("--variant", action="append",
                        help="record only the variant of this name (repeatable; default all)")
    parser.add_argument("--seed", type=int, default=0,
                        help="0 (default) gives the bundled dimensions and inputs; any other seed "
                             "draws its own")
    parser.add_argument("--out", type=Path, default=Path("fixtures"),
                        help="directory that receives <family>/<variant>/ (default: fixtures)")
    parser.add_argument("--random", type=int, metavar="N", default=0,
                        help="instead record N configurations drawn at random over all families "
                             "(or those of --family), as <out>/random/<family>-NNNN/")
    parser.add_argument("--check", action="store_true",
                        help="write nothing: record again into a temporary directory and compare "
                             "every byte with --out; exit 1 where they differ. The bundle's weights are "
                             "those of --out: other processors train others")
    parser.add_argument("--no-observations", action="store_true", help=argparse.SUPPRESS)  # observatory/observe makes them
    parser.add_argument("--shard", type=shards.parse, metavar="I/N",
                        help="record only shard I (1 to N) of N, which have about the same number of cases")
    options = parser.parse_args(arguments)
    if options.random < 0:
        parser.error("--random takes a positive number of configurations")
    if options.random and options.check:
        parser.error("--check compares the bundled cases; it does not go with --random")
    if options.random and options.shard:
        parser.error("--shard divides the bundled cases; it does not go with --random")
    return options


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    from . import run
    try:
        return run.run(options)
    except (RuntimeError, OSError) as error:
        print(f"record: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
