"""Tokenizers in the shapes of published ones, trained on text generated from a seed."""

from __future__ import annotations

import collections
import io
import json
import random
import tempfile
import unicodedata
from pathlib import Path
from typing import Any, Callable

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from . import texts as tokenizer_texts

Json = dict[str, Any]

QWEN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+")
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
          r"|\s*[\r\n]+|\s+(?!\S)|\s+")
O200K = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
         r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
DEEPSEEK = (r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
            r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
HAN_AND_KANA = "[一-龥぀-ゟ゠-ヿ]+"
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def special(text: str, **flags: bool) -> AddedToken:
    return AddedToken(text, special=True, normalized=False, **flags)


def with_alphabet(lines: list[str], size: int) -> list[str]:
    """The lines without all but their `size` most frequent characters; a trainer's own limit breaks ties randomly."""
    counts = collections.Counter(c for line in lines for c in line)
    kept = set(sorted(counts, key=lambda c: (-counts[c], c))[:size])
    return ["".join(c for c in line if c in kept) for line in lines]


def train_bpe(tokenizer: Tokenizer, lines: list[str], size: int, **options: Any) -> None:
    trainer = trainers.BpeTrainer(vocab_size=size, show_progress=False, **options)
    tokenizer.train_from_iterator(lines, trainer)


def byte_level(lines: list[str], size: int, pre: Any, **options: Any) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(**options))
    tokenizer.pre_tokenizer = pre
    tokenizer.decoder = decoders.ByteLevel()
    train_bpe(tokenizer, lines, size, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()))
    return tokenizer


def split_then_bytes(*patterns: str) -> Any:
    splits = [pre_tokenizers.Split(Regex(pattern), "isolated") for pattern in patterns]
    return pre_tokenizers.Sequence([*splits, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def gpt2(rng: random.Random, lines: list[str]) -> Json:
    tokenizer = byte_level(lines, 700, pre_tokenizers.ByteLevel(add_prefix_space=False))
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    tokenizer.add_special_tokens([special("<|endoftext|>"), special("<mask>", lstrip=True), special("<sep>", rstrip=True),
                                  special("<both>", lstrip=True, rstrip=True)])
    tokenizer.add_tokens([AddedToken("tést", single_word=True)])
    return json.loads(tokenizer.to_str())


def qwen(rng: random.Random, lines: list[str]) -> Json:
    tokenizer = byte_level(lines, 700, split_then_bytes(QWEN))
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.add_special_tokens([special(t) for t in ("<|endoftext|>", "<|im_start|>", "<|im_end|>")])
    tokenizer.add_tokens([AddedToken(t, normalized=False) for t in ("<think>", "</think>", "<tool_call>")])
    return json.loads(tokenizer.to_str())


def llama3(rng: random.Random, lines: list[str]) -> Json:
    tokenizer = byte_level(lines, 700, split_then_bytes(LLAMA3), ignore_merges=True)
    tokenizer.add_special_tokens([special(t) for t in ("<|begin_of_text|>", "<|eot_id|>", "<|start_header_id|>")])
    bos = tokenizer.token_to_id("<|begin_of_text|>")
    tokenizer.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=False),
        processors.TemplateProcessing(single="<|begin_of_text|> $A", pair="<|begin_of_text|> $A $B",
                                      special_tokens=[("<|begin_of_text|>", bos)])])
    made = json.loads(tokenizer.to_str())
    # Words that no merges produce; ignore_merges finds them as a whole.
    for word in (" never merged", "Ġunmerged", "Ġdon't", "zzzz"):
        made["model"]["vocab"].setdefault(word.replace(" ", "Ġ"), max(
            [*made["model"]["vocab"].values(), *(t["id"] for t in made["added_tokens"])]) + 1)
    return made


def o200k(rng: random.Random, lines: list[str]) -> Json:
    tokenizer = byte_level(lines, 600, split_then_bytes(O200K))
    tokenizer.add_special_tokens([special("<|start|>"), special("<|message|>"), special("<|end|>")])
    return json.loads(tokenizer.to_str())


def deepseek(rng: random.Random, lines: list[str]) -> Json:
    tokenizer = byte_level(lines, 700, split_then_bytes(r"\p{N}{1,3}", HAN_AND_KANA, DEEPSEEK))
    tokenizer.add_special_tokens([special(t) for t in ("<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>")])
    tokenizer.add_tokens([AddedToken(t, normalized=True) for t in ("<｜User｜>", "<｜fim▁hole｜>")])
    return json.loads(tokenizer.to_str())


