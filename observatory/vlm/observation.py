"""Runs mlx-vlm on recorded cases with towers: observations to compare, never goldens.

A case is run in one or two ways: `mlx-vlm`, each sample alone through `generate_step`; and if it has several samples
`mlx-vlm-batch`, as the published server does: each request's inputs are embedded alone and inserted into one
`BatchGenerator`, which pads on the left. Decode tokens are forced through the sampler, so that mlx-vlm's own loops run.

If mlx-vlm cannot open the checkpoint, its own words are kept, and the case is run with config.json in the spelling that
mlx-vlm reads: `mlx-vlm-respelled`, `mlx-vlm-respelled-batch`.

Names families: mlx-vlm opens each in its own way.
"""

from __future__ import annotations

import contextlib
import functools
import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mlx.core as mx
import numpy as np

from assay.adapters.mlx.processors import returned

from scripts.record.checkpoint.opening import load
from scripts.record.media.images import KINDS
from scripts.record.media.parts import SECONDS
from scripts.record.support import h5
from scripts.record.support.h5 import left_pad

from ..observe.mlx_lm import distance, prompts, refusal
from ..observe.table import judge
from .spelling import respelled, with_config
from .trace import Tracer

SYSTEM = "mlx-vlm"
FAMILIES = ("qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe", "gemma4",
            "paddleocr_vl", "glm4v", "glm4v_moe", "glm_ocr", "ernie4_5_vl_moe", "hunyuan_vl",
            "qwen3_omni_moe", "falcon_ocr", "mllama", "gemma3n", "moondream3")
ALONE, TOGETHER = "each sample alone, by generate_step", "requests in one BatchGenerator"


def observe(case: Path) -> str:
    """Writes observed/<case>.<way>.h5 beside a case, or .txt with mlx-vlm's error message. Returns text for the log."""
    for old in (case.parent / "observed").glob(f"{case.stem}.{SYSTEM}*"):
        old.unlink()
    golden, attributes = h5.read(case)
    model = case.parent / "model"
    config = json.loads((model / "config.json").read_text())
    other = respelled(config)
    try:
        load(model)
    except Exception as error:  # any error of mlx-vlm is its result
        said = refuse(case, SYSTEM, error)
        if other is None:
            return said
        with with_config(model, other) as place:
            return "; ".join((said, *ways(case, place, golden, attributes, f"{SYSTEM}-respelled")))
    return "; ".join(ways(case, model, golden, attributes, SYSTEM))


def refuse(case: Path, way: str, error: Exception) -> str:
    """Writes the error, unless the case was refused in the same words before."""
    place, reason = case.parent / "observed" / f"{case.stem}.{way}.txt", refusal(error, case)
    words = f"{versions()}: {reason}\n"
    place.parent.mkdir(exist_ok=True)
    if words not in [old.read_text() for old in place.parent.glob(f"{case.stem}.{SYSTEM}*.txt")]:
        place.write_text(words)
    return f"{way} cannot: {reason[:90]}"


def ways(case: Path, model: Path, golden: dict[str, np.ndarray], attributes: dict[str, Any],
         name: str) -> Iterator[str]:
    """Runs a case alone, and together; yields text for the log. If both agree, only the batch is kept; if neither does,
    only the samples alone have traces."""
    limit = attributes.get("cache_limit")
    spelling = "; config.json respelled" if name != SYSTEM else ""
    alone: Path | None = None  # the observation of the samples alone, if it agrees
    diverged = False  # it does not
    for way, together in ((name, False), (f"{name}-batch", True)):
        if together and (len(golden["/input/length"]) == 1 or limit):
            continue
        try:
            datasets = run(model, golden, together, limit)
        except Exception as error:  # any error of mlx-vlm is its result
            yield refuse(case, way, error)
            continue
        place = case.parent / "observed" / f"{case.stem}.{way}.h5"
        agrees = judge(golden, datasets).agrees
        if agrees or diverged:  # traces are of use where something is to be located, once
            datasets = {key: data for key, data in datasets.items() if "/trace/" not in key}
        if agrees and alone:
            alone.unlink()
        alone, diverged = place if agrees else None, not agrees
        h5.write(place, {
            "kind": "observation", "case": f"../{case.name}", "recorder": attributes["recorder"],
            "source": f"{versions()}; stored weights upcast to float32; {TOGETHER if together else ALONE}{spelling}",
        }, datasets)
        far = distance(golden, datasets, "/observed")
        yield f"{way} {far / distance(golden, golden, '/expect/float32'):.3g} x noise"


