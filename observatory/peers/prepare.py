"""Converts a checkpoint to the model that one system opens, inside the venv of its peer.

    python -m observatory.peers.prepare --peer llama.cpp --model float32.gguf MODELS

MODELS is a directory with the checkpoints `float32` and `bfloat16`. If the conversion fails, it leaves no file.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m observatory.peers.prepare",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("--peer", choices=("llama.cpp", "openvino", "openvino-images"), required=True)
    parser.add_argument("--model", required=True, help="what to make, below MODELS")
    parser.add_argument("models", type=Path)
    options = parser.parse_args(arguments)
    target = options.models / options.model
    part = target.with_name(target.name + ".part")
    remove(part)
    if options.peer == "llama.cpp":
        from .backends import gguf_write as how
    else:
        from .backends import openvino_write as how  # type: ignore[no-redef]
    try:
        how.write(options.models, options.model, part)
        os.replace(part, target)
    finally:
        remove(part)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
