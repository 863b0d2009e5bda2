"""What one forward pass of a published model shows besides its logits: tensors by name, and its routing."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch

from . import towers


class Traced(Protocol):
    """A published model (truth.Run): with its decoder, and the config of that."""

    model: torch.nn.Module
    text: torch.nn.Module
    config: Any


@dataclass(frozen=True)
class Routing:
    """One call of a router: the share of each expert for each token, and the number of chosen experts."""

    shares: np.ndarray  # [n, experts], float64
    top_k: int

    def chosen(self) -> np.ndarray:
        """The chosen experts [n, top_k], sorted by index."""
        return np.sort(np.argsort(-self.shares, axis=-1, kind="stable")[:, :self.top_k], axis=-1)

    def gaps(self) -> np.ndarray:
        """[n]: the gap between the shares of the last chosen expert and the first one not chosen."""
        ordered = -np.sort(-self.shares, axis=-1)
        if self.top_k == ordered.shape[1]:  # all are chosen
            return np.ones(len(ordered))
        return ordered[:, self.top_k - 1] - ordered[:, self.top_k]

    def gap(self) -> float:
        return float(self.gaps().min())


@dataclass(frozen=True)
class GroupedRouting(Routing):
    """One call of a router of experts in groups (GLM-4.5V): the shares have their biases, and the experts of the
    n_active_groups groups with the largest sums of two are compared."""

    n_groups: int = 1
    n_active_groups: int = 1

    def scores(self) -> np.ndarray:
        """[n, n_groups]."""
        grouped = self.shares.reshape(len(self.shares), self.n_groups, -1)
        return np.sort(grouped, axis=-1)[..., -2:].sum(-1)

    def compared(self) -> Routing:
        """The routing among the experts of the chosen groups."""
        order = np.argsort(-self.scores(), axis=-1, kind="stable")[:, :self.n_active_groups]
        is_open = np.zeros((len(self.shares), self.n_groups), bool)
        np.put_along_axis(is_open, order, True, axis=-1)
        size = self.shares.shape[1] // self.n_groups
        return Routing(np.where(is_open.repeat(size, axis=-1), self.shares, -np.inf), self.top_k)

    def chosen(self) -> np.ndarray:
        return self.compared().chosen()

    def gaps(self) -> np.ndarray:
        """[n]: the smaller gap, of the experts or of the groups; that of the groups, whose scores are sums of two shares,
        counts half."""
        gaps = self.compared().gaps()
        if self.n_active_groups == self.n_groups:
            return gaps
        return np.minimum(gaps, Routing(self.scores(), self.n_active_groups).gaps() / 2)


class TypedRouting:
    """The routing of a block with two sets of experts (ERNIE): one Routing for each call of the block, whose shares
    are what the sets compare, the biased probabilities, with the rows in the order of the tokens."""

    def __init__(self, block: torch.nn.Module, top_k: int, routings: list[Routing]):
        self.top_k, self.routings = top_k, routings
        self.own: np.ndarray | None = None  # [n]: whether a token has the vision experts
        self.found: dict[str, np.ndarray] = {}
        self.handles = [block.register_forward_pre_hook(self.begin), block.register_forward_hook(self.end),
                        *(getattr(block, name).gate.register_forward_hook(self.store(name))
                          for name in ("text_moe", "vision_moe"))]

    def begin(self, _module, args) -> None:
        kinds = args[1] if len(args) > 1 else None
        self.own = None if kinds is None else kinds.reshape(-1).bool().numpy()
        self.found = {}

    def store(self, name: str):
        def hook(gate, _args, out):
            bias = gate.moe_statics.e_score_correction_bias.double().reshape(-1)
            self.found[name] = (torch.softmax(out[0].double(), -1) + bias).numpy().copy()
        return hook

    def end(self, *_) -> None:
        text = self.found["text_moe"]
        if "vision_moe" in self.found:
            shares = np.empty((len(self.own), text.shape[1]))
            shares[~self.own], shares[self.own] = text, self.found["vision_moe"]
            text = shares
        self.routings.append(Routing(text, self.top_k))


def text_model(model: torch.nn.Module) -> torch.nn.Module:
    """The decoder inside a causal model or inside a multimodal one."""
    return getattr(model.model, "language_model", model.model)


def mixer(layer: torch.nn.Module) -> torch.nn.Module:
    """The module of a layer that mixes tokens: attention, to tokens or to images, or a delta net."""
    return next(getattr(layer, name) for name in ("self_attn", "cross_attn", "linear_attn") if hasattr(layer, name))


def last_norm(text: torch.nn.Module) -> torch.nn.Module:
    """The norm after the last layer."""
    return text.norm if hasattr(text, "norm") else text.final_layernorm


def correction_bias(block: torch.nn.Module) -> torch.Tensor | None:
    """What is added to the sigmoids of a router for the choice of experts: a buffer of the router, or of the block around it."""
    name = "e_score_correction_bias"
    return getattr(getattr(block, "gate", None), name, getattr(block, name, None))


@contextlib.contextmanager
def hooks(run: Traced, trace: dict | None, routings: list[Routing] | None) -> Iterator[None]:
    """Traces the modules of one forward pass with forward hooks.

    Traced, each [length, D]: `embed` (after the embedding scale), `layer.NN.out`, `layer.NN.attn`
    and `layer.NN.mlp` (outputs of the modules, before any normalisation that follows),
    `layer.NN.experts`, `norm`; of a tower, what towers.hooks names. AltUp has several streams; the active one is traced.
    """
    handles = []

    def add_hook(module, function):
        handles.append(module.register_forward_hook(
            lambda _m, _i, out: function(out[0] if isinstance(out, tuple) else out)))

    def record_trace(name, factor=1.0):
        def store(out):
            active = out[run.config.altup_active_idx] if out.dim() == 4 else out
            if factor != 1.0:
                active = active * factor
            trace[name] = active.reshape(-1, active.shape[-1]).numpy().copy()
        return store

    def record_routing(top_k, normalised, statics=None):
        def record_shares(scores):
            shares = scores if normalised else torch.softmax(scores.double(), -1)
            if statics is not None:  # a bias of the choice
                shares = shares + statics.e_score_correction_bias.double()
            routings.append(Routing(shares.double().reshape(-1, shares.shape[-1]).numpy().copy(),
                                    top_k))
        return record_shares

    def record_groups(gate, bias):
        def record_shares(scores):
            shares = torch.sigmoid(scores.double()) + bias.double()
            routings.append(GroupedRouting(shares.reshape(-1, shares.shape[-1]).numpy().copy(), gate.top_k,
                                           getattr(gate, "num_group", 1), getattr(gate, "topk_group", 1)))
        return record_shares

    if trace is not None:
        # Granite multiplies the output of the module
        scale = getattr(run.config, "embedding_multiplier", 1.0)
        tower = towers.find(run.model)
        if tower is not None:
            handles += towers.hooks(run.model, trace)
        add_hook(last_norm(run.text), record_trace("norm"))
        streams = hasattr(run.config, "altup_active_idx")
        if tower is None:
            add_hook(run.text.embed_tokens, record_trace("embed", scale))
        elif streams:  # features replace embeddings, but are not added between layers, whose outputs have streams
            handles.append(run.text.layers[0].register_forward_pre_hook(towers.trace_input(trace, "embed"),
                                                                        with_kwargs=True))
        else:
            # features of the tower replace embeddings, and are added between layers
            names = ("embed", *(f"layer.{i:02d}.out" for i in range(len(run.text.layers))))
            handles += [module.register_forward_pre_hook(towers.trace_input(trace, name), with_kwargs=True)
                        for module, name in zip((*run.text.layers, run.text.norm), names)]
        for index, layer in enumerate(run.text.layers):
            if tower is None or streams:
                add_hook(layer, record_trace(f"layer.{index:02d}.out"))
            add_hook(mixer(layer), record_trace(f"layer.{index:02d}.attn"))
            add_hook(layer.mlp, record_trace(f"layer.{index:02d}.mlp"))
            if hasattr(layer, "experts"):
                add_hook(layer.experts, record_trace(f"layer.{index:02d}.experts"))
    if routings is not None:
        for layer in run.text.layers:
            if hasattr(layer, "router"):  # parallel to the MLP; returns shares
                add_hook(layer.router, record_routing(run.config.top_k_experts, normalised=True))
            elif hasattr(layer.mlp, "vision_moe"):
                handles += TypedRouting(layer.mlp, run.config.num_experts_per_tok, routings).handles
            elif (bias := correction_bias(layer.mlp)) is not None:
                add_hook(layer.mlp.gate, record_groups(layer.mlp.gate, bias))
            elif (router := getattr(layer.mlp, "gate", getattr(layer.mlp, "router", None))) is not None:  # inside the MLP; returns logits
                top_k = getattr(router, "top_k", run.config.num_experts_per_tok)  # of this layer (HunYuan)
                add_hook(router, record_routing(top_k, normalised=False, statics=getattr(router, "moe_statics", None)))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
