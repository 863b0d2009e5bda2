"""Records fixtures/e2e: `python -m scripts.record.e2e [--row FAMILY] [--out DIR] [--check]`."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from PIL import Image

from scripts.endtoend import rows as table

from .. import families, pinned
from ..case import case_file
from ..checkpoint.checkpoint import Checkpoint, quiet
from ..record import family_variants
from ..rewrites import published
from ..support import archives, checksums
from ..support.comparing import compare
from . import audio
from .conversations import Conversation, Drawer, members, opened
from .rows import ROWS, Row, Vocabulary, write_files

N_SAMPLES = 3
CATCHES = "A prompt, an image or a batch that does not reach the model as the published processor gives it"


def open_checkpoint(name: str, row: Row, seed: int) -> Checkpoint:
    family = families.load(name)
    variants = family_variants(family, seed, [row.variant])
    if not variants:
        raise RuntimeError(f"{name}: no variant {row.variant}")
    return Checkpoint(family, row.taken(variants[0]), seed, published.check)


def write_samples(directory: Path, found: list[Conversation], stop: int, limit: int, about: dict[str, str]) -> None:
    """The media, and a file with a line for each, after one that says what they are (about)."""
    lines: list[dict[str, Any]] = [{"schema": table.SCHEMA, **about}]
    for number, one in enumerate(found):
        kind, file = ("sound", f"{number}.wav") if one.medium.ndim == 1 else ("image", f"{number}.png")
        if kind == "sound":
            audio.write(directory / file, one.medium)
        else:
            Image.fromarray(one.medium).save(directory / file)
        lines.append(members(one, kind, file, stop, limit))
    (directory / table.CASES).write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")


def record(name: str, out: Path, seed: int) -> str:
    """Writes a row below `out`; returns a log line."""
    started, row, directory = time.monotonic(), ROWS[name], out / name
    shutil.rmtree(directory, ignore_errors=True)
    checkpoint = open_checkpoint(name, row, seed)
    vocabulary = Vocabulary(row, checkpoint)
    checkpoint.write(directory / "model", [checkpoint.idle_id], checkpoint.idle_id)
    write_files(row, checkpoint, vocabulary, directory / "model")
    checksums.write(directory / "model")
    drawer = Drawer(row, checkpoint, vocabulary, opened(row, directory / "model"), seed)
    found: list[Conversation] = []
    for _ in range(N_SAMPLES):
        found.append(drawer.sample(found))
    write_samples(directory, found, checkpoint.idle_id, row.n_tokens, {
        "storage": table.STORAGE[name], "source": f"{case_file.source(checkpoint)}, float64; its processors with PIL",
        "recorder": f"scripts/record/e2e, seed {seed}", "catches": CATCHES})
    size = sum(file.stat().st_size for file in directory.rglob("*") if file.is_file())
    noise = max(value for one in found for value in one.noise.values())
    return (f"e2e/{name}: {size / 1024:.0f} KiB, {drawer.draws} draws, margin {min(one.margin for one in found):.2f}, noise {noise:.1e}, "
            f"{time.monotonic() - started:.1f} s")


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m scripts.record.e2e", description="Records the cases of the end-to-end table.")
    parser.add_argument("--row", action="append", choices=tuple(ROWS), help="record only this row (repeatable; default all)")
    parser.add_argument("--out", type=Path, default=Path("fixtures/e2e"), help="directory that receives <row>/ (default: fixtures/e2e)")
    parser.add_argument("--seed", type=int, default=0, help="0 (default): the bundled dimensions and inputs")
    parser.add_argument("--check", action="store_true", help="record again into a temporary directory, and compare every byte with --out")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    names = options.row or list(ROWS)
    quiet()
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) if options.check else options.out
        for name in names:
            if pinned.is_elsewhere(family := families.load(name)):
                pinned.run(family, "scripts.record.e2e", ["--row", name, "--out", str(out), "--seed", str(options.seed)])
                continue
            print(record(name, out, options.seed), flush=True)
        if options.check:
            return compare(out, options.out, [Path(name) for name in names])
    archives.store(options.out)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (RuntimeError, OSError) as error:
        print(f"record: {error}", file=sys.stderr)
        sys.exit(1)
