"""Computes logits of an engine through the ABI of include/assay/engine.h, to compare the peers' logits with.

    python -m scripts.peers.ours --engine MODULE.so --model DIR --tokens 1,2,3 --out FILE
"""

from __future__ import annotations

import argparse
import array
import ctypes
import sys
from pathlib import Path

ABI, F64, F32 = 2, 1, 2
COMPUTE = {"f32": F32, "bf16": 4, "int8": 8}  # assay_dtype

_P, _N, _U = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 1020)]


class ModelOptions(ctypes.Structure):
    _fields_ = [("size", _U), ("compute", _U), ("kernels", _P), ("allow_unknown", _P)]


class SessionOptions(ctypes.Structure):
    _fields_ = [("size", _U), ("reserved", _U), ("n_samples", _N), ("limit", _N), ("sink_tokens", _N)]


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


def last_logits(engine: Engine, directory: Path, tokens: list[int], compute: str) -> array.array:
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
    step = Step(0, ctypes.addressof(ids), len(tokens), None, 0, None, 0, ctypes.pointer(output), 1)
    check(engine.step(session, ctypes.byref(step), 1, None, ctypes.byref(error)))
    return array.array("f", logits)


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
