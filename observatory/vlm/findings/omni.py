"""The entries of observatory/FINDINGS.md about mlx-vlm's Qwen3-Omni."""

from ..repairs import omni as repairs
from .trial import alone, below, entry, together

FAMILY = "qwen3_omni_moe"
REQUESTS = (repairs.embedded_audio, repairs.tower_activation)
VIDEOS = (repairs.video_positions, repairs.tower_activation)

entry("vlm-omni-activation", "Qwen3-Omni: the activation of the tower of images.",
      alone(below(FAMILY, "base/image", "base/images", "base/media-batch", "base/media-decode", "base/media-generate",
                  "mlx-4bit/media-decode", "mlx-4bit/media-narrow", "mlx-8bit/media-narrow"), repairs.tower_activation))
entry("vlm-omni-padding", "Qwen3-Omni: a prompt of two audio clips of different lengths.",
      alone(below(FAMILY, "base/sounds"), repairs.audio_alone),
      alone(below(FAMILY, "base/media", "epsilons/media"), repairs.audio_alone, repairs.tower_activation))
entry("vlm-omni-requests", "Qwen3-Omni: several requests with audio clips of different lengths in one batch generator.",
      together(below(FAMILY, "base/media-batch", "base/media-generate"), *REQUESTS),
      together(below(FAMILY, "seconds/videos-sound"), *REQUESTS, repairs.video_positions, repairs.audio_alone))
entry("vlm-omni-sizes", "Qwen3-Omni: biases of the attention, and chunks of another size.",
      alone(below(FAMILY, "windows/sound-windows"), repairs.biases, repairs.chunks))
entry("vlm-omni-videos", "Qwen3-Omni: the time of a video, and the audio clip among its tokens.",
      alone(below(FAMILY, "base/media-videos"), *VIDEOS), together(below(FAMILY, "base/media-videos"), *VIDEOS),
      alone(below(FAMILY, "seconds/videos-sound"), *VIDEOS, repairs.audio_alone))
