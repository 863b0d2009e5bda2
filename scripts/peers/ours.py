"""Computes logits of an engine through the ABI of include/assay/engine.h, to compare the peers' logits with.

    python -m scripts.peers.ours --engine MODULE.so --model DIR --tokens 1,2,3 --out FILE
"""

from __future__ import annotations

import argparse
import array
import ctypes
import sys
from pathlib import Path

ABI, F64, F32 = 1, 1, 2
COMPUTE = {"f32": F32, "bf16": 4, "int8": 8}  # assay_dtype


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 1020)]


class Batch(ctypes.Structure):
    _fields_ = [("n_samples", ctypes.c_size_t), ("n_tokens", ctypes.c_size_t),
                ("tokens", ctypes.c_void_p), ("length", ctypes.c_void_p),
                ("inputs", ctypes.c_void_p), ("n_inputs", ctypes.c_size_t)]


_P, _E = ctypes.c_void_p, ctypes.POINTER(Error)
_OPEN = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(_P), _E)
_VOCAB = ctypes.CFUNCTYPE(ctypes.c_size_t, _P)
_SESSION = ctypes.CFUNCTYPE(ctypes.c_int, _P, ctypes.POINTER(_P), _E)
_PREFILL = ctypes.CFUNCTYPE(ctypes.c_int, _P, ctypes.POINTER(Batch), _P, _E)


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("compute", ctypes.c_int), ("kernels", ctypes.c_void_p)]


_OPEN_WITH = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(Options),
                              ctypes.POINTER(_P), _E)


class Engine(ctypes.Structure):
    _fields_ = [("abi", ctypes.c_uint32), ("size", ctypes.c_uint32), ("name", ctypes.c_char_p),
                ("version", ctypes.c_char_p), ("logits_dtype", ctypes.c_int),
                ("model_open", _OPEN), ("model_free", _P), ("model_vocab", _VOCAB),
                ("model_stop_ids", _P), ("session_open", _SESSION), ("session_free", _P),
                ("session_trace", _P), ("prefill", _PREFILL), ("decode", _P), ("rope", _P),
                ("session_override", _P), ("prefill_last", _P), ("model_open_with", _OPEN_WITH)]


def open_engine(path: Path) -> Engine:
    get = ctypes.CDLL(str(path.resolve())).assay_engine_v1
    get.restype = ctypes.POINTER(Engine)
    engine = get().contents
    if engine.abi != ABI or engine.logits_dtype not in (F64, F32):
        raise RuntimeError(f"{path}: ABI {engine.abi}, logits of type {engine.logits_dtype}")
    return engine


def open_model(engine: Engine, directory: Path, compute: str, model: ctypes.c_void_p,
               error: Error) -> int:
    path = str(directory).encode()
    if not compute:
        return engine.model_open(path, ctypes.byref(model), ctypes.byref(error))
    if engine.size < ctypes.sizeof(Engine) or not engine.model_open_with:
        raise RuntimeError(f"{engine.name.decode()} has no choice of a type to compute in")
    options = Options(ctypes.sizeof(Options), COMPUTE[compute], None)
    return engine.model_open_with(path, ctypes.byref(options), ctypes.byref(model),
                                  ctypes.byref(error))


def last_logits(engine: Engine, directory: Path, tokens: list[int], compute: str) -> array.array:
    """The logits of the last position of one prompt. Model and session are not closed: the process ends."""
    def check(status: int) -> None:
        if status != 0:
            raise RuntimeError(error.text.decode(errors="replace"))

    error, model, session = Error(), _P(), _P()
    check(open_model(engine, directory, compute, model, error))
    n_vocab = engine.model_vocab(model)
    check(engine.session_open(model, ctypes.byref(session), ctypes.byref(error)))
    ids = (ctypes.c_int32 * len(tokens))(*tokens)
    length = (ctypes.c_int32 * 1)(len(tokens))
    kind = ctypes.c_double if engine.logits_dtype == F64 else ctypes.c_float
    logits = (kind * (len(tokens) * n_vocab))()
    batch = Batch(1, len(tokens), ctypes.addressof(ids), ctypes.addressof(length), None, 0)
    check(engine.prefill(session, ctypes.byref(batch), logits, ctypes.byref(error)))
    return array.array("f", logits[(len(tokens) - 1) * n_vocab:])


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.peers.ours",
                                     description=__doc__.splitlines()[0])
    parser.add_argument("--engine", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--tokens", required=True, help="ids with commas between them")
    parser.add_argument("--out", type=Path, required=True, help="receives float32")
    parser.add_argument("--compute", choices=["", *COMPUTE], default="",
                        help="what the engine is asked to compute in")
    options = parser.parse_args(arguments)
    try:
        found = last_logits(open_engine(options.engine), options.model,
                            [int(word) for word in options.tokens.split(",")], options.compute)
    except (OSError, RuntimeError) as error:
        print(error, file=sys.stderr)
        return 1
    with open(options.out, "wb") as file:
        found.tofile(file)
    print("{}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
