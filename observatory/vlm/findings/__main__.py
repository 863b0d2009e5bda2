"""Reproduces the entries of observatory/FINDINGS.md about mlx-vlm, and shows their causes.

`python -m observatory.vlm.findings NAME` runs mlx-vlm on bundled cases as it is published, and again with the
cause repaired (observatory/vlm/repairs), and prints the error of both as a multiple of the bound. The exit
status is 1 if it diverges, as the entry claims, and agrees when repaired; 0 if it does not diverge; 2 if a repaired run
diverges.
`--all` runs every entry; `--list` lists them.

Names families: a finding is about the models that show it.
"""

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
from .trial import FIXTURES, SHOWN, RepairFails, Trial, compare, opened, shows


@shows
def vlm_deepstack_requests() -> float:
    """Qwen3-VL: several requests with images in one batch generator."""
    cases = ("images-batch", "images-generate")
    return max(compare([Trial(f"qwen3_vl/base/{case}", True) for case in (*cases, "images-descending", "twins-images", "videos")] +
                       [Trial(f"qwen3_vl/{case}/images-batch", True) for case in ("old", "mlx-4bit")],
                       repairs.deepstack_by_token),
               compare([Trial(f"qwen3_vl_moe/base/{case}", True) for case in cases],
                       repairs.deepstack_by_token, repairs.moe_activations))


@shows
def vlm_deepstack_order() -> float:
    """Qwen3-VL: batch_generate with prompts that are not sorted by length."""
    trials = [Trial(f"qwen3_vl/base/{case}", True, {"whole": True}) for case in ("videos", "images-descending")]
    return compare(trials, repairs.deepstack_of_rows, repairs.deepstack_by_token)


@shows
def vlm_deepstack_chunks() -> float:
    """Qwen3-VL: a prompt that the batch generator prefills in several steps."""
    return max(compare([Trial(f"qwen3_vl/base/{case}", True, {"chunk": 5})
                        for case in ("image", "images", "images-batch")], repairs.deepstack_by_token),
               compare([Trial("qwen3_vl_moe/base/image", True, {"chunk": 5})],
                       repairs.deepstack_by_token, repairs.moe_activations))


@shows
def vlm_padding_twice() -> float:
    """Qwen families: decode after left-padded prompts without images in batch_generate."""
    return max(compare([Trial(f"{family}/base/batch", True, {"whole": True})], repairs.deltas_of_tokens)
               for family in ("qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe"))


@shows
def vlm_rope_state() -> float:
    """Qwen families: two or more calls of generate_step that take turns."""
    cases = [f"{family}/base/images-batch" for family in ("qwen2_vl", "qwen2_5_vl", "qwen3_vl")]
    return max(compare([Trial(case, options={"turns": True}) for case in (*cases, "qwen3_5/tower/images-batch")],
                       repairs.deltas_by_cache),
               compare([Trial("qwen3_vl_moe/base/images-batch", options={"turns": True})],
                       repairs.deltas_by_cache, repairs.moe_activations))


@shows
def vlm_moe_activations() -> float:
    """Qwen3-VL with experts: the activations of the tower."""
    return compare([Trial(f"qwen3_vl_moe/{case}") for case in (
        "base/image", "base/images", "base/images-batch", "base/images-decode", "base/images-generate",
        "epsilons/images", "mlx-4bit/images-narrow", "old/image", "old/images-batch", "old/image-narrow")],
                   repairs.moe_activations)


@shows
def vlm_videos_beside_images() -> float:
    """All Qwen families but qwen3_vl: a video beside an image."""
    return max(compare([Trial("qwen2_vl/base/videos"), Trial("qwen2_vl/base/videos", True)],
                       media_repairs.features_by_token),
               compare([Trial("qwen3_5/tower/videos"), Trial("qwen3_5_moe/tower/videos")],
                       media_repairs.features_by_token),
               compare([Trial("qwen3_vl_moe/base/videos")],
                       media_repairs.features_by_token, repairs.moe_activations))


@shows
def vlm_seconds() -> float:
    """Qwen2.5-VL: the time between the frames of a video."""
    return compare([Trial("qwen2_5_vl/base/videos"), Trial("qwen2_5_vl/base/videos", True)],
                   media_repairs.features_by_token, media_repairs.seconds)


@shows
def vlm_gemma4_blocks() -> float:
    """Gemma 4: bidirectional blocks of image tokens."""
    return compare([Trial(f"gemma4/tower-blocks/{case}", together) for case, together in (
        ("images", False), ("images-batch", False), ("images-batch", True), ("images-generate", True))],
        repairs.causal_full_attention)


@shows
def vlm_tower_activation() -> float:
    """Gemma 4, Qwen2.5-VL: the activation of the tower's MLP."""
    return max(compare([Trial("gemma4/tower-layer-inputs/images"), Trial("gemma4/tower-layer-inputs/images-batch")],
                       repairs.tower_activation, repairs.causal_full_attention),
               compare([Trial("qwen2_5_vl/windows-3/windows")], repairs.tower_activation))


@shows
def vlm_merge_size() -> float:
    """Qwen2-VL: a merger of 3 x 3 patches."""
    return compare([Trial("qwen2_vl/merge-3/images")], repairs.merge_size, repairs.tower_activation)


@shows
def vlm_attention_biases() -> float:
    """Qwen3-VL: biases of the attention."""
    return compare([Trial("qwen3_vl/merge-3/images")], repairs.attention_biases)


@shows
def vlm_norms() -> float:
    """Qwen3.5: weights of norms in bfloat16, and the older spelling of rope."""
    return compare([Trial(f"{family}/tower-old/{case}") for family in ("qwen3_5", "qwen3_5_moe")
                    for case in ("image", "images-batch", "image-narrow")], repairs.wide_norms, repairs.older_rope)


@shows
def vlm_max_kv_size() -> float:
    """Qwen3.5: max_kv_size."""
    return compare([Trial("qwen3_5/base/limit")], repairs.limited_caches)


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
