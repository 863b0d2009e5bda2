"""Draws configs and image sizes for the vectors of kind `preprocess`.

Names families: some have a processor of their own.
"""

from __future__ import annotations

import json
import math
import random
from typing import Any

from . import processors

Vector = dict[str, Any]
Drawn = tuple[dict[str, Any], int, int]  # config, height, width

CLIP = {"image_mean": [0.48145466, 0.4578275, 0.40821073], "image_std": [0.26862954, 0.26130258, 0.27577711]}
SOFT_TOKENS = (70, 140, 280, 560, 1120)
PUBLISHED = {  # members of published checkpoints, in the spellings of several versions of transformers
    "qwen2_vl": {"image_processor_type": "Qwen2VLImageProcessor", "min_pixels": 3136, "max_pixels": 12845056,
                 "patch_size": 14, "temporal_patch_size": 2, "merge_size": 2, **CLIP},
    "qwen2_5_vl": {"image_processor_type": "Qwen2VLImageProcessorFast", "min_pixels": 3136, "max_pixels": 12845056,
                   "patch_size": 14, "temporal_patch_size": 2, "merge_size": 2,
                   "size": {"shortest_edge": 3136, "longest_edge": 12845056}, "processor_class": "Qwen2_5_VLProcessor", **CLIP},
    "qwen3_vl": {"image_processor_type": "Qwen2VLImageProcessorFast", "size": {"longest_edge": 16777216, "shortest_edge": 65536},
                 "patch_size": 16, "temporal_patch_size": 2, "merge_size": 2,
                 "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]},
    "paddleocr_vl": {"image_processor_type": "PaddleOCRVLImageProcessor", "min_pixels": 112896, "max_pixels": 1003520,
                     "patch_size": 14, "temporal_patch_size": 1, "merge_size": 2, "processor_class": "PaddleOCRVLProcessor",
                     "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]},
    "glm4v": {"image_processor_type": "Glm4vImageProcessor", "size": {"shortest_edge": 12544, "longest_edge": 9633792},
              "patch_size": 14, "temporal_patch_size": 2, "merge_size": 2, "do_rescale": True,
              "processor_class": "Glm4vProcessor", **CLIP},
    "ernie4_5_vl_moe": {"image_processor_type": "Ernie4_5_VLMoeImageProcessor", "patch_size": 14, "temporal_patch_size": 1,
                        "merge_size": 2, "size": {"shortest_edge": 3136, "longest_edge": 4842768},
                        "processor_class": "Ernie4_5_VLMoeProcessor", **CLIP},
    "hunyuan_vl": {"image_processor_type": "HunYuanVLImageProcessor", "min_pixels": 262144, "max_pixels": 4194304,
                   "patch_size": 16, "temporal_patch_size": 1, "merge_size": 2, "resample": 1, **CLIP},
    "mllama": {"image_processor_type": "MllamaImageProcessor", "size": {"height": 560, "width": 560}, "max_image_tiles": 4,
               "do_pad": True, "do_resize": True, "do_rescale": True, "do_normalize": True, "resample": 2, **CLIP},
    "gemma4": {"image_processor_type": "Gemma4ImageProcessor", "patch_size": 16, "max_soft_tokens": 280,
               "pooling_kernel_size": 3, "do_normalize": False, "rescale_factor": 0.00392156862745098},
}
NULLS = ("size", "crop_size", "do_pad", "pad_size", "do_center_crop", "data_format", "input_data_format", "device",
         "disable_grouping", "return_tensors", "min_pixels", "max_pixels")


def side(r: random.Random, most: int) -> int:
    """A side, as often below 100 as above 1,000."""
    return round(math.exp(r.uniform(0, math.log(most))))


def text_of(config: dict[str, Any], r: random.Random) -> str:
    """The config as JSON, with null for some members that it does not have."""
    made = dict(config)
    for name in r.sample(NULLS, r.randint(0, 4)):
        made.setdefault(name, None)
    if r.random() < .3:
        made.setdefault("do_convert_rgb", True)
    names = sorted(made)
    r.shuffle(names)
    return json.dumps({name: made[name] for name in names}, indent=r.choice((None, 2)))


def grid_config(r: random.Random) -> dict[str, Any]:
    """A config of Qwen2VLImageProcessor with drawn patches and limits, in one of the spellings."""
    patch, merge = r.choice((2, 7, 8, 14, 14, 16, 16, 20, 32)), r.choice((1, 2, 2, 2, 3, 4))
    unit = (patch * merge)**2
    least = r.choice((1, unit, unit * r.randint(1, 300), r.randint(1, unit * 300)))
    most = max(least, r.choice((unit, unit * r.randint(1, 20000), r.randint(1, unit * 20000))))
    config: dict[str, Any] = {"image_processor_type": r.choice(("Qwen2VLImageProcessor", "Qwen2VLImageProcessorFast")),
                              "patch_size": patch, "merge_size": merge, "temporal_patch_size": r.choice((1, 2, 3))}
    spelling = r.randrange(5)
    if spelling in (0, 2, 3):
        config |= {"min_pixels": least, "max_pixels": most}
    if spelling in (1, 2):
        config["size"] = {"shortest_edge": least if spelling == 1 else 9, "longest_edge": most if spelling == 1 else 10}
    if spelling == 3:
        config["size"] = {"min_pixels": least, "max_pixels": most}
    return config


def factor_of(config: dict[str, Any]) -> int:
    return config["patch_size"] * config["merge_size"]


def limits_of(config: dict[str, Any]) -> tuple[int, int]:
    size = config.get("size") or {}
    return (config.get("min_pixels") or size.get("shortest_edge", 3136),
            config.get("max_pixels") or size.get("longest_edge", 1003520))


def sizes(r: random.Random) -> Drawn:
    return PUBLISHED[r.choice(("qwen2_vl", "qwen2_5_vl", "qwen3_vl"))], side(r, 20000), side(r, 20000)


def drawn_configs(r: random.Random) -> Drawn:
    return grid_config(r), side(r, 6000), side(r, 6000)


def halves(r: random.Random) -> Drawn:
    """Sides that are odd multiples of half a unit, where rounding half to even and half up differ."""
    config = PUBLISHED[r.choice(("qwen2_vl", "qwen3_vl"))] if r.random() < .5 else grid_config(r)
    config = config if factor_of(config) % 2 == 0 else {**config, "merge_size": 2}
    unit = factor_of(config) // 2
    return config, unit * (2 * r.randint(0, 60) + 1), unit * r.randint(1, 120)


def limits(r: random.Random) -> Drawn:
    """Limits that equal the rounded area, or miss it by one."""
    config = {**grid_config(r), "size": None}
    unit = factor_of(config)
    height, width = side(r, 3000), side(r, 3000)
    area = round(height / unit) * unit * round(width / unit) * unit
    near = max(1, area + r.choice((-1, 0, 0, 1)))
    least, most = (near, max(near, area * 2)) if r.random() < .5 else (1, near)
    return {**config, "min_pixels": least, "max_pixels": most}, height, width


def aspects(r: random.Random) -> Drawn:
    """Aspect ratios around 200, the largest that is allowed."""
    config = PUBLISHED[r.choice(("qwen2_vl", "qwen3_vl"))] if r.random() < .5 else grid_config(r)
    short = side(r, 300)
    long = max(1, short * 200 + r.choice((-short // 3, -1, 0, 0, 1, short // 3)))
    return (config, short, long) if r.random() < .5 else (config, long, short)


def large(r: random.Random) -> Drawn:
    """Sizes whose area is near 2^53, the largest integers that doubles count exactly."""
    height = round(math.exp(r.uniform(math.log(2**20), math.log(2**28))))
    config = {**grid_config(r), "size": None, "min_pixels": None,
              "max_pixels": r.choice((2**53 - 1, 2**50 + 1, 2**40 + 1, 12845056))}
    return config, height, max(1, (2**53 - 1) // height - r.choice((0, 1, r.randrange(2**18))))


def kept(r: random.Random) -> Drawn:
    """Images that are not resized; the published classes take null for false."""
    config = {**grid_config(r), "do_resize": r.choice((False, False, None))}
    unit = factor_of(config)
    off = r.choice((0, 0, 0, 1, config["patch_size"]))
    return config, unit * r.randint(1, 4) + off, unit * r.randint(1, 4)


def lengthened(r: random.Random) -> Drawn:
    """PaddleOCR-VL: sides shorter than a unit, of any length, and with an aspect ratio around 200; images that are not
    resized."""
    config = {**PUBLISHED["paddleocr_vl"]}
    if r.random() < .6:
        config = {**grid_config(r), "image_processor_type": "PaddleOCRVLImageProcessor"}
    unit = factor_of(config)
    short, other = r.randint(1, 2 * unit), r.choice((side(r, 6000), r.randint(1, 2 * unit), unit * 200 + r.randint(-9, 9)))
    height, width = r.choice(((short, other), (other, short)))
    if r.random() < .1:
        config |= {"do_resize": False}
        height, width = unit * r.randint(1, 4), unit * r.randint(1, 4) + r.choice((0, config["patch_size"]))
    return config, height, width


def copied(r: random.Random) -> Drawn:
    """GLM-4.1V: limits of the area of all copies of an image, sides shorter than a unit, halves of a unit, aspect ratios around
    200, and images that are not resized."""
    config = {**PUBLISHED["glm4v"]}
    if r.random() < .7:
        drawn = grid_config(r)
        limits = {"shortest_edge": drawn.get("min_pixels", r.randint(1, 10**5)),
                  "longest_edge": drawn.get("max_pixels", r.randint(10**5, 10**7))}
        config |= {"size": limits, **{name: drawn[name] for name in ("patch_size", "merge_size", "temporal_patch_size")}}
    unit = factor_of(config)
    short = r.choice((r.randint(1, 2 * unit), r.randint(1, 2 * unit), side(r, 6000)))
    other = r.choice((side(r, 6000), r.randint(1, 2 * unit), unit * (2 * r.randint(0, 40) + 1) // 2 or 1, unit * 200 + r.randint(-9, 9)))
    height, width = r.choice(((short, other), (other, short)))
    if r.random() < .1:
        config |= {"do_resize": False}
        height, width = unit * r.randint(1, 4), unit * r.randint(1, 4)
    return config, height, width


def one_frame(r: random.Random) -> Drawn:
    """ERNIE, whose class reads no min_pixels and max_pixels beside size, and cannot do without size."""
    config = PUBLISHED["ernie4_5_vl_moe"]
    if r.random() < .6:
        drawn = grid_config(r)
        least, most = limits_of(drawn)
        config = {name: drawn[name] for name in ("patch_size", "merge_size", "temporal_patch_size")} | {
            "image_processor_type": "Ernie4_5_VLMoeImageProcessor", "size": {"shortest_edge": least, "longest_edge": most}}
    if r.random() < .3:
        config = {**config, "min_pixels": r.randint(1, 10**6), "max_pixels": r.randint(1, 10**6)}
    return config, side(r, 6000), side(r, 6000)


def ended_rows(r: random.Random) -> Drawn:
    """HunYuanVL, whose images have a token more for each row, and two more; it resizes as ever, whatever `resample` says."""
    if r.random() < .4:
        return PUBLISHED["hunyuan_vl"], side(r, 20000), side(r, 20000)
    config = {**grid_config(r), "image_processor_type": "HunYuanVLImageProcessor"}
    if r.random() < .3:
        config["resample"] = r.choice((0, 1, 2, 3))
    return config, side(r, 6000), side(r, 6000)


def resized_twice(r: random.Random) -> Drawn:
    """Falcon-OCR: sides around 64 and 1,024, where the first resizing begins, and sides far from both."""
    config: dict[str, Any] = {"image_processor_type": "FalconOCRProcessor"}
    if r.random() < .4:
        config["patch_size"] = r.choice((2, 4, 8, 14, 16, 20, 32))

    def one() -> int:
        return side(r, 20000) if r.random() < .5 else max(1, r.choice((64, 1024)) + r.randint(-3, 3))
    return config, one(), one()


def tiled(r: random.Random) -> Drawn:
    """Mllama: images of any size, near the sizes of whole tiles, and of one pixel a side; other numbers and sizes of tiles."""
    config = {**PUBLISHED["mllama"]}
    if r.random() < .6:
        tile = r.choice((1, 7, 16, 33, 64, 224, 448))
        config |= {"size": {"height": tile, "width": tile}, "max_image_tiles": r.choice((1, 2, 3, 4, 5, 6, 9, 16))}
    tile = config["size"]["height"]

    def one() -> int:
        return max(1, r.choice((side(r, 6000), tile * r.randint(1, 6) + r.choice((-1, 0, 0, 1)), r.randint(1, 2 * tile))))
    return config, one(), one()


def budget_config(r: random.Random) -> dict[str, Any]:
    config = {**PUBLISHED["gemma4"], "max_soft_tokens": r.choice(SOFT_TOKENS)}
    if r.random() < .5:
        config |= {"patch_size": r.choice((4, 8, 14, 16, 20)), "pooling_kernel_size": r.choice((1, 2, 3, 4))}
    return config


def budget(r: random.Random) -> Drawn:
    return budget_config(r), side(r, 8000), side(r, 8000)


def budget_extremes(r: random.Random) -> Drawn:
    """Sides that round down to no unit, or almost."""
    config = budget_config(r)
    aspect = config["max_soft_tokens"] * r.uniform(.5, 2)
    short = side(r, 200)
    long = max(1, round(short * aspect))
    return (config, short, long) if r.random() < .5 else (config, long, short)


def budget_limits(r: random.Random) -> Drawn:
    """Sizes that fill the budget exactly, or miss it by a pixel."""
    config = budget_config(r)
    unit = config["patch_size"] * config["pooling_kernel_size"]
    tokens = config["max_soft_tokens"]
    rows = r.choice([n for n in range(1, tokens + 1) if tokens % n == 0])
    return config, max(1, rows * unit + r.choice((-1, 0, 0, 1))), max(1, tokens // rows * unit + r.choice((-1, 0, 0, 1)))


def fixed(r: random.Random) -> Drawn:
    """SigLIP: one size for images of every shape, and images that are not resized. The class cannot do with a size of null."""
    size = {"height": side(r, 900), "width": side(r, 900)} if r.random() < .7 else {"height": 768, "width": 768}
    config: dict[str, Any] = {"image_processor_type": "SiglipImageProcessor", "size": size}
    if r.random() < .2:
        config["do_resize"] = r.choice((False, None))
    return config, side(r, 3000), side(r, 3000)


def cropped(r: random.Random) -> Drawn:
    """Moondream 3: how many crops an image has; sides around those of a few crops, and far from them."""
    config: dict[str, Any] = {"image_processor_type": "Moondream3Processor"}
    if r.random() < .5:
        config |= {"crop_size": 14 * r.randint(2, 30), "max_crops": r.choice((1, 2, 3, 5, 8, 12, 12, 20)), "overlap_margin": r.randint(0, 8)}
    if r.random() < .5:
        return config, side(r, 20000), side(r, 20000)
    return config, 266 * r.randint(1, 5) + 112 + r.randint(-3, 3), 266 * r.randint(1, 5) + 112 + r.randint(-3, 3)


REFUSED: tuple[dict[str, Any], ...] = (
    {"size": 224}, {"size": {"height": 4, "width": 5}}, {"size": {"shortest_edge": 9}},
    {"size": {"longest_edge": 9}}, {"size": {"min_pixels": 3136, "max_pixels": 50176}},
    {"size": {"shortest_edge": 9, "longest_edge": 99, "height": 3}}, {"size": {"max_height": 9, "max_width": 9}},
    {"size": {"shortest_edge": 0, "longest_edge": 99}},
)


def refused(r: random.Random) -> Drawn:
    if r.random() < .3:
        return {**PUBLISHED["gemma4"], "max_soft_tokens": r.choice((1, 69, 100, 279, 2240))}, side(r, 999), side(r, 999)
    return {"image_processor_type": "Qwen2VLImageProcessor", **r.choice(REFUSED)}, r.randint(30, 900), r.randint(30, 900)


IMAGES = {"published configs": sizes, "drawn configs": drawn_configs, "halves of a unit": halves,
          "areas at a limit": limits, "aspect ratios around 200": aspects, "areas near 2^53": large,
          "without do_resize": kept, "sides shorter than a unit": lengthened, "copies of an image": copied,
          "patches of one frame": one_frame, "tokens that end rows": ended_rows,
          "resized twice": resized_twice, "tiles": tiled, "crops": cropped,
          "patch budget": budget, "patch budget, a side of one unit": budget_extremes,
          "patch budget, filled": budget_limits, "refused configs": refused,
          "one size for all": fixed}


def image_vector(name: str, seed: int, number: int) -> Vector:
    r = random.Random(f"{seed} preprocess {name} {number}")
    config, height, width = IMAGES[name](r)
    text = text_of(config, r)
    return vector(number, {"preprocessor_config": text, "height": height, "width": width},
                  processors.of_image(text, height, width))


def video_vector(kind: str, seed: int, number: int) -> Vector:
    r = random.Random(f"{seed} preprocess {kind} {number}")
    patch, merge, temporal = r.choice((14, 14, 16, 16, 8)), r.choice((1, 2, 2, 3)), r.choice((1, 2, 2, 2, 3))
    unit = (patch * merge)**2
    frames = r.choice((1, 2, 3, 4, 5, 6, 7, r.randint(1, 768)))
    least = unit * r.randint(1, 300)
    most = max(least, unit * r.randint(1, 20000) + r.choice((0, 0, 1, -1)))
    config = {"video_processor_type": kind, "patch_size": patch, "merge_size": merge, "temporal_patch_size": temporal,
              "size": {"shortest_edge": least, "longest_edge": most}, "do_sample_frames": True, "fps": 2,
              "min_frames": 4, "max_frames": 768, "cap_pixels_per_frame": None}
    text = json.dumps(config)
    height, width = side(r, 4000), side(r, 4000)
    return vector(number, {"video_preprocessor_config": text, "height": height, "width": width, "frames": frames},
                  processors.of_video(text, height, width, frames))


def capped_vector(seed: int, number: int) -> Vector:
    """A video of Qwen3-VL whose frames have a limit of their own."""
    r = random.Random(f"{seed} preprocess capped {number}")
    made = json.loads(video_vector("Qwen3VLVideoProcessor", seed, 10000 + number)["input"]["video_preprocessor_config"])
    made |= {"cap_pixels_per_frame": True, "max_video_tokens": r.choice((1, 16, 128, 768, 768))}
    text, frames = json.dumps(made), r.choice((1, 2, 3, 4, 7, r.randint(1, 768)))
    height, width = side(r, 4000), side(r, 4000)
    return vector(number, {"video_preprocessor_config": text, "height": height, "width": width, "frames": frames},
                  processors.of_video(text, height, width, frames))


def gemma_vector(seed: int, number: int) -> Vector:
    r = random.Random(f"{seed} preprocess gemma video {number}")
    config = {"video_processor_type": processors.GEMMA_VIDEO, "patch_size": r.choice((14, 16, 16)), "pooling_kernel_size": r.choice((2, 3, 3)),
              "max_soft_tokens": r.choice((70, 70, 140, 280, 560)), "num_frames": 32, "do_sample_frames": True}
    text, frames, height, width = json.dumps(config), r.randint(1, 64), side(r, 4000), side(r, 4000)
    return vector(number, {"video_preprocessor_config": text, "height": height, "width": width, "frames": frames},
                  processors.of_video(text, height, width, frames))


def vector(number: int, given: dict[str, Any], answer: dict[str, Any]) -> Vector:
    made: Vector = {"id": number, "input": given, "expect": answer}
    if "error" in answer:
        made["verdict"] = "reject"
    return made


def image_groups(seed: int, n: int) -> list[Any]:
    return [{"name": name, "vectors": [image_vector(name, seed, number) for number in range(1, n + 1)]} for name in IMAGES]


def video_groups(seed: int, n: int) -> list[Any]:
    made = [{"name": kind, "vectors": [video_vector(kind, seed, number) for number in range(1, n + 1)]}
            for kind in processors.VIDEOS]
    for name, draw in (("Qwen3VLVideoProcessor, capped", capped_vector), (processors.GEMMA_VIDEO, gemma_vector)):
        made.append({"name": name, "vectors": [draw(seed, number) for number in range(1, n + 1)]})
    return made
