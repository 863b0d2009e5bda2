"""A checkpoint that reads images, for the clients: the weights of fixtures/qwen3_vl/base, with a tokenizer of single characters, a chat
template and an image processor, which that fixture lacks; two images; and what the published model says to them.

    python viewer.py FIXTURES     computes SAID again, with torch and transformers (scripts/record/README.md)

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

N_TOKENS = 8
SPECIAL = {35: "<|end|>", 91: "<|vision_start|>", 92: "<|vision_end|>", 93: "<|image_pad|>", 94: "<|video_pad|>"}
LETTERS = [chr(c) for c in range(33, 127) if chr(c) not in "`~{}"] + ["\u0120", "\u010a"]  # of byte-level BPE: the last are space and newline
TEMPLATE = ("{% for m in messages %}{{ m.role }}: {% if m.content is string %}{{ m.content }}{% else %}{% for p in m.content %}"
            "{% if p.type == 'image' %}<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ p.text }}{% endif %}{% endfor %}{% endif %}{{ '\\n' }}"
            "{% endfor %}assistant:")
PROCESSOR = {"processor_class": "Qwen3VLProcessor", "image_processor_type": "Qwen2VLImageProcessor", "patch_size": 4, "merge_size": 2,
             "temporal_patch_size": 2, "min_pixels": 64, "max_pixels": 4096, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}

# Greedy tokens of Qwen3VLForConditionalGeneration in float64 (transformers 5.23.0, torch 2.13.0), by the images of the prompt.
SAID: dict[str, list[int]] = {"slope": [14, 70, 81, 44, 15, 61, 51, 15], "board": [77, 61, 51, 81, 12, 76, 76, 15],
                              "slope board": [5, 25, 14, 70, 81, 44, 15, 59]}


def vocabulary() -> dict[str, int]:
    letters = iter(LETTERS)
    return {SPECIAL.get(i) or next(letters): i for i in range(97)}


def png(width: int, height: int, pixel: Any) -> bytes:
    """pixel: (x, y) to three bytes."""
    rows = b"".join(b"\0" + b"".join(bytes(pixel(x, y)) for x in range(width)) for y in range(height))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


IMAGES = {"slope": png(24, 16, lambda x, y: (x * 10, y * 15, 128)), "board": png(16, 16, lambda x, y: (255, 32, 0) if (x // 4 + y // 4) % 2 else (0, 64, 255))}
CASES = {"slope": ["slope"], "board": ["board"], "slope board": ["slope", "board"]}


def make(fixtures: Path, directory: Path) -> None:
    """Writes the checkpoint, and the images as files below directory/images."""
    for file in (fixtures / "qwen3_vl/base/model").iterdir():
        (directory / file.name).symlink_to(file.resolve())
    vocab = vocabulary()
    special = [{"id": i, "content": text, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
               for i, text in SPECIAL.items()]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    tokenizer = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": special, "normalizer": None, "pre_tokenizer": byte_level,
                 "post_processor": None, "decoder": byte_level,
                 "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
                           "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                           "vocab": vocab, "merges": []}}
    (directory / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    (directory / "tokenizer_config.json").write_text(json.dumps({"eos_token": SPECIAL[35], "image_token": SPECIAL[93]}), encoding="utf-8")
    (directory / "preprocessor_config.json").write_text(json.dumps(PROCESSOR), encoding="utf-8")
    (directory / "chat_template.jinja").write_text(TEMPLATE, encoding="utf-8")
    (directory / "images").mkdir()
    for name, content in IMAGES.items():
        (directory / "images" / f"{name}.png").write_bytes(content)


def text_of(ids: list[int]) -> str:
    """What a client receives: special tokens have no text."""
    texts = {i: text for text, i in vocabulary().items()}
    return "".join("" if i in SPECIAL else {"\u0120": " ", "\u010a": "\n"}.get(texts[i], texts[i]) for i in ids)


def record(fixtures: Path) -> dict[str, list[int]]:
    import io

    import torch
    from PIL import Image
    from transformers import AutoConfig, Qwen3VLForConditionalGeneration
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    path = fixtures / "qwen3_vl/base/model"
    model = Qwen3VLForConditionalGeneration.from_pretrained(path, config=AutoConfig.from_pretrained(path), dtype=torch.float64,
                                                            attn_implementation="eager")
    processor = Qwen2VLImageProcessorPil(**{key: value for key, value in PROCESSOR.items() if not key.endswith(("class", "type"))})
    vocab, found = vocabulary(), {}
    for case, names in CASES.items():
        made = processor(images=[Image.open(io.BytesIO(IMAGES[name])).convert("RGB") for name in names], return_tensors="pt")
        ids = [vocab[c] for c in "user:"] + [vocab["\u0120"]]
        for grid in made["image_grid_thw"]:
            ids += [91] + [93] * int(grid.prod() // 4) + [92]
        ids += [vocab[c] for c in "what?"] + [vocab["\u010a"]] + [vocab[c] for c in "assistant:"]
        said, least = [], 1e9
        for _ in range(N_TOKENS):
            inputs = torch.tensor([ids + said])
            with torch.no_grad():
                logits = model(input_ids=inputs, attention_mask=torch.ones_like(inputs), pixel_values=made["pixel_values"].double(),
                               image_grid_thw=made["image_grid_thw"], mm_token_type_ids=(inputs == 93).long()).logits[0, -1]
            best = torch.topk(logits, 2)
            least = min(least, float(best.values[0] - best.values[1]))
            said.append(int(best.indices[0]))
            if said[-1] == 35:
                break
        print(f"{case}: {len(ids)} tokens of the prompt, smallest margin {least:.4f}", file=sys.stderr)
        found[case] = said
    return found


if __name__ == "__main__":
    print(json.dumps(record(Path(sys.argv[1]))))
