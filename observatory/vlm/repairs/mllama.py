"""Repairs of mlx-vlm's Llama 3.2 Vision."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import mlx.nn as nn

from scripts.record.checkpoint.opening import module, wrapped

from ..spelling import Config

FAMILY = "mllama"


def inputs_of_layers(config: Config) -> Any:
    """The states of earlier layers are the inputs of the layers that intermediate_layers_indices names; one index more
    names the output of the last layer."""
    def encode(_original, self, hidden_states, attention_mask=None):
        states: tuple[mx.array, ...] = ()
        for layer in self.layers:
            states = (*states, hidden_states)
            hidden_states = layer(hidden_states, attention_mask=attention_mask)
        return hidden_states, (*states, hidden_states)
    return wrapped(module(FAMILY, "vision").MllamaVisionEncoder, "__call__", encode)


def outer_epsilons(config: Config) -> Any:
    """The norms before the first layer and after the last have an epsilon of 1e-5."""
    def make(original, self, tower):
        original(self, tower)
        self.layernorm_pre.eps = self.layernorm_post.eps = 1e-5
    return wrapped(module(FAMILY, "vision").VisionModel, "__init__", make)


def text_alone(config: Config) -> Any:
    """Without an image the layers that attend to images are left out."""
    def layer(original, self, hidden_states, cross_attention_states=None, **kwargs):
        if cross_attention_states is None:
            return hidden_states
        return original(self, hidden_states, cross_attention_states=cross_attention_states, **kwargs)
    return wrapped(module(FAMILY, "language").MllamaCrossAttentionDecoderLayer, "__call__", layer)


def last_rows(config: Config) -> Any:
    """A decoded token sees what the last token of the prompt sees."""
    rows: dict[int, dict[str, mx.array]] = {}

    def call(original, self, *args, cache=None, **kwargs):
        if kwargs.get("cross_attention_mask") is not None:
            rows[id(cache[0])] = {name: kwargs[name][:, :, -1:] for name in (
                "cross_attention_mask", "full_text_row_masked_out_mask")}
        elif kwargs.get("cross_attention_states") is not None:
            kwargs |= rows[id(cache[0])]
        return original(self, *args, cache=cache, **kwargs)
    return wrapped(module(FAMILY, "language").LanguageModel, "__call__", call)


def ids_of_ratios(config: Config) -> Any:
    """max_aspect_ratio_id is the number of supported_aspect_ratios."""
    def make(original, self, tower):
        tower.max_aspect_ratio_id = len(tower.supported_aspect_ratios)
        original(self, tower)
    return wrapped(module(FAMILY, "vision").VisionModel, "__init__", make)


def tower_activation(config: Config) -> Any:
    """hidden_act of the tower."""
    def make(original, self, tower):
        original(self, tower)
        if config["vision_config"]["hidden_act"] == "gelu_pytorch_tanh":
            self.gelu = nn.GELU(approx="precise")
    return wrapped(module(FAMILY, "vision").MllamaVisionMLP, "__init__", make)
