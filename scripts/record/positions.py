"""Records positions: what the published M-RoPE code gives the tokens of left-padded prompts."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
import transformers
from transformers.models.qwen2_vl.modeling_qwen2_vl import Qwen2VLModel

from . import checksums, families, h5
from .checkpoint import Checkpoint
from .families.qwen2 import BASE
from .variant import Variant, rng_for, small

LENGTHS = (1, 12, 7, 5)
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
        "source": f"transformers {transformers.__version__}, torch {torch.__version__.split('+')[0]} on a CPU: "
                  "Qwen2VLModel.get_rope_index with attention_mask, for text alone",
        "recorder": f"scripts/record, seed {seed}, draw 1",
        "catches": "Positions that count padding, or take a token for padding by its id.",
    }, {"/input/tokens": tokens, "/input/length": np.array(LENGTHS, dtype=np.int32),
        "/expect/position": position, "/expect/delta": delta})
    print(f"positions/{VARIANT.name}: {len(LENGTHS)} samples, deltas {delta.tolist()}", flush=True)
    return [VARIANT.name]
