"""Tokenizers of the kinds that two published families use, trained on the dialogues."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from tokenizers.trainers import BpeTrainer

# Published ids and tokens; stop sets consist of these ids.
GEMMA_SPECIAL = {0: "<pad>", 1: "<eos>", 2: "<bos>", 3: "<unk>", 46: "<|tool>", 47: "<tool|>", 48: "<|tool_call>",
                 49: "<tool_call|>", 50: "<|tool_response>", 51: "<tool_response|>", 52: '<|"|>', 98: "<|think|>",
                 100: "<|channel>", 101: "<channel|>", 105: "<|turn>", 106: "<turn|>"}
N_GEMMA_SPECIAL = 108
QWEN_SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
QWEN_ADDED = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>")
QWEN_SPLIT = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
              r"\s+(?!\S)|\s+")
N_MERGED = 160  # tokens besides bytes and special tokens


def gemma(texts: list[str]) -> tuple[str, dict[str, Any]]:
    """tokenizer.json and tokenizer_config.json: BPE with byte fallback, spaces as U+2581."""
    special = [GEMMA_SPECIAL.get(i, f"<unused{i}>") for i in range(N_GEMMA_SPECIAL)]
    plain = [f"<0x{byte:02X}>" for byte in range(256)]
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Replace(" ", "\u2581")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous", invert=False)
    tokenizer.decoder = decoders.Sequence([decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse()])
    tokenizer.train_from_iterator(without(texts, special), BpeTrainer(
        vocab_size=len(special) + 256 + N_MERGED, special_tokens=special + plain, show_progress=False))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<bos> $A", pair="<bos> $A <bos> $B", special_tokens=[("<bos>", 2)])
    document = json.loads(tokenizer.to_str())
    document["added_tokens"] = [token for token in document["added_tokens"] if token["content"] not in plain]
    config = {"tokenizer_class": "GemmaTokenizer", "bos_token": "<bos>", "eos_token": "<eos>", "pad_token": "<pad>",
              "unk_token": "<unk>", "clean_up_tokenization_spaces": False,
              "model_max_length": 1000000000000000019884624838656}
    return dump(document), config


def qwen(texts: list[str]) -> tuple[str, dict[str, Any]]:
    """tokenizer.json and tokenizer_config.json: byte-level BPE; the markers are added tokens after the
    vocabulary, some of them special."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(QWEN_SPLIT), "isolated", invert=False),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.post_processor = processors.ByteLevel(add_prefix_space=False, trim_offsets=False)
    tokenizer.train_from_iterator(without(texts, (*QWEN_SPECIAL, *QWEN_ADDED)), BpeTrainer(
        vocab_size=256 + N_MERGED, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    tokenizer.add_special_tokens([AddedToken(text, normalized=False, special=True) for text in QWEN_SPECIAL])
    tokenizer.add_tokens([AddedToken(text, normalized=False, special=False) for text in QWEN_ADDED])
    document = json.loads(tokenizer.to_str())
    config = {"tokenizer_class": "Qwen2Tokenizer", "add_prefix_space": False, "eos_token": "<|im_end|>",
              "pad_token": "<|endoftext|>", "unk_token": None, "bos_token": None,
              "clean_up_tokenization_spaces": False, "model_max_length": 131072,
              "added_tokens_decoder": {str(token["id"]): {k: v for k, v in token.items() if k != "id"}
                                       for token in document["added_tokens"]}}
    return dump(document), config


def without(texts: list[str], special: Any) -> list[str]:
    """The texts split at special tokens, so that no merge spans one."""
    pieces = texts
    for token in special:
        pieces = [part for piece in pieces for part in piece.split(token)]
    return [piece for piece in pieces if piece]


def dump(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def write(directory: Path, tokenizer: str, config: dict[str, Any]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "tokenizer.json").write_text(tokenizer)
    (directory / "tokenizer_config.json").write_text(dump(config))


MAKERS = {"gemma4": gemma, "qwen3": qwen}