def with_bytes(model: Json, first: list[str]) -> Json:
    """A trained BPE with the tokens `first` and byte tokens before its own, and byte fallback."""
    old = sorted(model["vocab"], key=model["vocab"].get)
    tokens = dict.fromkeys([*first, *BYTES, *old])
    return {**model, "vocab": {token: i for i, token in enumerate(tokens)}, "unk_token": "<unk>",
            "fuse_unk": True, "byte_fallback": True}


def sentence_piece_bpe(lines: list[str], size: int, first: list[str]) -> Json:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
    train_bpe(tokenizer, with_alphabet(lines, 120), size)
    return with_bytes(json.loads(tokenizer.to_str())["model"], first)


def rebuild(model: Json, **parts: Any) -> Tokenizer:
    """A tokenizer made of a model and further parts, objects of the publisher's library."""
    empty = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
             "pre_tokenizer": None, "post_processor": None, "decoder": None, "model": model}
    tokenizer = Tokenizer.from_str(json.dumps(empty))
    for name, part in parts.items():
        setattr(tokenizer, name, part)
    return tokenizer


def sentence_piece_decoder(strip: bool) -> Any:
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    return decoders.Sequence(steps + [decoders.Strip(" ", 1, 0)] if strip else steps)


def llama2(rng: random.Random, lines: list[str]) -> Json:
    tokenizer = rebuild(sentence_piece_bpe(lines, 500, ["<unk>", "<s>", "</s>"]),
                        normalizer=normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
                        decoder=sentence_piece_decoder(True))
    tokenizer.add_special_tokens([special("<unk>"), special("<s>"), special("</s>")])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s> $B",
                                                             special_tokens=[("<s>", 1)])
    return json.loads(tokenizer.to_str())


def mistral(rng: random.Random, lines: list[str]) -> Json:
    tokenizer = rebuild(sentence_piece_bpe(lines, 500, ["<unk>", "<s>", "</s>", "[INST]", "[/INST]"]),
                        pre_tokenizer=pre_tokenizers.Metaspace(prepend_scheme="first", split=False),
                        decoder=sentence_piece_decoder(True))
    tokenizer.add_special_tokens([special(t) for t in ("<unk>", "<s>", "</s>", "[INST]", "[/INST]")])
    return json.loads(tokenizer.to_str())


def gemma(rng: random.Random, lines: list[str]) -> Json:
    first = ["<pad>", "<eos>", "<bos>", "<unk>", "<start_of_turn>", "<end_of_turn>", "\n\n", "\n\n\n", "▁▁", "▁▁▁"]
    tokenizer = rebuild(sentence_piece_bpe(lines, 500, first), normalizer=normalizers.Replace(" ", "▁"),
                        pre_tokenizer=pre_tokenizers.Split(" ", "merged_with_previous"),
                        decoder=sentence_piece_decoder(False))
    tokenizer.add_special_tokens([special(t) for t in first[:6]])
    tokenizer.add_tokens([AddedToken(t, normalized=False) for t in first[6:]])
    tokenizer.post_processor = processors.TemplateProcessing(single="<bos> $A", pair="<bos> $A <bos> $B",
                                                             special_tokens=[("<bos>", 2)])
    return json.loads(tokenizer.to_str())


def small_charsmap(rng: random.Random) -> str:
    """A normalisation table for sentencepiece's trainer: compatibility forms of some characters, and rules of its own."""
    rules = {" ": [0xA0, 0x2003, 0x3000, 0x09, 0x0A, 0x0D, 0x200B]}
    lines = [f"{c:X}\t20" for c in rules[" "]] + ["7F\t", "AD\t", "1\t"]
    chosen = [c for c in tokenizer_texts.ASSIGNED if unicodedata.normalize("NFKC", chr(c)) != chr(c)]
    for c in sorted(rng.sample(chosen, 400) + list(range(0xFF01, 0xFF5F)) + [0xFB01, 0x2460, 0x212B, 0x1E9B]):
        form = unicodedata.normalize("NFKC", chr(c))
        lines.append(f"{c:X}\t" + " ".join(f"{ord(x):X}" for x in form))
    for a, b in (("e", "\u0301"), ("u", "\u0308"), ("か", "\u3099"), ("A", "\u030a")):
        lines.append(f"{ord(a):X} {ord(b):X}\t" + f"{ord(unicodedata.normalize('NFC', a + b)):X}")
    return "\n".join(dict.fromkeys(lines)) + "\n"


