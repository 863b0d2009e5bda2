"""A context of llama.cpp: its cache and its sequences, through the low-level bindings of llama-cpp-python."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import llama_cpp as api
import numpy as np

from assay.errors import FormatError, Unsupported

N_BATCH = 512  # tokens of a batch, and of a micro-batch
MOST_SEQUENCES = 256  # LLAMA_MAX_SEQ
NO_CALLBACK = api.ggml_backend_sched_eval_callback(0)
LOG: list[str] = []  # what llama.cpp said last
WARN = 3  # ggml_log_level


@api.llama_log_callback
def _log(level: int, text: bytes, _data: ctypes.c_void_p) -> None:
    if level >= WARN:
        LOG.append(text.decode(errors="replace").strip())
        del LOG[:-8]


def start() -> None:
    api.llama_log_set(_log, ctypes.c_void_p(0))
    api.llama_backend_init()


def said() -> str:
    return "; ".join(LOG) or "llama.cpp does not say why"


def load(path: str, repacked: bool = True) -> Any:
    """A model of a GGUF file, which it maps: the file may be removed afterwards. repacked: weights may be in an order of the processor's."""
    LOG.clear()
    params = api.llama_model_default_params()
    params.use_extra_bufts = repacked
    params.n_gpu_layers = 0
    model = api.llama_model_load_from_file(path.encode(), params)
    if not model:
        raise FormatError(f"llama.cpp does not load the GGUF file of the checkpoint: {said()}")
    return model


@dataclass(frozen=True)
class Capacity:
    """n_cells: tokens of all sequences together, which share one cache."""

    n_sequences: int
    n_cells: int

    def grown(self, n_sequences: int, n_cells: int) -> Capacity:
        """One that is enough, and at least twice as large in what is not enough."""
        if n_sequences > MOST_SEQUENCES:
            raise Unsupported(f"{n_sequences} samples: llama.cpp has at most {MOST_SEQUENCES} sequences")
        return Capacity(self.n_sequences if n_sequences <= self.n_sequences else min(max(n_sequences, 2 * self.n_sequences), MOST_SEQUENCES),
                        self.n_cells if n_cells <= self.n_cells else max(n_cells, 2 * self.n_cells))


class Context:
    """callback: that of ggml's scheduler, or None."""

    def __init__(self, model: Any, capacity: Capacity, callback: Any = None):
        params = api.llama_context_default_params()
        # A batch has no more outputs than the context has cells, and llama.cpp aborts where a batch needs more.
        params.n_ctx, params.n_seq_max, params.kv_unified = max(capacity.n_cells, N_BATCH), capacity.n_sequences, True
        params.n_batch = params.n_ubatch = N_BATCH
        params.n_outputs_max_per_seq = 0  # no bound but n_batch
        params.n_threads = params.n_threads_batch = 1
        params.type_k = params.type_v = api.GGML_TYPE_F32
        params.flash_attn_type = api.LLAMA_FLASH_ATTN_TYPE_DISABLED  # it would round keys and values to float16
        params.cb_eval = callback or NO_CALLBACK
        self.capacity, self.callback = capacity, callback
        LOG.clear()
        self.handle = api.llama_init_from_model(model, params)
        if not self.handle:
            raise MemoryError(f"llama.cpp makes no context of {capacity.n_cells} tokens: {said()}")
        self.memory = api.llama_get_memory(self.handle)
        self.batch = api.llama_batch_init(N_BATCH, 0, 1)
        self.n_vocab = api.llama_vocab_n_tokens(api.llama_model_get_vocab(model))

    def free(self) -> None:
        if self.handle:
            api.llama_batch_free(self.batch)
            api.llama_free(self.handle)
        self.handle = None

    # ---- Sequences ----

    def state(self, sequence: int) -> Any:
        """What the cache has of a sequence."""
        size = api.llama_state_seq_get_size(self.handle, sequence)
        data = (ctypes.c_uint8 * size)()
        if api.llama_state_seq_get_data(self.handle, data, size, sequence) != size:
            raise RuntimeError(f"llama_state_seq_get_data of sequence {sequence} does not give {size} bytes")
        return data

    def restore(self, sequence: int, data: Any) -> None:
        self.remove(sequence, 0)
        if api.llama_state_seq_set_data(self.handle, data, len(data), sequence) != len(data):
            raise RuntimeError(f"llama_state_seq_set_data of sequence {sequence} does not take {len(data)} bytes: {said()}")

    def remove(self, sequence: int, n_tokens: int) -> bool:
        """Removes the tokens after the first n_tokens; false, if the cache cannot."""
        return bool(api.llama_memory_seq_rm(self.memory, sequence, n_tokens, -1))

    def copy(self, sequence: int, to: int) -> None:
        self.remove(to, 0)
        api.llama_memory_seq_cp(self.memory, sequence, to, -1, -1)

    # ---- Evaluation ----

    def decode(self, tokens: np.ndarray, positions: np.ndarray, sequences: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """The logits of the wanted tokens, in order. All arrays: [n], n at most N_BATCH."""
        n, batch = len(tokens), self.batch
        batch.n_tokens = n
        for member, values in ((batch.token, tokens), (batch.pos, positions), (batch.n_seq_id, 1), (batch.logits, wanted)):
            np.ctypeslib.as_array(member, (n,))[:] = values
        for i, sequence in enumerate(sequences.tolist()):
            batch.seq_id[i][0] = sequence
        LOG.clear()
        status = api.llama_decode(self.handle, batch)
        if status != 0:
            raise RuntimeError(f"llama_decode answers {status}: {said()}")
        rows = [np.ctypeslib.as_array(api.llama_get_logits_ith(self.handle, int(i)), (self.n_vocab,)) for i in np.flatnonzero(wanted)]
        return np.array(rows, np.float32).reshape(-1, self.n_vocab)


def moved(old: Context, new: Context, sequences: Sequence[int]) -> Context:
    """The new context, with the sequences of the old one, which is freed."""
    try:
        for sequence in sequences:
            new.restore(sequence, old.state(sequence))
    except BaseException:
        new.free()
        raise
    old.free()
    return new
