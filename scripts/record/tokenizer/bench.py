"""Measures encoding speed: our tokenizer against Hugging Face's tokenizers, for scripts/bench-tokenizer."""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from pathlib import Path

from tokenizers import Tokenizer

from . import texts as tokenizer_texts

N_ROUNDS = 2
FIXTURES = Path("fixtures/tokenizer")


def mixed_text(n_bytes: int) -> str:
    """A text of at least n_bytes, the same on each call."""
    rng = random.Random(0)
    parts: list[str] = []
    lines = tokenizer_texts.corpus(rng, 4000)
    while n_bytes > 0:
        parts.append(rng.choice(lines) + "\n")
        n_bytes -= len(parts[-1].encode())
    return "".join(parts)


def published(model: Path, text: str) -> tuple[float, int]:
    """Megabytes per second, the best of N_ROUNDS, each with a new tokenizer (empty cache); and the number of ids."""
    best, n_ids = 0.0, 0
    for _ in range(N_ROUNDS):
        tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        begin = time.perf_counter()
        n_ids = len(tokenizer.encode(text, add_special_tokens=False).ids)
        best = max(best, len(text.encode()) / 1e6 / (time.perf_counter() - begin))
    return best, n_ids


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.record.tokenizer.bench")
    parser.add_argument("--bench", type=Path, required=True)
    parser.add_argument("--megabytes", type=int, default=10)
    parser.add_argument("--scratch", type=Path, required=True)
    options = parser.parse_args(arguments)
    text = mixed_text(options.megabytes * 1_000_000)
    file = options.scratch / "text"
    file.write_text(text, encoding="utf-8", newline="")
    print(f"{'tokenizer':16s}{'ours MB/s':>12s}{'theirs MB/s':>13s}{'ratio':>8s}")
    for model in sorted(FIXTURES.glob("*/model")):
        theirs, n_theirs = published(model, text)
        answer = subprocess.run([options.bench, model, file, str(N_ROUNDS)], stdout=subprocess.PIPE, text=True, check=True)
        ours, n_ours = answer.stdout.split()
        same = "" if int(n_ours) == n_theirs or "cased" in str(model) else f"  ids: {n_ours} and {n_theirs}"
        print(f"{model.parent.name:16s}{float(ours):12.1f}{theirs:13.1f}{float(ours) / theirs:8.1f}{same}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
