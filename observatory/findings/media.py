"""For findings: the published classes of transformers on recorded cases with images and audio clips, in batches and in steps, through the
adapter of the package `assay`, with and without a repair; the published processor on drawn audio clips."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

import numpy as np

from scripts.record.media.parts import SECONDS
from scripts.record.media.audio import encode_alone
from scripts.record.preprocess import audio

from ..observe import newer
from ..observe.mlx_lm import prompts
from ..observe.table import judge
from .ask import FIXTURES, bound, golden, off, shows, truth

Repair = Callable[[Any], None]  # changes a model


def items_of(recorded: dict[str, np.ndarray], sample: int) -> Iterator[Any]:
    """The images of a sample as one item, its videos and its audio clips as others."""
    from assay import Item
    for kind, last in (("image", ""), ("video", "_videos")):
        mine = recorded.get(f"/input/{kind}_sample", np.zeros(0)) == sample
        if mine.any():
            grids = recorded[f"/input/{kind}_grid_thw"]
            patches = recorded[f"/input/pixel_values{last}"][np.repeat(mine, grids.prod(1))]
            seconds = {name: recorded[f"/input/{name}"][mine] for name in SECONDS if kind == "video" and f"/input/{name}" in recorded}
            yield Item(kind, 0, 0, {f"pixel_values{last}": patches, f"{kind}_grid_thw": grids[mine], **seconds})
    mine = recorded.get("/input/audio_sample", np.zeros(0)) == sample
    if mine.any():
        yield Item("audio", 0, 0, {name: recorded[f"/input/{name}"][mine] for name in ("input_features", "feature_attention_mask")})


def ask(case: str, repair: Repair | None, first: int | None, width: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """(logits, truth) of each prompt of a case, all in one batch. first: each is alone instead, padded to a width, and its first
    tokens are a step of their own."""
    from assay import ModelOptions, SessionOptions, Step, StepOptions
    from assay.adapters.transformers import Engine
    recorded, engine = golden(case), Engine()
    model = engine.model_open(str(FIXTURES / case.rpartition("/")[0] / "model"), ModelOptions())
    if repair:
        repair(model)
    tokens = prompts(recorded)
    session = engine.session_open(model, SessionOptions(len(tokens)))
    steps = [Step(i, prompt, None, list(items_of(recorded, i)), len(prompt)) for i, prompt in enumerate(tokens)]
    if first is None:
        found = engine.step(session, steps, StepOptions())
    else:
        found = []
        for step in steps:
            parts = (Step(step.sample, step.tokens[:first], None, [], first),
                     Step(step.sample, step.tokens[first:], None, step.items, len(step.tokens) - first))
            found.append(np.concatenate([engine.step(session, [part], StepOptions(width))[0] for part in parts]))
    return [(rows, truth(recorded, i)) for i, rows in enumerate(found)]


def compare(case: str, repair: Repair, first: int | None = None, width: int = 0) -> float:
    """The largest error as published, in bounds."""
    allowed = bound(golden(case))
    errors = []
    for how, change in (("as published", None), ("repaired", repair)):
        pairs = ask(case, change, first, width)
        errors.append(max(off(f"{case}, sample {i}, {how}", found, expected, allowed) for i, (found, expected) in enumerate(pairs)))
    return errors[0]


@shows
def transformers_omni_padding() -> float:
    """transformers: a short audio clip of Qwen3-Omni beside a longer one."""
    return max(compare(f"qwen3_omni_moe/{case}", encode_alone) for case in (
        "thinker/media-batch", "base/sounds", "base/media", "base/media-batch", "base/media-generate", "seconds/videos-sound"))


@shows
def transformers_late_media() -> float:
    """transformers: images and audio clips of HunYuanVL and Qwen3-Omni after a cached beginning of their prompt."""
    def place_all(model: Any) -> None:
        published = model._prepare_position_ids_for_generation
        model._prepare_position_ids_for_generation = lambda ids, inputs: published(ids, inputs | {"past_key_values": None})

    return max(compare(case, place_all, 1) for case in (
        "hunyuan_vl/base/image", *(f"qwen3_omni_moe/{case}" for case in ("thinker/media-batch", "base/image", "base/images", "base/media-videos"))))


@shows
def transformers_omni_padded_token() -> float:
    """transformers: what follows a prompt of one token, padded, of Qwen3-Omni."""
    def from_mask(model: Any) -> None:
        published = model.get_rope_index

        def counted(input_ids: Any, *args: Any, attention_mask: Any, **kwargs: Any) -> tuple[Any, Any]:
            positions, _ = published(input_ids, *args, attention_mask=attention_mask, **kwargs)
            largest = (positions.max(0).values * attention_mask).max(-1, keepdim=True).values
            return positions, largest + 1 - attention_mask.sum(-1, keepdim=True)

        model.get_rope_index = counted

    return max(compare(f"qwen3_omni_moe/{case}", from_mask, 1, 8) for case in ("thinker/media-narrow", "base/single", "base/batch", "base/sound"))


@shows
def transformers_omni_silent_videos() -> float:
    """transformers: videos without audio clips of Qwen3-Omni, beside one with an audio clip in another row of the batch."""
    import torch
    from transformers import Qwen3OmniMoeThinkerForConditionalGeneration as Thinker
    case = "qwen3_omni_moe/base/media-videos"
    recorded, errors = golden(case), []
    model = Thinker.from_pretrained(str(FIXTURES / case.rpartition("/")[0] / "model"), dtype=torch.float32, experts_implementation="eager").eval()
    for heard in (True, False):
        for i, prompt in enumerate(prompts(recorded)):
            given = {name: torch.from_numpy(array) for item in items_of(recorded, i) for name, array in item.tensors.items()}
            with torch.no_grad():
                rows = model(input_ids=torch.tensor([prompt]), attention_mask=torch.ones(1, len(prompt), dtype=torch.int64),
                             use_audio_in_video=heard, **given).logits[0]
            errors.append(off(f"{case}, sample {i}, use_audio_in_video {heard}", rows.numpy(), truth(recorded, i), bound(recorded)))
    return max(errors[:len(errors) // 2])


@shows
def transformers_hunyuan_numbers() -> float:
    """transformers: the numbers of HunYuanVL's images in a batch."""
    def count_from_zero(model: Any) -> None:
        published = model.model.get_rope_index

        def rows(input_ids: Any, mm_token_type_ids: Any, image_grid_thw: Any, attention_mask: Any) -> tuple[Any, Any]:
            import torch
            found, taken = [], 0
            for row, kinds, mask in zip(input_ids, mm_token_type_ids, attention_mask):
                n_images = sum(kind == 1 for kind, _ in groupby(kinds.tolist()))
                found.append(published(row[None], mm_token_type_ids=kinds[None], image_grid_thw=image_grid_thw[taken:taken + n_images],
                                       attention_mask=mask[None]))
                taken += n_images
            return torch.cat([positions for positions, _ in found], 1), torch.cat([deltas for _, deltas in found])

        model.model.get_rope_index = rows

    return max(compare(f"hunyuan_vl/{case}", count_from_zero) for case in ("base/images-batch", "base/images-generate", "new/images-batch"))


