"""Draws tokenizers: any combination of normalisers, pre-tokenisers, models, decoders and post-processors."""

from __future__ import annotations

import json
import random
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from . import variants

Json = dict[str, Any]

PATTERNS = [
    variants.QWEN, variants.LLAMA3, variants.O200K, variants.DEEPSEEK, variants.HAN_AND_KANA, r"\p{N}{1,3}",
    r"\s+", r"\S+", r"\w+|[^\w\s]+", r"\d", r"\d+|\D", r"\p{P}", r"[\p{P}\p{S}]", r"\p{Han}+", r"\p{Lu}\p{Ll}*",
    r"[a-z]+(?=\s)", r"(?<!\w)\p{L}", r"(?<=a)b?", r"\b", r"\bt\w*", r"\B.", r"^\s*", r"$", r"\h+", r"[^\S\n]+", r"\r\n|\n",
    r"(?i)the|AND|s", r"(?i:é|σ|k)", r"\p{L}{2,}+x?", r"\p{L}{,2}", r"(?>a+)b|\p{L}++", r"\p{L}{2}?", r"[^\p{L}]{1,4}?",
    r"\p{^L}+", r"[[:alpha:]]+", r"[[:space:][:digit:]]", r"\x{4e00}|\u0061|\x41", r"\p{Greek}|\p{Cyrillic}|\p{Hiragana}",
    r"a|e|", r".{3}", r"\p{M}", r"\A.|.\z|.\Z", r"[\w']+", r"\p{Letter}\p{Mark}*", r"\p{Zs}", r"\v|\t|\f", r" ?\p{Sc}?\p{Nd}+", r"\P{L}+", r"\H", r"\a|\e", r"[\]a-c]",
]
TEXTS = [" ", "a", "e", "▁", "the", "\n", ".", "''", "é", "👍", "  ", "-"]
BEHAVIORS = ["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]


def pattern(rng: random.Random, empty: bool = True) -> Any:
    if rng.random() < 0.3:
        return rng.choice(TEXTS)
    while True:
        chosen = rng.choice(PATTERNS)
        # Our reader does not support normalisers that replace empty matches: it rejects them with an error.
        if empty or chosen not in (r"(?<=a)b?", r"\b", r"^\s*", r"$", r"a|e|", r"\p{L}{,2}", r"\p{L}{2}?", r"\A.|.\z|.\Z"):
            return Regex(chosen)


def normalizer(rng: random.Random, charsmap: bytes) -> Any:
    choices = [
        lambda: normalizers.NFC(), lambda: normalizers.NFD(), lambda: normalizers.NFKC(), lambda: normalizers.NFKD(),
        lambda: normalizers.Lowercase(), lambda: normalizers.Strip(rng.random() < 0.7, rng.random() < 0.7),
        lambda: normalizers.StripAccents(), lambda: normalizers.Nmt(),
        lambda: normalizers.Prepend(rng.choice(["▁", " ", "ab", "é"])),
        lambda: normalizers.Replace(pattern(rng, False), rng.choice(["▁", "", " ", "xy", "é", "▁"])),
        lambda: normalizers.Replace(" ", "▁"),
        lambda: normalizers.BertNormalizer(clean_text=rng.random() < 0.7, handle_chinese_chars=rng.random() < 0.7,
                                           strip_accents=rng.choice([None, True, False]), lowercase=rng.random() < 0.5),
        lambda: normalizers.ByteLevel(), lambda: normalizers.Precompiled(charsmap)]
    n = rng.choice([0, 1, 1, 2, 3])
    made = [rng.choice(choices)() for _ in range(n)]
    return None if not made else made[0] if n == 1 else normalizers.Sequence(made)


def pre_tokenizer(rng: random.Random) -> Any:
    choices = [
        lambda: pre_tokenizers.ByteLevel(add_prefix_space=rng.random() < 0.5, use_regex=rng.random() < 0.7),
        lambda: pre_tokenizers.Split(pattern(rng), rng.choice(BEHAVIORS), rng.random() < 0.3),
        lambda: pre_tokenizers.Split(pattern(rng), rng.choice(BEHAVIORS), rng.random() < 0.3),
        lambda: pre_tokenizers.Split(pattern(rng), rng.choice(BEHAVIORS), rng.random() < 0.3),
        lambda: pre_tokenizers.Metaspace(replacement=rng.choice(["▁", "▁", "_", "é"]),
                                         prepend_scheme=rng.choice(["first", "never", "always"]),
                                         split=rng.random() < 0.6),
        lambda: pre_tokenizers.Whitespace(), lambda: pre_tokenizers.WhitespaceSplit(),
        lambda: pre_tokenizers.BertPreTokenizer(), lambda: pre_tokenizers.Punctuation(rng.choice(BEHAVIORS)),
        lambda: pre_tokenizers.Digits(rng.random() < 0.5), lambda: pre_tokenizers.CharDelimiterSplit(rng.choice("ae ▁é")),
        lambda: pre_tokenizers.FixedLength(rng.randint(1, 7))]
    n = rng.choice([0, 1, 1, 2, 3])
    made = [rng.choice(choices)() for _ in range(n)]
    return None if not made else made[0] if n == 1 else pre_tokenizers.Sequence(made)


def decoder(rng: random.Random) -> Any:
    choices = [
        lambda: decoders.ByteLevel(), lambda: decoders.ByteFallback(), lambda: decoders.Fuse(),
        lambda: decoders.Metaspace(prepend_scheme=rng.choice(["first", "never", "always"])),
        lambda: decoders.WordPiece(prefix=rng.choice(["##", "▁", "a"]), cleanup=rng.random() < 0.5),
        lambda: decoders.Replace(pattern(rng), rng.choice([" ", "", "x"])), lambda: decoders.Replace("▁", " "),
        lambda: decoders.Strip(rng.choice(" ▁ae"), rng.randint(0, 3), rng.randint(0, 2)),
        lambda: decoders.BPEDecoder(suffix=rng.choice(["</w>", "▁", "e"])),
        lambda: decoders.CTC(pad_token=rng.choice(["<pad>", "a"]), word_delimiter_token=rng.choice(["|", "▁"]),
                             cleanup=rng.random() < 0.5)]
    n = rng.choice([0, 1, 1, 2, 3, 4])
    made = [rng.choice(choices)() for _ in range(n)]
    return None if not made else made[0] if n == 1 else decoders.Sequence(made)


def bpe(rng: random.Random, tokenizer: Tokenizer, lines: list[str]) -> Json:
    suffix, prefix = rng.choice([None, None, "</w>"]), rng.choice([None, None, "##"])
    unknown = rng.choice([None, "<unk>"])
    trained = Tokenizer(models.BPE(unk_token=unknown))
    trained.normalizer, trained.pre_tokenizer = tokenizer.normalizer, tokenizer.pre_tokenizer
    options = {key: value for key, value in (("end_of_word_suffix", suffix), ("continuing_subword_prefix", prefix)) if value}
    if rng.random() < 0.5:
        options["initial_alphabet"] = sorted(pre_tokenizers.ByteLevel.alphabet())
    trained.train_from_iterator([line[:60] for line in lines], trainers.BpeTrainer(
        vocab_size=rng.randint(200, 600), show_progress=False, special_tokens=["<unk>"] if unknown else [],
        limit_alphabet=rng.choice([40, 100, 400]), **options))
    model = json.loads(trained.to_str())["model"]
    if rng.random() < 0.4:
        model = variants.with_bytes(model, ["<unk>"])
    return {**model, "fuse_unk": rng.random() < 0.5, "ignore_merges": rng.random() < 0.3}


def unigram(rng: random.Random, tokenizer: Tokenizer, lines: list[str]) -> Json:
    byte_fallback = rng.random() < 0.4
    pieces = {"<unk>": 0.0}
    if byte_fallback:
        pieces.update({token: 0.0 for token in variants.BYTES})
    for line in lines[:150]:
        made = tokenizer.normalizer.normalize_str(line) if tokenizer.normalizer else line
        for _ in range(6):
            begin = rng.randint(0, max(len(made) - 1, 0))
            part = made[begin:begin + rng.randint(1, 6)]
            if part:
                pieces.setdefault(part, -rng.randint(2, 60) / 4 * len(part) ** rng.choice([0.3, 0.6, 1]))
    return {"type": "Unigram", "unk_id": 0, "vocab": [[p, s] for p, s in pieces.items()], "byte_fallback": byte_fallback}


def word_piece(rng: random.Random, tokenizer: Tokenizer, lines: list[str]) -> Json:
    whole = rng.random() < 0.3
    prefix = rng.choice(["##", "", "▁"])
    tokens = dict.fromkeys(["[UNK]"])
    for line in lines[:200]:
        made = tokenizer.normalizer.normalize_str(line) if tokenizer.normalizer else line
        words = [w for w, _ in tokenizer.pre_tokenizer.pre_tokenize_str(made)] if tokenizer.pre_tokenizer else [made]
        for word in words[:12]:
            cut = rng.randint(1, max(len(word), 1))
            for part in (word[:cut][:20], word[:1], *(prefix + c for c in word[1:4]), prefix + word[cut:][:20]):
                if part and (not whole or part in word):
                    tokens[part] = None
    vocab = {token: i for i, token in enumerate(tokens)}
    if whole:
        return {"type": "WordLevel", "vocab": vocab, "unk_token": "[UNK]"}
    return {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": prefix,
            "max_input_chars_per_word": rng.choice([3, 10, 100]), "vocab": vocab}


def added(rng: random.Random) -> list[AddedToken]:
    texts = ["<s>", "</s>", "<|x|>", "<|xy|>", "<|", "[MASK]", "Word", "naïve", " lead", "trail ", "\n\n", "é", "É", "<mask>", "a", "の"]
    chosen = dict.fromkeys(rng.sample(texts, rng.randint(0, 7)))
    return [AddedToken(text, single_word=rng.random() < 0.3, lstrip=rng.random() < 0.3, rstrip=rng.random() < 0.3,
                       normalized=rng.random() < 0.5, special=rng.random() < 0.5) for text in chosen]


def post_processor(rng: random.Random) -> Any:
    template = processors.TemplateProcessing(single=rng.choice(["<s> $A", "<s> $A </s>", "$A </s> $A", "$A"]), pair="$A $B",
                                             special_tokens=[("<s>", 1), ("</s>", 2)])
    return rng.choice([None, template, processors.BertProcessing(("</s>", 2), ("<s>", 1)),
                       processors.RobertaProcessing(("</s>", 2), ("<s>", 1)), processors.ByteLevel(),
                       processors.Sequence([processors.ByteLevel(), template])])


def shape(rng: random.Random, model: Json) -> None:
    if rng.random() < 0.15:
        model["truncation"] = {"direction": rng.choice(["Left", "Right"]), "max_length": rng.randint(4, 20),
                               "strategy": rng.choice(["LongestFirst", "OnlyFirst"]), "stride": 0}
    if rng.random() < 0.15:
        model["padding"] = {"strategy": rng.choice(["BatchLongest", {"Fixed": rng.randint(1, 12)}]),
                            "direction": rng.choice(["Left", "Right"]), "pad_to_multiple_of": rng.choice([None, 4]),
                            "pad_id": 3, "pad_type_id": 0, "pad_token": "<pad>"}


def is_ambiguous(tokenizer: Tokenizer) -> bool:
    """Whether the normalizer makes an added token empty (then the publisher splits texts at every byte, and panics inside
    a character), or makes two added tokens equal (then the publisher finds either)."""
    found = [tokenizer.normalizer.normalize_str(token.content) if token.normalized and tokenizer.normalizer else token.content
             for token in tokenizer.get_added_tokens_decoder().values()]
    return "" in found or len(set(found)) < len(found)


def draw(rng: random.Random, lines: list[str]) -> Json:
    while True:
        tokenizer = Tokenizer(models.BPE())
        _, charsmap = variants.sentence_piece(rng, lines, 900, False, rng.choice([None, variants.small_charsmap(rng)])) \
            if rng.random() < 0.15 else ([], None)
        tokenizer.normalizer = normalizer(rng, charsmap) if charsmap else None
        while not charsmap:
            try:
                tokenizer.normalizer = normalizer(rng, None)
                break
            except TypeError:  # Precompiled was drawn, but there is no table
                continue
        tokenizer.pre_tokenizer = pre_tokenizer(rng)
        model = rng.choice([bpe, bpe, unigram, word_piece])(rng, tokenizer, lines)
        try:
            made = variants.rebuild(model)
            made.normalizer, made.pre_tokenizer = tokenizer.normalizer, tokenizer.pre_tokenizer
            chosen, processor = decoder(rng), post_processor(rng)
            if chosen is not None:
                made.decoder = chosen
            if processor is not None:
                made.post_processor = processor
            made.add_tokens(added(rng))
            if is_ambiguous(made):
                continue
            document = json.loads(made.to_str())
            shape(rng, document)
            Tokenizer.from_str(json.dumps(document))
            return document
        except Exception:  # the publisher rejects it
            continue
