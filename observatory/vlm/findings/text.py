"""What mlx-vlm makes of text checkpoints: `python -m observatory.vlm.findings vlm-text-models`.

mlx-vlm 0.7.10 has text models of its own, most of them copies of mlx-lm's. Each cause is shown on some cases as published, and again
repaired: with another config.json, or with one behaviour of the package changed.

Names families: a finding is about the models that show it.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from scripts.record.checkpoint.opening import module, wrapped
from scripts.record.support import h5

from ...findings.ask import flat
from ...observe.table import judge
from ..observation import run
from ..repairs.general import attention_biases, both
from ..spelling import Config, with_config

FIXTURES = Path("fixtures")
Change = Callable[[Config], Any]


@dataclass(frozen=True)
class Cause:
    """finding: the entry of observatory/FINDINGS.md. change: of config.json. repairs: contexts, each of a config."""

    finding: str
    cases: tuple[str, ...]
    change: Change | None = None
    repairs: tuple[Callable[[Config], Any], ...] = ()


# ---- Changes of config.json ----

def flat_granite(config: Config) -> None:
    flat(config)
    for member in ("attention_bias", "mlp_bias"):
        config.setdefault(member, False)


def flat_experts(config: Config) -> None:
    flat(config)
    config["num_experts"] = config.pop("num_local_experts")


def named_type(config: Config) -> None:
    config["rope_scaling"]["type"] = config["rope_scaling"].pop("rope_type")


def untied(config: Config) -> None:
    config["tie_word_embeddings"] = False


def one_head_size(config: Config) -> None:
    text = config.get("text_config", config)
    for override in list(text.pop("per_layer_config", {}).values())[:1]:
        text |= {"global_head_dim": override["head_dim"],
                 "num_global_key_value_heads": override.get("num_key_value_heads")}


def newer_rope(config: Config) -> None:
    """Qwen3.5: rope_parameters."""
    config["rope_parameters"] = {"rope_theta": config["rope_theta"], "partial_rotary_factor": config["partial_rotary_factor"],
                                 **config["rope_scaling"]}


def towers_unmentioned(config: Config) -> None:
    """A tower that is left out, not null, takes the defaults of its class, and is dropped because it has no weights."""
    for member in ("vision_config", "audio_config"):
        if config.get(member, {}) is None:
            del config[member]
    one_head_size(config)


# ---- Repairs of the package ----

def scaled_embedding(config: Config) -> Any:
    """Granite multiplies the embeddings of token ids, too."""
    def call(original, self, inputs, cache=None, inputs_embeds=None):
        return original(self, inputs, cache, self.embed_tokens(inputs) if inputs_embeds is None else inputs_embeds)
    return wrapped(module("granite", "language").GraniteModel, "__call__", call)


def tanh_gelu(config: Config) -> Any:
    return wrapped(module("gemma", "language").MLP, "__call__", lambda _, self, x: self.down_proj(
        nn.gelu_approx(self.gate_proj(x)) * self.up_proj(x)))


def activation_of_config(config: Config) -> Any:
    function = {"relu": nn.relu, "gelu": nn.gelu}[config.get("hidden_act") or config["hidden_activation"]]
    return wrapped(module(config["model_type"], "language").MLP, "__call__", lambda _, self, x: self.down_proj(
        function(self.gate_proj(x)) * self.up_proj(x)))


def windows(config: Config) -> Any:
    """All layers have the window."""
    language = module(config["model_type"], "language")
    return wrapped(language, "create_attention_mask", lambda original, h, cache, **kwargs: original(
        h, cache, window_size=config["sliding_window"], return_array=True))


def limit_of_keys(config: Config) -> Any:
    from mlx_vlm.models import cache as caches

    def make(original, model, max_kv_size=None):
        return [caches.RotatingKVCache(max_size=max_kv_size, keep=4) for _ in original(model, max_kv_size)]

    return wrapped(caches, "make_prompt_cache", make)


def wide_norms(config: Config) -> Any:
    """Qwen3.5: 1 is added to the weights of norms in float32."""
    family = config["model_type"]
    owner = module(family, family).Model
    return wrapped(owner, "sanitize", lambda original, self, weights: original(
        self, {name: array.astype(mx.float32) if name.endswith("norm.weight") else array for name, array in weights.items()}))


def stacked_experts(config: Config) -> Any:
    """Qwen3 with experts: those of every layer that has some are stacked."""
    def sanitize(original, self, weights):
        found = dict(original(self, weights))
        for layer in range(config["num_hidden_layers"]):
            for name in ("up_proj", "down_proj", "gate_proj"):
                keys = [f"model.layers.{layer}.mlp.experts.{e}.{name}.weight" for e in range(config["num_experts"])]
                if keys[0] in found:
                    found[f"model.layers.{layer}.mlp.switch_mlp.{name}.weight"] = mx.stack([found.pop(key) for key in keys])
        return found
    return wrapped(module("qwen3_moe", "language").LanguageModel, "sanitize", sanitize)


CAUSES = (
    Cause("vlm-granite-decode", ("granite/base/single", "granite/base/batch", "granite/old/batch", "granite/mlx-4bit/single",
                                 "granite/llama3-old/single"), None, (scaled_embedding,)),
    Cause("rope-parameters", ("llama/theta/single", "llama/sharded/single", "llama/llama3/batch", "llama/yarn/single", "olmo2/biases/batch",
                              "olmo2/lengths/long-single", "phi3/partial/single", "phi3/longrope/long", "qwen2/yarn/single"), flat),
    Cause("sliding-windows", ("phi3/window/single", "phi3/window/batch", "qwen3_moe/window-old/window"), None, (windows,)),
    Cause("gemma-gelu", ("gemma/base/single", "gemma/old/batch", "gemma/lengths/long-single"), None, (tanh_gelu,)),
    Cause("rope-parameters", ("gemma/theta/single",), flat, (tanh_gelu,)),
    Cause("hidden-act", ("llama/act-relu/single", "llama/act-gelu/single", "gemma2/act-gelu/single"), None, (activation_of_config,)),
    Cause("tied-by-default", ("llama/untied-unsaid/single",), untied),
    Cause("max-kv-size-ignored", ("llama/base/limit", "olmo2/base/limit"), None, (limit_of_keys,)),
    Cause("qwen3-5-norms", ("qwen3_5/wrapper/single", "qwen3_5/lengths/long-single", "qwen3_5/one-key-head/batch",
                            "qwen3_5_moe/wrapper/single", "qwen3_5_moe/one-expert/single", "qwen3_5/biases/greedy",
                            "qwen3_5/equal-heads/batch", "qwen3_5_moe/lengths/long-batch"), None, (wide_norms,)),
    Cause("vlm-norms", ("qwen3_5/old/single", "qwen3_5_moe/old/batch"), newer_rope, (wide_norms,)),
    Cause("vlm-qwen3-spelling", ("qwen3/base/batch", "qwen3/lengths/long-single"), flat),
    Cause("granite-rope-parameters", ("granite/biases/batch", "granite/lengths/prefill-1024"), flat_granite, (scaled_embedding,)),
    Cause("qwen3-moe-spelling", ("qwen3_moe/unnormalised/single",), flat_experts),
    Cause("phi3-rope-type", ("phi3/longrope-rope-type/long",), named_type),
    Cause("vlm-gemma4-per-layer-config", ("gemma4/dense/window", "gemma4/k-eq-v-new/single", "gemma4/softcap/generate"), one_head_size),
    Cause("vlm-first-experts", ("qwen3_moe/sparse-step/single", "qwen3_moe/sparse-step/batch"), None, (stacked_experts,)),
    Cause("vlm-decoder-alone", ("gemma4/multimodal/batch", "gemma4/multimodal-unstated/single"), towers_unmentioned),
    Cause("attention-bias", ("qwen3/old/single",), None, (attention_biases,)),
)


def outcome(case: str, change: Change | None = None, repairs: tuple[Callable[[Config], Any], ...] = ()) -> tuple[float, str]:
    """(error in bounds, infinite without a result; the error message)."""
    golden, attributes = h5.read(FIXTURES / f"{case}.h5")
    model = FIXTURES / case.rpartition("/")[0] / "model"
    config = json.loads((model / "config.json").read_text())
    with contextlib.ExitStack() as stack:
        if change is not None:
            change(config)
            model = stack.enter_context(with_config(model, config))
        stack.enter_context(both(*(repair(config) for repair in repairs)))
        try:
            found = run(model, golden, False, attributes.get("cache_limit"))
        except Exception as error:  # any error of mlx-vlm is its result
            return np.inf, f"{type(error).__name__}: {' '.join(str(error).split())[:90]}"
    judged = judge(golden, found)
    return (judged.times if judged.agrees or judged.times > 1 else np.inf), ""


def compare_text() -> tuple[float, list[str]]:
    """(largest error as published, the cases that diverge when repaired)."""
    worst, failed = 0.0, []
    for cause in CAUSES:
        print(f"  {cause.finding}:", flush=True)
        for case in cause.cases:
            (times, said), (repaired, why) = outcome(case), outcome(case, cause.change, cause.repairs)
            print(f"    {case}: {said or f'{times:.3g} times the bound'}; repaired {why or f'{repaired:.3g}'}", flush=True)
            worst = max(worst, times)
            if not repaired <= 1:
                failed.append(case)
    return worst, failed
