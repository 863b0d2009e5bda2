"""Tensors of a graph of llama.cpp. ggml's scheduler asks before it evaluates a node whether it is wanted, and shows it afterwards. A node is known
by the weight that it multiplies, if llama.cpp gives the place another meaning in another family, and by its name otherwise."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from typing import Any

import llama_cpp as api
import numpy as np

from assay.engine import Tap

from .gguf.families import Family

GGML_TYPE_F32 = 0


class Node(ctypes.Structure):
    """struct ggml_tensor of ggml.h."""


Node._fields_ = [("type", ctypes.c_int), ("buffer", ctypes.c_void_p), ("ne", ctypes.c_int64 * 4), ("nb", ctypes.c_size_t * 4),
                 ("op", ctypes.c_int), ("op_params", ctypes.c_int32 * 16), ("flags", ctypes.c_int32), ("src", ctypes.POINTER(Node) * 10),
                 ("view_src", ctypes.c_void_p), ("view_offs", ctypes.c_size_t), ("data", ctypes.c_void_p), ("name", ctypes.c_char * 64)]

LAYER_NAME = re.compile(r"^(l_out|ffn_moe_out)-(\d+)$")
WEIGHT = re.compile(r"^blk\.(\d+)\.(attn_output|ffn_down)\.(weight|bias)$")
ROWS = "token_embd.weight"


def source(node: Node, index: int) -> str:
    pointer = node.src[index]
    return pointer.contents.name.decode(errors="replace") if pointer else ""


class Taps:
    """Names of nodes in our terms, and what was seen of a step. biased: the weights, of attn_output and ffn_down, that a bias follows."""

    def __init__(self, family: Family, biased: frozenset[str]):
        self.family, self.biased = family, biased
        self.tap: Tap | None = None
        self.seen: dict[str, list[np.ndarray]] = {}
        self.failure: BaseException | None = None
        self.callback: Callable[..., bool] = api.ggml_backend_sched_eval_callback(self._call)

    def name(self, node: Node) -> str | None:
        own = node.name.decode(errors="replace")
        if own == "result_norm":
            return "norm"
        if (match := LAYER_NAME.match(own)) is not None:
            return f"layer.{int(match[2]):02d}." + ("out" if match[1] == "l_out" else self._experts())
        if own == self.family.embed or self._is_embedding(node):
            return "embed"
        for index in (0, 1):  # the weight of a product is its first source, the bias of a sum its second
            if (match := WEIGHT.match(source(node, index))) is not None and (match[3] == "bias") == (match[2] in self.biased):
                return f"layer.{int(match[1]):02d}." + ("attn" if match[2] == "attn_output" else "mlp")
        return None

    def _experts(self) -> str:
        """Experts beside a dense block are a tensor of their own; where there is no such block they are its output."""
        return "experts" if self.family.architecture == "gemma4" else "mlp"

    def _is_embedding(self, node: Node) -> bool:
        """Rows of the embedding, or what scales them."""
        if self.family.embed not in ("", "scaled rows"):
            return False
        rows = node if self.family.embed == "" else node.src[0].contents if node.src[0] else None
        return rows is not None and (source(rows, 0), source(rows, 1)) == (ROWS, "inp_tokens")

    def _call(self, pointer: int, ask: bool, _data: Any) -> bool:
        try:
            node = ctypes.cast(pointer, ctypes.POINTER(Node)).contents
            name = self.name(node) if self.tap is not None else None
            wanted = name is not None and self.tap is not None and self.tap.wants(name)
            if wanted and not ask:
                self.seen.setdefault(str(name), []).append(values(node))
            return wanted if ask else True
        except BaseException as error:  # an exception cannot pass through C
            self.failure = self.failure or error
            return not ask

    def taken(self) -> dict[str, np.ndarray]:
        """What was seen of all batches of a step, in the order of evaluation."""
        if self.failure is not None:
            raise self.failure
        return {name: np.concatenate(parts) for name, parts in self.seen.items()}

    def reset(self, tap: Tap | None) -> None:
        self.tap, self.seen, self.failure = tap, {}, None


def values(node: Node) -> np.ndarray:
    """A copy, [n_tokens, width], of a node of type F32."""
    width, rows = node.ne[0], node.ne[1] * node.ne[2] * node.ne[3]
    if node.type != GGML_TYPE_F32 or node.nb[0] != 4 or node.nb[1] != 4 * width or node.ne[2] != 1 and node.nb[2] != node.nb[1] * node.ne[1]:
        raise TypeError(f"node {node.name!r}: expected contiguous float32")
    return np.ctypeslib.as_array(ctypes.cast(node.data, ctypes.POINTER(ctypes.c_float)), (rows, width)).copy()
