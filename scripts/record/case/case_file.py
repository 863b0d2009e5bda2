"""Writes the file of a recorded case."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from ..checkpoint.checkpoint import Checkpoint
from ..media import images
from ..media.parts import media_of
from ..support import h5
from ..variants.variant import Variant
from . import cases, farthest

CACHE_AGREES = 1e-9  # largest difference between cached decode and a pass over the whole sequence

SOURCE = (f"transformers {transformers.__version__}, torch {torch.__version__.split('+')[0]} on a "
          "CPU, one thread, eager attention and experts; truth float64 throughout, each sample "
          "alone, unpadded, without cache")


def source(checkpoint: Checkpoint) -> str:
    package = checkpoint.family.package
    if package is None:
        return SOURCE
    return (f"one implementation, {package.SYSTEM}, written again in torch {torch.__version__.split('+')[0]} "
            f"({package.__name__.replace('.', '/')}.py), on a CPU, one thread; truth float64 throughout, each sample "
            f"alone, unpadded, without cache; {package.SYSTEM} in float32 agrees within the noise where it places images")


def check_generate(checkpoint: Checkpoint, recording: cases.Recording, tokens: np.ndarray) -> None:
    """Checks that the published generate() gives the same streams, including the stop id and the length."""
    stops = [i for i in (recording.idle_id, recording.stop_id) if i is not None]
    for row, sample in zip(tokens, recording.samples):
        stream = checkpoint.truth.generate(sample.prompt, recording.case.n_decode, stops)
        if stream != [t for t in row.tolist() if t >= 0]:
            raise RuntimeError(f"generate() of the published model gives {stream}, "
                               f"whole-sequence logits give {row.tolist()}")


def write(checkpoint: Checkpoint, recording: cases.Recording, path: Path, model: str,
          traces: str, more: dict[str, np.ndarray] | None = None) -> dict[str, Any]:
    """Runs the traces and the cached decode, and writes the case. Returns values for the log line: `noise`,
    `cached` (difference of the cached decode), `draws`, `missing` (narrower runs that were left out), and
    the `datasets`.

    traces: `none`, `layers` (embed and layer.NN.out) or `fine`. more: further datasets.
    """
    case, samples, variant = recording.case, recording.samples, checkpoint.variant
    trace64: dict[str, np.ndarray] = {}
    trace32: dict[str, np.ndarray] = {}
    if traces != "none":
        checkpoint.truth.logits(samples[0].prompt, trace64, limit=case.limit)
        checkpoint.float32.logits(samples[0].prompt, trace32, limit=case.limit)
    farthest.keep(checkpoint, case, samples, trace64, trace32)
    if traces == "layers":
        trace64 = {k: v for k, v in trace64.items() if k == "embed" or k.endswith(".out") and k.startswith("layer")}
    flags = []
    worst = max(np.abs(checkpoint.truth.cached(s.prompt, s.decode, case.limit) - s.steps).max()
                for s in samples)
    if worst > CACHE_AGREES:
        flags.append("disputed:cached-decode-differs-from-whole-sequence")
    datasets: dict[str, Any] = {
        "/input/tokens": h5.left_pad([np.array(s.prompt, np.int32) for s in samples], 0),
        "/input/length": np.array([len(s.prompt) for s in samples], np.int32),
        "/input/decode": np.array([s.decode for s in samples], np.int32),
        "/expect/truth/prefill": cases.recorded_prefill(case, [s.prefill for s in samples]),
        "/expect/truth/decode": np.stack([s.steps for s in samples]),
        "/expect/float32/prefill": cases.recorded_prefill(case, [s.prefill32 for s in samples]),
        "/expect/float32/decode": np.stack([s.steps32 for s in samples]),
    }
    datasets |= images.datasets([s.prompt for s in samples])
    if (rows := cases.listed_rows(case, [len(s.prompt) for s in samples])) is not None:
        datasets["/expect/rows"] = rows
    narrower = cases.narrow_runs(checkpoint, recording)
    datasets |= narrower
    if case.kind == "generate":
        tokens, datasets["/expect/finish"] = cases.expected_tokens(recording)
        datasets["/expect/tokens"] = tokens
        if not flags:
            check_generate(checkpoint, recording, tokens)
    datasets |= {f"/trace/{name}": tensor for name, tensor in trace64.items()}
    datasets |= more or {}
    attributes: dict[str, Any] = {
        "kind": case.kind, "model": model, "source": source(checkpoint),
        "recorder": f"scripts/record, seed {checkpoint.seed}, draw {recording.draws}",
        "catches": catches(variant, case),
    }
    if case.limit:
        attributes |= {"cache_limit": case.limit.limit, "cache_kept": case.limit.kept}
    if checkpoint.family.disputed and any(media_of(s.prompt) for s in samples):
        flags.append(f"disputed:{checkpoint.family.disputed}")
    most = max(max(s.prompt) for s in samples) + 1
    if most > checkpoint.vocab_size:
        attributes["more_ids"] = most - checkpoint.vocab_size
    if flags:
        attributes["flags"] = flags
    h5.write(path, attributes, datasets,
             {f"/trace/{k}": np.abs(trace32[k] - v).max() for k, v in trace64.items()})
    return {"noise": max(s.noise for s in samples), "cached": worst, "draws": recording.draws,
            "missing": [name for name in checkpoint.narrow
                        if not any(made.startswith(f"/expect/{name}/") for made in narrower)],
            "datasets": datasets}


def catches(variant: Variant, case: cases.Case) -> str:
    """The text of attribute `catches`: the variant's own, and what this kind of case adds to it."""
    added = {
        "single": "in a prefill and forced decode of one sample",
        "batch": "where prompts of unequal lengths are left-padded into one batch",
        "window": "where a prompt is longer than the sliding window and a decode crosses it",
        "pages": "where a cache gives back pages that the window has left, in prefill and in decode",
        "limit": "where caches hold a limited number of positions: a kept prefix that is dropped, "
                 "overwritten or off by one, or a ring that turns too early or too late",
        "long": "where the prompt is longer than the length at which rope changes",
        "crossing": "where decode crosses the length at which rope changes",
        "narrow": "in a narrower type, by prompts of which every expert is chosen by far",
        "generate": "in greedy tokens, some ended by the stop id and some by the limit",
        "greedy": "in greedy tokens, in a narrower type, too",
        "long-single": "at 64, 128 and 256 positions of a sample, in decode",
        "long-batch": "at 64, 128 and 256 positions, where prompts of unequal lengths cross them",
        "long-generate": "at 64, 128 and 256 positions, in greedy tokens",
        "prefill-1024": "at 1024 positions, in prefill",
        "prefill-4096": "at 4096 positions, in prefill",
        "decode-1024": "at 1024 positions, in decode",
        "rows-decode-1024": "at 1024 positions, in decode after a prompt of which few rows are recorded",
        "rows-single": "in a prompt of 131 tokens of which few rows are recorded",
        "rows-generate": "in prompts of which few rows are recorded, and greedy tokens",
        "blocks": "where blocks are longer and shorter than the window, at the start and the end of prompts that "
                  "are left-padded into one batch",
        "blocks-steps": "where prompts are divided between their blocks",
        "blocks-long": "where a block is longer than several pages of a cache",
        "image": "in a prompt with one image",
        "images": "in a prompt with two images of different sizes",
        "images-batch": "where prompts without an image, with one, two and four images are left-padded into one batch",
        "images-decode": "in a long decode after images",
        "images-generate": "in greedy tokens after images",
        "videos": "in a video of several frames, and a video beside an image",
        "windows": "where windows divide a frame, and where they do not",
        "pictures": "in a drawn configuration, with drawn images",
        "images-descending": "where the longest prompt of a batch, with the most images, is its first",
        "image-narrow": "in a narrower type, by a prompt with an image of which every expert is chosen by far",
        "image-batch": "where prompts without an image and with one are left-padded into one batch",
        "image-decode": "in a long decode after an image",
        "image-generate": "in greedy tokens after an image",
        "image-then-text": "in a prompt without an image that follows one with an image",
        "crops": "in a prompt with an image in six crops",
        "crops-batch": "where prompts without an image, with an image alone, and with one in crops are left-padded into one "
                       "batch",
        "crops-ids": "in text that has the id of the placeholders, alone and after an image",
        "crops-borders": "where crops are averaged over parts of unequal sizes",
        "crops-decode": "in a long decode after an image in crops",
        "crops-generate": "in greedy tokens after an image in crops",
        "crops-narrow": "in a narrower type, by a prompt with an image in crops of which every expert is chosen by far",
        "images-alike": "in a prompt with two images of the same size",
        "images-narrow": "in a narrower type, by a prompt with two images of different sizes of which every expert is "
                         "chosen by far",
        "images-1024": "at 512 and 1024 positions, before and after which images begin and end",
        "twins-images": "where the same tokens have the same images in another order, and another image",
        "twins-blocks": "where blocks of 256 tokens are in another order, and the same block follows others",
        "sound": "in a prompt with one sound",
        "sounds": "in a prompt with a sound of a whole chunk and a part of one, and a short sound",
        "media": "in a prompt of images and sounds",
        "media-batch": "where prompts of text, images and sounds of different lengths are left-padded into one batch",
        "media-decode": "in a long decode after a sound and an image",
        "media-generate": "in greedy tokens after images and sounds",
        "media-narrow": "in a narrower type, by a prompt with an image and a sound of which every expert is chosen by far",
        "media-videos": "in a video of several frames, and in one beside an image and a sound",
        "videos-sound": "where the tokens of a sound, longer or shorter than the video, are among those of a video",
        "sound-windows": "where windows divide a sound, and where they do not",
        "random": "in a drawn configuration",
        "forced": "in a drawn configuration, in prompts short and long, in every type",
        "bundle": "in the answers of a trained model",
    }[case.name]
    return f"{variant.catches}, {added}."
