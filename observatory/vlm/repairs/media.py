"""Repairs of mlx-vlm that concern videos: beside images in one prompt, and their seconds."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import numpy as np

from scripts.record.checkpoint.opening import module, wrapped

from ..spelling import Config
from .general import base_of, both


def features_by_token(config: Config) -> Any:
    """All Qwen families but qwen3_vl: images and videos of one prompt are both embedded, each at its own
    tokens."""
    family = base_of(config["model_type"])
    ids_of = (config["image_token_id"], config["video_token_id"])

    def embed(original, self, input_ids, pixel_values=None, **kwargs):
        videos = kwargs.get("pixel_values_videos")
        if pixel_values is None or videos is None:
            return original(self, input_ids, pixel_values, **kwargs)
        grids = (kwargs["image_grid_thw"], kwargs["video_grid_thw"])
        towers = [self.vision_tower(pixels, grid) for pixels, grid in zip((pixel_values, videos), grids)]
        ids = np.array(input_ids)
        found = self.language_model.model.embed_tokens(input_ids)
        deep = None
        if isinstance(towers[0], tuple):
            deep = [join(ids, ids_of, layers) for layers in zip(*(tower[1] for tower in towers))] or None
            towers = [tower[0] for tower in towers]
        here = np.isin(ids, ids_of)
        values = np.array(found)
        values[here] = np.array(join(ids, ids_of, towers))
        positions, deltas = self.language_model.get_rope_index(input_ids, *grids, kwargs.get("mask"))
        made = {"inputs_embeds": mx.array(values), "position_ids": positions, "rope_deltas": deltas}
        if deep is not None:
            made |= {"visual_pos_masks": mx.array(here), "deepstack_visual_embeds": deep}
        return module(family, family).InputEmbeddingsFeatures(**made)

    return wrapped(module(family, family).Model, "get_input_embeddings", embed)


def join(ids: np.ndarray, ids_of: tuple[int, int], parts: tuple) -> mx.array:
    """The rows of images and of videos in the order of their tokens."""
    rows = ids[np.isin(ids, ids_of)]
    made = np.zeros((len(rows), parts[0].shape[-1]), np.float32)
    for token, part in zip(ids_of, parts):
        made[rows == token] = np.array(part)
    return mx.array(made)


def seconds(config: Config) -> Any:
    """Qwen2.5-VL: the time of a frame counts tokens_per_second in each second."""
    family = "qwen2_5_vl"
    given: dict[str, Any] = {}

    def embed(original, self, *args, **kwargs):
        given["seconds"] = kwargs.get("second_per_grid_ts")
        return original(self, *args, **kwargs)

    def index(original, self, input_ids, image_grid_thw=None, video_grid_thw=None, attention_mask=None):
        if video_grid_thw is None or given.get("seconds") is None:
            return original(self, input_ids, image_grid_thw, video_grid_thw, attention_mask)
        grids = {config["image_token_id"]: iter([] if image_grid_thw is None else image_grid_thw.tolist()),
                 config["video_token_id"]: iter(video_grid_thw.tolist())}
        pace = iter(np.array(given["seconds"]).tolist())
        found = [positions(row, grids, pace, config) for row in input_ids.tolist()]  # alone, without padding
        deltas = [[int(one.max()) + 1 - one.shape[1]] for one in found]
        return mx.array(np.stack(found, 1).astype(np.int32)), mx.array(deltas)

    return both(wrapped(module(family, family).Model, "get_input_embeddings", embed),
                wrapped(module(family, "language").LanguageModel, "get_rope_index", index))


def positions(ids: list[int], grids: dict, pace: Any, config: Config) -> np.ndarray:
    """[3, T]: time, height and width of each token; one run of placeholder tokens for each image and video."""
    tower, made, start, at = config["vision_config"], [], 0, 0
    while at < len(ids):
        if ids[at] not in grids:
            made.append(np.full((3, 1), start))
            at, start = at + 1, start + 1
            continue
        t, h, w = next(grids[ids[at]])
        h, w = h // tower["spatial_merge_size"], w // tower["spatial_merge_size"]
        place = np.indices((t, h, w)).reshape(3, -1)
        if ids[at] == config["video_token_id"]:
            place[0] = (place[0] * tower["tokens_per_second"] * next(pace)).astype(int)
        made.append(place + start)
        at, start = at + t * h * w, start + max(h, w)
    return np.concatenate(made, axis=1)
