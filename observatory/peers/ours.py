"""Computes logits of an engine through the ABI of include/assay/engine.h, to compare the peers' logits with.

    python -m observatory.peers.ours --engine MODULE.so --model DIR --tokens 1,2,3 --out FILE
"""

from __future__ import annotations

import argparse
import array
import ctypes
import math
import sys
from pathlib import Path
from typing import Any

from . import pictures
from .pictures import Prompt

ABI, F64, F32, I32 = 2, 1, 2, 6
IMAGE, RANK = 1, 8  # assay_item_kind, ASSAY_TENSOR_RANK_MAX
COMPUTE = {"f32": F32, "bf16": 4, "int8": 8}  # assay_dtype

_P, _N, _U = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 1020)]


class ModelOptions(ctypes.Structure):
    _fields_ = [("size", _U), ("compute", _U), ("kernels", _P), ("allow_unknown", _P)]


class SessionOptions(ctypes.Structure):
    _fields_ = [("size", _U), ("reserved", _U), ("n_samples", _N), ("limit", _N), ("sink_tokens", _N)]


class Tensor(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("dtype", ctypes.c_int), ("rank", _N),
                ("shape", _N * RANK), ("data", _P)]


class Item(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("offset", _N), ("n_tokens", _N),
                ("tensors", ctypes.POINTER(Tensor)), ("n_tensors", _N)]


class Output(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("n_last", _N), ("data", _P)]


class Step(ctypes.Structure):
    _fields_ = [("sample", _N), ("tokens", _P), ("n_tokens", _N), ("positions", _P), ("n_axes", _N),
                ("items", _P), ("n_items", _N), ("outputs", ctypes.POINTER(Output)), ("n_outputs", _N)]


_E = ctypes.POINTER(Error)
_OPEN = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(ModelOptions),
                         ctypes.POINTER(_P), _E)
_VOCAB = ctypes.CFUNCTYPE(_N, _P)
_SESSION = ctypes.CFUNCTYPE(ctypes.c_int, _P, ctypes.POINTER(SessionOptions), ctypes.POINTER(_P),
                            _E)
_STEP = ctypes.CFUNCTYPE(ctypes.c_int, _P, ctypes.POINTER(Step), _N, _P, _E)


class Engine(ctypes.Structure):
    """The required members of assay_engine."""

    _fields_ = [("abi", _U), ("size", _U), ("name", ctypes.c_char_p), ("version", ctypes.c_char_p),
                ("logits_dtype", ctypes.c_int), ("taps_can_write", ctypes.c_bool),
                ("model_open", _OPEN), ("model_free", _P), ("model_vocab", _VOCAB),
                ("session_open", _SESSION), ("session_free", _P), ("step", _STEP)]


def open_engine(path: Path) -> Engine:
    get = ctypes.CDLL(str(path.resolve())).assay_engine_v2
    get.restype = ctypes.POINTER(Engine)
    engine = get().contents
    if engine.abi != ABI or engine.logits_dtype not in (F64, F32):
        raise RuntimeError(f"{path}: ABI {engine.abi}, logits of type {engine.logits_dtype}")
    return engine


def tensor(name: bytes, dtype: int, shape: tuple[int, ...], data: array.array) -> Tensor:
    return Tensor(name, dtype, len(shape), (_N * RANK)(*shape), data.buffer_info()[0])


def image_items(prompt: Prompt, row: int) -> tuple[Any, list[Any]]:
    """The items of a prompt, and what has to stay alive as long as they do."""
    items, kept, start = (Item * len(prompt.grid))(), [], 0
    for item, grid in zip(items, prompt.grid):
        n = math.prod(grid)
        pixels = prompt.pixels[start:start + n * row]
        sizes = array.array("i", grid)
        start += n * row
        tensors = (Tensor * 2)(tensor(b"pixel_values", F32, (n, row), pixels),
                               tensor(b"image_grid_thw", I32, (1, 3), sizes))
        kept += [pixels, sizes, tensors]
        item.kind, item.tensors, item.n_tensors = IMAGE, tensors, 2
    return items, kept


def last_logits(engine: Engine, directory: Path, tokens: list[int], compute: str,
                items: Any = None) -> array.array:
    """The logits of the last position of one prompt. Model and session are not closed: the process ends."""
    def check(status: int) -> None:
        if status != 0:
            raise RuntimeError(error.text.decode(errors="replace"))

    error, model, session = Error(), _P(), _P()
    model_options = ModelOptions(ctypes.sizeof(ModelOptions), COMPUTE.get(compute, 0), None, None)
    check(engine.model_open(str(directory).encode(), ctypes.byref(model_options), ctypes.byref(model),
                            ctypes.byref(error)))
    session_options = SessionOptions(ctypes.sizeof(SessionOptions), 0, 1, 0, 0)
    check(engine.session_open(model, ctypes.byref(session_options), ctypes.byref(session),
                              ctypes.byref(error)))
    ids = (ctypes.c_int32 * len(tokens))(*tokens)
    kind = ctypes.c_double if engine.logits_dtype == F64 else ctypes.c_float
    logits = (kind * engine.model_vocab(model))()
    output = Output(b"logits", 1, ctypes.addressof(logits))
    step = Step(0, ctypes.addressof(ids), len(tokens), None, 0, ctypes.cast(items, _P),
                len(items) if items else 0, ctypes.pointer(output), 1)
    check(engine.step(session, ctypes.byref(step), 1, None, ctypes.byref(error)))
    return array.array("f", logits)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m observatory.peers.ours",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("--engine", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--tokens", help="ids with commas between them")
    parser.add_argument("--images", type=pictures.parse,
                        help="WxHxN: instead of --tokens, a prompt drawn from seed 0, with images")
    parser.add_argument("--ids", type=int, help="with --images: token ids are below this")
    parser.add_argument("--out", type=Path, required=True, help="receives float32")
    parser.add_argument("--compute", choices=["", *COMPUTE], default="",
                        help="what the engine is asked to compute in")
    options = parser.parse_args(arguments)
    try:
        tokens, items, kept = options.tokens, None, None
        if options.images:
            tower = pictures.read_tower(options.model)
            if not tower:
                raise RuntimeError(f"{options.model} has no tower")
            prompt = pictures.draw_prompt(options.images, tower, 0, options.ids)
            tokens = ",".join(map(str, prompt.tokens))
            items, kept = image_items(prompt, tower.row)
        found = last_logits(open_engine(options.engine), options.model,
                            [int(word) for word in tokens.split(",")], options.compute, items)
        del kept
    except (OSError, RuntimeError) as error:
        print(error, file=sys.stderr)
        return 1
    with open(options.out, "wb") as file:
        found.tofile(file)
    print("{}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
