"""Runs llama.cpp on GGUF files: observations to compare, never goldens. The library is llama-cpp-python's; `llama-quantize` of the same
sources widens a file (`LLAMA_CPP_LIB_PATH`, or the search path)."""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from scripts.record.support import h5
from scripts.record.support.h5 import left_pad

from .mlx_lm import distance, prompts, refusal

N_CELLS = 256


@dataclass(frozen=True)
class Way:
    """widened: the weights in F32. float32_cache: keys and values in float32, in place of float16."""

    system: str
    widened: bool
    float32_cache: bool
    words: str


WAYS = (Way("llama-cpp", False, False, "the file as it is, a cache of float16"),
        Way("llama-cpp-cache", False, True, "the file as it is, a cache of float32"),
        Way("llama-cpp-widened", True, True, "weights widened to F32 by llama-quantize, a cache of float32"))


@contextmanager
def widened(model: Path) -> Iterator[Path]:
    """The file with all matrices in F32. RuntimeError: llama-quantize refuses it, in its words."""
    tool = shutil.which("llama-quantize", path=os.pathsep.join((os.environ.get("LLAMA_CPP_LIB_PATH", ""), os.environ["PATH"])))
    if tool is None:
        raise SystemExit("llama-quantize is not in LLAMA_CPP_LIB_PATH nor in PATH")
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "f32.gguf"
        said = subprocess.run([tool, "--allow-requantize", str(model), str(out), "F32", "1"], capture_output=True, text=True, check=False)
        if said.returncode:
            raise RuntimeError(f"llama-quantize answers {said.returncode}: {said.stderr.strip().splitlines()[-1]}")
        yield out


class Model:
    """A file with one context of one sequence."""

    def __init__(self, path: Path, way: Way):
        import llama_cpp as api
        self.api = api
        params = api.llama_model_default_params()
        params.n_gpu_layers = 0
        params.use_extra_bufts = False  # weights in their blocks: repacked ones depend on the processor, and their products are others
        self.handle = api.llama_model_load_from_file(str(path).encode(), params)
        if not self.handle:
            raise RuntimeError("llama_model_load_from_file gives no model")
        self.vocab = api.llama_model_get_vocab(self.handle)
        self.context = self._context(way)
        self.batch = api.llama_batch_init(N_CELLS, 0, 1)

    def _context(self, way: Way) -> Any:
        api = self.api
        params = api.llama_context_default_params()
        params.n_ctx = params.n_batch = params.n_ubatch = N_CELLS
        params.n_seq_max, params.kv_unified = 1, True
        params.n_outputs_max_per_seq = 0  # no bound but n_batch
        params.n_threads = params.n_threads_batch = 1
        if way.float32_cache:
            params.type_k = params.type_v = api.GGML_TYPE_F32
        params.flash_attn_type = api.LLAMA_FLASH_ATTN_TYPE_DISABLED  # it would round keys and values of float32 to float16
        context = api.llama_init_from_model(self.handle, params)
        if not context:
            raise RuntimeError("llama_init_from_model gives no context")
        return context

    def forget(self) -> None:
        self.api.llama_memory_clear(self.api.llama_get_memory(self.context), True)

    def rows(self, tokens: list[int], position: int) -> np.ndarray:
        """Logits [len(tokens), V] of tokens from a position on."""
        api, batch = self.api, self.batch
        batch.n_tokens = len(tokens)
        for i, token in enumerate(tokens):
            batch.token[i], batch.pos[i], batch.n_seq_id[i], batch.seq_id[i][0], batch.logits[i] = token, position + i, 1, 0, 1
        if (status := api.llama_decode(self.context, batch)) != 0:
            raise RuntimeError(f"llama_decode answers {status}")
        n_words = api.llama_vocab_n_tokens(self.vocab)
        return np.stack([np.ctypeslib.as_array(api.llama_get_logits_ith(self.context, i), (n_words,)).copy() for i in range(len(tokens))])

    def ends(self, token: int) -> bool:
        return bool(self.api.llama_vocab_is_eog(self.vocab, token))

    def free(self) -> None:
        self.api.llama_batch_free(self.batch)
        self.api.llama_free(self.context)
        self.api.llama_model_free(self.handle)


def run(path: Path, way: Way, golden: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The datasets of an observation: float32 logits as in /expect/truth, NaN on padding, and greedy tokens. Each sample is alone: the prompt
    in one batch, then one token at a time."""
    model = Model(path, way)
    prefill, decode, streams = [], [], []
    for prompt, forced in zip(prompts(golden), golden["/input/decode"].tolist()):
        model.forget()
        prefill.append(model.rows(prompt, 0))
        decode.append(np.concatenate([model.rows([token], len(prompt) + n) for n, token in enumerate(forced)]))
        if "/expect/tokens" in golden:
            streams.append(greedy(model, prompt, golden["/expect/tokens"].shape[1]))
    model.free()
    found = {"/observed/prefill": left_pad(prefill, np.nan), "/observed/decode": np.stack(decode)}
    return found | ({"/observed/tokens": np.array(streams, np.int32)} if streams else {})


def greedy(model: Model, prompt: list[int], n_tokens: int) -> list[int]:
    """The best tokens after a prompt, with the first that ends a generation; -1 after it."""
    model.forget()
    found = [int(model.rows(prompt, 0)[-1].argmax())]
    while len(found) < n_tokens and not model.ends(found[-1]):
        found.append(int(model.rows(found[-1:], len(prompt) + len(found) - 1)[-1].argmax()))
    return found + [-1] * (n_tokens - len(found))


def answer(case: Path, way: Way, golden: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    path = case.parent / str(h5.read(case)[1]["model"])
    if not way.widened:
        return run(path, way, golden)
    with widened(path) as wide:
        return run(wide, way, golden)


@functools.cache
def start() -> tuple[str, Any]:
    """Silences llama.cpp: its version, and the callback, which must stay alive."""
    import llama_cpp as api
    silent = api.llama_log_callback(lambda _level, _text, _data: None)
    api.llama_log_set(silent, ctypes.c_void_p(0))
    api.llama_backend_init()
    return f"llama-cpp {version('llama-cpp-python')}, llama-cpp-python on a CPU", silent


def observe(case: Path) -> str:
    """Writes observed/<case>.<system>.h5 beside a case for each way, or .txt with the error message. Returns text for the log."""
    golden, attributes = h5.read(case)
    release, said = start()[0], []
    (case.parent / "observed").mkdir(exist_ok=True)
    for way in WAYS:
        place = case.parent / "observed" / f"{case.stem}.{way.system}"
        try:
            datasets = answer(case, way, golden)
        except Exception as error:  # any error of llama.cpp is its result
            place.with_name(place.name + ".txt").write_text(f"{release}: {refusal(error, case)}\n")
            said.append(f"{way.system} cannot: {refusal(error, case)[:90]}")
            continue
        h5.write(place.with_name(place.name + ".h5"), {
            "kind": "observation", "case": f"../{case.name}", "recorder": attributes["recorder"],
            "source": f"{release}; {way.words}; no repacked weights, no flash attention; each sample alone, cached decode"}, datasets)
        said.append(f"{way.system} {distance(golden, datasets, '/observed') / distance(golden, golden, '/expect/float32'):.3g} x noise")
    return ", ".join(said)
