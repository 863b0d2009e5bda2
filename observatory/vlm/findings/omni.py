"""The entries of observatory/FINDINGS.md about mlx-vlm's Qwen3-Omni."""

from ..repairs import omni as omni_repairs
from .trial import Trial, compare, shows

FAMILY = "qwen3_omni_moe"


@shows
def vlm_omni_activation() -> float:
    """Qwen3-Omni: the activation of the tower of images."""
    return compare([Trial(f"{FAMILY}/{case}") for case in (
        "base/image", "base/images", "base/media-batch", "base/media-decode", "base/media-generate",
        "mlx-4bit/media-decode", "mlx-4bit/media-narrow", "mlx-8bit/media-narrow")],
        omni_repairs.tower_activation)


@shows
def vlm_omni_padding() -> float:
    """Qwen3-Omni: a prompt of two audio clips of different lengths."""
    return max(compare([Trial(f"{FAMILY}/base/sounds")], omni_repairs.audio_alone),
               compare([Trial(f"{FAMILY}/{case}") for case in ("base/media", "epsilons/media")],
                       omni_repairs.audio_alone, omni_repairs.tower_activation))


@shows
def vlm_omni_requests() -> float:
    """Qwen3-Omni: several requests with audio clips of different lengths in one batch generator."""
    repairs = (omni_repairs.embedded_audio, omni_repairs.tower_activation)
    return max(compare([Trial(f"{FAMILY}/base/{case}", True) for case in ("media-batch", "media-generate")], *repairs),
               compare([Trial(f"{FAMILY}/seconds/videos-sound", True)], *repairs, omni_repairs.video_positions, omni_repairs.audio_alone))


@shows
def vlm_omni_sizes() -> float:
    """Qwen3-Omni: biases of the attention, and chunks of another size."""
    return compare([Trial(f"{FAMILY}/windows/sound-windows")], omni_repairs.biases, omni_repairs.chunks)


@shows
def vlm_omni_videos() -> float:
    """Qwen3-Omni: the time of a video, and the audio clip among its tokens."""
    repairs = (omni_repairs.video_positions, omni_repairs.tower_activation)
    return max(compare([Trial(f"{FAMILY}/base/media-videos", together) for together in (False, True)], *repairs),
               compare([Trial(f"{FAMILY}/seconds/videos-sound")], *repairs, omni_repairs.audio_alone))
