"""Reproduces the entries of observatory/FINDINGS.md about mlx-vlm, and shows their causes.

`python -m observatory.vlm.findings NAME` runs mlx-vlm on bundled cases as it is published, and again with the
cause repaired (observatory/vlm/repairs), and prints the error of both as a multiple of the bound. The exit
status is 1 if it diverges, as the entry claims, and agrees when repaired; 0 if it does not diverge; 2 if a repaired run
diverges.
`--all` runs every entry; `--list` lists them.

Names families: a finding is about the models that show it.
"""

from __future__ import annotations

import sys

import mlx.core as mx
import numpy as np

from scripts.record.media.images import KINDS
from scripts.record.support import h5

from ...findings.shown import choose
from ...observe.mlx_lm import distance, prompts
from ...observe.table import LIMIT
from ..observation import load
from ..repairs import general as repairs, media as media_repairs
from . import (
    ernie as ernie_findings, falcon as falcon_findings, gemma3n as gemma3n_findings, glm4v_moe as glm4v_moe_findings,
    glm as glm_findings, hunyuan as hunyuan_findings)  # noqa: F401  (they name findings of their own)
from . import (
    mllama as mllama_findings, moondream as moondream_findings, omni as omni_findings, paddleocr as paddleocr_findings)  # noqa: F401  (as above)
from .text import compare_text
from .trial import FIXTURES, SHOWN, RepairFails, alone, below, entry, opened, shows, together


entry("vlm-deepstack-requests", "Qwen3-VL: several requests with images in one batch generator.",
      together([*below("qwen3_vl/base", "images-batch", "images-generate", "images-descending", "twins-images", "videos"),
                "qwen3_vl/old/images-batch", "qwen3_vl/mlx-4bit/images-batch"], repairs.deepstack_by_token),
      together(below("qwen3_vl_moe/base", "images-batch", "images-generate"), repairs.deepstack_by_token, repairs.moe_activations))
entry("vlm-deepstack-order", "Qwen3-VL: batch_generate with prompts that are not sorted by length.",
      together(below("qwen3_vl/base", "videos", "images-descending"), repairs.deepstack_of_rows, repairs.deepstack_by_token, whole=True))
entry("vlm-deepstack-chunks", "Qwen3-VL: a prompt that the batch generator prefills in several steps.",
      together(below("qwen3_vl/base", "image", "images", "images-batch"), repairs.deepstack_by_token, chunk=5),
      together(["qwen3_vl_moe/base/image"], repairs.deepstack_by_token, repairs.moe_activations, chunk=5))
entry("vlm-padding-twice", "Qwen families: decode after left-padded prompts without images in batch_generate.",
      *(together([f"{family}/base/batch"], repairs.deltas_of_tokens, whole=True)
        for family in ("qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe")))
entry("vlm-rope-state", "Qwen families: two or more calls of generate_step that take turns.",
      alone(["qwen2_vl/base/images-batch", "qwen2_5_vl/base/images-batch", "qwen3_vl/base/images-batch", "qwen3_5/tower/images-batch"],
            repairs.deltas_by_cache, turns=True),
      alone(["qwen3_vl_moe/base/images-batch"], repairs.deltas_by_cache, repairs.moe_activations, turns=True))
entry("vlm-moe-activations", "Qwen3-VL with experts: the activations of the tower.",
      alone(below("qwen3_vl_moe", "base/image", "base/images", "base/images-batch", "base/images-decode", "base/images-generate",
                  "epsilons/images", "mlx-4bit/images-narrow", "old/image", "old/images-batch", "old/image-narrow"), repairs.moe_activations))
entry("vlm-videos-beside-images", "All Qwen families but qwen3_vl: a video beside an image.",
      alone(["qwen2_vl/base/videos"], media_repairs.features_by_token), together(["qwen2_vl/base/videos"], media_repairs.features_by_token),
      alone(["qwen3_5/tower/videos", "qwen3_5_moe/tower/videos"], media_repairs.features_by_token),
      alone(["qwen3_vl_moe/base/videos"], media_repairs.features_by_token, repairs.moe_activations))
entry("vlm-seconds", "Qwen2.5-VL: the time between the frames of a video.",
      *(run(["qwen2_5_vl/base/videos"], media_repairs.features_by_token, media_repairs.seconds) for run in (alone, together)))
entry("vlm-gemma4-blocks", "Gemma 4: bidirectional blocks of image tokens.",
      alone(below("gemma4/tower-blocks", "images", "images-batch"), repairs.causal_full_attention),
      together(below("gemma4/tower-blocks", "images-batch", "images-generate"), repairs.causal_full_attention))
