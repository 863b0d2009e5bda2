"""Passes of a published model over sequences, layer by layer: each layer is loaded once, and every sequence goes through it.
What it leaves is kept in files, so that a pass that was killed continues where it was."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from ..formats import rounding
from ..media.parts import Prompt
from ..runs.truth import STATEFUL_ROPES, array, precision, rope_types
from . import attention, skeleton
from .coded import Coded
from .documents import Unsupported
from .loader import Loader
from .prompts import model_inputs
from .replay import After, CannotCut, Memo, Replay
from .rounded import RoundInputs

NOTE_SECONDS = 10


@dataclass(frozen=True)
class Sequence:
    """rows: the positions whose logits are wanted, ascending. traces: patterns of the names of wanted tensors."""

    name: str
    tokens: Prompt
    rows: tuple[int, ...]
    traces: tuple[str, ...] = ()


def save(value: Any, path: Path) -> None:
    """Writes the file at once, or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    with open(partial, "wb") as file:
        torch.save(value, file)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def load(path: Path) -> Any:
    return torch.load(path, weights_only=False)  # written by this program, into a directory of its own


class Model:
    """A published model in one precision. directory: with config.json. whole: with all weights in memory; otherwise layer by layer. note: receives
    lines about the progress. checkpoint: with the weights, a directory or a GGUF file; None: the directory. rounded: the name of a type in which the
    inputs of products are rounded, in float32."""

    def __init__(self, directory: Path, dtype: torch.dtype, whole: bool, note: Callable[[str], None], checkpoint: Path | None = None,
                 rounded: str = ""):
        self.dtype, self.note, self.noted = dtype, note, time.monotonic()
        self.model = skeleton.build(directory, dtype)
        self.text = skeleton.decoder(self.model)
        self.layers = skeleton.find_layers(self.model)
        if self.layers is None and not whole:
            raise CannotCut("its text model has no list of decoder layers")
        self.whole = whole
        name = None if whole else skeleton.name_of(self.model, self.layers)
        if name is not None and (tied := skeleton.tied_layers(self.model, name)):
            raise CannotCut(f"its layers share weights: {tied[0]} is {tied[1]}")
        self.loader = Loader(self.model, checkpoint or directory, dtype, name)
        self.loader.load_rest()
        compute, _, cache = rounded.partition("+")
        self.cache = rounding.CACHES[cache] if cache else None
        self.rounding = RoundInputs(compute) if compute else None
        for parameter, tensor in self.loader.lazy.tensors.values() if compute else ():
            if isinstance(tensor, Coded):
                self.rounding.keep(parameter, tensor.part.inputs())
        self._round()
        self.memo = Memo(skeleton.beside(self.model, self.text))
        self.config = self.text.config
        self.length_dependent = bool(rope_types(self.config) & set(STATEFUL_ROPES)) if hasattr(
            self.config, "rope_parameters") else False

    def forget(self) -> None:
        """Drops what earlier calls left in the model: M-RoPE's delta, and tables of ropes that depend on the length."""
        for module in self.model.modules():
            if hasattr(module, "rope_deltas"):
                module.rope_deltas = None
        if self.length_dependent and hasattr(self.text, "rotary_emb"):
            with precision(self.dtype):
                self.text.rotary_emb = type(self.text.rotary_emb)(config=self.config)

    def _round(self) -> None:
        """Finds the parameters that were loaded."""
        if self.rounding is not None:
            self.rounding.attach(self.model, self.loader.inputs, self.loader.joined)

    @contextlib.contextmanager
    def _computing(self, n_tokens: int) -> Iterator[None]:
        """Everything that computes otherwise than the published model does by itself."""
        with contextlib.ExitStack() as stack:
            if attention.is_large(self.model, n_tokens, self.dtype):
                stack.enter_context(attention.blocked(self.model))
            if self.cache is not None:
                stack.enter_context(attention.replaced(self.model, attention.cached(self.cache)))
            stack.enter_context(self.loader.lazy)
            if self.rounding is not None:
                stack.enter_context(self.rounding)
            yield

    @contextlib.contextmanager
    def _rows_of_head(self, sequence: Sequence) -> Iterator[None]:
        """The head computes the wanted rows only."""
        head = self.model.get_output_embeddings()
        n = len(sequence.tokens)

        def keep_rows(_module, args):
            if args[0].shape[-2] != n:
                raise Unsupported(f"the head of the published model gets {args[0].shape[-2]} rows of {n}")
            return (args[0][..., list(sequence.rows), :], *args[1:])

        handle = head.register_forward_pre_hook(keep_rows) if head is not None else None
        try:
            yield
        finally:
            if handle is not None:
                handle.remove()

    def call(self, sequence: Sequence) -> np.ndarray:
        """Logits of the wanted rows, of one forward pass without cache."""
        self.forget()
        with precision(self.dtype), self._rows_of_head(sequence), self._computing(len(sequence.tokens)):
            out = self.model(**model_inputs(self.model, sequence.tokens), use_cache=False).logits[0]
        kept = out if len(out) == len(sequence.rows) else out[list(sequence.rows)]
        return array(kept).copy()

    def run(self, sequences: list[Sequence], work: Path) -> None:
        """Computes the logits and traces of all sequences; `rows` and `trace` read them. What is there is not computed
        again."""
        todo = [s for s in sequences if not (work / s.name / "rows.pt").exists()]
        if not todo:
            return
        if self.whole:
            for sequence in todo:
                self._run_whole(sequence, work / sequence.name)
            return
        for stage in range(len(self.layers)):
            self._run_layer(stage, todo, work)
        for sequence in todo:
            place = work / sequence.name
            before = load(place / f"after-{len(self.layers) - 1}.pt")
            self._replay(sequence, place, len(self.layers), before)
            (place / f"after-{len(self.layers) - 1}.pt").unlink()

    def _run_layer(self, stage: int, sequences: list[Sequence], work: Path) -> None:
        """Everything through one layer. A file of a later layer shows that a sequence is past it."""
        todo = [s for s in sequences if self._reached(work / s.name) < stage]
        if not todo:
            return
        if time.monotonic() - self.noted >= NOTE_SECONDS:
            self.note(f"layer {stage + 1} of {len(self.layers)}, {len(todo)} sequences")
            self.noted = time.monotonic()
        self.loader.load_layer(stage)
        self._round()
        for sequence in todo:
            place = work / sequence.name
            before = load(place / f"after-{stage - 1}.pt") if stage else None
            self._replay(sequence, place, stage, before)
            if stage:
                (place / f"after-{stage - 1}.pt").unlink()
        self.loader.free_layer(stage)

    @staticmethod
    def _reached(place: Path) -> int:
        """The last layer behind which the sequence is; -1: none."""
        return max((int(path.stem.partition("-")[2]) for path in place.glob("after-*.pt")), default=-1)

    def _replay(self, sequence: Sequence, place: Path, stage: int, before: After | None) -> None:
        replay = Replay(self.layers, stage, before)
        traces = Traces(sequence.traces)
        layer = self.layers[stage] if stage < len(self.layers) else None
        with self._memoised(place, stage), traces.modules(self, layer, stage):
            rows = replay.run(lambda: self.call(sequence))
        if layer is not None:
            traces.layer(self, replay, stage)
        traces.save(place)
        if layer is not None:
            save(replay.after, place / f"after-{stage}.pt")
            return
        if np.isnan(rows).any():
            raise CannotCut(f"its logits depend on layers before layer {stage - 1}")
        save(rows, place / "rows.pt")

    @contextlib.contextmanager
    def _memoised(self, place: Path, stage: int) -> Iterator[None]:
        path = place / "beside.pt"
        if stage and path.exists():
            with self.memo.returned(load(path)):
                yield
            return
        results: dict[int, list[Any]] = {}
        with self.memo.recorded(results):
            yield
        if results:
            save(results, path)

    def _run_whole(self, sequence: Sequence, place: Path) -> None:
        traces = Traces(sequence.traces)
        with contextlib.ExitStack() as stack:
            for index, layer in enumerate(self.layers or ()):
                stack.enter_context(traces.modules(self, layer, index))
                stack.enter_context(traces.ends(self, layer, index))
            stack.enter_context(traces.modules(self, None, len(self.layers or ())))
            rows = self.call(sequence)
        traces.save(place)
        save(rows, place / "rows.pt")


