"""Records pixels for the tests of lib/image/: `python -m scripts.record.preprocess.pixels [DIR]`.

resized.bin   images resized by PIL
patches.bin   images through the whole published processors
decoded.bin   image files, and their pixels

A file is a sequence of records. A record is a line of text, `name number number … : number of bytes`, and its bytes: numbers are
what the name says, and arrays are little-endian and dense.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Iterable

import numpy as np
import torch
from PIL import Image

from . import files, processors

OUT = Path("lib/image/tests/vectors")
BILINEAR, BICUBIC = 2, 3
N_RESIZED = 60


def record(name: str, numbers: Iterable[int], content: bytes) -> bytes:
    return f"{name} {' '.join(map(str, numbers))} : {len(content)}\n".encode() + content


def noise(rng: np.random.Generator, height: int, width: int) -> np.ndarray:
    """Values of the whole range, or extremes only, so that sums leave the range of 8 bits."""
    values = rng.integers(0, 256, (height, width, 3), np.uint8)
    return values if rng.integers(2) else np.where(values < 128, 0, 255).astype(np.uint8)


def sizes(rng: np.random.Generator, index: int) -> tuple[int, int, int, int]:
    """Both axes up and down, each in turn, and axes that keep their length."""
    height, width = (int(n) for n in rng.integers(1, 40, 2))
    tall, wide = (int(n) for n in rng.integers(1, 40, 2))
    return height, width, height if index % 10 == 0 else tall, width if index % 10 == 5 else wide


def torch_distance(image: np.ndarray, made: np.ndarray, resample: int) -> int:
    """How many levels the result of torch's kernel for uint8, which torchvision uses, is away from PIL's at most; -1 if the kernel
    fails (torch 2.13: an internal assertion for some images of few pixels)."""
    try:
        return int(np.abs(made.astype(int) - by_torch(image, *made.shape[:2], resample)).max())
    except RuntimeError:
        return -1


def by_torch(image: np.ndarray, height: int, width: int, resample: int) -> np.ndarray:
    made = torch.nn.functional.interpolate(
        torch.from_numpy(image).permute(2, 0, 1)[None].contiguous(), (height, width),
        mode="bicubic" if resample == BICUBIC else "bilinear", antialias=True)
    return made[0].permute(1, 2, 0).numpy()


def resized(seed: int, n: int) -> Iterable[bytes]:
    """Records `resize`: height, width, resized height and width, filter, largest distance of torch's result; both images."""
    rng = np.random.default_rng(seed)
    for index in range(n):
        height, width, tall, wide = sizes(rng, index)
        resample = (BICUBIC, BILINEAR)[index % 3 == 2]
        image = noise(rng, height, width)
        made = np.array(Image.fromarray(image).resize((wide, tall), resample))
        distance = torch_distance(image, made, resample)
        yield record("resize", (height, width, tall, wide, resample, distance), image.tobytes() + made.tobytes())


PATCHES = (
    ({"image_processor_type": "Qwen2VLImageProcessor", "patch_size": 4, "min_pixels": 64, "max_pixels": 1024}, 23, 37),
    ({"image_processor_type": "Qwen2VLImageProcessor", "patch_size": 4, "min_pixels": 64, "max_pixels": 1024}, 16, 16),
    ({"image_processor_type": "Qwen2VLImageProcessor", "patch_size": 2, "merge_size": 3, "temporal_patch_size": 3, "resample": 2,
      "min_pixels": 36, "max_pixels": 600, "image_mean": [.5, .25, .125], "image_std": [.5, .3, .2]}, 9, 41),
    ({"image_processor_type": "Qwen2VLImageProcessor", "patch_size": 4, "min_pixels": 64, "max_pixels": 1024,
      "do_normalize": False, "rescale_factor": 0.01}, 11, 12),
    ({"image_processor_type": "Qwen2VLImageProcessor", "patch_size": 4, "min_pixels": 64, "max_pixels": 1024,
      "do_rescale": False}, 30, 12),
    ({"image_processor_type": "Qwen2VLImageProcessor", "patch_size": 4, "min_pixels": 64, "max_pixels": 1024,
      "do_rescale": False, "do_normalize": False}, 12, 12),
    ({"image_processor_type": "Qwen2VLImageProcessor", "patch_size": 4, "do_resize": False}, 8, 24),
    ({"image_processor_type": "Gemma4ImageProcessor", "patch_size": 2, "pooling_kernel_size": 1, "max_soft_tokens": 70}, 33, 20),
    ({"image_processor_type": "Gemma4ImageProcessor", "patch_size": 1, "pooling_kernel_size": 2, "max_soft_tokens": 70,
      "do_normalize": True, "image_mean": [.5, .25, .125], "image_std": .5}, 7, 19),
    ({"image_processor_type": "Gemma4ImageProcessor", "patch_size": 1, "pooling_kernel_size": 1, "max_soft_tokens": 70,
      "resample": None}, 20, 33),
    ({"image_processor_type": "Qwen2VLImageProcessor", "patch_size": 4, "min_pixels": 64, "max_pixels": 1024,
      "do_rescale": None, "do_normalize": None}, 12, 12),
    ({"image_processor_type": "PaddleOCRVLImageProcessor", "patch_size": 4, "min_pixels": 64, "max_pixels": 1024}, 23, 37),
    ({"image_processor_type": "PaddleOCRVLImageProcessor", "patch_size": 3, "temporal_patch_size": 2, "min_pixels": 36,
      "max_pixels": 900, "image_mean": [.5, .25, .125], "image_std": [.5, .3, .2]}, 5, 31),
    ({"image_processor_type": "HunYuanVLImageProcessor", "patch_size": 4, "min_pixels": 64, "max_pixels": 1024, "resample": 1}, 23, 37),
    ({"image_processor_type": "MllamaImageProcessor", "size": {"height": 6, "width": 6}}, 7, 20),
    ({"image_processor_type": "MllamaImageProcessor", "size": {"height": 5, "width": 5}, "max_image_tiles": 6, "resample": 3,
      "image_mean": [.5, .25, .125], "image_std": [.5, .3, .2]}, 31, 23),
    ({"image_processor_type": "SiglipImageProcessor", "size": {"height": 12, "width": 10}}, 23, 37),
    ({"image_processor_type": "SiglipImageProcessor", "size": {"height": 9, "width": 16}, "resample": 2, "image_mean": [.5, .25, .125],
      "image_std": [.5, .3, .2]}, 8, 7),
)


