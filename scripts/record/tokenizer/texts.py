"""Generates text in many scripts from a seed, for training and testing tokenizers."""

from __future__ import annotations

import random
import unicodedata

LATIN = "etaoinshrdlucmfwypvbgkjqxz"
RANGES = {
    "cyrillic": (0x430, 0x44F), "greek": (0x3B1, 0x3C9), "arabic": (0x627, 0x64A),
    "hebrew": (0x5D0, 0x5EA), "devanagari": (0x905, 0x939), "thai": (0xE01, 0xE3A),
    "han": (0x4E00, 0x4FFF), "hiragana": (0x3041, 0x3096), "katakana": (0x30A1, 0x30FA),
    "hangul": (0xAC00, 0xAFFF), "jamo": (0x1100, 0x11FF), "fullwidth": (0xFF01, 0xFF5E),
    "georgian": (0x10D0, 0x10FA), "armenian": (0x561, 0x586), "tamil": (0xB85, 0xBB9),
    "ethiopic": (0x1200, 0x137C), "math": (0x1D400, 0x1D7FF), "halfwidth": (0xFF61, 0xFFDC),
    "compat": (0x3200, 0x33FF), "ligatures": (0xFB00, 0xFB06), "presentation": (0xFE70, 0xFEFC),
    "letterlike": (0x2100, 0x214F), "enclosed": (0x2460, 0x24FF), "extended": (0x1E00, 0x1EFF),
}
MARKS = "\u0301\u0300\u0308\u0327\u0323\u0334\u0345\u0316\u064b\u0651\u093c\u094d\u0e31\u0e49\u3099\u20d0\ufe0f"
SPACES = [" ", "  ", "   ", "\n", "\r\n", "\t", "\n\n", " \n", "\u00a0", "\u2003", "\u3000", "\u200b",
          "\u2028", "\x0b", "\x0c", "\x85", "\u1680", "\u180e", "\u202f", "\ufeff", "      "]
EMOJI = ["😀", "👍🏽", "👩‍👩‍👧‍👦", "🇩🇪", "🇫🇷🇯🇵", "❤️", "🏳️‍🌈", "1️⃣", "🤷🏿‍♀️", "🦾", "🫠", "🇺"]
CONTROLS = ["\x00", "\x01", "\x07", "\x1b", "\x7f", "\x80", "\x9f", "\u200d", "\u200e", "\u202e", "\u00ad",
            "\ufffd", "\ufffe", "\ue000", "\U000f0000", "\U0010ffff", "\u0600"]
CODE = ["def f(x):\n    return x**2\n", "if (a && b) { c->d = 0x1F; }", "x_1 = [i for i in range(10)]",
        "<div class=\"a\">&nbsp;</div>", "SELECT * FROM t WHERE a='b';", "// TODO: don't\n\t\t", "a::b<c>()[0]",
        "#include <stdio.h>\r\n", "$HOME/.bashrc", "\\n\\t", "foo_bar.baz(qux=1.5e-3)"]
CONTRACTIONS = ["I'm", "don't", "we'll", "THEY'RE", "it'S", "you've", "he'd", "'s", "'ſ", "o'clock", "l’été",
                "do not", "n't", "I'LL"]
PUNCTUATION = list("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~") + ["…", "—", "«", "»", "。", "、", "？", "¿", "¡", "„",
                                                                "‘", "’", "“", "”", "٪", "·", "€", "£", "±", "×"]
DIGITS = ["0", "7", "42", "1234", "3.14159", "1,000,000", "٣٤", "२०", "½", "²", "Ⅷ", "①", "１２３", "𝟗", "0x7f"]
SPECIAL_CASES = ["İstanbul", "ﬁﬂ", "ẞß", "Å", "Å", "ΑΣΣ", "①②", "㍿", "ﷺ", "가각", "각", "が", "ば",
                 "क्षि", "กำ", "ﾊﾞ", "ǆ", "é", "é", "q\u0323\u0307", "q\u0307\u0323", "\u0958", "\u2126", "ΐ",
                 "▁", "▁▁", "▁a", "<0x41>", "<0xE2>", "Ġ", "Ċ", "##a", "ǅ", "ﬀ", "₂", "™", "\u1e9b\u0323"]
# A long run of combining characters; control characters; characters that decoders strip.
RARE = ["a" + "\u0323\u0307\u0345" * 40 + "b", "\a bell \x1b[0m", "aa  e▁▁a  "]
ASSIGNED = [c for c in range(1, 0x110000)
            if unicodedata.category(chr(c)) not in ("Cs", "Cn", "Co")]


def word(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.5:
        made = "".join(rng.choices(LATIN, weights=range(len(LATIN), 0, -1), k=rng.randint(1, 9)))
        style = rng.random()
        return made.upper() if style < 0.1 else made.capitalize() if style < 0.3 else made
    if kind < 0.85:
        low, high = RANGES[rng.choice(sorted(RANGES))]
        made = "".join(chr(rng.randint(low, high)) for _ in range(rng.randint(1, 5)))
        return made + (rng.choice(MARKS) if rng.random() < 0.3 else "")
    return "".join(c + (rng.choice(MARKS) if rng.random() < 0.5 else "")
                   for c in rng.choices(LATIN, k=rng.randint(1, 4)))


def piece(rng: random.Random, extra: list[str]) -> str:
    kinds = [lambda: word(rng), lambda: word(rng), lambda: rng.choice(SPACES), lambda: rng.choice(PUNCTUATION),
             lambda: rng.choice(DIGITS), lambda: rng.choice(EMOJI), lambda: rng.choice(CONTRACTIONS),
             lambda: rng.choice(SPECIAL_CASES), lambda: rng.choice(CODE), lambda: rng.choice(CONTROLS),
             lambda: chr(rng.choice(ASSIGNED)), lambda: rng.choice(extra)]
    weights = [30, 10, 14, 10, 6, 4, 4, 5, 2, 2, 2, 8 if extra else 0]
    return rng.choices(kinds, weights)[0]()


def text(rng: random.Random, extra: list[str], most: int = 24) -> str:
    """A text of up to `most` pieces, mostly with spaces between them; `extra`: strings to include, such as tokens."""
    spaced = rng.random() < 0.7
    made = ""
    for _ in range(rng.randint(0, most)):
        made += piece(rng, extra)
        if spaced and rng.random() < 0.7:
            made += " "
    return made


def corpus(rng: random.Random, n_lines: int) -> list[str]:
    words = [word(rng) for _ in range(n_lines * 2)]
    weights = [1 / (i + 1) for i in range(len(words))]
    lines = []
    for _ in range(n_lines):
        line = " ".join(rng.choices(words, weights, k=rng.randint(3, 20)))
        lines.append(line + rng.choice([".", "!", " ", "\n", "?", ""]))
        if rng.random() < 0.3:
            lines.append(text(rng, []).replace("\x00", ""))  # tokens become JSON member names, which must not contain NUL
    return lines


def near_misses(token: str) -> list[str]:
    """Strings that resemble a special token."""
    return [token[:-1], token[1:], token[:-1] + " " + token[-1], token.upper(), token.lower(),
            token[:-1] + token[-2:], token[:1] + token, token + token, token.replace("|", "｜"),
            token[: len(token) // 2] + "\u200b" + token[len(token) // 2:]]
