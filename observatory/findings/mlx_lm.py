"""For findings: mlx-lm on bundled checkpoints.

Names families: a finding is about the models that show it.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from scripts.record.support import h5

from ..observe.mlx_lm import load, prompts, run
from ..observe.table import judge
from .ask import FIXTURES, ask, ask_in_chunks, ask_mlx, bound, edited, flat, golden, limited, off, published, shows, truth, widened_norms


@shows
def gemma3n_without_cache() -> float:
    """mlx-lm: logits of Gemma 3n without a cache, as its trainer computes them."""
    worst = 0.0
    for case in ("single", "batch", "window"):
        recorded = golden(f"gemma3n/multimodal/{case}")
        model, _ = load(FIXTURES / "gemma3n/multimodal/model")
        for cached in (True, False):
            worst = max(off(f"{case}, {'with' if cached else 'without'} a cache",
                            ask_mlx(model, prompts(recorded)[0], cached), truth(recorded),
                            bound(recorded)), worst)
    return worst


@shows
def speculative_rewind() -> float:
    """mlx-lm: speculative decoding of a model with sliding windows, with a draft model that errs."""
    import mlx.core as mx
    from mlx_lm.generate import speculative_generate_step
    model, draft = (load(FIXTURES / "gemma4" / name / "model")[0]
                    for name in ("dense-old", "per-layer-inputs"))
    recorded = golden("gemma4/dense-old/single")
    tokens = prompts(recorded)[0][:2]
    worst = 0.0
    for token, scores, _ in speculative_generate_step(mx.array(tokens), model, draft,
                                                      max_tokens=8, num_draft_tokens=3):
        whole = ask_mlx(model, tokens)[-1].astype(np.float64)
        whole -= np.log(np.exp(whole - whole.max()).sum()) + whole.max()
        worst = max(off(f"step at length {len(tokens)}, window 6", np.array(scores), whole,
                        bound(recorded)), worst)
        tokens.append(int(token))
    return worst


@shows
def hidden_act() -> float:
    """mlx-lm: another activation than the one that its source hard-codes."""
    worst = 0.0
    for variant, member in (("llama/base", "hidden_act"), ("qwen2/base", "hidden_act"),
                            ("qwen3/base", "hidden_act"), ("phi3/base", "hidden_act"),
                            ("gemma4/dense-old", "hidden_activation")):
        recorded = golden(f"{variant}/single")
        tokens = prompts(recorded)[0]
        with edited(variant, lambda config: config.update({member: "relu"})) as model:
            worst = max(off(f"{variant} with {member} relu", ask_mlx(load(model)[0], tokens),
                            ask(published(model), tokens), bound(recorded)), worst)
    return worst


@shows
def stop_id_zero() -> float:
    """mlx-lm: eos_token_id 0 in generation_config.json."""
    from mlx_lm.utils import load_config
    with tempfile.TemporaryDirectory() as scratch:
        for name, value in (("config", 5), ("generation_config", 0)):
            (Path(scratch) / f"{name}.json").write_text(json.dumps({"eos_token_id": value}))
        found = load_config(Path(scratch))["eos_token_id"]
    print(f"  config.json says 5, generation_config.json says 0: mlx-lm stops at {found}")
    return 0.0 if found == 0 else np.inf


@shows
def longrope_factor() -> float:
    """mlx-lm: a given factor of longrope."""
    return ropes(lambda name: name == "longrope-factor")


@shows
def rope_modules() -> float:
    """mlx-lm: its rope modules without a model, every variant, both sides of its boundary, to 2^20."""
    return ropes(lambda name: True)


def ropes(chosen: Callable[[str], bool]) -> float:
    import mlx.core as mx
    from mlx_lm.models.rope_utils import SuScaledRoPE, initialize_rope
    worst = 0.0
    for file in sorted((FIXTURES / "rope").glob("*.h5")):
        case, attributes = h5.read(file)
        config, position = json.loads(attributes["config"]), case["/input/position"]
        rope, head = config["rope_parameters"], config["head_dim"]
        if not chosen(file.stem) or position.ndim == 2:
            continue
        share = 1 if rope["rope_type"] == "proportional" else rope.get("partial_rotary_factor", 1)
        longest = config["max_position_embeddings"]
        if rope["rope_type"] == "longrope":  # as its phi3 makes it
            names = ("original_max_position_embeddings", "short_factor", "long_factor")
            module = SuScaledRoPE(int(head * share), rope["rope_theta"], longest,
                                  *(rope[name] for name in names))
        else:
            module = initialize_rope(int(head * share), rope["rope_theta"], False, rope, longest)
        x = case["/input/x"].astype(np.float32)
        found = np.stack([np.array(module(mx.array(row)[None, None, None], offset=int(at)))[0, 0, 0]
                          for row, at in zip(x, position)])
        allowed = 4 * (16 + position) * 2.0 ** -24 * np.abs(x).max(-1)  # conf_rope_bound_float32
        worst = max(off(f"rope/{file.stem}", found / allowed[:, None],
                        case["/expect/truth/x"] / allowed[:, None], 1.0), worst)
    return worst


@shows
def image_checkpoints() -> float:
    """mlx-lm: text of checkpoints with towers, as they are and with config.json rewritten."""
    def tie(config: dict[str, Any]) -> None:
        config["text_config"]["tie_word_embeddings"] = config.get("tie_word_embeddings", False)

    def experts(config: dict[str, Any]) -> None:
        tie(config)
        text = config["text_config"]
        text["norm_topk_prob"] = True
        if "num_local_experts" in text:
            text["num_experts"] = text.pop("num_local_experts")
            flat(text)

    worst = 0.0
    for change, cases in ((tie, ("qwen2_vl/lengths/long-batch", "qwen2_5_vl/lengths/long-single", "qwen3_vl/lengths/long-single")),
                          (experts, ("qwen3_vl_moe/base/batch", "qwen3_vl_moe/lengths/long-single"))):
        for case in cases:
            variant, recorded = case.rpartition("/")[0], golden(case)
            try:
                load(FIXTURES / variant / "model")
            except (TypeError, ValueError) as error:
                print(f"  {case}: {type(error).__name__}: {' '.join(str(error).split())}")
                worst = np.inf
            with edited(variant, change) as model:
                print(f"  {case}, rewritten: {judge(recorded, run(model, recorded)).times:.3g} times the bound")
    return worst


@shows
def max_kv_size_ignored() -> float:
    """mlx-lm: max_kv_size for a model with make_cache of its own, and for one without."""
    from mlx_lm.models.cache import RotatingKVCache, make_prompt_cache
    worst = 0.0
    for case in ("llama/base/limit", "qwen3/base/limit"):
        recorded, limit, model, tokens, expected = limited(case)
        by_hand = [RotatingKVCache(max_size=limit, keep=4) for _ in model.layers]
        for what, cache in (("make_prompt_cache", make_prompt_cache(model, max_kv_size=limit)),
                            ("RotatingKVCache by hand", by_hand)):
            worst = max(off(f"{case}, {what}",
                            ask_in_chunks(model, tokens, [limit - 2, 1], cache), expected,
                            bound(recorded)), worst)
    return worst


@shows
def kept_prefix_masked() -> float:
    """mlx-lm: a prompt longer than max_kv_size, or chunks beyond it."""
    from mlx_lm.models.cache import make_prompt_cache
    recorded, limit, model, tokens, expected = limited("qwen3/base/limit")
    worst = 0.0
    for chunks in ([len(tokens)], [limit + 1, 1], [limit - 2, 5], [limit - 2, 2], [limit - 2, 1],
                   [1]):
        cache = make_prompt_cache(model, max_kv_size=limit)
        worst = max(off(f"{len(tokens)} tokens in chunks of {', '.join(map(str, chunks))}, …",
                        ask_in_chunks(model, tokens, chunks, cache), expected,
                        bound(recorded)), worst)
    return worst


@shows
def kept_prefix_batches() -> float:
    """mlx-lm: max_kv_size in its batch generator."""
    import mlx.core as mx
    from mlx_lm.generate import BatchGenerator
    from mlx_lm.models.cache import make_prompt_cache
    recorded, limit, model, tokens, _ = limited("qwen3/base/limit")
    worst, prompt = 0.0, tokens[:limit - 2]
    generator = BatchGenerator(model, max_tokens=9, max_kv_size=limit)
    generator.insert([prompt])
    while responses := generator.next_generated():
        alone = ask_in_chunks(model, prompt, [limit - 2, 1],
                              make_prompt_cache(model, max_kv_size=limit))[-1].astype(np.float64)
        alone -= np.log(np.exp(alone - alone.max()).sum()) + alone.max()
        worst = max(off(f"limit {limit}, length {len(prompt)}, beside the sample alone",
                        np.array(responses[0].logprobs.astype(mx.float32)), alone,
                        bound(recorded)), worst)
        prompt = prompt + [responses[0].token]
    generator.close()
    return worst


@shows
def ways_out() -> float:
    """mlx-lm: the same checkpoints with config.json rewritten by hand: the cause, and a workaround."""
    def gemma4(config: dict[str, Any]) -> None:
        text = config.get("text_config", config)
        for override in list(text.pop("per_layer_config", {}).values())[:1]:
            text |= {"global_head_dim": override["head_dim"],
                     "num_global_key_value_heads": override.get("num_key_value_heads")}
        config["vocab_size"] = text["vocab_size"]

    def granite(config: dict[str, Any]) -> None:
        flat(config)
        for member, default in (("attention_bias", False), ("mlp_bias", False)):
            config.setdefault(member, default)

    def experts(config: dict[str, Any]) -> None:
        flat(config)
        config["num_experts"] = config.pop("num_local_experts")

    def gemma3n(config: dict[str, Any]) -> None:
        rope = config["text_config"].pop("rope_parameters")
        config["text_config"] |= {"rope_theta": rope["full_attention"]["rope_theta"],
                                  "rope_local_base_freq": rope["sliding_attention"]["rope_theta"]}

    def phi3(config: dict[str, Any]) -> None:
        config["rope_scaling"]["type"] = config["rope_scaling"].pop("rope_type")

    def short(config: dict[str, Any]) -> None:
        config["rope_scaling"]["long_factor"] = config["rope_scaling"]["short_factor"]

    def said(config: dict[str, Any]) -> None:
        config["tie_word_embeddings"] = False

    worst = 0.0
    for change, cases in (
            (flat, ("llama/llama3/single", "llama/sharded/single", "llama/yarn/batch",
                    "llama/yarn-mscale/single", "llama/theta/single", "qwen2/yarn/single",
                    "phi3/partial/single", "phi3/longrope/long",
                    "olmo2/biases/batch", "olmo2/sharded/single", "olmo2/lengths/long-single")),
            (granite, ("granite/biases/batch", "granite/small-variance/batch", "granite/lengths/prefill-1024")),
            (gemma4, ("gemma4/dense/window", "gemma4/k-eq-v-new/single",
                      "gemma4/shared-kv-new/single", "gemma4/softcap/generate",
                      "gemma4/multimodal/batch", "gemma4/multimodal-old/single")),
            (experts, ("qwen3_moe/unnormalised/single",)),
            (gemma3n, ("gemma3n/multimodal-new/single",)),
            (phi3, ("phi3/longrope-rope-type/long",)),
            (short, ("phi3/longrope-old/single", "phi3/partial-old/generate")),
            (said, ("llama/untied-unsaid/single",))):
        for case in cases:
            recorded = golden(case)
            with edited(case.rpartition("/")[0], change) as model:
                times = judge(recorded, run(model, recorded)).times
            print(f"  {case}: {times:.3g} times the bound")
            worst = max(worst, times)
    for case in ("qwen3_5/wrapper/single", "qwen3_5/lengths/long-single", "qwen3_5_moe/wrapper/single"):
        recorded = golden(case)
        with widened_norms(case.rpartition("/")[0]) as model:
            times = judge(recorded, run(model, recorded)).times
        print(f"  {case}: {times:.3g} times the bound")
        worst = max(worst, times)
    return worst
