"""The checkpoints of the rows: which variant of a family is taken, and its tokenizer, chat template and processor.

Names families: a row has the tokenizer, template and processor of its own.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from ..checkpoint.checkpoint import Checkpoint
from ..families import hunyuan_vl
from ..trained.tokenizer import dump
from ..variants.variant import Config, Groups, Variant
from ..variants.vision import marks
from ..variants.weights import around, fan_in

# Of byte-level tokenizers, the most frequent first: a vocabulary has as many of them as it has ids for text. Each is a token of its own.
CHARACTERS = "\n aeinrstU:Auolhdcpm.Yfgybwvk?,xjqz!0123456789'-;()\"/+*=_STEI"
N_PLAIN = 64  # ids
OPENAI_MEAN, OPENAI_STD = [0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711]
QWEN_TOKENS = {"vision_start_token_id": "<|vision_start|>", "vision_end_token_id": "<|vision_end|>",
               "image_token_id": "<|image_pad|>", "video_token_id": "<|video_pad|>"}
PADDLE_TOKENS = {"vision_start_token_id": "<|IMAGE_START|>", "vision_end_token_id": "<|IMAGE_END|>",
                 "image_token_id": "<|IMAGE_PLACEHOLDER|>", "video_token_id": "<|video_pad|>"}
GLM_TOKENS = {"image_start_token_id": "<|begin_of_image|>", "image_end_token_id": "<|end_of_image|>", "image_token_id": "<|image|>",
              "video_start_token_id": "<|begin_of_video|>", "video_end_token_id": "<|end_of_video|>", "video_token_id": "<|video|>"}

HUNYUAN_TOKENS = {"im_start_id": "<|image_start|>", "im_end_id": "<|image_end|>", "image_token_id": "<|image|>",
                  "im_newline_id": "<|image_newline|>"}

MLLAMA = ("<|begin_of_text|>{% for m in messages %}{{ m.role }}:\n{% if m.content is string %}{{ m.content }}{% else %}{% for part in m.content %}"
          "{% if part.type == 'image' or 'image' in part %}<|image|>{% elif 'text' in part %}{{ part.text }}{% endif %}{% endfor %}{% endif %}\n"
          "{% endfor %}{% if add_generation_prompt %}assistant:\n{% endif %}")
QWEN_CONTENT = ("{% if m.content is string %}{{ m.content }}{% else %}{% for part in m.content %}{% if part.type == 'image' or 'image' in part"
                " %}<|vision_start|><|image_pad|><|vision_end|>{% elif 'text' in part %}{{ part.text }}{% endif %}{% endfor %}{% endif %}")
QWEN_TURN = ("<|im_start|>{{ m.role }}\n" + QWEN_CONTENT + "<|im_end|>\n{% endfor %}"
             "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}")
QWEN = "{% for m in messages %}" + QWEN_TURN
# Qwen2-VL's begins with a system prompt if the conversation has none
QWEN_SYSTEM = ("{% for m in messages %}{% if loop.first and m.role != 'system' %}<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"
               "{% endif %}" + QWEN_TURN)
PADDLE = ("{{ cls_token }}{% for m in messages %}User: {% for part in m.content %}{% if part.type == 'image' %}<|IMAGE_START|>"
          "<|IMAGE_PLACEHOLDER|><|IMAGE_END|>{% endif %}{% endfor %}{% for part in m.content %}{% if part.type == 'text' %}{{ part.text }}"
          "{% endif %}{% endfor %}\n{% endfor %}{% if add_generation_prompt %}Assistant:\n{% endif %}")
GEMMA_TOKENS = {"image_token_id": "<image_soft_token>", "boi_token_id": "<start_of_image>", "eoi_token_id": "<end_of_image>",
                "audio_token_id": "<audio_soft_token>", "boa_token_id": "<start_of_audio>"}
GEMMA = ("<bos>{% for m in messages %}User: {% for part in m.content %}{% if part.type == 'image' %}<image_soft_token>{% else %}{{ part.text }}"
         "{% endif %}{% endfor %}\n{% endfor %}{% if add_generation_prompt %}Assistant:\n{% endif %}")

GLM = ("[gMASK]<sop>{% for m in messages %}<|user|>\n{% for part in m.content %}{% if part.type == 'image' %}<|begin_of_image|><|image|>"
       "<|end_of_image|>{% elif part.type == 'text' %}{{ part.text }}{% endif %}{% endfor %}{% endfor %}"
       "{% if add_generation_prompt %}<|assistant|>\n{% endif %}")


HUNYUAN = ("{% for m in messages %}{% for part in m.content %}{% if part.type == 'image' %}"
           "<|image_start|><|image|><|image_end|>{% else %}{{ part.text }}{% endif %}{% endfor %}\n{% endfor %}"
           "{% if add_generation_prompt %}<|begin|>{% endif %}")


# mlx-vlm's make_ocr_prompt, with a text of one's own
FALCON = ("{% for m in messages %}{% if m.content is string %}{{ m.content }}{% else %}{% for part in m.content %}{% if part.type == 'image' %}<|image|>"
          "{% elif part.type == 'text' %}{{ part.text }}{% endif %}{% endfor %}{% endif %}{{ '\\n' }}{% endfor %}{% if add_generation_prompt %}<|OCR_PLAIN|>{% endif %}")
FALCON_TOKENS = {"image_token_id": "<|image|>", "image_cls_token_id": "<|image_cls|>", "image_end_token_id": "<|image_end|>",
                 **{f"image_reg_{i}_token_id": f"<|image_reg_{i}|>" for i in (1, 2, 3, 4)}}


def loud(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """A head [V, D] in which the rows of 12 characters are four times larger than the others: the largest logits then differ by more, in
    multiples of the noise in bfloat16, than those of equally large rows."""
    gains = np.full((shape[0], 1), 0.5)
    gains[rng.choice(np.arange(4, shape[0] - 8), 12, replace=False)] = 2.0
    return rng.standard_normal(shape) * gains / math.sqrt(shape[1])


@dataclass(frozen=True)
class Row:
    """What a row's checkpoint needs besides the variant of its family.

    processor: published class of transformers, or of mlx-vlm. image: members of preprocessor_config.json; sizes of patches are the tower's.
    tokens: the texts of the ids that the config's members name. template: the chat template; "": the processor writes the prompt. first, end: the tokens with id 1 and with
    the last id, which is the stop id; more: those with ids from 2 on. tokenizer: members of tokenizer_config.json. plain: the variant
    is taken unquantised in bfloat16, in the older spelling, with a vocabulary that CHARACTERS fill, and with a head of few large rows,
    which is not tied, because random tied weights repeat tokens. n_tokens: limit of an answer. marks: the ids of the marks of images in
    such a vocabulary. text: members of its config that differ. groups: in place of the variant's, if those are mixed. vision: members of its tower that differ. outer,
    weight_rules: members of the config, and rules of weights, that differ from the variant's. seq_length: tokens of an image of any
    size, in processor_config.json; None: they follow from its size. characters: of the vocabulary, as CHARACTERS. audio: members of a feature
    extractor; the conversations have audio clips in place of images.
    """

    variant: str
    processor: str
    image: Config
    tokens: dict[str, str] = field(default_factory=lambda: dict(QWEN_TOKENS))
    template: str = QWEN
    first: str = "<|im_start|>"
    end: str = "<|im_end|>"
    tokenizer: Config = field(default_factory=lambda: {"tokenizer_class": "Qwen2Tokenizer"})
    plain: bool = False
    n_tokens: int = 6
    marks: Callable[[int], Config] = marks
    groups: Groups | None = None
    more: tuple[str, ...] = ()
    text: Config = field(default_factory=dict)
    vision: Config = field(default_factory=dict)
    outer: Config = field(default_factory=dict)
    weight_rules: tuple = ()
    seq_length: int | None = None
    characters: str = CHARACTERS
    audio: Config = field(default_factory=dict)

    def taken(self, variant: Variant) -> Variant:
        """The variant of the family that the row has."""
        if not self.plain:
            return replace(variant, groups=self.groups or variant.groups, outer={**variant.outer, **self.outer},
                           weight_rules=(*self.weight_rules, *variant.weight_rules))
        outer = {**variant.outer, "tie_word_embeddings": False, **self.marks(N_PLAIN)}
        outer["vision_config"] = {**outer["vision_config"], **self.vision}
        return replace(variant, name="e2e", config={**variant.config, "vocab_size": N_PLAIN, **self.text}, outer=outer, spelling="old",
                       dtype="bfloat16", groups=None, weight_rules=(*self.weight_rules, *variant.weight_rules, (r"lm_head\.weight$", loud)))


def clip(kind: str) -> Config:
    return {"image_processor_type": kind, "image_mean": OPENAI_MEAN, "image_std": OPENAI_STD, "min_pixels": 256, "max_pixels": 2304,
            "temporal_patch_size": 2}


HALF: Config = {"image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}
QWEN3_IMAGE: Config = {"image_processor_type": "Qwen2VLImageProcessorFast", **HALF, "temporal_patch_size": 2,
                       "size": {"shortest_edge": 256, "longest_edge": 2304}}


OMNI_TOKENS = {**QWEN_TOKENS, "audio_token_id": "<|audio_pad|>", "audio_start_token_id": "<|audio_start|>", "audio_end_token_id": "<|audio_end|>"}
OMNI_AUDIO = "{% elif part.type == 'audio' or 'audio' in part %}<|audio_start|><|audio_pad|><|audio_end|>{% elif 'text' in part %}"


def omni_marks(vocab_size: int) -> Config:
    return {**marks(vocab_size), "audio_token_id": vocab_size - 7, "audio_start_token_id": vocab_size - 8, "audio_end_token_id": vocab_size - 9}


def falcon_marks(vocab_size: int) -> Config:
    """Its module needs a newer transformers than some other rows, so it is imported when it is asked for."""
    from ..families import falcon_ocr
    return falcon_ocr.image_ids(vocab_size)


ROWS = {
    "qwen2_5_vl": Row("mlx-4bit", "Qwen2_5_VLProcessor", clip("Qwen2VLImageProcessor"), template=QWEN_SYSTEM),
    "qwen2_vl": Row("mlx-4bit", "Qwen2VLProcessor", clip("Qwen2VLImageProcessor"), template=QWEN_SYSTEM),
    "qwen3_vl": Row("base", "Qwen3VLProcessor", QWEN3_IMAGE, plain=True),
    "qwen3_vl_moe": Row("mlx-4bit", "Qwen3VLProcessor", QWEN3_IMAGE),
    "qwen3_5": Row("mlx-4bit-images", "Qwen3VLProcessor", QWEN3_IMAGE, plain=True),
    "paddleocr_vl": Row("mlx-8bit", "PaddleOCRVLProcessor",
                        {"image_processor_type": "PaddleOCRVLImageProcessor", **HALF, "min_pixels": 256, "max_pixels": 2304},
                        PADDLE_TOKENS, PADDLE, "<|begin_of_sentence|>", "</s>",
                        {"tokenizer_class": "PreTrainedTokenizerFast", "cls_token": "<|begin_of_sentence|>",
                         "image_token": "<|IMAGE_PLACEHOLDER|>"}, groups=Groups(8, 32, towers=True)),
    "hunyuan_vl": Row("base", "HunYuanVLProcessor", {**clip("HunYuanVLImageProcessor"), "temporal_patch_size": 1, "resample": 1},
                      HUNYUAN_TOKENS, HUNYUAN, "<|begin|>", "<|end|>",
                      {"tokenizer_class": "PreTrainedTokenizerFast", "image_token": "<|image|>", "image_start_token": "<|image_start|>",
                       "image_end_token": "<|image_end|>"}, plain=True, marks=hunyuan_vl.marks),
    # Its processor, which mlx-vlm alone has, resizes images to 64 pixels or more
    "falcon_ocr": Row("base", "FalconOCRProcessor", {}, FALCON_TOKENS, FALCON, "<|OCR_PLAIN|>", "<|end_of_text|>",
                      {"tokenizer_class": "PreTrainedTokenizerFast"}, plain=True, marks=falcon_marks, vision={"patch_size": 16}),
    # Its processor, which mlx-vlm alone has, writes 729 tokens for an image and the id 3 before an answer, whatever the checkpoint is
    "moondream3": Row("base", "Moondream3Processor", {}, {"image_token_id": "<|endoftext|>"}, "", "<|thought|>", "<|end|>",
                      {"tokenizer_class": "PreTrainedTokenizerFast"}, plain=True, n_tokens=4, marks=lambda _size: {},
                      more=("<|question|>", "<|answer|>"), characters="Q" + CHARACTERS,
                      text={"num_hidden_layers": 1, "moe_start_layer": 0, "max_position_embeddings": 1024},
                      vision={"num_hidden_layers": 1, "patch_size": 14, "crop_size": 378, "overlap_margin": 4},
                      # what the last token sees of hundreds of tokens would else be much the same for any image
                      weight_rules=((r"layers\..*qkv\.weight$", fan_in(3.0)), (r"embed_tokens\.weight$", around(0.0, 1.0)),
                                    (r"lm_head\.bias$", around(0.0, 0.1)), (r"mlp\.gate\.bias$", around(0.0, 2.5)))),
    "mllama": Row("mlx-8bit", "MllamaProcessor",
                  {"image_processor_type": "MllamaImageProcessor", "image_mean": OPENAI_MEAN, "image_std": OPENAI_STD, "do_resize": True,
                   "do_pad": True, "do_rescale": True, "do_normalize": True, "resample": 2, "max_image_tiles": 4},
                  {"image_token_index": "<|image|>"}, MLLAMA, "<|begin_of_text|>", "<|eot_id|>",
                  {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<|begin_of_text|>"}, groups=Groups(8, 32, towers=True)),
    # the last id, that of the stop token, is one of audio clips, which a prompt cannot have
    "gemma3n": Row("mlx-8bit-images", "Gemma3nProcessor",
                   {"image_processor_type": "SiglipImageProcessor", **HALF, "size": {"height": 28, "width": 28}},
                   GEMMA_TOKENS, GEMMA, "<bos>", "<end_of_turn>",
                   {"tokenizer_class": "PreTrainedTokenizerFast", "image_token": "<image_soft_token>",
                    "boi_token": "<start_of_image>", "eoi_token": "<end_of_image>", "audio_token": "<audio_soft_token>",
                    "boa_token": "<start_of_audio>", "eoa_token": "<end_of_turn>"},
                   outer={"audio_token_id": 52, "eoa_token_id": 53}, seq_length=4,
                   # with the embedding of the variant, which is the head, tokens repeat
                   weight_rules=((r"embed_tokens\.weight$", fan_in(0.4)), (r"language_model\.norm\.weight$", around(5.0, 1.5)))),
}


ROWS["qwen3_omni_moe"] = Row(
    "base", "Qwen3OmniMoeProcessor", QWEN3_IMAGE, OMNI_TOKENS, QWEN.replace("{% elif 'text' in part %}", OMNI_AUDIO), plain=True, marks=omni_marks,
    tokenizer={"tokenizer_class": "Qwen2Tokenizer", "image_token": "<|image_pad|>", "audio_token": "<|audio_pad|>", "video_token": "<|video_pad|>",
               "vision_bos_token": "<|vision_start|>", "vision_eos_token": "<|vision_end|>", "audio_bos_token": "<|audio_start|>",
               "audio_eos_token": "<|audio_end|>"},
    audio={"feature_extractor_type": "WhisperFeatureExtractor", "sampling_rate": 16000, "hop_length": 160, "n_fft": 400, "chunk_length": 30,
           "padding_side": "right", "padding_value": 0.0, "dither": 0.0, "return_attention_mask": True})


def glm(kind: str, groups: Groups) -> Row:
    """Rows of GLM: the token that begins the next turn of a user ends an answer."""
    image = {"image_processor_type": f"{kind}ImageProcessor", "image_mean": OPENAI_MEAN, "image_std": OPENAI_STD, "temporal_patch_size": 2,
             "size": {"shortest_edge": 512, "longest_edge": 4608}}
    return Row("mlx-8bit", f"{kind}Processor", image, GLM_TOKENS, GLM, "[gMASK]", "<|user|>",
               {"tokenizer_class": "PreTrainedTokenizerFast"}, groups=groups, more=("<sop>", "<|assistant|>"))


ROWS |= {"glm4v": glm("Glm4v", Groups(4, 32)), "glm_ocr": glm("Glm46V", Groups(8, 32, towers=True))}


class Vocabulary:
    """The tokens of a checkpoint: those that its config names, those of the chat template, the padding, and single characters."""

    def __init__(self, row: Row, checkpoint: Checkpoint):
        size = checkpoint.vocab_size
        self.special = {0: "<|endoftext|>", 1: row.first, **dict(enumerate(row.more, 2)), size - 1: row.end,
                        **{checkpoint.variant.outer[name]: token for name, token in row.tokens.items() if name in checkpoint.variant.outer}}
        free = [number for number in range(size) if number not in self.special]
        if len(free) > len(row.characters):
            raise RuntimeError(f"{checkpoint.family.name}: {len(free)} ids for text, {len(row.characters)} characters")
        self.characters = dict(zip(free, row.characters))
        self.letters = [one for one in self.characters.values() if one.islower()]

    def document(self) -> str:
        """tokenizer.json: byte-level BPE without merges."""
        mapped = {" ": "\u0120", "\n": "\u010a"}
        vocabulary = {**self.special, **{number: mapped.get(one, one) for number, one in self.characters.items()}}
        tokenizer = Tokenizer(models.BPE({vocabulary[number]: number for number in sorted(vocabulary)}, []))
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        tokenizer.decoder = decoders.ByteLevel(add_prefix_space=False, use_regex=False)
        tokenizer.add_special_tokens([AddedToken(self.special[number], normalized=False, special=True) for number in sorted(self.special)])
        return dump(json.loads(tokenizer.to_str()))


def write_files(row: Row, checkpoint: Checkpoint, vocabulary: Vocabulary, directory: Path) -> None:
    """Writes tokenizer, chat template and, unless the row has no members of one, preprocessor_config.json next to the weights."""
    document = vocabulary.document()
    config: dict[str, Any] = {"eos_token": row.end, "pad_token": "<|endoftext|>", "unk_token": None, "bos_token": None,
                              "clean_up_tokenization_spaces": False, "model_max_length": 512, **row.tokenizer,
                              "added_tokens_decoder": {str(token["id"]): {k: v for k, v in token.items() if k != "id"}
                                                       for token in json.loads(document)["added_tokens"]}}
    (directory / "tokenizer.json").write_text(document)
    (directory / "tokenizer_config.json").write_text(dump(config))
    if row.template:
        (directory / "chat_template.jinja").write_text(row.template)
    if row.image:
        tower = checkpoint.variant.outer["vision_config"]
        image = {**row.image, "processor_class": row.processor}
        if "max_num_tiles" in tower:
            image["size"] = {"height": tower["image_size"], "width": tower["image_size"]}
        else:
            sizes = {"patch_size": "patch_size", "merge_size": "spatial_merge_size"}
            image |= {name: tower[member] for name, member in sizes.items() if member in tower}
        if row.audio:
            image |= {**row.audio, "feature_size": checkpoint.variant.outer["audio_config"]["num_mel_bins"]}
        (directory / "preprocessor_config.json").write_text(dump(image))
    if row.seq_length:
        members = {"image_seq_length": row.seq_length, "processor_class": row.processor}
        (directory / "processor_config.json").write_text(dump(members))
