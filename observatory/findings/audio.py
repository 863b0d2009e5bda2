"""For findings: the published processor of Qwen3-Omni on drawn audio clips, alone and beside others."""

from __future__ import annotations

import numpy as np

from scripts.record.preprocess import audio

from .ask import shows


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
