"""Writes fixtures/serving/preprocess: `python -m scripts.record.preprocess [--seed N] [--vectors N] [--out DIR] [--check]`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

from ..support import archives
from ..support.comparing import compare
from ..support.textual import write
from . import draw, draw_audio, processors

CATCHES = ("sizes rounded half up instead of half to even, limits compared before rounding, limits of another spelling of the "
           "config, a null member that is taken for a value, frames that are not counted")
CATCHES_AUDIO = ("the last frame kept, lengths rounded up or down where the other is published, chunks counted as whole ones, a sound that does not "
                 "depend on the longest one of its prompt")
N_VECTORS = 230  # per group
FILES = {"images.json.gz": draw.image_groups, "videos.json.gz": draw.video_groups, "sounds.json.gz": draw_audio.groups}


def document(seed: int, name: str, groups: list[Any]) -> dict[str, Any]:
    return {"schema": "assay/1", "kind": "preprocess", "source": processors.source(),
            "recorder": f"scripts/record/preprocess, seed {seed}", "catches": CATCHES_AUDIO if name.startswith("sounds") else CATCHES, "groups": groups}


def record(seed: int, n: int, out: Path) -> None:
    for name, groups in FILES.items():
        made = groups(seed, n)
        write(out / name, document(seed, name, made))
        print(f"{out / name}: {sum(len(group['vectors']) for group in made)} vectors", flush=True)


def check(seed: int, n: int, out: Path) -> int:
    with tempfile.TemporaryDirectory() as scratch:
        record(seed, n, Path(scratch))
        return compare(Path(scratch), out, [Path(name) for name in FILES])


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.record.preprocess",
                                     description="Records sizes, grids and token counts of the published processors.")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn (default: 0)")
    parser.add_argument("--vectors", type=int, default=N_VECTORS, metavar="N",
                        help=f"how many vectors of each group (default: {N_VECTORS})")
    parser.add_argument("--out", type=Path, default=Path("fixtures/serving/preprocess"),
                        help="directory that receives the files (default: fixtures/serving/preprocess)")
    parser.add_argument("--check", action="store_true",
                        help="write nothing: record again and compare every byte with --out; exit 1 where they differ")
    options = parser.parse_args(arguments)
    if options.check:
        return check(options.seed, options.vectors, options.out)
    record(options.seed, options.vectors, options.out)
    archives.store(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
