"""Measures engines and peers on one model, alternating, and prints tables of ratios in Markdown.

    python -m observatory.peers --assay build/conformance/assay
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from . import pictures
from .cells import COMPUTE, GROUPS, IMAGE_GROUPS, IMAGE_SYSTEMS, PEERS, REFERENCE, REFERENCE_SYSTEMS
from .session import Session

USUAL_CACHE = Path.home() / ".cache" / "assay-peers"


def split_group(word: str) -> tuple[str, str]:
    """(group, word): "bf16:WORD" applies to one group; "WORD" to all groups, group ""."""
    group, colon, rest = word.partition(":")
    return (group, rest) if colon and group in GROUPS else ("", word)


def peer_python(word: str) -> tuple[str, Path]:
    name, equals, path = word.partition("=")
    if not equals or name not in PEERS:
        raise argparse.ArgumentTypeError(f"{word}: expected PEER=PYTHON, PEER one of "
                                         + ", ".join(PEERS))
    if shutil.which(path) is None:
        raise argparse.ArgumentTypeError(f"{path} is no program")
    return name, Path(path).absolute()


def count(word: str) -> int:
    if not word.isdecimal() or int(word) == 0:
        raise argparse.ArgumentTypeError(f"{word}: expected a number above 0")
    return int(word)


def images(word: str) -> pictures.Pictures:
    try:
        return pictures.parse(word)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench-peers",
                                     description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--assay", type=Path, required=True, help="the program (default: of the build directory)")
    add("--engine", action="append", type=split_group, metavar="[GROUP:]ENGINE",
        help="measured by assay bench; may be repeated, as all below (default: fastpath)")
    add("--bench-option", action="append", default=[], type=split_group, metavar="[GROUP:]WORD",
        help="a further argument of assay bench (default, of fastpath: --compute as the peers of "
        "the group do)")
    add("--group", action="append", choices=GROUPS, help="types of weights (default: all but f64). "
        "f64 measures prefill of ref64 and of torch in float64, each on one thread; not with other groups")
    add("--peer", action="append", choices=PEERS, help="default: "
        + ", ".join(name for name, peer in PEERS.items() if not peer.left_out))
    add("--python", action="append", default=[], type=peer_python, metavar="PEER=PYTHON",
        help="has the peer already: nothing is installed for it")
    add("--shape", help="of scripts.record.bench_checkpoint (qwen3-0.6b; with --images qwen2-vl-2b)")
    add("--images", type=images, action="append", metavar="WxHxN",
        help="measure prefill of a prompt with N images instead, tower included, in f32 and bf16; not "
        "with --prompt, --context, --batch or --tokens")
    add("--cache", type=Path, default=USUAL_CACHE,
        help="where venvs and models stay (default: $ASSAY_PEERS or ~/.cache/assay-peers)")
    add("--offline", action="store_true", help="install nothing")
    add("--prepare", action="store_true", help="install, make models, compare logits; no speeds")
    add("--prompt", type=count, action="append", help="of prefill (default: 512 and 2048)")
    add("--context", type=count, action="append", help="of decode (default: 16 and 1024)")
    add("--batch", type=count, action="append", help="of decode (default: 1 and 8)")
    add("--tokens", type=count, help="to decode (default: 32)")
    add("--repeat", type=count, default=3, help="rounds (default: 3)")
    add("--median", action="store_true", help="cells are the median of the rounds, not the best")
    add("--timeout", type=count, default=600, help="seconds for each measurement (default: 600)")
    add("--markdown", type=Path, metavar="FILE",
        help="write the tables there, too, after each round")
    options = parser.parse_args(arguments)
    if not options.engine and not options.bench_option:
        options.bench_option = [(group, word) for group, compute in COMPUTE.items()
                                for word in ("--compute", compute)]
    if options.images and (options.prompt or options.context or options.batch or options.tokens):
        parser.error("--images: not with --prompt, --context, --batch or --tokens")
    if options.images and not set(options.group or ()) <= set(IMAGE_GROUPS):
        parser.error("--images: --group is one of " + ", ".join(IMAGE_GROUPS))
    if options.images:
        options.peer = options.peer or sorted({s.peer for s in IMAGE_SYSTEMS})
        options.group = options.group or list(IMAGE_GROUPS)
    if REFERENCE in (options.group or ()):
        if set(options.group) != {REFERENCE} or options.images or options.context or options.batch or options.tokens:
            parser.error(f"--group {REFERENCE}: not with other groups, --images, --context, --batch or --tokens")
        options.peer = options.peer or sorted({s.peer for s in REFERENCE_SYSTEMS})
        options.engine = options.engine or [(REFERENCE, "ref64")]
        options.prompt = options.prompt or [64, 512]
        options.context, options.batch, options.tokens = [], [1], 1
    options.shape = options.shape or ("qwen2-vl-2b" if options.images else "qwen3-0.6b")
    options.tokens = options.tokens or 32
    options.engine = options.engine or [("", "fastpath")]
    options.group = options.group or [group for group in GROUPS if group != REFERENCE]
    options.prompt = options.prompt or [512, 2048]
    options.context = [16, 1024] if options.context is None else options.context
    options.batch = sorted(set(options.batch or [1, 8]))
    options.assay = options.assay.absolute()
    options.cache = options.cache.absolute()
    if not options.assay.is_file():
        parser.error(f"--assay: there is no {options.assay}")
    return options


def main(arguments: list[str]) -> int:
    return Session(parse(arguments)).run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
