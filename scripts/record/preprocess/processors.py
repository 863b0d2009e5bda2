"""Asks the published processors of transformers for resized sizes, grids and token counts.

The classes are those of the PIL backend. Only the resizing itself is replaced, by a function that notes the size that it is
asked for: images of millions of pixels need no memory then. Images of few pixels, and those that are not resized, also pass
through the whole processor, which must agree.

Names families: some have a processor of their own.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import transformers
from PIL import Image
from transformers.models.ernie4_5_vl_moe import image_processing_pil_ernie4_5_vl_moe as ernie
from transformers.models.gemma4 import image_processing_pil_gemma4 as gemma4
from transformers.models.glm4v import image_processing_pil_glm4v as glm4v
from transformers.models.hunyuan_vl import image_processing_pil_hunyuan_vl as hunyuan_vl
from transformers.models.hunyuan_vl.processing_hunyuan_vl import HunYuanVLProcessor
from transformers.models.mllama import image_processing_pil_mllama as mllama
from transformers.models.paddleocr_vl import image_processing_pil_paddleocr_vl as paddleocr_vl
from transformers.models.qwen2_vl import image_processing_pil_qwen2_vl as qwen2_vl
from transformers.models.siglip import image_processing_pil_siglip as siglip

CLASSES = {"Qwen2VLImageProcessor": qwen2_vl.Qwen2VLImageProcessorPil,
           "Qwen2VLImageProcessorFast": qwen2_vl.Qwen2VLImageProcessorPil,
           "PaddleOCRVLImageProcessor": paddleocr_vl.PaddleOCRVLImageProcessorPil,
           "Glm4vImageProcessor": glm4v.Glm4vImageProcessorPil,
           "Ernie4_5_VLMoeImageProcessor": ernie.Ernie4_5_VLMoeImageProcessorPil,
           "HunYuanVLImageProcessor": hunyuan_vl.HunYuanVLImageProcessorPil,
           "MllamaImageProcessor": mllama.MllamaImageProcessorPil,
           "Gemma4ImageProcessor": gemma4.Gemma4ImageProcessorPil,
           "SiglipImageProcessor": siglip.SiglipImageProcessorPil}
IMAGE_TOKENS = 256  # of an image of Gemma 3n, whose tower takes pixels: image_seq_length, which Gemma3nProcessor takes
FALCON = "FalconOCRProcessor"  # of mlx-vlm, whose processor reads spatial_patch_size of config.json
MOONDREAM = "Moondream3Processor"  # of mlx-vlm, whose processor reads vision_config of config.json
VIDEOS = {"Qwen2VLVideoProcessor": "qwen2_vl", "Qwen3VLVideoProcessor": "qwen3_vl"}
GEMMA_VIDEO = "Gemma4VideoProcessor"
WHOLE_PIXELS = 60_000  # of an image, and of the resized one, that passes through the whole processor

Answer = dict[str, Any]


def source() -> str:
    import mlx_vlm
    return f"transformers {transformers.__version__}, PIL backend; Falcon-OCR and Moondream 3: mlx-vlm {mlx_vlm.__version__}"


def opened(config: dict[str, Any]) -> Any:
    return CLASSES[config["image_processor_type"]](**{name: value for name, value in config.items()
                                                      if name != "image_processor_type"})


def blank(height: int, width: int) -> np.ndarray:
    """An image of any size in one byte of memory."""
    return np.broadcast_to(np.zeros((), np.uint8), (3, height, width))


def resized(processor: Any, height: int, width: int) -> tuple[int, int]:
    """The size to which the published method resizes; ValueError if it refuses."""
    if not processor.do_resize:
        return height, width
    if isinstance(processor, siglip.SiglipImageProcessorPil):
        with mock.patch.object(qwen2_vl.PilBackend, "resize", side_effect=lambda image, size, **_: blank(size.height, size.width)):
            return processor.resize(blank(height, width), size=processor.size).shape[-2:]
    if isinstance(processor, mllama.MllamaImageProcessorPil):
        made, _ = tiled(processor, height, width)
    elif isinstance(processor, gemma4.Gemma4ImageProcessorPil):
        with mock.patch.object(gemma4, "resize", side_effect=lambda image, size, resample: blank(*size)):
            made = processor.aspect_ratio_preserving_resize(
                blank(height, width), processor.patch_size, processor.max_soft_tokens * processor.pooling_kernel_size**2,
                processor.pooling_kernel_size, processor.resample)
    else:
        with mock.patch.object(qwen2_vl.PilBackend, "resize",
                               side_effect=lambda image, size, resample: blank(size.height, size.width)):
            given = {"factor": processor.patch_size * processor.merge_size}
            if isinstance(processor, glm4v.Glm4vImageProcessorPil):
                given["temporal_factor"] = processor.temporal_patch_size
            made = processor.resize(blank(height, width), processor.size, processor.resample, **given)
    return made.shape[-2], made.shape[-1]


def tokens_of(processor: Any, grid: list[int], unit: int) -> int:
    """The number of placeholder tokens."""
    if isinstance(processor, hunyuan_vl.HunYuanVLImageProcessorPil):
        opened = SimpleNamespace(image_processor=processor, image_token="x", cat_extra_token=True)
        return len(HunYuanVLProcessor.replace_image_token(opened, {"image_grid_thw": [grid]}, 0))
    return math.prod(grid) // unit**2


def tiled(processor: Any, height: int, width: int) -> tuple[np.ndarray, tuple[int, int]]:
    """The resized image, and the rows and columns of tiles, of a processor that cuts images into tiles."""
    with mock.patch.object(mllama.PilBackend, "resize", side_effect=lambda image, size, resample: blank(size.height, size.width)):
        return processor.resize(blank(height, width), processor.size, processor.max_image_tiles, processor.resample)


def whole_tiled(processor: Any, made: Any) -> tuple[list[int], int]:
    """The rows and columns of tiles that the id says, which must be as many as the mask has. One token stands for them."""
    ratios = mllama.get_all_supported_aspect_ratios(processor.max_image_tiles)
    ratio = ratios[int(made["aspect_ratio_ids"][0, 0]) - 1]
    if int(made["aspect_ratio_mask"].sum()) != math.prod(ratio):
        raise RuntimeError("aspect_ratio_mask has not the tiles of aspect_ratio_ids")
    return [1, *ratio], 1


def whole(processor: Any, height: int, width: int) -> tuple[list[int], int]:
    """Grid and token count by the whole processor."""
    made = processor(np.zeros((height, width, 3), np.uint8), return_tensors="np", input_data_format="channels_last")
    if isinstance(processor, mllama.MllamaImageProcessorPil):
        return whole_tiled(processor, made)
    if isinstance(processor, siglip.SiglipImageProcessorPil):
        return [1, *made["pixel_values"].shape[2:]], IMAGE_TOKENS
    if isinstance(processor, gemma4.Gemma4ImageProcessorPil):
        positions = made["image_position_ids"][0]
        grid = [1, int(positions[:, 1].max()) + 1, int(positions[:, 0].max()) + 1]
        return grid, int(made["num_soft_tokens_per_image"][0])
    grid = [int(n) for n in made["image_grid_thw"][0]]
    if made["pixel_values"].shape[0] != math.prod(grid):
        raise RuntimeError("the rows of pixel_values are not those of image_grid_thw")
    return grid, tokens_of(processor, grid, processor.merge_size)


def refusal(error: ValueError) -> Answer:
    """The published message, without the sets that some end with: their order varies from run to run."""
    return {"error": " ".join(str(error).split(": ({")[0].split())}


class Canvas:
    """An image without pixels, in place of PIL's: it has a size, and can be resized as PIL allows."""

    def __init__(self, width: int, height: int):
        self.size = width, height

    def resize(self, size: tuple[int, int], _resample: int) -> Canvas:
        if min(size) <= 0:
            raise ValueError("height and width must be > 0")  # PIL's words
        return Canvas(*size)


