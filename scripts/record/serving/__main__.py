"""Records the answers of the published server's parsers and endpoints: `python -m scripts.record.serving`.

One module for each kind of vector (KINDS) has

    CATCHES                         bugs that its vectors catch
    published() -> groups           inputs of upstream's own tests and documents; may be empty
    groups(seed, n) -> groups       n goldens per group, drawn from the seed
    written() -> groups             optional: texts written by hand
    sequences(seed, n) -> groups    optional: up to n sequences of marker-like tokens of each length
                                    (marker_sequences.py) on which upstream agrees with itself

groups is a list of {"name": ..., "vectors": [...]}. fixtures/serving/<kind>/ receives published.json.gz,
written.json.gz, random.json.gz and sequences.json.gz, those that have groups.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from ..events import goldens as events
from ..reasoning import goldens as reasoning
from ..support import archives, serving_package
from ..support.comparing import compare
from ..support.textual import write
from ..tools import goldens as tools
from . import eos

KINDS = {"eos": eos, "reasoning": reasoning, "tools": tools, "events": events}

N_GOLDENS = 250  # per group
N_SEQUENCES = 400  # tried for each parser and length


def document(kind: str, module: ModuleType, recorder: str, groups: list[Any]) -> dict[str, Any]:
    return {"schema": "assay/1", "kind": kind, "source": serving_package.wanted(),
            "recorder": f"scripts/record/serving_{kind}.py, {recorder}", "catches": module.CATCHES,
            "groups": groups}


def count(groups: list[Any]) -> int:
    return sum(len(group["vectors"]) for group in groups)


def record(kind: str, module: ModuleType, seed: int, n: int, n_sequences: int, out: Path) -> list[Path]:
    """Writes the files of one kind; returns their paths relative to `out`."""
    made = []
    written = module.written() if hasattr(module, "written") else []
    sequences = module.sequences(seed, n_sequences) if hasattr(module, "sequences") else []
    for name, recorder, groups in (
            ("published.json.gz", "upstream's tests", module.published()),
            ("written.json.gz", "texts of its own", written),
            ("random.json.gz", f"seed {seed}", module.groups(seed, n)),
            ("sequences.json.gz", f"seed {seed}, --sequences {n_sequences}", sequences)):
        if groups:
            write(out / kind / name, document(kind, module, recorder, groups))
            made.append(Path(kind) / name)
            print(f"serving/{kind}/{name}: {count(groups)} vectors", flush=True)
    return made


def run(options: argparse.Namespace) -> int:
    serving_package.load()
    kinds = options.only or KINDS
    if not options.check:
        for kind in kinds:
            record(kind, KINDS[kind], options.seed, options.goldens, options.sequences, options.out)
        archives.store(options.out)
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        made = [file for kind in kinds for file in record(kind, KINDS[kind], 0, N_GOLDENS, N_SEQUENCES, Path(scratch))]
        return compare(Path(scratch), options.out, made)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m scripts.record.serving",
        description="Records what the published server's parsers and endpoints make of text.")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn (default: 0)")
    parser.add_argument("--goldens", type=int, metavar="N", default=N_GOLDENS,
                        help=f"how many goldens of each group (default: {N_GOLDENS})")
    parser.add_argument("--sequences", type=int, metavar="N", default=N_SEQUENCES,
                        help="how many sequences of marker-like tokens to ask of each parser and length, one to five tokens; "
                             f"all of a length that has no more (default: {N_SEQUENCES})")
    parser.add_argument("--only", action="append", choices=KINDS, metavar="KIND",
                        help=f"{', '.join(KINDS)} (repeatable; default all)")
    parser.add_argument("--out", type=Path, default=Path("fixtures/serving"),
                        help="directory that receives <kind>/*.json.gz (default: fixtures/serving)")
    parser.add_argument("--check", action="store_true",
                        help="write nothing: record seed 0 again and compare every byte with --out; exit 1 where they differ")
    options = parser.parse_args(arguments)
    if options.goldens < 1 or options.sequences < 1:
        parser.error("--goldens and --sequences take a positive number")
    try:
        return run(options)
    except (RuntimeError, OSError) as error:
        print(f"record: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
