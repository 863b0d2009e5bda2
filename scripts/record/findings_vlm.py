"""Confirms the causes that docs/FINDINGS.md states for mlx-vlm: repairs each in memory, and runs the case again.

`python -m scripts.record.findings_vlm NAME` prints the error of the repaired run as a multiple of the bound. The exit
status is 0 if it agrees, which confirms the cause, and 1 if not. It needs mlx-vlm and a clone with fixtures.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .findings_ask import FIXTURES, golden
from .mlx_vlm_observation import Generation, run
from .observations import judge
from .shown import choose

SHOWN: dict[str, Callable[[], float]] = {}
Repair = Callable[[Generation, dict[str, Any]], dict[str, Any]]


def shows(function: Callable[[], float]) -> Callable[[], float]:
    SHOWN["mlx-vlm-" + function.__name__.replace("_", "-")] = function
    return function


def repaired(cases: list[str], repair: Repair, whole: bool = True) -> float:
    """The largest error in bounds of these cases, if `repair` changes the arguments of the language model that
    Generation.embed makes."""
    worst, embed = 0.0, Generation.embed
    Generation.embed = lambda one: repair(one, embed(one))
    try:
        for case in cases:
            recorded = golden(case)
            times = judge(recorded, run(FIXTURES / case.rpartition("/")[0] / "model", recorded, whole)).times
            print(f"  {case}, {'in one batch' if whole else 'each sample alone'}: {times:.3g} times the bound")
            worst = max(worst, times)
    finally:
        Generation.embed = embed
    return worst


@shows
def padding_twice() -> float:
    """Text alone, in a batch: a delta of 0 instead of one that subtracts padding."""
    import mlx.core as mx

    def repair(_one: Generation, arguments: dict[str, Any]) -> dict[str, Any]:
        return {**arguments, "rope_deltas": mx.zeros_like(arguments["rope_deltas"])}
    return repaired([f"{family}/base/batch" for family in ("qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe")],
                    repair)


def with_both(one: Generation, arguments: dict[str, Any]) -> dict[str, Any]:
    """Embeddings in which the features of images and of videos each have their placeholder tokens."""
    import mlx.core as mx
    config, tower = one.model.config, one.model.vision_tower
    ids, rows = np.array(one.ids), np.array(one.language.model.embed_tokens(one.ids))
    for pixels, grid, token in ((one.pixels, one.data.get("image_grid_thw"), config.image_token_id),
                                (one.data.get("pixel_values_videos"), one.data.get("video_grid_thw"),
                                 config.video_token_id)):
        if pixels is not None:
            rows[ids == token] = np.array(tower(pixels, grid, output_hidden_states=False))
    return {**arguments, "inputs_embeds": mx.array(rows)}


@shows
def image_and_video() -> float:
    """Qwen2-VL, a video beside an image: both go through the tower."""
    return max(repaired(["qwen2_vl/base/videos"], with_both, whole) for whole in (True, False))


@shows
def video_seconds() -> float:
    """Qwen2.5-VL: the published positions of frames, and both an image and a video through the tower."""
    from types import SimpleNamespace

    import mlx.core as mx
    import torch
    from transformers import AutoConfig, Qwen2_5_VLModel

    from .images import token_kinds
    case = "qwen2_5_vl/base/videos"
    config = AutoConfig.from_pretrained(FIXTURES / "qwen2_5_vl/base/model")
    stand_in = SimpleNamespace(config=config)
    stand_in.get_vision_position_ids = lambda *args, **more: Qwen2_5_VLModel.get_vision_position_ids(
        stand_in, *args, **more)

    def repair(one: Generation, arguments: dict[str, Any]) -> dict[str, Any]:
        ids = torch.from_numpy(np.array(one.ids).astype(np.int64))
        kinds = torch.cat([token_kinds(config, row) for row in ids.tolist()])
        given = {name: torch.from_numpy(np.array(one.data[name])) for name in
                 ("image_grid_thw", "video_grid_thw", "second_per_grid_ts") if name in one.data}
        positions, deltas = Qwen2_5_VLModel.get_rope_index(
            stand_in, ids, kinds, attention_mask=torch.from_numpy(np.array(one.mask)), **given)
        return {**with_both(one, arguments), "position_ids": mx.array(positions.numpy().astype(np.int32)),
                "rope_deltas": mx.array(deltas.numpy().astype(np.int32))}
    return max(repaired([case], repair, whole) for whole in (True, False))


@shows
def deepstack_rows() -> float:
    """Qwen3-VL: DeepStack's slots as a list instead of one array, their rows in the generator's order of samples."""
    import mlx.core as mx

    def repair(one: Generation, arguments: dict[str, Any]) -> dict[str, Any]:
        if "deepstack_visual_embeds" not in arguments:
            return arguments
        counts = np.array(arguments["visual_pos_masks"]).sum(1)
        order = sorted(range(len(one.lengths)), key=lambda i: one.lengths[i])

        def sorted_rows(slot: Any) -> Any:
            parts = np.split(np.array(slot), np.cumsum(counts)[:-1])
            return mx.array(np.concatenate([parts[i] for i in order]))
        return {**arguments, "deepstack_visual_embeds": [
            sorted_rows(slot) for slot in arguments["deepstack_visual_embeds"]]}
    cases = ["qwen3_vl/base/videos", "qwen3_vl/base/images-descending"]
    return max(repaired(cases, repair, whole) for whole in (True, False))


@shows
def moe_gelus() -> float:
    """Qwen3-VL with experts: tanh GELU in the layers of the tower and exact GELU in its mergers."""
    import mlx.nn as nn

    def repair(one: Generation, _arguments: dict[str, Any]) -> dict[str, Any]:
        tower = one.model.vision_tower
        for layer in tower.blocks:
            layer.mlp.act_fn = nn.GELU(approx="tanh")
        for merger in (tower.merger, *tower.deepstack_merger_list):
            merger.act_fn = nn.GELU()
        return ORIGINAL_EMBED(one)
    return repaired([f"qwen3_vl_moe/base/{case}" for case in ("image", "images", "images-batch")], repair)


@shows
def blocks_everywhere() -> float:
    """Gemma 4: blocks of image tokens on sliding layers alone."""
    from mlx_vlm.models.gemma4.language import Gemma4TextModel
    make_masks = Gemma4TextModel._make_masks

    def masks(self: Any, h: Any, cache: Any, mm_token_type_ids: Any = None) -> list:
        blocks = make_masks(self, h, cache, mm_token_type_ids)
        causal = make_masks(self, h, cache, None)
        return [one if layer.layer_type == "sliding_attention" else other
                for layer, one, other in zip(self.layers, blocks, causal)]
    Gemma4TextModel._make_masks = masks
    try:
        return repaired([f"gemma4/tower-blocks/{case}" for case in ("images", "images-batch", "images-generate")],
                        lambda _one, arguments: arguments)
    finally:
        Gemma4TextModel._make_masks = make_masks


ORIGINAL_EMBED = Generation.embed


def main(arguments: list[str]) -> int:
    worst = 0.0
    for name in choose("findings_vlm", SHOWN, arguments):
        print(f"{name}: {SHOWN[name].__doc__}", flush=True)
        worst = max(worst, SHOWN[name]())
    return 1 if worst > 1 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