FALCON = (({"image_processor_type": "FalconOCRProcessor", "patch_size": 8}, 40, 41),
          ({"image_processor_type": "FalconOCRProcessor"}, 70, 66))


def falcon_patches(rng: np.random.Generator) -> Iterable[bytes]:
    """Records `patches` of mlx-vlm's Falcon-OCR, whose preprocess_image gives the whole image: its patches row by row."""
    from mlx_vlm.models.falcon_ocr.processing_falcon_ocr import preprocess_image
    for config, height, width in FALCON:
        text, side, image = json.dumps(config).encode(), config.get("patch_size", 16), noise(rng, height, width)
        made, tall, wide = preprocess_image(Image.fromarray(image), side)
        rows = made.reshape(tall, side, wide, side, 3).swapaxes(1, 2).reshape(tall * wide, -1).astype("<f4")
        yield record("patches", (height, width, len(text), *rows.shape, 0, 1, tall, wide), text + image.tobytes() + rows.tobytes())


MOONDREAM = (({"image_processor_type": "Moondream3Processor", "crop_size": 42, "max_crops": 4, "overlap_margin": 1}, 70, 121),
             ({"image_processor_type": "Moondream3Processor", "crop_size": 28, "max_crops": 4, "overlap_margin": 0}, 61, 40))


def moondream_patches(rng: np.random.Generator) -> Iterable[bytes]:
    """Records `patches` of mlx-vlm's Moondream 3, whose create_crops gives whole crops: their patches row by row."""
    from mlx_vlm.models.moondream3.image_crops import create_crops
    for config, height, width in MOONDREAM:
        text, image = json.dumps(config).encode(), noise(rng, height, width)
        crops, _ = create_crops(Image.fromarray(image), config["crop_size"], config["max_crops"], config["overlap_margin"])
        n = config["crop_size"] // 14
        rows = np.stack(crops).reshape(len(crops), n, 14, n, 14, 3).transpose(0, 1, 3, 5, 2, 4).reshape(-1, 3 * 14 * 14).astype("<f4")
        yield record("patches", (height, width, len(text), *rows.shape, 0, len(crops), n, n), text + image.tobytes() + rows.tobytes())


def patches(seed: int) -> Iterable[bytes]:
    """Records `patches`: height, width, bytes of the config, rows, elements of a row, positions of a row (0 or 2), grid; the
    config, the image, the rows as float32, the positions as int64."""
    rng = np.random.default_rng(seed)
    for config, height, width in PATCHES:
        text = json.dumps(config).encode()
        image = noise(rng, height, width)
        processor = processors.opened(config)
        made = processor(image, return_tensors="np", input_data_format="channels_last")
        given = made["pixel_values"]
        if "aspect_ratio_ids" in made:
            given = given[0, 0]
        rows = (given.reshape(len(given), -1) if given.ndim == 4 else given.reshape(-1, given.shape[-1])).astype("<f4", copy=False)
        positions = made["image_position_ids"][0].astype("<i8") if "image_position_ids" in made else None
        if "aspect_ratio_ids" in made:
            grid = processors.whole_tiled(processor, made)[0]
        elif positions is not None:
            grid = [1, int(positions[:, 1].max()) + 1, int(positions[:, 0].max()) + 1]
        else:  # an image without a grid is a row of pixels
            grid = [int(n) for n in made["image_grid_thw"][0]] if "image_grid_thw" in made else [1, *given.shape[2:]]
        yield record("patches", (height, width, len(text), *rows.shape, 0 if positions is None else 2, *grid),
                     text + image.tobytes() + rows.tobytes() + (b"" if positions is None else positions.tobytes()))
    yield from falcon_patches(rng)
    yield from moondream_patches(rng)


def decoded(seed: int) -> Iterable[bytes]:
    """Records `file`: height, width, bytes of the file; the file and its pixels."""
    for content, pixels in files.decoded(seed):
        yield record("file", (*pixels.shape[:2], len(content)), content + pixels.tobytes())


def main(arguments: list[str]) -> int:
    out = Path(arguments[0]) if arguments else OUT
    n = int(arguments[1]) if len(arguments) > 1 else N_RESIZED
    out.mkdir(parents=True, exist_ok=True)
    for name, records in (("resized.bin", resized(0, n)), ("patches.bin", patches(0)), ("decoded.bin", decoded(0))):
        (out / name).write_bytes(b"".join(records))
        print(f"{out / name}: {(out / name).stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
