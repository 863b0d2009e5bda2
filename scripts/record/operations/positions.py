"""Records positions: what the published M-RoPE code gives the tokens of left-padded prompts, of text alone and with
images and videos."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
import transformers
from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VLModel

from .. import families
from ..case.plan import Case
from ..checkpoint.checkpoint import Checkpoint
from ..families.qwen2 import BASE
from ..media import audio
from ..media.images import compose, counts_mask, datasets, joined, token_kinds
from ..media.parts import Prompt
from ..support import checksums, h5
from ..support.h5 import left_pad
from ..variants.variant import Variant, rng_for, small

LENGTHS = (1, 12, 7, 5)
VERSIONS = f"transformers {transformers.__version__}, torch {torch.__version__.split('+')[0]} on a CPU"
VALUES = ("pixel_values", "input_features")  # which positions do not depend on
PADDING = 0  # also the id of real tokens: padding is what the mask says

# The published call reads no weights; an engine needs a checkpoint to open.
VARIANT = Variant("text", small(BASE, num_hidden_layers=1, hidden_size=16, intermediate_size=24,
                                num_attention_heads=2, num_key_value_heads=1), "")


def prompts(vocab_size: int, rng: np.random.Generator) -> np.ndarray:
    """int32 [B, T], left-padded; every prompt but the shortest holds the padding's id."""
    tokens = np.full((len(LENGTHS), max(LENGTHS)), PADDING, dtype=np.int32)
    for row, length in zip(tokens, LENGTHS):
        row[len(row) - length:] = rng.integers(1, vocab_size - 1, length)
        if length > 1:
            row[-length // 2] = PADDING
    return tokens


def published(tokens: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(position [3, B, T], delta [B]) of Qwen2-VL's get_rope_index, called for text alone."""
    mask = np.zeros(tokens.shape, dtype=np.int64)
    for row, length in zip(mask, LENGTHS):
        row[len(row) - length:] = 1
    ids = torch.from_numpy(tokens.astype(np.int64))
    position, delta = Qwen2VLModel.get_rope_index(
        SimpleNamespace(config=transformers.Qwen2VLConfig()), ids, torch.zeros_like(ids),
        attention_mask=torch.from_numpy(mask))
    return position.numpy().astype(np.int32), delta.numpy().astype(np.int32).reshape(-1)


def own_positions(model: torch.nn.Module, prompts: list[Prompt]) -> tuple[torch.Tensor, torch.Tensor]:
    """(position [axes, B, T], delta [B, 1]) of the model's get_rope_index for left-padded prompts."""
    media = joined(tuple(medium for prompt in prompts for medium in prompt.media))
    grids = {name: torch.from_numpy(array if array.dtype.kind == "f" else array.astype(np.int64))
             for name, array in media.items() if not name.startswith(VALUES)}
    if "feature_attention_mask" in grids:
        grids["audio_seqlens"] = grids.pop("feature_attention_mask").sum(-1)
    if "video_second_per_grid" in grids:
        grids["second_per_grids"] = grids.pop("video_second_per_grid")
    if any(audio.in_videos(model.config, prompt) for prompt in prompts):
        grids["use_audio_in_video"] = True
    kinds = [token_kinds(model.config, prompt)[0].numpy() for prompt in prompts]
    if not counts_mask(model):
        grids["mm_token_type_ids"] = torch.from_numpy(left_pad(kinds, 0))
    return model.model.get_rope_index(
        torch.from_numpy(left_pad([np.array(prompt, np.int64) for prompt in prompts], PADDING)), **grids,
        attention_mask=torch.from_numpy(left_pad([np.ones(len(prompt), np.int64) for prompt in prompts], 0)))


def positions_alone(model: torch.nn.Module, prompts: list[Prompt]) -> tuple[torch.Tensor, torch.Tensor]:
    """The same, each prompt without the others: the numbers of images count those of its own."""
    made = [own_positions(model, [prompt]) for prompt in prompts]
    longest = max(len(prompt) for prompt in prompts)
    rows = [torch.nn.functional.pad(position, (longest - position.shape[-1], 0)) for position, _ in made]
    return torch.cat(rows, 1), torch.cat([delta for _, delta in made])


def write(checkpoint: Checkpoint, case: Case, path: Path) -> str:
    """Writes a case of kind positions beside a checkpoint with a tower: what the model's own get_rope_index gives the
    prompts as one batch. Returns text for the log."""
    rng = rng_for(checkpoint.seed, checkpoint.family.name, checkpoint.variant.name, "case", case.name)
    outer, text = checkpoint.variant.outer, checkpoint.text_ids
    prompts = [compose(checkpoint.pictures, outer, parts, text, rng) for parts in case.prompts]
    model = checkpoint.float32.model
    alone = getattr(checkpoint.pictures, "newlines", False)
    position, delta = (positions_alone if alone else own_positions)(model, prompts)
    inputs = {name: array for name, array in datasets(prompts).items() if not name.split("/")[-1].startswith(VALUES)}
    h5.write(path, {
        "kind": "positions", "model": "model", "source": f"{VERSIONS}: {type(model.model).__name__}.get_rope_index with "
        "attention_mask" + (", each prompt alone" if alone else ""), "recorder": f"scripts/record, seed {checkpoint.seed}, draw 1",
        "catches": "A side of a grid that is not divided, a run of placeholder tokens that begins or ends elsewhere, "
                   "a frame at another time, or padding that is counted.",
    }, {"/input/tokens": left_pad([np.array(prompt, np.int32) for prompt in prompts], PADDING),
        "/input/length": np.array([len(prompt) for prompt in prompts], np.int32), **inputs,
        "/expect/position": position.numpy().astype(np.int32),
        "/expect/delta": delta.numpy().astype(np.int32).reshape(-1)})
    return f"  {case.name}: deltas {delta.reshape(-1).tolist()}"


def record(out: Path, seed: int) -> list[str]:
    """Writes text/ below `out`; returns its name."""
    directory = out / VARIANT.name
    shutil.rmtree(directory, ignore_errors=True)
    checkpoint = Checkpoint(families.load("qwen2"), VARIANT, seed)
    checkpoint.write(directory / "model", [checkpoint.idle_id], checkpoint.idle_id)
    checksums.write(directory / "model")
    tokens = prompts(checkpoint.vocab_size, rng_for(seed, "positions", VARIANT.name))
    position, delta = published(tokens)
    h5.write(directory / "left-padded.h5", {
        "kind": "positions", "model": "model",
        "source": f"{VERSIONS}: Qwen2VLModel.get_rope_index with attention_mask, for text alone",
        "recorder": f"scripts/record, seed {seed}, draw 1",
        "catches": "Positions that count padding, or take a token for padding by its id.",
    }, {"/input/tokens": tokens, "/input/length": np.array(LENGTHS, dtype=np.int32),
        "/expect/position": position, "/expect/delta": delta})
    print(f"positions/{VARIANT.name}: {len(LENGTHS)} samples, deltas {delta.tolist()}", flush=True)
    return [VARIANT.name]
