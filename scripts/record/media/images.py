"""Images, videos and audio clips in prompts: how they are described, drawn, and given to a published model."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import torch
from transformers import ProcessorMixin

from ..variants.variant import Config
from . import audio, tiles
from .parts import SECONDS, Audio, Medium, Part, Picture, Prompt, media_of

KINDS = ("image", "video", "audio")
WITHOUT_KINDS = ("gemma3n",)  # model types whose class takes no kinds of tokens
CHANNELS = ("in_channels", "in_chans", "num_channels")  # the member of a tower that states them


@dataclass(frozen=True)
class Grids:
    """Pictures as `pixel_values` and `image_grid_thw` (Qwen): rows of pixels in blocks of merge x merge patches.

    frames_apart: each frame of a video has a run of placeholder tokens of its own, with marks and text before
    it, as in Qwen3-VL. seconds: the tensor with the seconds of a frame, a name of SECONDS. videos: the model takes them. squares: each row
    of pixels is an image [C, p, p] of its own (PaddleOCR-VL). newlines: an image has a placeholder token more for each
    row of them, one before and one after them, and the published positions number the images of a batch (HunYuanVL).
    """

    begin: str = "vision_start_token_id"  # members of the config
    end: str = "vision_end_token_id"
    frames_apart: bool = False
    seconds: str = ""
    videos: bool = True
    squares: bool = False
    audio: bool = False  # the model also takes audio clips
    newlines: bool = False

    def tokens(self, picture: Picture) -> int:
        """The number of placeholder tokens of an image or of a frame."""
        return picture.rows * (picture.columns + self.newlines) + 2 * self.newlines

    def draw(self, rng: np.random.Generator, config: Config, picture: Picture) -> Medium:
        """Pixels from a normal distribution, as published normalisation gives them."""
        tower = config["vision_config"]
        merge, side = tower["spatial_merge_size"], tower["patch_size"]
        channels = next((tower[name] for name in CHANNELS if name in tower), 3)
        grid = (max(picture.frames, 1), picture.rows * merge, picture.columns * merge)
        frames = 1 if self.squares else tower.get("temporal_patch_size", 1)
        rows = rng.standard_normal((int(np.prod(grid)), channels, frames, side * side))
        if not picture.frames:
            rows[:, :, 1:] = rows[:, :, :1]  # a still image is its own next frame
        kind, last = ("video", "_videos") if picture.frames else ("image", "")
        shape = (len(rows), channels, side, side) if self.squares else (len(rows), -1)
        arrays = {f"pixel_values{last}": rows.reshape(shape).astype(np.float32),
                  f"{kind}_grid_thw": np.array([grid], np.int32)}
        if picture.frames and self.seconds:
            arrays[self.seconds] = np.array([SECONDS[self.seconds]], np.float32)
        return Medium(kind, arrays)


@dataclass(frozen=True)
class Positions:
    """Images as `pixel_values` of patches row by row and `image_position_ids` of each patch (Gemma 4), both padded
    to `capacity` placeholder tokens."""

    begin: str = "boi_token_id"
    end: str = "eoi_token_id"
    capacity: int = 12
    frames_apart: bool = True

    def tokens(self, picture: Picture) -> int:
        """The number of placeholder tokens of an image."""
        return picture.rows * picture.columns

    def draw(self, rng: np.random.Generator, config: Config, picture: Picture) -> Medium:
        """Pixels from 0 to 1, as a processor without normalisation gives them."""
        tower = config["vision_config"]
        pool = tower["pooling_kernel_size"]
        height, width, most = picture.rows * pool, picture.columns * pool, self.capacity * pool * pool
        pixels = np.zeros((1, most, 3 * tower["patch_size"] ** 2), np.float32)
        places = np.full((1, most, 2), -1, np.int32)
        pixels[0, :height * width] = rng.random((height * width, pixels.shape[-1]))
        y, x = np.divmod(np.arange(height * width), width)
        places[0, :height * width] = np.stack([x, y], -1)
        return Medium("image", {"pixel_values": pixels, "image_position_ids": places})


@dataclass(frozen=True)
class Patches:
    """One row of pixels (y, x, channel) for each placeholder token, and `image_grid_thw` (Falcon-OCR, whose processor
    returns the whole image and `image_grid_hw`). registers: members that name tokens after that of the beginning."""

    begin: str = "image_cls_token_id"
    end: str = "image_end_token_id"
    registers: tuple[str, ...] = tuple(f"image_reg_{i}_token_id" for i in (1, 2, 3, 4))
    frames_apart: bool = False

    def tokens(self, picture: Picture) -> int:
        """The number of placeholder tokens of an image."""
        return picture.rows * picture.columns

    def draw(self, rng: np.random.Generator, config: Config, picture: Picture) -> Medium:
        """Pixels from a normal distribution, as published normalisation gives them."""
        tower = config["vision_config"]
        shape = (picture.rows * picture.columns, tower["patch_size"] ** 2 * tower["num_channels"])
        return Medium("image", {"pixel_values": rng.standard_normal(shape).astype(np.float32),
                                "image_grid_thw": np.array([(1, picture.rows, picture.columns)], np.int32)})


@dataclass(frozen=True)
class Whole:
    """Images as `pixel_values` [1, 3, size, size] alone (Gemma 3n), each of as many placeholder tokens as the config
    says, whatever the rows and columns of a picture are."""

    begin: str = "boi_token_id"
    end: str = "eoi_token_id"
    size: int = 28
    frames_apart: bool = True

    def draw(self, rng: np.random.Generator, _config: Config, _picture: Picture) -> Medium:
        """Pixels from a normal distribution."""
        pixels = rng.standard_normal((1, 3, self.size, self.size))
        return Medium("image", {"pixel_values": pixels.astype(np.float32)})


@dataclass(frozen=True)
class Crops:
    """An image of which the whole and Picture.rows x Picture.columns crops have the same size (Moondream 3): rows of pixels
    (channel, y, x) of each, `image_grid_thw` with a frame for each, and `crop_layouts`. A prompt begins with its token for the
    beginning, which has the id of a placeholder; Picture(0, 0): without crops."""

    begin: str | None = None
    end: str | None = None
    frames_apart: bool = False

    def draw(self, rng: np.random.Generator, config: Config, picture: Picture) -> Medium:
        """Pixels from a normal distribution, as published normalisation gives them."""
        tower = config["vision_config"]
        side, n = tower["crop_size"] // tower["patch_size"], 1 + picture.rows * picture.columns
        pixels = rng.standard_normal((n * side * side, tower["in_channels"] * tower["patch_size"] ** 2))
        return Medium("image", {"pixel_values": pixels.astype(np.float32), "image_grid_thw": np.array([(n, side, side)], np.int32),
                                "crop_layouts": np.array([(picture.rows, picture.columns)], np.int32)})

    def run(self, config: Config) -> int:
        """The number of tokens with the id of a placeholder, the first included."""
        tower = config["vision_config"]
        return 1 + (tower["crop_size"] // tower["patch_size"]) ** 2


Format = Grids | Positions | Patches | Whole | Crops


@dataclass(frozen=True)
class AudioClips:
    """Audio clips as `input_features` [1, bins, frames], as published processors give them, and `feature_attention_mask` [1, frames]
    (Qwen3-Omni). begin, end: members of the config."""

    begin: str = "audio_start_token_id"
    end: str = "audio_end_token_id"

    def draw(self, rng: np.random.Generator, config: Config, clip: Audio) -> Medium:
        """Logarithms of powers, which published processors bring to about -1 … 1.5."""
        bins = config["audio_config"]["num_mel_bins"]
        features = rng.uniform(-1.0, 1.5, (1, bins, clip.frames)).astype(np.float32)
        return Medium("audio", {"input_features": features,
                                "feature_attention_mask": np.ones((1, clip.frames), np.int32)})

    def tokens(self, config: Config, clip: Audio) -> int:
        """How many placeholder tokens an audio clip has: three convolutions halve each chunk, rounding up."""
        chunk = 2 * config["audio_config"]["n_window"]
        whole, rest = divmod(clip.frames, chunk)
        return whole * -(-chunk // 8) + -(-rest // 8)


AUDIO = AudioClips()


def tokens_of(formats: Format, config: Config, picture: Picture) -> int:
    """The placeholder tokens of a picture, or of a frame of it."""
    if isinstance(formats, Whole):
        return config["vision_soft_tokens_per_image"]
    return formats.run(config) if isinstance(formats, Crops) else formats.tokens(picture)


def compose(formats: Format, config: Config, parts: tuple[Part, ...], text: list[int],
            rng: np.random.Generator) -> Prompt:
    """Draws a prompt.

    formats: how the family takes pictures. config: members around text_config. text: the ids to draw from.
    """
    ids = {kind: config[name] for kind in KINDS for name in (f"{kind}_token_id", f"{kind}_token_index") if name in config}
    begin, end = ([config[mark]] if mark else [] for mark in (formats.begin, formats.end))
    registers = [config[member] for member in getattr(formats, "registers", ())]
    tokens: list[int] = []
    media: list[Medium] = []

    def words(n: int) -> list[int]:
        return [text[i] for i in rng.integers(0, len(text), n)]

    for part in parts:
        if isinstance(part, Audio):
            media.append(AUDIO.draw(rng, config, part))
            tokens += [config[AUDIO.begin], *[ids["audio"]] * AUDIO.tokens(config, part), config[AUDIO.end]]
            continue
        if not isinstance(part, Picture):
            tokens += words(part)
            continue
        media.append(formats.draw(rng, config, part))
        if part.audio:
            media.append(AUDIO.draw(rng, config, Audio(part.audio)))
            tokens += [*begin, *audio.interleaved(config, media[-2].arrays, AUDIO.tokens(config, Audio(part.audio))), *end]
            continue
        size, frames = tokens_of(formats, config, part), max(part.frames, 1)
        apart = formats.frames_apart and frames > 1
        for frame in range(frames if apart else 1):
            run = [ids[media[-1].kind]] * (size if apart else size * frames)
            if apart and frame:
                tokens += words(1)  # published: the time of the frame
            tokens += run if part.bare else [*begin, *registers, *run, *end]
    return Prompt(tokens, tuple(media))


def draw_parts(formats: Format, rng: np.random.Generator) -> tuple[tuple[Part, ...], ...]:
    """Draws three prompts: of text alone, of one picture, and of up to four, of which some are audio clips where the model takes
    them. Videos, which are drawn only for Grids that take them, have so few frames, and such long audio clips, that the text after one
    comes later than any of its tokens, because the published cached decode and the published pass over the whole sequence give
    different positions otherwise. All have audio clips, or none, as the published class wants it."""
    heard = getattr(formats, "audio", False) and bool(rng.integers(2))

    def picture() -> Picture | Audio:
        if getattr(formats, "audio", False) and rng.integers(2):
            return Audio(int(rng.integers(1, 130)))
        if isinstance(formats, Grids) and formats.videos and rng.integers(4) == 0:
            return Picture(int(rng.integers(1, 3)), 4, frames=2, audio=int(rng.integers(33, 130)) if heard else 0)
        rows = int(rng.integers(1, 6))
        return Picture(rows, int(rng.integers(1, 1 + min(5, 12 // rows))))

    if isinstance(formats, Crops):
        crops = tuple(Picture(*(int(n) for n in rng.integers(1, 4, 2))) for _ in range(1 + int(rng.integers(2))))
        return ((int(rng.integers(1, 5)),), (Picture(0, 0), int(rng.integers(1, 4))),
                *((one, int(rng.integers(1, 4))) for one in crops))

    def prompt(n_pictures: int) -> tuple[Part, ...]:
        parts: list[Part] = [int(rng.integers(1, 5))]
        for _ in range(n_pictures):
            parts += [picture(), int(rng.integers(1, 4))]
        return tuple(parts[int(rng.integers(2)) if n_pictures else 0:])

    return prompt(0), prompt(1), prompt(int(rng.integers(2, 5)))


def special_ids(config: Config) -> set[int]:
    """The ids that the members of a multimodal config name: never drawn as text."""
    said = [value for name, value in config.items() if re.search(r"_token_id$|_token_index$|^im_\w+_id$", name)]
    return {one for value in said for one in (value if isinstance(value, list) else [value])}


def joined(media: tuple[Medium, ...]) -> dict[str, np.ndarray]:
    """The arrays of all media, by their published names."""
    names = dict.fromkeys(name for medium in media for name in medium.arrays)
    arrays = {name: [m.arrays[name] for m in media if name in m.arrays] for name in names}
    frames = max((m.arrays["input_features"].shape[-1] for m in media if m.kind == "audio"), default=0)
    for name in ("input_features", "feature_attention_mask"):
        if name in arrays:
            arrays[name] = [np.pad(a, [(0, 0)] * (a.ndim - 1) + [(0, frames - a.shape[-1])]) for a in arrays[name]]
    return {name: np.concatenate(parts) for name, parts in arrays.items()}


def datasets(prompts: list[list[int]]) -> dict[str, np.ndarray]:
    """The datasets of a case below /input for the media of its samples: the arrays, and for each image and video
    the sample that it belongs to."""
    owned = [(sample, medium) for sample, prompt in enumerate(prompts) for medium in media_of(prompt)]
    found = {f"/input/{name}": array for name, array in joined(tuple(m for _, m in owned)).items()}
    for kind in KINDS:
        of_kind = [sample for sample, medium in owned if medium.kind == kind]
        if of_kind:
            found[f"/input/{kind}_sample"] = np.array(of_kind, np.int32)
    return found


def token_kinds(config, tokens: list[int]) -> torch.Tensor:
    """The kind of each token [1, n] (text, image, video, audio), as the published processor finds it."""
    ids = SimpleNamespace(**{f"{kind}_token_ids": [getattr(config, f"{kind}_token_id", None)]
                             for kind in ("image", "video", "audio")})
    return torch.tensor(ProcessorMixin.create_mm_token_type_ids(ids, [list(tokens)]), dtype=torch.int64)


def expert_kinds(config, tokens: list[int]) -> torch.Tensor:
    """The kind of each token [1, n] with the marks of images and videos counted as such, as ERNIE's processor finds
    it."""
    from transformers.models.ernie4_5_vl_moe.processing_ernie4_5_vl_moe import Ernie4_5_VLMoeProcessor
    ids = {f"{kind}{part}": getattr(config, f"{kind}{part}_id")
           for kind in ("image", "video") for part in ("_token", "_start_token", "_end_token")}
    processor = SimpleNamespace(**{f"{name}_id": value for name, value in ids.items()})
    kinds = Ernie4_5_VLMoeProcessor.create_moe_mm_token_type_ids(processor, [list(tokens)])
    return torch.tensor(kinds, dtype=torch.int64)


def counts_mask(model: torch.nn.Module) -> bool:
    """Whether the published positions of a multimodal model need the attention mask, instead of the kinds of the tokens
    (Qwen3-Omni)."""
    positions = getattr(model.model, "compute_3d_position_ids", None)
    return positions is not None and "mm_token_type_ids" not in inspect.signature(positions).parameters


def model_inputs(model: torch.nn.Module, tokens: list[int]) -> dict[str, torch.Tensor]:
    """The inputs of the published model for a prompt: input_ids; if its mask or its positions depend on them,
    the kinds of the tokens; and the media, in float64 for a model in float64 and otherwise in float32, as a
    processor returns them."""
    inputs = {"input_ids": torch.tensor([tokens], dtype=torch.int64)}
    config, text = model.config, model.config.get_text_config()
    if "aspect_ratio_ids" in joined(media_of(tokens)):
        return inputs | tiles.inputs(model, tokens, tensors(model, joined(media_of(tokens))))
    blocks = text is not config and getattr(text, "use_bidirectional_attention", None) == "vision"
    if (blocks or media_of(tokens)) and not counts_mask(model) and config.model_type not in WITHOUT_KINDS:
        inputs["mm_token_type_ids"] = token_kinds(config, tokens)
    if "moe_mm_token_type_ids" in inspect.signature(model.forward).parameters:  # ERNIE: these have experts of their own
        inputs["moe_mm_token_type_ids"] = expert_kinds(config, tokens)
    if media_of(tokens) and audio.in_videos(config, tokens):
        inputs["use_audio_in_video"] = True
    return inputs | tensors(model, joined(media_of(tokens)))


def tensors(model: torch.nn.Module, arrays: dict[str, np.ndarray]) -> dict[str, torch.Tensor]:
    """The arrays as the published model takes them."""
    wide = np.float64 if model.dtype is torch.float64 else np.float32
    return {name: torch.from_numpy(array.astype(wide if array.dtype.kind == "f" else np.int64))
            for name, array in arrays.items()}


def step_inputs(model: torch.nn.Module, tokens: list[int]) -> dict[str, torch.Tensor]:
    """What a published cached decode gets beside the last of `tokens`."""
    if "aspect_ratio_ids" not in joined(media_of(tokens)):
        return {}
    return tiles.step_inputs(model, tokens)
