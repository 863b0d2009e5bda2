"""Reproduces the entries of docs/FINDINGS.md about mlx-vlm, and shows their causes.

`python -m scripts.record.vlm.findings NAME` runs mlx-vlm on bundled cases as it is published, and again with the
cause repaired (repairs.py, media_repairs.py), and prints the error of both as a multiple of the bound. The exit
status is 1 if it diverges, as the entry claims, and agrees when repaired; 0 if it does not diverge; 2 if a repaired run
diverges.
`--all` runs every entry; `--list` lists them.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import mlx.core as mx
import numpy as np

from .. import h5
from ..images import KINDS
from ..mlx_lm_observation import distance, prompts
from ..observations import LIMIT, judge
from ..shown import choose
from . import glm_repairs, media_repairs, paddleocr_repairs, repairs
from .observation import load, run
from .spelling import respelled, with_config
from .text_findings import compare_text

FIXTURES = Path("fixtures")
SHOWN: dict[str, Callable[[], float]] = {}  # name -> function: largest error in bounds; infinite: no result


@dataclass(frozen=True)
class Trial:
    """A case and how it is run."""

    case: str
    together: bool = False
    options: dict[str, Any] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        how = ["together" if self.together else "alone"]
        how += [f"{name} {value}" for name, value in self.options.items()]
        return f"{self.case}, {', '.join(how)}"


class RepairFails(Exception):
    """A repaired run diverges."""


def shows(function: Callable[[], float]) -> Callable[[], float]:
    SHOWN[function.__name__.replace("_", "-")] = function
    return function


@contextlib.contextmanager
def opened(case: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    """(checkpoint in the spelling that mlx-vlm reads, its config)."""
    model = FIXTURES / case.rpartition("/")[0] / "model"
    config = json.loads((model / "config.json").read_text())
    other = respelled(config)
    if other is None:
        yield model, config
        return
    with with_config(model, other) as place:
        yield place, other


def first_tensor(case: str, golden: dict[str, np.ndarray], found: dict[str, np.ndarray]) -> str:
    """The first recorded tensor that is out of its bound."""
    place = {"patch": 0, "out": 1, "merged": 3, "attn": 0, "mlp": 1, "experts": 2}
    with h5py.File(FIXTURES / f"{case}.h5") as file:
        noise = {name: data.attrs.get("noise") for name, data in file.get("trace", {}).items()}

    def rank(name: str) -> tuple:
        parts = name.split(".")
        stage = ("vision", "embed", "layer", "norm").index(parts[0])
        if parts[-1] in ("patch", "merged") or "deepstack" in parts:
            return stage, {"patch": -1, "merged": 1000}.get(parts[-1], 1001), 0
        return stage, int(parts[1]) if len(parts) > 2 else 0, place.get(parts[-1], 0) + 2 * (parts[-1] == "out")

    for name in sorted(noise, key=rank):
        tensor = found.get(f"/observed/trace/{name}")
        if tensor is not None and noise[name] and np.abs(tensor - golden[f"/trace/{name}"]).max() > LIMIT * noise[name]:
            return f"; first tensor {name}"
    return ""


def times(trial: Trial, causes: tuple[repairs.Repair, ...] = ()) -> tuple[float, str]:
    """(the error of a run in bounds, infinite without a result; the first tensor that is wrong). causes: what is
    repaired."""
    golden, attributes = h5.read(FIXTURES / f"{trial.case}.h5")
    with opened(trial.case) as (model, config), contextlib.ExitStack() as stack:
        for repair in causes:
            stack.enter_context(repair(config))
        try:
            found = run(model, golden, trial.together, attributes.get("cache_limit"), **trial.options)
        except Exception as error:  # any error of mlx-vlm is its result
            if causes:
                raise
            print(f"  {trial}: {type(error).__name__}: {str(error)[:100]}")
            return np.inf, ""
    judged = judge(golden, found)
    return (judged.times if judged.agrees or judged.times > 1 else np.inf), first_tensor(trial.case, golden, found)


def compare(trials: list[Trial], *causes: repairs.Repair, loads: tuple[repairs.Repair, ...] = ()) -> float:
    """Prints each trial as published and repaired; the largest error as published. loads: repairs without which mlx-vlm
    does not open the checkpoint, in both runs."""
    worst = 0.0
    for trial in trials:
        (found, tensor), (repaired, _) = times(trial, loads), times(trial, (*loads, *causes))
        print(f"  {trial}: {found:.3g} times the bound{tensor}; repaired {repaired:.3g}", flush=True)
        worst = max(worst, found)
        if not repaired <= 1:
            raise RepairFails(str(trial))
    return worst


@shows
def vlm_deepstack_requests() -> float:
    """Qwen3-VL: several requests with images in one batch generator."""
    cases = ("images-batch", "images-generate")
    return max(compare([Trial(f"qwen3_vl/base/{case}", True) for case in (*cases, "images-descending", "videos")] +
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


@shows
def vlm_paddleocr_width() -> float:
    """PaddleOCR-VL: a language model of another width than 1,024."""
    return compare([Trial(f"paddleocr_vl/base/{case}") for case in ("single", "image", "images", "images-batch")],
                   paddleocr_repairs.projector_width, paddleocr_repairs.projector_epsilon)


@shows
def vlm_paddleocr_epsilon() -> float:
    """PaddleOCR-VL: the epsilon of the projector's norm."""
    return compare([Trial("paddleocr_vl/epsilons/images")], paddleocr_repairs.projector_epsilon,
                   loads=(paddleocr_repairs.projector_width,))


