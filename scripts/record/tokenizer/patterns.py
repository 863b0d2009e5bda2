"""Compares the patterns of tokenizer.json files with Hugging Face's tokenizers, on drawn patterns.

    python -m scripts.record.tokenizer.patterns build/ref/ref32.so --seed 1 --count 2000

Each pattern replaces what it matches in texts that have every kind of character. The last lines count patterns that agree, and those that
the module refuses, by reason; a pattern that differs is printed, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import collections
import json
import random
import re
import sys
import tempfile
from pathlib import Path

from tokenizers import Tokenizer

from ..support.serving_module import UNSUPPORTED, Module, Refused

PROPERTIES = ("L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "N", "Nd", "Nl", "No", "P", "Pd", "S", "Sc", "Z", "Zs", "Cc", "Han", "Latin", "Greek",
              "Punct", "Alnum", "Alpha", "Upper", "Lower", "Space", "Blank", "Cntrl", "XDigit", "ASCII", "Print", "Graph", "Word")
POSIX = ("alpha", "digit", "space", "upper", "lower", "xdigit", "alnum", "punct", "graph", "print", "blank", "cntrl", "word", "ascii")
ESCAPES = (r"\s", r"\S", r"\w", r"\W", r"\d", r"\D", r"\h", r"\H", r"\n", r"\t", r"\x{4e00}")
RANGES = ("a-f", "A-Z", "0-9", "一-龥", "à-ÿ", "а-я", "!-/")
SINGLE = tuple("abkKsSeéÀß九.,'_-| ")
# Characters of Unicode 14, which all libraries here know.
TEXTS = ("I'll PAY $12.50 + £3 — “naïve” Straße ſtop K Å ǅ ʰ ª\n\t\r\x0b\x07", "Ünïcödé ÀÉ àé Ωω ᾳ ͅ ι Δδ ς́ ̈ еЁ дЖ", "九州の漢字 カナ ｶﾅ 한국어 ไทย हिन्दी १२ ٣٤ Ⅷⅷ Ⓐⓐ ½²³¹",
         "a\u00a0b\u2003c\u2028d\u200be\u202ef\ue000 😀👍🏽 🇩🇪 (x_y) <z> {q} [w] ^~`|", "abcdef ABCDEF KKkk sS ss SS fi FL st")


def one_of(r: random.Random, items: tuple[str, ...]) -> str:
    return items[r.randrange(len(items))]


def item(r: random.Random, depth: int) -> str:
    kind = r.randrange(8)
    if kind == 0 and depth > 0:
        return charset(r, depth - 1)
    if kind <= 2:
        return rf"\{one_of(r, ('p', 'P'))}{{{one_of(r, ('', '', '^'))}{one_of(r, PROPERTIES)}}}"
    if kind == 3:
        return f"[:{one_of(r, ('', '', '^'))}{one_of(r, POSIX)}:]"
    if kind == 4:
        return one_of(r, ESCAPES)
    if kind == 5:
        return one_of(r, RANGES)
    return re.escape(one_of(r, SINGLE)).replace("\\_", "_").replace("\\'", "'")


def charset(r: random.Random, depth: int = 2) -> str:
    terms = ["".join(item(r, depth) for _ in range(r.randint(1, 3))) for _ in range(1 + (r.random() < 0.3) + (r.random() < 0.1))]
    return f"[{one_of(r, ('', '', '^'))}{'&&'.join(terms)}]"


def atom(r: random.Random, depth: int) -> str:
    kind = r.randrange(7)
    if kind == 0 and depth > 0:
        return f"({one_of(r, ('', '?:', '?i:', '?-i:', '?=', '?!', '?>'))}{pattern(r, depth - 1)})"
    if kind <= 3:
        return charset(r)
    if kind == 4:
        return rf"\{one_of(r, ('p', 'P'))}{{{one_of(r, PROPERTIES)}}}"
    return one_of(r, ESCAPES) if kind == 5 else re.escape(one_of(r, SINGLE)).replace("\\_", "_").replace("\\'", "'")


def pattern(r: random.Random, depth: int = 2) -> str:
    branches = ["".join(atom(r, depth) + one_of(r, ("", "", "+", "*", "?", "{1,3}", "{2}", "+?", "++", "*+", "?+")) for _ in range(r.randint(1, 3)))
                for _ in range(1 + (r.random() < 0.3))]
    return "|".join(branches)


def whole(r: random.Random) -> str:
    return one_of(r, ("", "", "", "(?i)")) + pattern(r)


def document(regex: str) -> dict:
    """A tokenizer whose ids are the bytes of the text after the replacements."""
    vocab = {f"<0x{byte:02X}>": byte for byte in range(256)} | {"<unk>": 256}
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "pre_tokenizer": None, "post_processor": None, "decoder": None,
            "normalizer": {"type": "Replace", "pattern": {"Regex": regex}, "content": "⟦⟧"},
            "model": {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None, "end_of_word_suffix": None,
                      "fuse_unk": False, "byte_fallback": True, "ignore_merges": False, "vocab": vocab, "merges": []}}


def published(text: str) -> list[list[int]] | None:
    """The ids of each text; None: tokenizers refuses the pattern, or gives up on a text."""
    try:
        made = Tokenizer.from_str(text)
        return [made.encode(words, add_special_tokens=False).ids for words in TEXTS]
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001: the library raises a bare Exception, and panics beyond Oniguruma's limit of retries
        return None


def ours(module: Module, directory: Path) -> list[list[int]] | str:
    """The ids of each text; a text: the reason why the module refuses the pattern, or gives up on a text."""
    try:
        with module.open_tokenizer(directory) as tokenizer:
            return [tokenizer.encode(words, False) for words in TEXTS]
    except Refused as refused:
        found = re.sub(r".*\bfound (.*?),? expected .*|\S+tokenizer.json: (.*?)( at byte .*)", r"\1\2", str(refused))[:100]
        return found if refused.status == UNSUPPORTED else f"not as unsupported: {found}"


def outcome(module: Module, regex: str, directory: Path) -> str:
    text = json.dumps(document(regex))
    expect = published(text)
    if expect is None:
        return "refused by tokenizers"
    (directory / "tokenizer.json").write_text(text)
    found = ours(module, directory)
    if isinstance(found, str):
        return f"refused: {found}"
    return "agree" if found == expect else f"differ in the text {next(i for i, ids in enumerate(found) if ids != expect[i])}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.record.tokenizer.patterns", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module", metavar="MODULE.so", help="a module that exports assay_serving_v2")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    options = parser.parse_args()
    r, module, counts = random.Random(options.seed), Module(options.module), collections.Counter()
    with tempfile.TemporaryDirectory() as scratch:
        for _ in range(options.count):
            regex = whole(r)
            made = outcome(module, regex, Path(scratch))
            bad = made.startswith(("differ", "refused: not as"))
            counts["differ" if bad else made] += 1
            if bad:
                print(f"{made}: {regex!r}", flush=True)
    for name, n in counts.most_common():
        print(f"{n:6} {name}")
    print(f"{counts['differ']} of {options.count} patterns differ")
    return 1 if counts["differ"] else 0


if __name__ == "__main__":
    sys.exit(main())
