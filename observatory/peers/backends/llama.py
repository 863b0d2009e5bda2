"""llama.cpp through the low-level bindings of llama-cpp-python: one batch of sequences per call, logits of
the last position of each only, flash attention and micro-batch size as llama.cpp chooses."""

from __future__ import annotations

import ctypes
import importlib.metadata as metadata
from pathlib import Path

import llama_cpp
import numpy as np

from . import Capacity

N_BATCH = 2048  # tokens per call, llama.cpp's default


@llama_cpp.llama_log_callback
def _quiet(level: int, text: bytes, data: ctypes.c_void_p) -> None:
    pass


class Peer:
    """llama.cpp's default cache is float16. Its flash attention rounds a float32 cache to float16, so it is
    disabled for runs that must be float32 throughout ("strict")."""

    def __init__(self, model: Path, capacity: Capacity):
        llama_cpp.llama_log_set(_quiet, ctypes.c_void_p(0))
        llama_cpp.llama_backend_init()
        self.model = llama_cpp.llama_model_load_from_file(
            str(model).encode(), llama_cpp.llama_model_default_params())
        if not self.model:
            raise RuntimeError(f"{model}: llama.cpp does not load it")
        self.n_vocab = llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(self.model))
        self.context = llama_cpp.llama_init_from_model(self.model, self._params(capacity))
        if not self.context:
            raise RuntimeError(f"{model}: llama.cpp makes no context")
        self.batch = llama_cpp.llama_batch_init(N_BATCH, 0, 1)
        self.length = np.zeros(capacity.n_samples, np.int32)

    @staticmethod
    def _params(capacity: Capacity) -> llama_cpp.llama_context_params:
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = capacity.n_samples * -(-capacity.n_tokens // 256) * 256  # shared equally by the sequences
        params.n_batch = N_BATCH
        params.n_seq_max = capacity.n_samples
        params.n_threads = params.n_threads_batch = capacity.n_threads
        if capacity.how == "strict":
            params.type_k = params.type_v = llama_cpp.GGML_TYPE_F32
            params.flash_attn_type = llama_cpp.LLAMA_FLASH_ATTN_TYPE_DISABLED
        return params

    def _run(self, tokens: np.ndarray, first: np.ndarray) -> np.ndarray:
        """Logits [B, vocabulary]. tokens: [B, T]; first: [B], the position of each sequence's first token. Sequences
        are processed one after the other."""
        n_samples, n_tokens = tokens.shape
        sample = np.repeat(np.arange(n_samples, dtype=np.int32), n_tokens)
        position = (first[:, None] + np.arange(n_tokens, dtype=np.int32)).ravel()
        last = np.tile(np.arange(n_tokens) == n_tokens - 1, n_samples)
        logits = np.empty((n_samples, self.n_vocab), np.float32)
        for start in range(0, tokens.size, N_BATCH):
            piece = slice(start, start + N_BATCH)
            self._decode(tokens.ravel()[piece], position[piece], sample[piece], last[piece])
            for i in np.flatnonzero(last[piece]):
                row = llama_cpp.llama_get_logits_ith(self.context, int(i))
                logits[sample[start + i]] = np.ctypeslib.as_array(row, (self.n_vocab,))
        return logits

    def _decode(self, tokens: np.ndarray, position: np.ndarray, sample: np.ndarray,
                last: np.ndarray) -> None:
        n, batch = len(tokens), self.batch
        batch.n_tokens = n
        np.ctypeslib.as_array(batch.token, (n,))[:] = tokens
        np.ctypeslib.as_array(batch.pos, (n,))[:] = position
        np.ctypeslib.as_array(batch.n_seq_id, (n,))[:] = 1
        np.ctypeslib.as_array(batch.logits, (n,))[:] = last
        for i in range(n):
            batch.seq_id[i][0] = sample[i]
        status = llama_cpp.llama_decode(self.context, batch)
        if status != 0:
            raise RuntimeError(f"llama_decode answers {status}")

    def prefill(self, tokens: np.ndarray) -> np.ndarray:
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self.context), True)
        self.length[:] = 0
        return self.step_all(tokens)

    def step(self, tokens: np.ndarray) -> np.ndarray:
        return self.step_all(tokens[:, None])

    def step_all(self, tokens: np.ndarray) -> np.ndarray:
        first = self.length[:len(tokens)].copy()
        self.length[:len(tokens)] += tokens.shape[1]
        return self._run(tokens, first)


def version() -> str:
    return f"llama-cpp-python {metadata.version('llama-cpp-python')}"


def describe() -> str:
    """The instruction sets that the library was built with."""
    said = llama_cpp.llama_print_system_info().decode()
    on = [part.split("=")[0].split(":")[-1].strip() for part in said.split("|") if "= 1" in part]
    return "built with " + ", ".join(on)
