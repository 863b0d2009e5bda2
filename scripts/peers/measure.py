"""One measurement of one peer in a process of its own; prints a JSON object. The same as what a
child of `assay bench` does (conformance/bench_measure.c)."""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from pathlib import Path

import numpy as np

from .systems import SYSTEMS, Peer

WARM_TOKENS = 16     # enough to touch every weight
STEP_SECONDS = 5.0   # decode takes no further step after that


def first_token(peer: Peer, tokens: np.ndarray, asked: float) -> tuple[float, int]:
    peer.prefill(tokens)
    return time.monotonic() - asked, 1


def prefill(peer: Peer, tokens: np.ndarray) -> tuple[float, int]:
    peer.prefill(tokens[:1, :WARM_TOKENS])
    start = time.monotonic()
    peer.prefill(tokens)
    return time.monotonic() - start, 1


def decode(peer: Peer, tokens: np.ndarray, steps: np.ndarray) -> tuple[float, int]:
    """steps: [B, N + 1]; the first is not timed."""
    peer.prefill(tokens)
    peer.step(steps[:, 0])
    start, seconds, n = time.monotonic(), 0.0, 0
    while n + 1 < steps.shape[1] and seconds < STEP_SECONDS:
        n += 1
        peer.step(steps[:, n])
        seconds = time.monotonic() - start
    return seconds, n


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.peers.measure", description=__doc__)
    parser.add_argument("--peer", choices=SYSTEMS, required=True)
    parser.add_argument("--version", action="store_true", help="print the versions, and no more")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--measure", choices=("first token", "prefill", "decode"))
    parser.add_argument("--prompt", type=int)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--asked", type=float,
                        help="when this process was asked for, on the monotonic clock")
    options = parser.parse_args(arguments)
    kind = SYSTEMS[options.peer]
    if options.version:
        print(json.dumps({"version": kind.version()}))
        return 0
    vocab = json.loads((options.model / "config.json").read_text())["vocab_size"]
    rng = np.random.default_rng(options.seed)
    drawn = rng.integers(0, vocab, (options.batch, options.prompt + options.tokens + 1), np.int32)
    prompt, steps = drawn[:, :options.prompt], drawn[:, options.prompt:]
    peer = kind(options.model)
    if options.measure == "first token":
        seconds, n_steps = first_token(peer, prompt, options.asked)
    elif options.measure == "prefill":
        seconds, n_steps = prefill(peer, prompt)
    else:
        seconds, n_steps = decode(peer, prompt, steps)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"seconds": seconds, "steps": n_steps, "peak_bytes": peak}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
