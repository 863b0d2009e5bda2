"""What the processors of mlx-vlm return beside the tokens of a prompt, made from the tensors of its images and audio clips. The observer of
mlx-vlm (observatory/vlm) uses this module, too."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.requests import Step

from .. import shared

KINDS = ("image", "video", "audio")


def placeholder_ids(config: Any) -> dict[str, int]:
    """Newer classes have image_token_id, older ones image_token_index; Falcon-OCR has img_id; the ids of Moondream 3's images are
    that of the beginning, which its class does not state."""
    if getattr(config, "model_type", None) == "moondream3":
        return {"image": 0}
    found = {}
    for kind in KINDS:
        names = [f"{kind}_token_id", f"{kind}_token_index", *(["img_id"] if kind == "image" else [])]
        token = next((value for name in names if (value := getattr(config, name, None)) is not None), None)
        if token is not None:
            found[kind] = int(token)
    return found


def hunyuan_positions(tokens: list[int], media: dict[str, np.ndarray], config: Any) -> np.ndarray:
    """The positions [1, 4, n] of HunYuanVLProcessor: the image number is 0 for every image."""
    axes = np.tile(np.arange(len(tokens)), (4, 1))
    places, taken = np.flatnonzero(np.array(tokens) == config.image_token_id), 0
    for grid in media.get("image_grid_thw", ()):
        rows, columns = grid[1:] // config.vision_config.spatial_merge_size
        n, first = rows * (columns + 1), places[taken] + 1
        axes[1, first:first + n] = np.tile(np.arange(columns + 1), rows)
        axes[2, first:first + n] = np.repeat(np.arange(rows), columns + 1)
        axes[3, first:first + n] = 0
        taken += n + 2
    return axes[None]


def whole_images(media: dict[str, np.ndarray], side: int) -> dict[str, np.ndarray]:
    """Rows of patches as FalconOCRProcessor returns them: images [n, H, W, C], which it stacks, so that all must have the same size;
    and their grids. Raises ValueError."""
    rows, images = media["pixel_values"], []
    grids = [tuple(int(n) for n in grid[1:]) for grid in media["image_grid_thw"]]
    for height, width in grids:
        patches, rows = rows[:height * width], rows[height * width:]
        images.append(patches.reshape(height, width, side, side, -1).swapaxes(1, 2).reshape(height * side, width * side, -1))
    return {"pixel_values": np.stack(images), "image_grid_hw": np.array(grids, np.int32)}


def with_mask(tokens: list[int], media: dict[str, np.ndarray], image_token: int) -> dict[str, np.ndarray]:
    """The tiles of all images as a batch of one prompt, and the mask [1, n, images, tiles] of MllamaProcessor: which images each token
    sees."""
    from transformers.models.mllama.processing_mllama import (
        convert_sparse_cross_attention_mask_to_dense, get_cross_attention_token_mask)
    present = media["aspect_ratio_mask"]
    mask = convert_sparse_cross_attention_mask_to_dense(
        [get_cross_attention_token_mask(list(tokens), image_token)], [present.sum(-1).tolist()], present.shape[-1], len(tokens))
    return {name: array[None] for name, array in media.items()} | {"cross_attention_mask": mask}


def whole_crops(media: dict[str, np.ndarray], side: int) -> dict[str, Any]:
    """Rows of patches as Moondream3Processor returns them: crops [n, H, W, C], how many an image has, and their rows and columns."""
    grids, rows, crops = media["image_grid_thw"].tolist(), media["pixel_values"], []
    for frames, height, width in grids:
        patches, rows = rows[:frames * height * width], rows[frames * height * width:]
        whole = patches.reshape(frames, height, width, -1, side, side).transpose(0, 1, 4, 2, 5, 3)
        crops.append(whole.reshape(frames, height * side, width * side, -1))
    layouts = [tuple(layout) if frames > 1 else None for layout, (frames, _, _) in zip(media["crop_layouts"].tolist(), grids)]
    return {"pixel_values": np.concatenate(crops), "num_crops": [frames for frames, _, _ in grids], "crop_layouts": layouts}


def returned(config: Any, tokens: list[int], media: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """media: the tensors of all images and audio clips of the prompt. Of the processors only Gemma4Processor returns the kinds of tokens
    by default, and that of PaddleOCR-VL gives its patches one more axis, of length 1."""
    family = getattr(config, "model_type", None)
    if family == "gemma4":
        kinds = {token: number for number, kind in enumerate(KINDS, 1) if (token := placeholder_ids(config).get(kind)) is not None}
        return media | {"mm_token_type_ids": np.array([[kinds.get(token, 0) for token in tokens]], np.int32)}
    if family == "hunyuan_vl":
        return media | {"position_ids": hunyuan_positions(tokens, media, config)}
    if family == "paddleocr_vl" and "pixel_values" in media:
        return media | {"pixel_values": media["pixel_values"][None]}
    if family == "falcon_ocr" and "pixel_values" in media:
        return whole_images(media, config.vision_config.spatial_patch_size)
    if family == "mllama" and "pixel_values" in media:
        return with_mask(tokens, media, placeholder_ids(config)["image"])
    if family == "moondream3" and "pixel_values" in media:
        return whole_crops(media, config.vision_config.patch_size)
    return media


def of_step(config: Any, step: Step) -> dict[str, np.ndarray]:
    """What is returned for a prompt that is one step."""
    media = {}
    for name in dict.fromkeys(name for item in step.items for name in item.tensors):
        arrays = [item.tensors[name] for item in step.items if name in item.tensors]
        media[name] = shared.padded(arrays) if name in shared.AUDIO else np.concatenate(arrays)
    return returned(config, step.tokens, media)
