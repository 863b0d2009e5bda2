"""Writes conformance/probe/tests/odd: `python -m scripts.record.odd [--seed N] [--out DIR] [--check] [NAME ...]`."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path

import torch

from ..checkpoint.checkpoint import quiet
from ..streamed import recording
from ..support.comparing import compare
from .checkpoints import CHECKPOINTS, Odd
from .pictured import PICTURED, Pictured
from .taught import TAUGHT, Taught

Row = Odd | Taught | Pictured
ALL: tuple[Row, ...] = (*CHECKPOINTS, *TAUGHT, *PICTURED)
OUT = Path("conformance/probe/tests/odd")
N_ROWS = 8  # of each prompt, the last ones


def record(odd: Row, out: Path, seed: int, bundled: Path | None = None) -> None:
    """DIR/model, DIR/model.crc32 and DIR/answers.h5, as scripts/record/own records them, and what write_requests adds: DIR/requests.json
    of a taught checkpoint, DIR/conversations.jsonl of one with pictures.
    bundled: a checkpoint whose weights are taken instead of training."""
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        odd.write(work / odd.name, seed, bundled)
        prompts = work / "answers.jsonl"
        prompts.write_text("".join(json.dumps(prompt) + "\n" for prompt in odd.prompts()))
        lines = recording.record(recording.Request(
            work / odd.name, None, None, prompts, None, work / "made", f"last:{N_ROWS}", odd.n_decode, ("bfloat16",), (), odd.about, None, True, False,
            lambda line: None))
        odd.write_requests(work / "made", seed)
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(work / "made", out, copy_function=shutil.copyfile)  # with the files that DIR/model links to
    print(f"{odd.name}: {lines[0]}", flush=True)


def check(chosen: list[Row], out: Path, seed: int) -> int:
    with tempfile.TemporaryDirectory() as scratch:
        for odd in chosen:
            record(odd, Path(scratch) / odd.name, seed, out / odd.name / "model")
        return compare(Path(scratch), out, [Path(odd.name) for odd in chosen])


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.record.odd", description="Records the odd checkpoints.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these")
    parser.add_argument("--seed", type=int, default=0, help="of the weights (default: 0)")
    parser.add_argument("--out", type=Path, default=OUT, help=f"directory that receives the checkpoints (default: {OUT})")
    parser.add_argument("--check", action="store_true", help="write nothing: record again and compare every byte with --out")
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.names) - {odd.name for odd in ALL}):
        parser.error(f"found {unknown[0]}, expected one of {', '.join(odd.name for odd in ALL)}")
    quiet()
    torch.set_num_threads(1)
    chosen = [odd for odd in ALL if odd.name in options.names or not options.names]
    if options.check:
        return check(chosen, options.out, options.seed)
    for odd in chosen:
        record(odd, options.out / odd.name, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