def sentence_piece(rng: random.Random, lines: list[str], size: int, byte_fallback: bool,
                   rules: str | None) -> tuple[list[tuple[str, float]], bytes]:
    """Pieces with scores, and the precompiled normalisation table, of a model that sentencepiece trains."""
    out = io.BytesIO()
    with tempfile.TemporaryDirectory() as scratch:
        options: dict[str, Any] = {"normalization_rule_name": "nmt_nfkc"}
        if rules is not None:
            table = Path(scratch) / "rules.tsv"
            table.write_text(rules)
            options = {"normalization_rule_tsv": str(table)}
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter([line.replace("\x00", "").replace("\n", " ") for line in lines]), model_writer=out,
            vocab_size=size, model_type="unigram", byte_fallback=byte_fallback, hard_vocab_limit=False,
            character_coverage=0.98, num_threads=1, minloglevel=2, **options)
    model = sentencepiece_model_pb2.ModelProto.FromString(out.getvalue())
    return [(p.piece, p.score) for p in model.pieces], model.normalizer_spec.precompiled_charsmap


def unigram(rng: random.Random, lines: list[str], rules: str | None = "", byte_fallback: bool = False) -> Json:
    pieces, charsmap = sentence_piece(rng, lines, 1100, byte_fallback, small_charsmap(rng) if rules == "" else rules)
    model = {"type": "Unigram", "unk_id": 0, "vocab": [[p, s] for p, s in pieces], "byte_fallback": byte_fallback}
    tokenizer = rebuild(model, normalizer=normalizers.Sequence([
        normalizers.Precompiled(charsmap), normalizers.Strip(left=False, right=True),
        normalizers.Replace(Regex(" {2,}"), "▁")]),
        pre_tokenizer=pre_tokenizers.Metaspace(prepend_scheme="always"), decoder=decoders.Metaspace())
    tokenizer.add_special_tokens([special("<unk>"), special("<s>"), special("</s>"), special("<mask>", lstrip=True)])
    end = tokenizer.token_to_id("</s>")
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>",
                                                             special_tokens=[("</s>", end)])
    return json.loads(tokenizer.to_str())


def unigram_bytes(rng: random.Random, lines: list[str]) -> Json:
    return unigram(rng, lines, byte_fallback=True)


def bert(rng: random.Random, lines: list[str], lowercase: bool = True) -> Json:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=20))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(with_alphabet(lines, 250), trainers.WordPieceTrainer(
        vocab_size=900, show_progress=False, special_tokens=names))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return json.loads(tokenizer.to_str())


def bert_cased(rng: random.Random, lines: list[str]) -> Json:
    made = bert(rng, lines, lowercase=False)
    made["post_processor"] = {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]}
    made["truncation"] = {"direction": "Right", "max_length": 24, "strategy": "LongestFirst", "stride": 0}
    made["padding"] = {"strategy": {"Fixed": 8}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0,
                       "pad_type_id": 0, "pad_token": "[PAD]"}
    return made


def word_end(rng: random.Random, lines: list[str]) -> Json:
    """The shape of the first GPT: the end of a word is part of its last token."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.BPEDecoder(suffix="</w>")
    train_bpe(tokenizer, with_alphabet(lines, 150), 700, special_tokens=["<unk>"], end_of_word_suffix="</w>")
    return json.loads(tokenizer.to_str())


def words(rng: random.Random, lines: list[str]) -> Json:
    tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.train_from_iterator(lines, trainers.WordLevelTrainer(vocab_size=500, show_progress=False,
                                                                   special_tokens=["[UNK]"]))
    tokenizer.add_tokens([AddedToken("Yesterday", single_word=True), AddedToken("two words", rstrip=True),
                          AddedToken("naïve", lstrip=True, rstrip=True)])
    return json.loads(tokenizer.to_str())


VARIANTS: dict[str, Callable[[random.Random, list[str]], Json]] = {
    "gpt2": gpt2, "qwen": qwen, "llama3": llama3, "o200k": o200k, "deepseek": deepseek, "llama2": llama2,
    "mistral": mistral, "gemma": gemma, "unigram": unigram, "unigram-bytes": unigram_bytes, "bert": bert,
    "bert-cased": bert_cased, "word-end": word_end, "words": words}
