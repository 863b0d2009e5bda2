"""Repairs of mlx-vlm's Qwen3-Omni."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from scripts.record.checkpoint.opening import module, wrapped

from ..spelling import Config
from .general import activation, both

FAMILY = "qwen3_omni_moe"


def tower_activation(config: Config) -> Any:
    """The MLP of the tower of images has the activation of the config."""
    return activation(module(FAMILY, "vision").MLP, nn.gelu_approx)


def audio_alone(config: Config) -> Any:
    """Each audio clip of a call is encoded on its own."""
    def encode(original, self, input_features, feature_lens=None, **kwargs):
        lengths = np.array(feature_lens).tolist()
        ends = np.cumsum(lengths).tolist()
        return mx.concatenate([original(self, input_features[:, end - n:end], feature_lens=mx.array([n], dtype=mx.int32), **kwargs)
                               for n, end in zip(lengths, ends)])
    return wrapped(module(FAMILY, "audio").AudioModel, "__call__", encode)


def embedded_audio(config: Config) -> Any:
    """What has been embedded is not joined with that of other requests once more."""
    from mlx_vlm.generate import ar

    def merge(original, rows, input_ids):
        return original([{name: value for name, value in row.items()
                          if name not in ("input_features", "feature_attention_mask")} for row in rows], input_ids)
    return wrapped(ar, "_merge_prefill_prompt_kwargs", merge)


def chunks(config: Config) -> Any:
    """The rows of an audio clip are counted with chunks of the config's size."""
    size = 2 * config["thinker_config"]["audio_config"]["n_window"]

    def rows(_original, lengths):
        rest = lengths % size
        return lengths // size * 13 + mx.where(rest == 0, 0, (rest + 7) // 8)
    return wrapped(module(FAMILY, "audio"), "_get_feat_extract_output_lengths", rows)


def biases(config: Config) -> Any:
    """The projections of attention have the biases of the config."""
    language = module(FAMILY, "language")

    def make(original, self, *args, **kwargs):
        original(self, *args, **kwargs)
        for name in ("q_proj", "k_proj", "v_proj", "o_proj"):
            rows, columns = self[name].weight.shape
            self[name] = nn.Linear(columns, rows, bias=True)
    return wrapped(language.Attention, "__init__", make)


def video_positions(config: Config) -> Any:
    """Tokens of a prompt with a video have the positions of transformers: by its seconds, and with its audio among its tokens."""
    import torch
    from transformers.models.qwen3_omni_moe.configuration_qwen3_omni_moe import Qwen3OmniMoeThinkerConfig
    from transformers.models.qwen3_omni_moe.modeling_qwen3_omni_moe import Qwen3OmniMoePreTrainedModelForConditionalGeneration as Published

    from scripts.record.media.audio import in_videos
    thinker = Qwen3OmniMoeThinkerConfig(**config["thinker_config"])
    model = SimpleNamespace(config=thinker, spatial_merge_size=thinker.vision_config.spatial_merge_size)
    model.get_llm_pos_ids_for_vision = lambda *given: Published.get_llm_pos_ids_for_vision(model, *given)
    given: dict[str, Any] = {}

    def tensor(array: Any) -> Any:
        return None if array is None else torch.from_numpy(np.array(array))

    def embed(original, self, *args, **kwargs):
        given.update({name: tensor(kwargs.get(name)) for name in ("video_second_per_grid", "feature_attention_mask")})
        return original(self, *args, **kwargs)

    def index(original, self, input_ids, image_grid_thw=None, video_grid_thw=None, attention_mask=None):
        if video_grid_thw is None:
            return original(self, input_ids, image_grid_thw, video_grid_thw, attention_mask)
        mask = torch.ones(input_ids.shape, dtype=torch.int64) if attention_mask is None else tensor(attention_mask)
        heard = given["feature_attention_mask"]
        positions, deltas = Published.get_rope_index(
            model, tensor(input_ids), tensor(image_grid_thw), tensor(video_grid_thw), mask,
            in_videos(thinker, input_ids.flatten().tolist()), None if heard is None else heard.sum(-1), given["video_second_per_grid"])
        return mx.array(positions.numpy().astype(np.int32)), mx.array(deltas.numpy().astype(np.int32))
    return both(wrapped(module(FAMILY, "thinker").Thinker, "get_input_embeddings", embed),
                wrapped(module(FAMILY, "language").LanguageModel, "get_rope_index", index))