@shows
def vlm_paddleocr_requests() -> float:
    """PaddleOCR-VL: several requests with images in one batch generator."""
    return max(compare([Trial("paddleocr_vl/mlx-8bit/images-generate", True)], paddleocr_repairs.request_positions),
               compare([Trial(f"paddleocr_vl/base/{case}", True) for case in ("images-batch", "images-generate")],
                       paddleocr_repairs.request_positions, paddleocr_repairs.projector_epsilon,
                       loads=(paddleocr_repairs.projector_width,)))


@shows
def vlm_paddleocr_biases() -> float:
    """PaddleOCR-VL: use_bias."""
    return max(compare([Trial("paddleocr_vl/merge-3/images")], paddleocr_repairs.projector_width,
                       paddleocr_repairs.projector_epsilon, paddleocr_repairs.mlp_biases, repairs.tower_activation),
               compare([Trial("paddleocr_vl/old/images-batch")], paddleocr_repairs.projector_width,
                       paddleocr_repairs.projector_epsilon, paddleocr_repairs.tied_head, paddleocr_repairs.no_biases))


GLM_IMAGES = (glm_repairs.table, glm_repairs.block_epsilon, glm_repairs.start_token, glm_repairs.segments)


@shows
def vlm_glm4v_images() -> float:
    """GLM-4.1V: the table of positions, an epsilon, and the positions of images."""
    return compare([Trial(f"glm4v/base/{case}") for case in (
        "image", "images", "images-batch", "images-decode", "images-generate")], *GLM_IMAGES)


@shows
def vlm_glm4v_requests() -> float:
    """GLM-4.1V: several requests with images in one batch generator."""
    return compare([Trial(f"glm4v/base/{case}", True) for case in ("images-batch", "images-generate")], *GLM_IMAGES,
                   glm_repairs.request_positions)


@shows
def vlm_glm_ocr_requests() -> float:
    """GLM-OCR: several requests with images in one batch generator."""
    return compare([Trial(f"glm_ocr/{case}", True) for case in (
        "base/images-batch", "base/images-generate", "mlx-8bit/images-generate")], glm_repairs.request_positions)


@shows
def vlm_glm4v_padding() -> float:
    """GLM-4.1V and GLM-OCR: requests of text in one batch generator."""
    cases = ("glm4v/base/batch", "glm_ocr/base/batch", "glm_ocr/lengths/long-batch", "glm_ocr/lengths/long-generate")
    return compare([Trial(case, True) for case in cases], glm_repairs.text_positions)


@shows
def vlm_glm4v_rope_parameters() -> float:
    """GLM-4.1V: rope_parameters."""
    return max(compare([Trial(f"glm4v/lengths/{case}") for case in (
        "long-single", "long-batch", "long-generate", "prefill-1024", "rows-decode-1024")], glm_repairs.rope_parameters),
        compare([Trial("glm4v/lengths/long-batch", True)], glm_repairs.rope_parameters, glm_repairs.text_positions),
        compare([Trial("glm4v/epsilons/images")], *GLM_IMAGES, glm_repairs.rope_parameters))


@shows
def vlm_glm4v_members() -> float:
    """GLM-4.1V and GLM-OCR: attention_bias and hidden_act of the tower, and a tied head."""
    return max(compare([Trial("glm4v/merge-3/images")], *GLM_IMAGES, glm_repairs.rope_parameters,
                       glm_repairs.tower_biases, glm_repairs.tower_activation),
               compare([Trial("glm4v/old/images-batch")], *GLM_IMAGES, glm_repairs.tied_head),
               compare([Trial("glm_ocr/merge-3/images")], glm_repairs.ignored_rope, glm_repairs.tower_activation),
               compare([Trial("glm_ocr/old/images-batch")], glm_repairs.tied_head))


@shows
def vlm_glm4v_table_groups() -> float:
    """GLM-4.1V: a table of positions in groups."""
    return compare([Trial(f"glm4v/mlx-8bit/{case}") for case in ("images-decode", "images-generate")], *GLM_IMAGES,
                   glm_repairs.table_of_groups)


@shows
def vlm_glm4v_segments() -> float:
    """GLM-4.1V: a prompt of four images."""
    return compare([Trial("glm4v/old/images-batch")], glm_repairs.segments, loads=(*GLM_IMAGES[:-1], glm_repairs.tied_head))


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
