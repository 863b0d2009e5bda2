"""Makes one measurement of one peer in a process of its own, and prints a JSON object. Measures as a child
of `assay bench` does (conformance/bench/measure.c)."""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from . import backends, draw, pictures
from .cells import REFERENCE

WARM_TOKENS = 16     # enough to touch every weight
STEP_SECONDS = 5.0   # decode starts no further step after that


def first_token(peer: backends.Peer, tokens: np.ndarray, asked: float) -> tuple[float, int]:
    int(peer.prefill(tokens)[0].argmax())
    return time.monotonic() - asked, 1


def prefill(peer: backends.Peer, tokens: np.ndarray) -> tuple[float, int]:
    peer.prefill(tokens[:1, :WARM_TOKENS])
    start = time.monotonic()
    peer.prefill(tokens)
    return time.monotonic() - start, 1


def decode(peer: backends.Peer, tokens: np.ndarray, steps: np.ndarray) -> tuple[float, int]:
    """steps: [B, N + 1]; the first is not timed."""
    peer.prefill(tokens)
    peer.step(steps[:, 0])
    start, seconds, n = time.monotonic(), 0.0, 0
    while n + 1 < steps.shape[1] and seconds < STEP_SECONDS:
        n += 1
        peer.step(steps[:, n])
        seconds = time.monotonic() - start
    return seconds, n


def write_logits(peer: backends.Peer, options: argparse.Namespace) -> None:
    """Writes two rows of float32 logits of a prompt's last position: prefilled as a whole, and with the second
    half decoded token by token. Runs a batch of two samples with different tokens, and writes the first."""
    both = np.array(draw.tokens(options.seed, 2 * options.prompt, options.ids), np.int32)
    tokens = both.reshape(2, -1)
    whole = np.array(peer.prefill(tokens)[0], np.float32)
    half = options.prompt // 2
    peer.prefill(tokens[:, :half])
    for t in range(half, options.prompt):
        last = peer.step(tokens[:, t])
    np.stack([whole, np.array(last[0], np.float32)]).tofile(options.logits)


def drawn_prompt(options: argparse.Namespace, shown: pictures.Pictures,
                 seed: int) -> tuple[np.ndarray, backends.Images]:
    tower = pictures.read_tower(options.checkpoint)
    assert tower
    prompt = pictures.draw_prompt(shown, tower, seed, options.ids)
    return (np.array([prompt.tokens], np.int32),
            backends.Images(np.array(prompt.pixels, np.float32).reshape(-1, tower.row),
                            np.array(prompt.grid, np.int64)))


def look(peer: backends.ImagePeer, options: argparse.Namespace) -> tuple[float, int]:
    """Prefill of a prompt with images; first one of a small image, to touch every weight."""
    tower = pictures.read_tower(options.checkpoint)
    assert tower
    small = pictures.Pictures(2 * tower.side, 2 * tower.side, 1)
    tokens, images = drawn_prompt(options, options.images, options.seed)
    peer.prefill(*drawn_prompt(options, small, options.seed + 1))
    start = time.monotonic()
    peer.prefill(tokens, images)
    return time.monotonic() - start, 1


def measure(peer: Any, options: argparse.Namespace) -> tuple[float, int]:
    if options.images:
        return look(peer, options)
    n_prompt, n_steps = options.batch * options.prompt, options.batch * (options.tokens + 1)
    drawn = np.array(draw.tokens(options.seed, n_prompt + n_steps, options.ids), np.int32)
    prompt = drawn[:n_prompt].reshape(options.batch, -1)
    steps = np.ascontiguousarray(drawn[n_prompt:].reshape(-1, options.batch).T)
    if options.measure == "first token":
        return first_token(peer, prompt, options.asked)
    return prefill(peer, prompt) if options.measure == "prefill" else decode(peer, prompt, steps)


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m observatory.peers.measure", description=__doc__)
    parser.add_argument("--peer", choices=sorted({*backends.MODULES, *backends.IMAGE_MODULES}), required=True)
    parser.add_argument("--version", action="store_true", help="print the versions, and no more")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--group", help="types: f32, bf16, 8-bit, 4-bit or f64")
    parser.add_argument("--how", default="", help="further options of its backend")
    parser.add_argument("--logits", type=Path, help="write logits there, and measure nothing")
    parser.add_argument("--measure", choices=("first token", "prefill", "decode"))
    parser.add_argument("--prompt", type=int)
    parser.add_argument("--images", type=pictures.parse, help="WxHxN, in the prompt")
    parser.add_argument("--checkpoint", type=Path, help="for images: what their tower takes")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--ids", type=int, help="token ids are below this")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--asked", type=float,
                        help="when this process was asked for, on the monotonic clock")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    module = backends.load(options.peer, options.images is not None
                           or options.peer not in backends.MODULES)
    if options.version:
        print(json.dumps({"version": module.version(), "note": module.describe()}))
        return 0
    imported = time.monotonic()
    n_samples = 2 if options.logits else options.batch
    peer = module.Peer(options.model, backends.Capacity(
        options.group, n_samples, options.prompt + options.tokens + 1,
        1 if options.group == REFERENCE else len(os.sched_getaffinity(0)), options.how))
    told = getattr(peer, "told", "")
    if options.logits and options.images:
        peer.prefill(*drawn_prompt(options, options.images, options.seed))[0].tofile(options.logits)
    elif options.logits:
        write_logits(peer, options)
    if options.logits:
        print(json.dumps({"told": told}))
        return 0
    seconds, n_steps = measure(peer, options)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    loading = imported - options.asked if options.asked is not None else 0.0
    print(json.dumps({"seconds": seconds, "steps": n_steps, "peak_bytes": peak,
                      "loading": loading, "told": told}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