class Traces:
    """The wanted tensors of one pass [n, D]: `embed`, the input of the first layer; `layer.NN.out`, that of the next one;
    `layer.NN.attn` and `layer.NN.mlp`, the results of these modules; `norm`."""

    def __init__(self, patterns: tuple[str, ...]):
        self.patterns = patterns
        self.found: dict[str, np.ndarray] = {}

    def keep(self, model: Model, name: str, out: Any) -> None:
        if not any(fnmatch(name, pattern) for pattern in self.patterns):
            return
        out = out[0] if isinstance(out, tuple) else out
        if out.dim() == 4:  # AltUp has several streams
            out = out[model.config.altup_active_idx]
        self.found[name] = array(out.detach().reshape(-1, out.shape[-1])).copy()

    @contextlib.contextmanager
    def modules(self, model: Model, layer: nn.Module | None, index: int) -> Iterator[None]:
        """Keeps results of modules of a layer, or, behind the last one, of the final norm."""
        named = {"norm": getattr(model.text, "norm", None)}
        if layer is not None:
            mixer = getattr(layer, "self_attn", getattr(layer, "linear_attn", None))
            named = {f"layer.{index:02d}.attn": mixer, f"layer.{index:02d}.mlp": getattr(layer, "mlp", None)}
        handles = [module.register_forward_hook(lambda _m, _i, out, name=name: self.keep(model, name, out))
                   for name, module in named.items() if module is not None and self.patterns]
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()

    @contextlib.contextmanager
    def ends(self, model: Model, layer: nn.Module, index: int) -> Iterator[None]:
        """Keeps the input of a layer, and the result of the last one."""
        def before(_module, args, kwargs):
            self.keep(model, self.name_of_input(index), args[0] if args else kwargs["hidden_states"])

        handles = [layer.register_forward_pre_hook(before, with_kwargs=True)] if self.patterns else []
        if self.patterns and index == len(model.layers) - 1:
            handles.append(layer.register_forward_hook(
                lambda _m, _i, out: self.keep(model, f"layer.{index:02d}.out", out)))
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()

    @staticmethod
    def name_of_input(index: int) -> str:
        return f"layer.{index - 1:02d}.out" if index else "embed"

    def layer(self, model: Model, replay: Replay, stage: int) -> None:
        self.keep(model, self.name_of_input(stage), replay.hidden)
        if stage == len(model.layers) - 1:
            self.keep(model, f"layer.{stage:02d}.out", replay.after.out)

    def save(self, place: Path) -> None:
        for name, tensor in self.found.items():
            save(tensor, place / f"trace-{name}.pt")


def rows(sequence: Sequence, work: Path) -> np.ndarray:
    """[len(sequence.rows), V]"""
    return load(work / sequence.name / "rows.pt")


def traces(sequence: Sequence, work: Path) -> dict[str, np.ndarray]:
    found = {path.stem.partition("-")[2]: load(path) for path in (work / sequence.name).glob("trace-*.pt")}
    return dict(sorted(found.items()))
