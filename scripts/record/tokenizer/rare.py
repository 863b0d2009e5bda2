"""Tokenizers with few tokens for features that draws seldom have: an incomplete byte alphabet, unusual byte tokens, regular
expressions, characters that differ between versions of Unicode.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Rare:
    """A tokenizer, texts to encode, and ids to decode besides those of the texts."""
    model: Json
    texts: tuple[str, ...]
    ids: tuple[tuple[int, ...], ...] = ()


def numbered(tokens: list[str]) -> dict[str, int]:
    return {token: i for i, token in enumerate(dict.fromkeys(tokens))}


def tokenizer(model: Json, **parts: Any) -> Json:
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None, "pre_tokenizer": None,
            "post_processor": None, "decoder": None, **parts, "model": model}


def bpe(tokens: list[str], merges: list[list[str]] = [], **options: Any) -> Json:
    return {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
            "fuse_unk": False, "byte_fallback": False, "ignore_merges": False, **options, "vocab": numbered(tokens), "merges": merges}


def pieces(texts: tuple[str, ...]) -> list[str]:
    """All substrings of the texts, so that every way of splitting gives different ids."""
    return sorted({text[i:k] for text in texts for i in range(len(text)) for k in range(i + 1, len(text) + 1)})


def word_level(texts: tuple[str, ...], **parts: Any) -> Json:
    return tokenizer({"type": "WordLevel", "vocab": numbered(["?", *pieces(texts)]), "unk_token": "?"}, **parts)


def split(pattern: str, *texts: str) -> Rare:
    """A tokenizer that splits by an Oniguruma expression."""
    return Rare(word_level(texts, pre_tokenizer={"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}),
                texts)


def added(id: int, content: str, **options: bool) -> Json:
    return {"id": id, "content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False,
            **options}


KIMI_WORD = (r"[^\r\n\p{{L}}\p{{N}}]?[\p{{Lu}}\p{{Lt}}\p{{Lm}}\p{{Lo}}\p{{M}}&&[^\p{{Han}}]]{}[\p{{Ll}}\p{{Lm}}\p{{Lo}}\p{{M}}&&[^\p{{Han}}]]{}"
             r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?")
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
# Texts for alphabets that lack some of their bytes: é is C3 A9, € is E2 82 AC.
FEW_BYTES = ("aé b", "€", "é€é", "a€b", "b", "éé", "日")
PUNCTUATED = ("a,b", "a!!b", ".a", "a. b,")
# Upper-case letters added in Unicode 16 and 17, and their lower case.
CAPITALS = (0x1C89, 0xA7CB, 0xA7CC, 0xA7CE, 0xA7D2, 0xA7D4, 0xA7DA, 0xA7DC, 0x10D50, 0x10D65, 0x16EA0, 0x16EB8)
LOWER = (0x1C8A, 0x264, 0xA7CD, 0xA7CF, 0xA7D3, 0xA7D5, 0xA7DB, 0x19B, 0x10D70, 0x10D85, 0x16EBB, 0x16ED3)
# Marks, and pairs of letter and mark, that versions of Unicode compose or sort differently.
MARKED = ("a\u0301\u0316", "a\U0001e5ee\u0301", "a\U00010d6d\u0316", "\U00011382\U000113c9", "\U00011935\U00011930", "\U00016d63\U00016d67",
          "\U000105d2\u0307", "\u0d4a", "\u0f71\u0f72", "a\u0301\u0898\u0316", "a\U00010d24\u0316")

# Optional members left out, so that the publisher's defaults apply.
UNSTATED: dict[str, Rare] = {
    "unstated-bpe": Rare({"model": {"type": "BPE", "vocab": numbered(["a", "b", "ab", "<0xC3>", "<0xA9>"]), "merges": [["a", "b"]]}},
                         ("abab", "a b", "aéb", "ccab")),
    "unstated-unigram": Rare({"model": {"type": "Unigram", "vocab": [["a", -1.0], ["ab", -1.5], ["b", -1.0], ["<0xC3>", -1.0]]}},
                             ("abab", "ba", "a")),
    "unstated-bytes": Rare(tokenizer(bpe(["a", "b", "1", "Ġ", "b1", "aĠ", "Ã", "©"], [["b", "1"], ["a", "Ġ"]]),
                                     **dict.fromkeys(("pre_tokenizer", "post_processor", "decoder"),
                                                     {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True})),
                           ("ab1 a", "a  b", "b1é1")),
    "unstated-punctuation": Rare(word_level(PUNCTUATED, pre_tokenizer={"type": "Punctuation"}), PUNCTUATED),
    "unstated-length": Rare(word_level(("abcdefgab", "abcde", "abc"), pre_tokenizer={"type": "FixedLength"}), ("abcdefgab", "abcde", "abc")),
    "unstated-accents": Rare(tokenizer(bpe(["?", "a", "é", "e", "E", "É"], unk_token="?"),
                                       normalizer={"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "lowercase": True}),
                             ("Éaé", "E")),
    "unstated-trimming": Rare(tokenizer(bpe(["a", "b", "<s>", "</s>", "Ġ"]), pre_tokenizer=BYTE_LEVEL,
                                        post_processor={"type": "RobertaProcessing", "sep": ["</s>", 3], "cls": ["<s>", 2]}), ("ab", " a ")),
    "unstated-direction": Rare(word_level(("abc",), pre_tokenizer={"type": "FixedLength", "length": 1},
                                          truncation={"max_length": 2, "strategy": "LongestFirst", "stride": 0}), ("abc", "ab", "cabcab")),
}

MODELS: dict[str, Rare] = {
    "fallback-few": Rare(tokenizer(bpe(
        ["<unk>", "a", "b", " ", "<0xC3>", "<0xA9>", "<0xE2>", "<0x82>"], unk_token="<unk>", byte_fallback=True)), FEW_BYTES),
    "fallback-few-fused": Rare(tokenizer(bpe(
        ["<unk>", "a", "b", " ", "<0xC3>", "<0xA9>", "<0xE2>", "<0x82>"], unk_token="<unk>", fuse_unk=True, byte_fallback=True)), FEW_BYTES),
    "fallback-merged": Rare(tokenizer(bpe(
        ["<unk>", "a", "<0xC3>", "<0xA9>", "<0xE2>", "<0x82>", "<0xAC>", "<0xA8>", "<0xC3><0xA9>", "a<0xC3>", "<0x82><0xAC>"],
        [["<0xC3>", "<0xA9>"], ["a", "<0xC3>"], ["<0x82>", "<0xAC>"]], unk_token="<unk>", byte_fallback=True)), (*FEW_BYTES, "aè", "èaèaa")),
    "bytes-few": Rare(tokenizer(bpe(["a", "b", "Ã", "©", "â", "Ġ"]), pre_tokenizer=BYTE_LEVEL, decoder=BYTE_LEVEL), FEW_BYTES),
    "bytes-few-unknown": Rare(tokenizer(bpe(["?", "a", "b", "Ã", "â", "Ġ"], unk_token="?"), pre_tokenizer=BYTE_LEVEL, decoder=BYTE_LEVEL),
                              FEW_BYTES),
    "bytes-few-fused": Rare(tokenizer(bpe(["?", "a", "b", "Ã", "â", "Ġ"], unk_token="?", fuse_unk=True), pre_tokenizer=BYTE_LEVEL),
                            FEW_BYTES),
    "bytes-prefix": Rare(tokenizer(bpe(
        ["a", "b", "##a", "##b", "Ã", "##©", "Ġ", "##Ġ", "ab", "##ab"], [["a", "##b"], ["##a", "##b"]], continuing_subword_prefix="##"),
        pre_tokenizer=BYTE_LEVEL), ("abab", "ba ab", "aé", "éa", "b")),
    "bytes-suffix": Rare(tokenizer(bpe(
        ["a", "b", "a</w>", "b</w>", "Ã", "©", "©</w>", "Ġ", "ab</w>"], [["a", "b</w>"]], end_of_word_suffix="</w>"),
        pre_tokenizer=BYTE_LEVEL), ("abab", "ba ab", "aé", "éa", "b")),
    "byte-names": Rare(tokenizer(
        bpe(["a", "<0xe2>", "<0x82>", "<0xAc>", "<0x+1>", "<0x1+>", "<0xZZ>", "<0x41>", "<0x041>", "<0xC3>", "<0xg1>", "<0x4 >", "<0x4:>", "<0x:4>",
             "<0x@4>", "<0xA`>"]), decoder={"type": "ByteFallback"}), ("a",),
        (*((i,) for i in range(16)), (1, 2, 3), (0, 4, 0), (5, 6, 7), (9, 2, 0), (8, 7, 9), (1, 0, 2))),
    "word-piece-untyped": Rare(tokenizer(
        {"unk_token": "?", "continuing_subword_prefix": "##", "max_input_chars_per_word": 6,
         "vocab": numbered(["?", "a", "b", "ab", "##a", "##b", "##ba"])}, pre_tokenizer={"type": "Whitespace"}), ("ab", "abba ba", "abc", "aaaaaaa b", "aaaaaa")),
    "word-level-untyped": Rare(tokenizer({"vocab": numbered(["?", "a", "b"]), "unk_token": "?"}, pre_tokenizer={"type": "Whitespace"}),
                               ("a b c", "b")),
    "unigram-listed-unknown": Rare(tokenizer(
        {"type": "Unigram", "unk_id": 0, "byte_fallback": False, "vocab": [["?", 0.0], ["a", -1.0], ["xy", -2.0], ["xz", -1.5], ["b", -1.0]]}),
        ("axyb", "axxb", "?a?", "a?", "??", "xyxz", "x")),
    # Two unknown tokens score better than the piece for both characters.
    "unigram-row": Rare(tokenizer({"type": "Unigram", "unk_id": 0, "byte_fallback": False,
                                   "vocab": [["?", 30.0], ["a", 31.0], ["xy", 30.0]]}), ("axyb", "xy", "axya", "yx")),
    "unigram-no-unknown": Rare(tokenizer(
        {"type": "Unigram", "unk_id": None, "byte_fallback": False, "vocab": [["a", -1.0], ["ab", -1.5], ["b", -1.0]]}), ("abab", "ba", "a")),
    "same-id": Rare(tokenizer(bpe(["a", "b", "c", "ab"], [["a", "b"]]),
                              added_tokens=[added(4, "[x]"), added(4, "[y]", special=True), added(5, "[x]", special=True), added(6, "ab"),
                                            added(7, "[z]", lstrip=True), added(7, "[z]", rstrip=True)]),
                    ("a[x]b", "[y]a", "ab[x][y]", "c [z] c", "[x] [z]"), ((4,), (5,), (6,), (3, 4, 5))),
    **UNSTATED,
    **{f"punctuation-{behavior.lower()}": Rare(word_level(PUNCTUATED, pre_tokenizer={"type": "Punctuation", "behavior": behavior}), PUNCTUATED)
       for behavior in ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")},
    "added-empty": Rare(tokenizer(bpe(["a", "b", "ab"], [["a", "b"]]), added_tokens=[added(3, ""), added(4, "[x]")]), ("ab[x]", "a b"), ((3, 4, 0),)),
    "member-unknown": Rare(tokenizer(bpe(["a", "b", "ab"], [["a", "b"]], **{"unknown": None, "m" * 200: {"a": [1]}})), ("ab", "a b")),
    "capitals": Rare(tokenizer(bpe(["?", *map(chr, (*CAPITALS, *LOWER)), "a", "A"], unk_token="?"), normalizer={"type": "Lowercase"}),
                     ("".join(map(chr, CAPITALS)), "".join(map(chr, LOWER)), "aA\u1c89")),
    "connectors": Rare(word_level(("a‿b", "a_b", "‿", "a﹍b ⁀c", "a۱b"), pre_tokenizer={"type": "Whitespace"}), ("a‿b", "a_b", "‿", "a﹍b ⁀c", "a۱b")),
    "controls": Rare(tokenizer(bpe(["?", "a", "\u0890", "\u08e2", "\U000110cd", "\U00013430", "\U0001343f", "\u0600", "\ue000", "\u200d"], unk_token="?"),
                               normalizer={"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": False,
                                           "strip_accents": None, "lowercase": False}),
                     ("a\u0890a", "a\u08e2", "\U000110cda", "\U00013430\U0001343f", "a\u0600a", "a\ue000", "a\u200da")),
    **{f"marks-{form.lower()}": Rare(tokenizer(bpe(
        ["?", *sorted({c for text in MARKED for c in text} | {"\u00e1", "\u0f73", "\U000113c5", "\U00011938", "\U00016d69", "\U000105c9", "\u0d46", "\u0d3e"})],
        unk_token="?"), normalizer={"type": form}), MARKED) for form in ("NFC", "NFD", "NFKC")},
    "ruby-options": split(r"(?m:a.)|(?-i:B)|(?i:c)|(?im-i:d.)", "a\nb", "Bb", "Cc", "D\nd\n", "ab"),
    "ruby-literal-braces": split(r"a{|b{}|c{x}|d{,}|e{1", "a{{", "aab{}", "c{x}cx", "dd{,}", "e{1e"),
    "ruby-intervals": split(r"b{2}+|d{,2}x|a{2}?", "aaa", "bbbbb", "ddddx", "ba"),
    "ruby-lazy-intervals": split(r"c{1,2}?|e{1,3}?f|f{2,}?", "ccc", "eeef", "ffff"),
    "ruby-interval-of-group": split(r"(?:ab){2}+|(c|d){2}?", "ababab", "abab", "cdc", "ccdd"),
    "ruby-ends": split(r"\Aa|b\Z|c\z|\Rd", "aa", "bb\n", "b", "cc", "c\n", "a\r\ndx\nd", "\nd\r\nd"),
    "ruby-backspace": split(r"[\bx]", "a\bb", "xbx", "\b"),
    "ruby-nul": split("a\x00|[b\x00]", "aab", "cbb"),
    "ruby-numbers": split(r"\x41|\x4|\x{1F600}|\u00e9|[\x61-\x63]", "AB", "\x04x", "😀é", "abcd"),
    "ruby-hyphens": split(r"[-a]|[b-]|[+\-.]|[x-z]", "-a-", "b-c", "+-.", "wxyz"),
    "ruby-properties": split(r"\p{Uppercase Letter}|\p{decimal_number}|\p{Other-Symbol}|\p{lowercaseletter}", "aB1", "☃2b", "ǅ①"),
    "ruby-scripts": split(r"\p{Latin}+|\p{Greek}|\p{Han}|\p{L}", "abγ", "漢字b", "ж1"),
    "ruby-posix": split(r"[[:alpha:]]|[[:digit:][:space:]]+|[^[:upper:]]", "a1 2", "B!b", "é٣\n"),
    # Kimi K2's and BLOOM's published expressions
    "ruby-kimi": split("|".join((r"[\p{Han}]+", KIMI_WORD.format("*", "+"), KIMI_WORD.format("+", "*"), r"\p{N}{1,3}",
                                 r" ?[^\s\p{L}\p{N}]+[\r\n]*", r"\s*[\r\n]+", r"\s+(?!\S)", r"\s+")),
                       "aB漢字é's", "九Ab1234 !", "ʰa  \n b"),
    "ruby-bloom": split(" ?[^(\\s|[.,!?…。，、।۔،])]+", "a (b)|c", "x，y. z", "é!\t?"),
    "ruby-sets": split(r"[a[bc]]+|[x[^y-z]&&x-z]|[^\w&&[^ ]]|[0\W]", "abcd", "xyz!", "w 0-"),
    "ruby-posix-all": split(r"[[:punct:]]+|[[:blank:]]|[[:^alnum:]]|[[:word:]]{2}|\p{Punct}|\p{Alnum}", "a$b", "é_^\t", "½x,\n"),
    "ruby-complements": split(r"\P{Lo}+\P{Sc}|\D+?\P{L}", "a-b1", "--x", "ab cd"),
    "ruby-atomic-lazy": split(r"(?>\W+?)\w|(?>b+?)\d", "x .. $12.50", "ab b1 bb1", "(?>)"),
    "ruby-folded-sets": split(r"(?i)[\p{N}\p{M}k]+|\p{Lu}|[^k]|[^\p{L}\D]", "aͅ1", "K\u212aι-", "Éé_1"),
    "ruby-folded-ascii": split(r"(?i)x\p{ASCII}", "xſxsxK", "x\u212ax"),
    "ruby-folded": split(r"(?i)[é]x|K", "Éx", "éXk", "\u212aK"),
}