def versions() -> str:
    import mlx_vlm
    return f"{SYSTEM} {mlx_vlm.__version__}, mlx {mx.__version__} on a CPU"


def run(model_directory: Path, golden: dict[str, np.ndarray], together: bool,
        limit: int | None = None, **options: Any) -> dict[str, np.ndarray]:
    """The datasets of an observation: float32 logits as in /expect/truth, NaN on padding or of the listed rows; greedy
    tokens if the case has them; and the case's traces, of sample 0. limit: capacity of the caches; None: unlimited.
    options: of ask_alone or ask_together; turns: of ask_in_turns."""
    model = load(model_directory)
    ask = ask_in_turns if options.pop("turns", False) else ask_together if together else ask_alone
    forced = functools.partial(ask, **options)
    if limit:
        forced = functools.partial(forced, limit=limit)
    requests = requests_of(golden, model.config)
    with Tracer(model) as tracer:
        prefill, decode = forced(model, requests, golden["/input/decode"], tracer)
    if "/expect/rows" in golden:
        prefill = [np.stack([prefill[b][t] for b, t in golden["/expect/rows"]])]
        datasets = {"/observed/prefill": prefill[0]}
    else:
        datasets = {"/observed/prefill": left_pad(prefill, np.nan)}
    datasets["/observed/decode"] = np.stack(decode)
    if "/expect/tokens" in golden:
        n_tokens, stops = golden["/expect/tokens"].shape[1], stop_ids(model_directory)
        datasets["/observed/tokens"] = greedy_together(model, requests, n_tokens, stops, **options) if together else \
            greedy_alone(model, requests, n_tokens, stops)
    names = [name.removeprefix("/trace/") for name in golden if name.startswith("/trace/")]
    rows = {name: len(golden[f"/trace/{name}"]) for name in names}
    return datasets | {f"/observed/trace/{name}": tensor for name, tensor in tracer.found(rows, requests[0][1]).items()}


def stop_ids(model_directory: Path) -> list[int]:
    """eos_token_id as mlx-vlm merges it from config.json and generation_config.json."""
    from mlx_vlm.utils import load_config
    found = load_config(model_directory)["eos_token_id"]
    return [found] if isinstance(found, int) else list(found)


def requests_of(golden: dict[str, np.ndarray], config: Any) -> list[tuple[list[int], dict[str, np.ndarray]]]:
    """The prompt of each sample, and what mlx-vlm's processor returns beside it. config: of mlx-vlm's model."""
    found = []
    for sample, prompt in enumerate(prompts(golden)):
        media: dict[str, np.ndarray] = {}
        for kind in KINDS:
            owner = golden.get(f"/input/{kind}_sample")
            if owner is None or not (owner == sample).any():
                continue
            if kind == "audio":
                media |= audio_clips(golden, owner == sample)
                continue
            mine, last = owner == sample, "" if kind == "image" else "_videos"
            pixels = golden[f"/input/pixel_values{last}"]
            grids = golden.get(f"/input/{kind}_grid_thw")
            rows = mine if grids is None else np.repeat(mine, grids.prod(1))
            media[f"pixel_values{last}"] = pixels[rows]
            for name in (f"{kind}_grid_thw", f"{kind}_position_ids", "aspect_ratio_ids", "aspect_ratio_mask", "crop_layouts",
                         *(SECONDS if kind == "video" else ())):
                if f"/input/{name}" in golden:
                    media[name] = golden[f"/input/{name}"][mine]
        found.append((prompt, returned(config, prompt, media)))
    return found


def audio_clips(golden: dict[str, np.ndarray], mine: np.ndarray) -> dict[str, np.ndarray]:
    """The audio clips of a sample, extended to the longest of them, as a processor returns them."""
    mask = golden["/input/feature_attention_mask"][mine]
    longest = int(mask.sum(1).max())
    return {"input_features": golden["/input/input_features"][mine][..., :longest],
            "feature_attention_mask": mask[:, :longest]}