entry("vlm-tower-activation", "Gemma 4, Qwen2.5-VL: the activation of the tower's MLP.",
      alone(below("gemma4/tower-layer-inputs", "images", "images-batch"), repairs.tower_activation, repairs.causal_full_attention),
      alone(["qwen2_5_vl/windows-3/windows"], repairs.tower_activation))
entry("vlm-merge-size", "Qwen2-VL: a merger of 3 x 3 patches.",
      alone(["qwen2_vl/merge-3/images"], repairs.merge_size, repairs.tower_activation))
entry("vlm-attention-biases", "Qwen3-VL: biases of the attention.", alone(["qwen3_vl/merge-3/images"], repairs.attention_biases))
entry("vlm-norms", "Qwen3.5: weights of norms in bfloat16, and the older spelling of rope.",
      alone([f"{family}/tower-old/{case}" for family in ("qwen3_5", "qwen3_5_moe") for case in ("image", "images-batch", "image-narrow")],
            repairs.wide_norms, repairs.older_rope))
entry("vlm-max-kv-size", "Qwen3.5: max_kv_size.", alone(["qwen3_5/base/limit"], repairs.limited_caches))


@shows
def vlm_longrope_cache() -> float:
    """Phi 3: cached decode across the length at which longrope changes, and the same tokens as one prompt."""
    from mlx_vlm.models.cache import make_prompt_cache
    golden, _ = h5.read(FIXTURES / "phi3/longrope-old/crossing.h5")
    model, worst = load(FIXTURES / "phi3/longrope-old/model"), 0.0
    [prompt], [forced], [truth] = prompts(golden), golden["/input/decode"], golden["/expect/truth/decode"]
    bound = LIMIT * distance(golden, golden, "/expect/float32")
    cache = make_prompt_cache(model.language_model)
    model.language_model(mx.array([prompt]), cache=cache)
    for step, expected in enumerate(truth):
        tokens = [*prompt, *forced[:step + 1].tolist()]
        asked = (("cached", tokens[-1:], cache), ("as one prompt", tokens, make_prompt_cache(model.language_model)))
        found = {how: np.abs(np.array(model.language_model(mx.array([given]), cache=where).logits)[0, -1] - expected).max() / bound
                 for how, given, where in asked}
        print(f"  {len(tokens)} tokens: " + ", ".join(f"{how} {times:.3g} times the bound" for how, times in found.items()))
        worst = max(worst, found["cached"])
        if found["as one prompt"] > 1:
            raise RepairFails(f"{len(tokens)} tokens as one prompt")
    return worst


@shows
def vlm_positions() -> float:
    """Qwen families: positions of images without a start token, and of text after a video of many frames."""
    worst = 0.0
    for case in (f"{variant}/{name}" for variant, names in (
            ("qwen2_vl/base", ("positions", "positions-tall", "positions-videos")), ("qwen3_vl/base", ("positions",)),
            ("qwen3_5/tower", ("positions",))) for name in names):
        golden, _ = h5.read(FIXTURES / f"{case}.h5")
        with opened(case) as (place, config):
            language = load(place).language_model
        for sample, prompt in enumerate(prompts(golden)):
            grids = [golden[f"/input/{kind}_grid_thw"][golden[f"/input/{kind}_sample"] == sample]
                     if f"/input/{kind}_sample" in golden else [] for kind in KINDS]
            found, _ = language.get_rope_index(mx.array([prompt]), *(mx.array(grid) if len(grid) else None for grid in grids))
            expected = golden["/expect/position"][:, sample, -len(prompt):]
            wrong = np.flatnonzero((np.array(found).reshape(-1, len(prompt)) != expected).any(0))
            if len(wrong):
                marked = prompt.count(config["vision_start_token_id"])
                print(f"  {case}, sample {sample}, {sum(map(len, grids))} images and videos, {marked} start tokens: "
                      f"wrong from token {wrong[0]} on")
                worst = np.inf
    return worst


@shows
def vlm_text_models() -> float:
    """Text models: where they have the faults of mlx-lm's, and where others."""
    worst, failed = compare_text()
    if failed:
        raise RepairFails(", ".join(failed))
    return worst


def main(arguments: list[str]) -> int:
    worst, code = 0.0, 0
    for name in choose("vlm.findings", SHOWN, arguments):
        print(f"{name}: {SHOWN[name].__doc__}", flush=True)
        try:
            worst = max(worst, SHOWN[name]())
        except RepairFails as error:
            print(f"  the repair does not agree: {error}")
            code = 2
    return code or (1 if worst > 1 else 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