def of_falcon(config: dict[str, Any], height: int, width: int) -> Answer:
    """The answer of the two functions of mlx-vlm that resize, one after the other, as preprocess_image calls them. Images of few
    pixels also pass through that function."""
    from mlx_vlm.models.falcon_ocr import processing_falcon_ocr as falcon
    patch = config.get("patch_size") or 16
    try:
        wide, tall = falcon._smart_resize(falcon._resize_if_necessary(Canvas(width, height)), factor=patch).size
    except ValueError as error:
        return refusal(error)
    grid = [1, tall // patch, wide // patch]
    if height * width <= WHOLE_PIXELS:
        _, *found = falcon.preprocess_image(Image.new("RGB", (width, height)), patch)
        if found != grid[1:]:
            raise RuntimeError(f"{config}: {height} x {width}: preprocess_image disagrees")
    return {"height": tall, "width": wide, "grid": grid, "tokens": math.prod(grid)}


def of_moondream(config: dict[str, Any], height: int, width: int) -> Answer:
    """The answer of create_crops of mlx-vlm, whose images are replaced by their sizes unless they have few pixels. Its model takes
    a token for each patch of a crop."""
    from mlx_vlm.models.moondream3 import image_crops
    crop, most, margin = (config.get(name) or usual for name, usual in (("crop_size", 378), ("max_crops", 12), ("overlap_margin", 4)))
    margin = config["overlap_margin"] if config.get("overlap_margin") is not None else margin
    layout = image_crops.select_crop_grid(width, height, crop, most, margin) if most > 1 else None
    if height * width <= WHOLE_PIXELS:
        made, found = image_crops.create_crops(Image.new("RGB", (width, height)), crop, most, margin)
        if found != layout or len(made) != 1 + math.prod(layout or (0,)):
            raise RuntimeError(f"{config}: {height} x {width}: create_crops disagrees")
    side = crop // 14
    return {"height": crop, "width": crop, "grid": [1 + math.prod(layout or (0,)), side, side], "tokens": side * side}


def of_image(text: str, height: int, width: int) -> Answer:
    """The answer for a preprocessor_config.json; {"error": …} if the processor refuses."""
    if (config := json.loads(text))["image_processor_type"] == FALCON:
        return of_falcon(config, height, width)
    if config["image_processor_type"] == MOONDREAM:
        return of_moondream(config, height, width)
    try:
        processor = opened(json.loads(text))
        tall, wide = resized(processor, height, width)
        if isinstance(processor, mllama.MllamaImageProcessorPil):
            answer = {"height": int(tall), "width": int(wide), "grid": [1, *(int(n) for n in tiled(processor, height, width)[1])],
                      "tokens": 1}
            if height * width <= WHOLE_PIXELS and processor.size.height <= 64 and whole(processor, height, width) != (
                    answer["grid"], 1):
                raise RuntimeError(f"{text}: {height} x {width}: the whole processor disagrees")
            return answer
        if isinstance(processor, siglip.SiglipImageProcessorPil):
            answer = {"height": tall, "width": wide, "grid": [1, tall, wide], "tokens": IMAGE_TOKENS}
            if max(height * width, tall * wide) <= WHOLE_PIXELS and whole(processor, height, width) != (answer["grid"], IMAGE_TOKENS):
                raise RuntimeError(f"{text}: {height} x {width}: the whole processor disagrees")
            return answer
        grid = [1, tall // processor.patch_size, wide // processor.patch_size]
        unit = processor.pooling_kernel_size if hasattr(processor, "pooling_kernel_size") else processor.merge_size
        answer = {"height": tall, "width": wide, "grid": grid, "tokens": tokens_of(processor, grid, unit)}
        if not processor.do_resize or max(height * width, tall * wide) <= WHOLE_PIXELS:
            if whole(processor, height, width) != (answer["grid"], answer["tokens"]):
                raise RuntimeError(f"{text}: {height} x {width}: the whole processor disagrees")
        return answer
    except ValueError as error:
        return refusal(error)


def published(module: str, name: str, method: str | None = None, **space: Any) -> Any:
    """A function, or a class with one of its methods, of a module that cannot be imported without torchvision, compiled from the
    module's source with the names of `space`."""
    spec = importlib.util.find_spec("transformers")
    path = Path(spec.origin).parent / "models" / module / f"video_processing_{module}.py"
    tree = ast.parse(path.read_text())
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name]
    for node in found:
        if isinstance(node, ast.ClassDef):
            node.decorator_list = []
            node.body = [part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == method]
    space |= {"math": math}
    exec(compile(ast.Module(found, []), str(path), "exec"), space)  # noqa: S102: the installed package's own text
    return space[name]


class Backend:
    """In place of the base class of video processors: the size that is asked for is the answer."""

    def resize(self, image: Any, size: Any, resample: Any) -> tuple[int, int]:
        return size.height, size.width


def capped(config: dict[str, Any], given: dict[str, Any], height: int, width: int, frames: int) -> tuple[int, int]:
    """The size by the method `resize` of Qwen3-VL's processor, which computes the limit of each frame."""
    processor = published("qwen3_vl", "Qwen3VLVideoProcessor", "resize", BaseVideoProcessor=Backend, SizeDict=SimpleNamespace,
                          smart_resize=published("qwen3_vl", "smart_resize"))()
    processor.max_video_tokens = config["max_video_tokens"]
    videos = SimpleNamespace(shape=(1, frames, 3, height, width))
    return processor.resize(videos, SimpleNamespace(**config["size"]), None, factor=given["factor"],
                            temporal_factor=given["temporal_factor"], cap_pixels_per_frame=config["cap_pixels_per_frame"])


def of_gemma_video(config: dict[str, Any], height: int, width: int, frames: int) -> Answer:
    """Each frame is resized like an image, and has tokens of its own."""
    patch, side = config["patch_size"], config["pooling_kernel_size"]
    resize = published("gemma4", "get_aspect_ratio_preserving_size")
    try:
        tall, wide = resize(height, width, patch, config["max_soft_tokens"] * side**2, side)
    except ValueError as error:
        return refusal(error)
    grid = [frames, tall // patch, wide // patch]
    return {"height": tall, "width": wide, "grid": grid, "tokens": frames * (grid[1] * grid[2] // side**2)}


def of_video(text: str, height: int, width: int, frames: int) -> Answer:
    """The answer for a video_preprocessor_config.json that states sizes and limits itself. The frames of the last patch are
    filled with copies of the last frame (`patchify`)."""
    config = json.loads(text)
    if config["video_processor_type"] == GEMMA_VIDEO:
        return of_gemma_video(config, height, width, frames)
    patch, merge, temporal = (config[name] for name in ("patch_size", "merge_size", "temporal_patch_size"))
    given: dict[str, Any] = {"height": height, "width": width, "factor": patch * merge,
                             "min_pixels": config["size"]["shortest_edge"], "max_pixels": config["size"]["longest_edge"]}
    module = VIDEOS[config["video_processor_type"]]
    if module == "qwen3_vl":
        given |= {"num_frames": frames, "temporal_factor": temporal}
    try:
        if config.get("cap_pixels_per_frame"):
            tall, wide = capped(config, given, height, width, frames)
        else:
            tall, wide = published(module, "smart_resize")(**given)
    except ValueError as error:
        return refusal(error)
    grid = [(frames + -frames % temporal) // temporal, tall // patch, wide // patch]
    return {"height": tall, "width": wide, "grid": grid, "tokens": math.prod(grid) // merge**2}