@contextlib.contextmanager
def logits_of(language_model: Any) -> Iterator[list[np.ndarray]]:
    """The logits [B, n, V] of every call of a language model; all rows, also where only the last is asked for."""
    kind, calls = type(language_model), []
    original = kind.__call__

    def call(module, *args, logits_to_keep=None, **kwargs):
        out = original(module, *args, **kwargs)
        calls.append(np.array(out.logits))
        return out

    kind.__call__ = call
    try:
        yield calls
    finally:
        kind.__call__ = original


class Forced:
    """A sampler that gives the recorded tokens: row k of step s gets tokens[order[k], s]."""

    def __init__(self, tokens: np.ndarray, order: list[int]):
        self.tokens, self.order, self.step = tokens, order, 0

    def __call__(self, logprobs: Any) -> Any:
        column = np.append(self.tokens, self.tokens[:, :1], axis=1)[self.order, self.step]  # the last is not used
        self.step += 1
        return mx.array(column.astype(np.uint32))


def inputs_of(prompt: list[int], media: dict[str, np.ndarray]) -> tuple[Any, Any, dict[str, Any]]:
    """(ids [1, n], pixel values or None, the other inputs), as `prepare_inputs` returns them."""
    others = {name: mx.array(array) if isinstance(array, np.ndarray) else array for name, array in media.items()}
    return mx.array([prompt]), others.pop("pixel_values", None), others


def ask_alone(model: Any, requests: list, tokens: np.ndarray, tracer: Tracer,
              limit: int | None = None, chunk: int = 2048) -> tuple[list, list]:
    """For each sample its prefill [length, V] and decode [N, V]. limit: capacity of the caches; None: unlimited.
    chunk: tokens of a step of the prefill."""
    from mlx_vlm.generate.ar import generate_step
    prefill, decode = [], []
    for sample, (prompt, media) in enumerate(requests):
        ids, pixels, others = inputs_of(prompt, media)
        mask = mx.ones(ids.shape, dtype=mx.int32)
        tracer.begin(0, len(prompt), len(prompt)) if sample == 0 else tracer.stop()
        with logits_of(model.language_model) as calls:
            for _ in generate_step(ids, model, pixels, mask, max_tokens=tokens.shape[1],
                                   sampler=Forced(tokens, [sample]), max_kv_size=limit, prefill_step_size=chunk,
                                   **others):
                pass
        rows = np.concatenate([call[0] for call in calls])
        prefill.append(rows[:len(prompt)])
        decode.append(rows[len(prompt):len(prompt) + tokens.shape[1]])
    return prefill, decode


def ask_in_turns(model: Any, requests: list, tokens: np.ndarray, _tracer: Tracer) -> tuple[list, list]:
    """The same, with a generate_step for each sample, of which each gives one token in its turn."""
    from mlx_vlm.generate.ar import generate_step
    steps, rows = [], [[] for _ in requests]
    for sample, (prompt, media) in enumerate(requests):
        ids, pixels, others = inputs_of(prompt, media)
        steps.append(generate_step(ids, model, pixels, mx.ones(ids.shape, dtype=mx.int32), max_tokens=tokens.shape[1],
                                   sampler=Forced(tokens, [sample]), **others))
    for _ in range(tokens.shape[1]):
        for sample, step in enumerate(steps):
            with logits_of(model.language_model) as calls:
                next(step)
            rows[sample] += [row for call in calls for row in call[0]]
    lengths = [len(prompt) for prompt, _ in requests]
    return ([np.stack(row[:length]) for row, length in zip(rows, lengths)],
            [np.stack(row[length:length + tokens.shape[1]]) for row, length in zip(rows, lengths)])


