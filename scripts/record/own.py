"""Records cases of any checkpoint that transformers loads, with the weights of one layer in memory at a time.

    scripts/record/own --checkpoint DIR --prompts FILE.jsonl --out DIR
"""

from __future__ import annotations

import argparse
import ctypes
import re
import sys
from pathlib import Path

from .support import shards

ROWS = re.compile(r"all|last:[1-9][0-9]*|-?[0-9]+(,-?[0-9]+)*")
M_MMAP_THRESHOLD = -3  # malloc.h
TYPE_NAMES = {"f32": "float32", "bf16": "bfloat16"}


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/record/own",
        description="Records cases of a checkpoint: the published model in float64 (the truth), and in float32 and bfloat16 "
                    "(the noise), with the weights of one layer in memory at a time. A recording that was killed continues "
                    "where it was when the same command runs again.",
        epilog="Each line of FILE is an object with `text`, `messages` or `ids`; `images`, a list of files; `case`, the name of "
               "the case that it is a sample of (default: the name of FILE).")
    parser.add_argument("--checkpoint", type=Path, required=True, metavar="DIR",
                        help="config.json, safetensors, and for text its tokenizer; or a GGUF file, of several the first")
    parser.add_argument("--config", type=Path, metavar="DIR",
                        help="of a GGUF file: config.json and, for text, the tokenizer of the published model from which it was made")
    parser.add_argument("--checkpoint-root", type=Path, metavar="DIR",
                        help="cases name the checkpoint by its path below DIR, which assay run --checkpoint-root says again (default: "
                             "they name links to its files, which are next to them)")
    parser.add_argument("--prompts", type=Path, required=True, metavar="FILE", help="prompts, a JSON object a line")
    parser.add_argument("--images", type=Path, metavar="DIR", help="where the images of prompts are")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="receives the cases")
    parser.add_argument("--rows", default="last:16", help="recorded rows of each prompt: last:N, all, or positions separated "
                        "by commas, negative ones from the end (default: last:16)")
    parser.add_argument("--decode", type=int, default=0, metavar="N", help="record N greedy tokens of each prompt, too")
    parser.add_argument("--types", help="runs that define the noise: f32, which is always run, bf16, or types in which the inputs of products with quantised "
                        "matrices are rounded, such as q8_K, and q8_K+f16 with a cache of f16 (default: f32,bf16; of a GGUF file f32 and those of llama.cpp)")
    parser.add_argument("--traces", default="embed,layer.*.out", metavar="NAMES",
                        help="patterns of tensors of the first prompt of each case: embed, layer.NN.out, layer.NN.attn, "
                             "layer.NN.mlp, norm; none: no tensor (default: embed,layer.*.out)")
    parser.add_argument("--catches", metavar="TEXT", help="one sentence: what the cases would catch")
    parser.add_argument("--whole", action="store_true", help="do not cut the model into layers: all weights in memory")
    parser.add_argument("--shard", type=shards.parse, metavar="I/N", help="record only shard I (1 to N) of N, which cost about the same; all "
                        "may write into the same DIR, which then has every case")
    parser.add_argument("--threads", type=int, default=1, help="of torch (default: 1); another number may give other last bits")
    parser.add_argument("--keep-work", action="store_true", help="keep what the passes left, in DIR/work")
    options = parser.parse_args(arguments)
    if not ROWS.fullmatch(options.rows):
        parser.error(f"--rows: found {options.rows}, expected last:N, all, or positions separated by commas")
    if options.decode < 0 or options.threads < 1:
        parser.error("--decode takes 0 or more tokens, --threads 1 or more")
    return options


def return_freed_memory() -> None:
    """Has glibc map large blocks one by one, and unmap them when they are freed. By default it soon takes blocks as large as
    weights from its heap, where they leave gaps that do not fit the next layer: its memory grows with each layer."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, 1 << 20)


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    return_freed_memory()
    import torch

    from .checkpoint.checkpoint import quiet
    from .formats import rounding
    from .streamed import recording, rounded
    quiet()
    torch.set_num_threads(options.threads)
    names = options.types.split(",") if options.types else []
    found = {name: "+".join([TYPE_NAMES.get(part, part) if i == 0 else part for i, part in enumerate(name.split("+"))]) for name in names}
    if unknown := [name for name in names if name not in TYPE_NAMES and not rounded.knows(found[name])]:
        print(f"own: --types: found {unknown[0]}, expected f32, bf16 or one of {', '.join(rounding.COMPUTES)}, with a cache (+{', +'.join(rounding.CACHES)}) "
              "or without", file=sys.stderr)
        return 2
    types = tuple(found[name] for name in names if name != "f32") if names else None
    traces = () if options.traces == "none" else tuple(options.traces.split(","))
    request = recording.Request(
        options.checkpoint, options.config, options.checkpoint_root, options.prompts, options.images, options.out, options.rows, options.decode, types, traces,
        options.catches, options.shard, options.whole, options.keep_work, lambda line: print(f"own: {line}", file=sys.stderr, flush=True))
    try:
        print("\n".join(recording.record(request)))
    except (RuntimeError, OSError) as error:
        print(f"own: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