@shows
def transformers_mllama_states() -> float:
    """transformers: the states of earlier layers in the features of Llama 3.2's tower."""
    def keep_inputs(model: Any) -> None:
        encoder = model.model.vision_model.transformer
        published = encoder.forward

        def forward(*arguments: Any, **named: Any) -> Any:
            states: list[Any] = []

            def keep(_layer: Any, given: tuple[Any, ...], options: dict[str, Any]) -> None:
                states.append(given[0] if given else options["hidden_states"])

            hooks = [layer.register_forward_pre_hook(keep, with_kwargs=True) for layer in encoder.layers]
            out = published(*arguments, **named)
            for hook in hooks:
                hook.remove()
            out.hidden_states = (*states, out.last_hidden_state)
            return out

        encoder.forward = forward

    errors = []
    for case in ("base/image", "base/images-batch", "epsilons/images", "tiles-6/images"):
        place, recorded = FIXTURES / "mllama" / case, golden(f"mllama/{case}")
        for how, repair in (("as published", None), ("repaired", keep_inputs)):
            try:
                found = newer.run(place.parent / "model", recorded, repair)
            except IndexError as error:
                print(f"  mllama/{case}, {how}: IndexError: {error}")
                continue
            times = judge(recorded, found).times
            print(f"  mllama/{case}, {how}: {times:.3g} times the bound")
            errors += [times] if how == "as published" else []
    return max(errors)


@shows
def transformers_omni_sound_batch() -> float:
    """transformers: the spectrogram of an audio clip of Qwen3-Omni beside a longer one."""
    rng = np.random.default_rng(0)
    longer, extractor, worst = audio.tones(rng, 20000), audio.opened(audio.OMNI), 0.0
    for n in (16000, 16040):  # the second one has another frame
        one = audio.tones(rng, n)
        alone = audio.processed(extractor, [one])
        with audio.doubled():
            truth = audio.processed(extractor, [one])
        bound = 4 * float(np.abs(alone.values - truth.values).max())
        for label, made in (("beside a longer sound", audio.processed(extractor, [one, longer])), ("in a call of its own", alone)):
            frames = min(made.values.shape[1], truth.values.shape[1])
            error = float(np.abs(made.values[:, :frames] - truth.values[:, :frames]).max()) / bound
            print(f"{n} samples, {label}: {made.values.shape[1]} frames, {made.n_tokens} tokens, {error:.3g} times the bound", flush=True)
            worst = max(worst, error)
    return worst