def insert(model: Any, requests: list, max_tokens: int, stops: list[int], sampler: Any, tracer: Tracer | None = None,
           chunk: int = 2048, whole: bool = False) -> tuple[Any, list[int]]:
    """(batch generator, ids of its requests), filled as `ResponseGenerator` of the server fills it; or, if whole, as
    `batch_generate`, which embeds all prompts in one call."""
    from mlx_vlm.generate.ar import BatchGenerator
    from mlx_vlm.utils import StoppingCriteria
    processor = SimpleNamespace(tokenizer=SimpleNamespace(stopping_criteria=StoppingCriteria(stops)))
    generator = BatchGenerator(model.language_model, processor, max_tokens=max_tokens, sampler=sampler,
                               prefill_batch_size=len(requests), completion_batch_size=len(requests),
                               prefill_step_size=chunk)
    if whole:
        return generator, insert_whole(model, requests, generator)
    uids = []
    for prompt, media in requests:
        ids, pixels, others = inputs_of(prompt, media)
        embedded = model.get_input_embeddings(ids, pixels, mask=mx.ones(ids.shape, dtype=mx.int32), **others)
        if tracer:
            tracer.end_towers()
        given = others | {name: value for name, value in embedded.to_dict().items() if value is not None}
        uids += generator.insert([prompt], max_tokens=max_tokens, prompt_kwargs=[given])
    return generator, uids


def insert_whole(model: Any, requests: list, generator: Any) -> list[int]:
    from mlx_vlm.generate.ar import _split_prompt_kwargs_per_row
    longest = max(len(prompt) for prompt, _ in requests)
    padding = [longest - len(prompt) for prompt, _ in requests]
    mask = mx.array([[0] * pad + [1] * (longest - pad) for pad in padding])
    ids = [[0] * pad + prompt for pad, (prompt, _) in zip(padding, requests)]
    media = {}
    for pad, (_, one) in zip(padding, requests):
        for name, array in one.items():
            if name == "mm_token_type_ids":
                array = np.pad(array, ((0, 0), (pad, 0)))
            media.setdefault(name, []).append(array)
    ids, pixels, others = inputs_of(ids, {name: np.concatenate(arrays) for name, arrays in media.items()})
    ids = ids[0]
    embedded = model.get_input_embeddings(ids, pixels, mask=mask, **others)
    given = others | {name: value for name, value in embedded.to_dict().items() if value is not None}
    return generator.insert(ids, prompt_kwargs=_split_prompt_kwargs_per_row(given, len(requests)), attention_mask=mask)


def ask_together(model: Any, requests: list, tokens: np.ndarray, tracer: Tracer, **options: Any) -> tuple[list, list]:
    """The same, of all samples in one batch. options: of insert."""
    lengths = [len(prompt) for prompt, _ in requests]
    order = sorted(range(len(lengths)), key=lengths.__getitem__)  # BatchGenerator.insert sorts by length
    tracer.begin(order.index(0), lengths[0], max(lengths), len(lengths))
    with logits_of(model.language_model) as calls:
        generator, _ = insert(model, requests, tokens.shape[1], [], Forced(tokens, order), tracer, **options)
        while generator.has_work:
            generator.next()
        generator.close()
    rows = np.concatenate(calls, axis=1)
    rows = [rows[order.index(sample)] for sample in range(len(lengths))]
    longest, n_steps = max(lengths), tokens.shape[1]
    return ([row[longest - length:longest] for row, length in zip(rows, lengths)],
            [row[longest:longest + n_steps] for row in rows])


def greedy_alone(model: Any, requests: list, n_tokens: int, stops: list[int]) -> np.ndarray:
    """Tokens [B, n_tokens] of generate_step, including the stop id, -1 after it."""
    from mlx_vlm.generate.ar import generate_step
    found = np.full((len(requests), n_tokens), -1, np.int32)
    for sample, (prompt, media) in enumerate(requests):
        ids, pixels, others = inputs_of(prompt, media)
        for step, (token, _) in enumerate(generate_step(ids, model, pixels, mx.ones(ids.shape, dtype=mx.int32),
                                                        max_tokens=n_tokens, temperature=0.0, **others)):
            found[sample, step] = token
            if token in stops:
                break
    return found


def greedy_together(model: Any, requests: list, n_tokens: int, stops: list[int], **options: Any) -> np.ndarray:
    """The same, of mlx-vlm's own batch generator. options: of insert."""
    generator, uids = insert(model, requests, n_tokens, stops, None, **options)
    found = np.full((len(requests), n_tokens), -1, np.int32)
    n_made = dict.fromkeys(uids, 0)
    while generator.has_work:
        for response in generator.next()[1]:
            found[uids.index(response.uid), n_made[response.uid]] = response.token
            n_made[response.uid] += 1
    generator.close()
    return found
