"""Audio clips beside others, and among the tokens of videos."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import torch

from ..variants.variant import Config


def encode_alone(model: torch.nn.Module) -> None:
    """Has the audio tower of a model encode each audio clip on its own. The published tower extends the chunks of all audio clips of
    a call to the longest among them, and its convolutions see that: what an audio clip gives would depend on others."""
    tower = getattr(model.model, "audio_tower", None)
    if tower is None or not hasattr(tower, "conv2d1"):
        return
    together = tower.forward

    def forward(input_features, feature_lens, **kwargs):
        outs = [together(part, feature_lens=feature_lens[i:i + 1], **kwargs)
                for i, part in enumerate(input_features.split(feature_lens.tolist(), dim=1))]
        rows = torch.cat([out.last_hidden_state for out in outs])
        return type(outs[0])(last_hidden_state=rows, pooler_output=rows)

    tower.forward = forward


def interleaved(config: Config, video: dict[str, np.ndarray], n_tokens: int) -> list[int]:
    """The tokens between the marks of a video that has an audio clip of n_tokens placeholder tokens, as the published processor
    places them. config: members around text_config."""
    from transformers.models.qwen3_omni_moe.processing_qwen3_omni_moe import Qwen3OmniMoeProcessor
    ids = {"b": config["audio_start_token_id"], "e": config["audio_end_token_id"],
           "v": config["video_token_id"], "a": config["audio_token_id"]}
    processor = SimpleNamespace(audio_bos_token="b", audio_eos_token="e", video_token="v", audio_token="a",
                                video_processor=SimpleNamespace(merge_size=config["vision_config"]["spatial_merge_size"]))
    text = Qwen3OmniMoeProcessor.replace_video_with_audio_token(
        processor, video, 0, {"num_audio_tokens": [n_tokens]}, 0, position_id_per_seconds=config["position_id_per_seconds"])
    return [ids[letter] for letter in text]


def in_videos(config, tokens: list[int]) -> bool:
    """Whether the videos of a prompt have audio clips: the mark of an audio clip's beginning follows that of an image's or video's. The
    published class is told it (`use_audio_in_video`), for all videos of a call at once."""
    marks = [getattr(config, f"{name}_start_token_id", None) for name in ("vision", "audio")]
    return None not in marks and any([*pair] == marks for pair in zip(tokens, tokens[1:]))
