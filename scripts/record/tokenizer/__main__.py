"""Records the results of Hugging Face's tokenizers for texts and ids.

`python -m scripts.record.tokenizer` writes fixtures/tokenizer/<variant>/model/tokenizer.json, trained on text that is
generated from a seed, and <variant>/vectors.json.gz; likewise parts/<number>, which together have every step, and
rare/<name>. `--fresh N` instead draws N tokenizers from any combination of parts, to compare an engine with.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator

import tokenizers
from tokenizers import Tokenizer

from ..support import archives, checksums, textual
from . import (
    draw as tokenizer_draw, parts as tokenizer_parts, rare as tokenizer_rare, texts as tokenizer_texts, variants as
    tokenizer_variants)

Json = dict[str, Any]

N_LINES = 900
PARTS = "parts"  # the directory of the tokenizers of tokenizer_parts
RARE = "rare"  # the directory of the tokenizers of tokenizer_rare


@dataclass(frozen=True)
class Amount:
    """The number of vectors for a tokenizer."""
    texts: int  # drawn texts
    streams: int
    long: int  # bytes of a text without spaces
    all_kinds: bool  # all fixed texts; else as many as there are drawn ones
    rare: bool = False  # also those of tokenizer_texts.RARE


SHAPES = Amount(texts=90, streams=20, long=6144, all_kinds=False)
# No streams: with any decoders in any order a stream may withhold more text than necessary.
OF_PARTS = Amount(texts=30, streams=0, long=256, all_kinds=False, rare=True)


def names(model: Json) -> list[str]:
    """The contents of the tokenizer's added tokens, and strings that resemble them."""
    found = [token["content"] for token in model["added_tokens"]]
    return found + [miss for token in found for miss in tokenizer_texts.near_misses(token) if miss]


def places(token: str) -> Iterator[str]:
    """Texts with the token at several positions of a short text, alone, and repeated."""
    text = "I’m a tést, 42  times\n"
    for place in (*range(0, len(text) + 1, 3), len(text)):
        yield text[:place] + token + text[place:]
    yield token
    yield token + token
    yield f"  {token}  "
    yield f"a{token}\n\n{token}b"


def texts(rng: random.Random, model: Json, amount: Amount) -> list[tuple[str, str]]:
    """(comment, text) of each text to encode."""
    kinds = list(kinds_of_text(model))
    drawn = [("drawn", tokenizer_texts.text(rng, names(model))) for _ in range(amount.texts)]
    long = "".join(tokenizer_texts.word(rng) for _ in range(amount.long // 4))
    chosen = kinds if amount.all_kinds else rng.sample(kinds, min(amount.texts, len(kinds)))
    return [("empty", ""), *chosen, ("without a space", long[:amount.long]), *drawn,
            *(("rare", text) for text in tokenizer_texts.RARE if amount.rare)]


def kinds_of_text(model: Json) -> Iterator[tuple[str, str]]:
    extra = names(model)
    for token in model["added_tokens"][:8]:
        for text in places(token["content"]):
            yield "a token at every place", text
    for miss in extra:
        yield "nearly a token", f"a {miss} b{miss}"
    for text in (*tokenizer_texts.SPACES, *tokenizer_texts.SPECIAL_CASES, *tokenizer_texts.EMOJI,
                 *tokenizer_texts.CONTROLS, *tokenizer_texts.CODE, *tokenizer_texts.CONTRACTIONS):
        yield "one of a kind", text
        yield "one of a kind, within", f"x{text}y {text} z"


def published(tokenizer: Tokenizer, function: str, *arguments: Any) -> Any:
    """The function's result; None if the publisher's code fails."""
    try:
        return getattr(tokenizer, function)(*arguments)
    except BaseException as error:  # its panics are not subclasses of Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        return None


def common(one: str, other: str) -> str:
    return os.path.commonprefix([one, other])


def byte_chars() -> dict[int, str]:
    """Byte -> character of byte-level tokenizers, by GPT-2's rule."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    rest = [byte for byte in range(256) if byte not in plain]
    return {**{byte: chr(byte) for byte in plain}, **{byte: chr(256 + i) for i, byte in enumerate(rest)}}


def continuations(tokenizer: Tokenizer) -> list[list[int]]:
    """Ids that may follow: any one id, and bytes that complete a started character."""
    found = [[id] for id in sorted(tokenizer.get_vocab().values())]
    chars = byte_chars()
    for form in (lambda byte: f"<0x{byte:02X}>", lambda byte: chars[byte]):
        for second in (0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF):
            for more in range(3):
                ids = [tokenizer.token_to_id(form(byte)) for byte in (second, *[0x80] * more)]
                if None not in ids:
                    found.append(ids)
    return found


def certain(tokenizer: Tokenizer, ids: list[int], skip: bool, following: list[list[int]]) -> list[str] | None:
    """The text that becomes final with each id, and the remaining text. Text is final if it is a prefix of what the
    publisher decodes whether nothing or any of `following` comes next. None if final text changes later, because more
    than one id of look-ahead would be needed."""
    pieces, released = [], ""
    for n in range(1, len(ids) + 1):
        text = tokenizer.decode(ids[:n], skip_special_tokens=skip)
        for other in tokenizer.decode_batch([ids[:n] + more for more in following], skip_special_tokens=skip):
            text = common(text, other)
        if not text.startswith(released):
            return None
        pieces.append(text[len(released):])
        released = text
    return [*pieces, tokenizer.decode(ids, skip_special_tokens=skip)[len(released):]]


def encode_vectors(rng: random.Random, tokenizer: Tokenizer, model: Json, amount: Amount) -> list[Json]:
    vectors = []
    seen: dict[str, str] = {}
    for comment, text in texts(rng, model, amount):
        seen.setdefault(text, comment)
    for text, comment in seen.items():
        add = rng.random() < 0.5
        encoding = published(tokenizer, "encode", text, None, False, add)
        if encoding is not None:
            vectors.append({"id": len(vectors) + 1, "comment": comment, "flags": [],
                            "input": {"text": text, "add_special_tokens": add}, "expect": {"ids": encoding.ids}})
    return vectors


def draw_ids(rng: random.Random, encoded: list[list[int]], all_ids: list[int]) -> list[int]:
    ids = list(rng.choice(encoded))[:rng.randint(0, 24)] if rng.random() < 0.6 else []
    for _ in range(rng.randint(0, 8)):
        ids.insert(rng.randint(0, len(ids)), rng.choice(all_ids))
    return ids


def decode_vectors(rng: random.Random, tokenizer: Tokenizer, encoded: list[list[int]], n: int) -> list[Json]:
    all_ids = sorted(tokenizer.get_vocab().values())
    vectors = []
    for number in range(n):
        ids = rng.choice(encoded) if number < n // 3 else draw_ids(rng, encoded, [*all_ids, all_ids[-1] + 9])
        skip = rng.random() < 0.5
        text = published(tokenizer, "decode", ids, skip)
        if text is not None and ids:
            vectors.append({"id": len(vectors) + 1, "comment": "of a text" if number < n // 3 else "drawn", "flags": [],
                            "input": {"ids": ids, "skip_special_tokens": skip}, "expect": {"text": text}})
    return vectors


def stream_vectors(rng: random.Random, tokenizer: Tokenizer, encoded: list[list[int]], n: int) -> list[Json]:
    all_ids, following = sorted(tokenizer.get_vocab().values()), continuations(tokenizer)
    vectors = []
    for _ in range(n):
        ids, skip = draw_ids(rng, encoded, all_ids)[:16], rng.random() < 0.5
        pieces = certain(tokenizer, ids, skip, following) if ids else None
        if pieces is not None:
            vectors.append({"id": len(vectors) + 1, "comment": "drawn", "flags": [],
                            "input": {"ids": ids, "skip_special_tokens": skip}, "expect": {"pieces": pieces}})
    return vectors


def rare_groups(tokenizer: Tokenizer, rare: tokenizer_rare.Rare) -> dict[str, list[Json]]:
    encoded = [(text, published(tokenizer, "encode", text, None, False, False)) for text in rare.texts]
    rows = [list(ids) for ids in rare.ids] + [encoding.ids for _, encoding in encoded if encoding and encoding.ids]
    decoded = [(ids, published(tokenizer, "decode", ids, False)) for ids in rows]
    return {"encode": [{"id": number, "comment": "rare", "flags": [], "input": {"text": text, "add_special_tokens": False},
                        "expect": {"ids": encoding.ids}} for number, (text, encoding) in enumerate(encoded, 1) if encoding],
            "decode": [{"id": number, "comment": "rare", "flags": [], "input": {"ids": ids, "skip_special_tokens": False},
                        "expect": {"text": text}} for number, (ids, text) in enumerate(decoded, 1) if text is not None]}


def drawn_groups(rng: random.Random, tokenizer: Tokenizer, model: Json, amount: Amount) -> dict[str, list[Json]]:
    groups = {"encode": encode_vectors(rng, tokenizer, model, amount)}
    encoded = [vector["expect"]["ids"] for vector in groups["encode"] if vector["expect"]["ids"]] or [[0]]
    groups["decode"] = decode_vectors(rng, tokenizer, [ids[:400] for ids in encoded],
                                      amount.texts * (3 if amount.all_kinds else 1))
    groups["stream"] = stream_vectors(rng, tokenizer, encoded, amount.streams)
    return groups


def document(model: Json, recorder: str, groups: dict[str, list[Json]]) -> Json:
    return {"schema": "assay/1", "kind": "tokenizer", "model": "model",
            "source": f"tokenizers {tokenizers.__version__}", "recorder": recorder,
            "catches": "an id or a text that is not the published tokenizer's",
            "groups": [{"name": name, "vectors": vectors} for name, vectors in groups.items() if vectors]}


def write(out: Path, model: Json, made: Json, compressed: bool) -> None:
    (out / "model").mkdir(parents=True, exist_ok=True)
    (out / "model" / "tokenizer.json").write_text(
        json.dumps(model, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    checksums.write(out / "model")
    textual.write(out / ("vectors.json.gz" if compressed else "vectors.json"), made, ascii_only=False)


def publisher(model: Json) -> Tokenizer:
    tokenizer = Tokenizer.from_str(json.dumps(model))
    tokenizer.encode_special_tokens = False
    return tokenizer


def vectors_of(name: str, seed: int, model: Json) -> Json:
    group, _, rare = name.partition("/")
    if group == RARE:
        groups = rare_groups(publisher(model), tokenizer_rare.MODELS[rare])
    else:
        rng = random.Random(f"{seed} {name} texts")
        groups = drawn_groups(rng, publisher(model), model, OF_PARTS if group == PARTS else SHAPES)
    return document(model, f"scripts/record/tokenizers.py, seed {seed}, {name}", groups)


def made_tokenizers(seed: int, only: list[str] | None) -> Iterator[tuple[str, Json]]:
    """Name and tokenizer.json of the published shapes, the parts and the rare ones."""
    for name in only or [*tokenizer_variants.VARIANTS, PARTS, RARE]:
        if name == RARE:
            yield from ((f"{RARE}/{rare}", made.model) for rare, made in tokenizer_rare.MODELS.items())
        elif name == PARTS:
            yield from ((f"{PARTS}/{number}", model) for number, model in tokenizer_parts.tokenizers(seed))
        else:
            rng = random.Random(f"{seed} {name}")
            yield name, tokenizer_variants.VARIANTS[name](rng, tokenizer_texts.corpus(rng, N_LINES))


def recorded_names(out: Path, only: list[str] | None) -> list[str]:
    return [str(path.parent.relative_to(out)) for path in sorted(out.glob("**/vectors.json.gz"))
            if (path.parent / "model" / "tokenizer.json").is_file() and (not only or path.relative_to(out).parts[0] in only)]


def record(out: Path, seed: int, only: list[str] | None = None) -> None:
    for name, model in made_tokenizers(seed, only):
        made = vectors_of(name, seed, model)
        write(out / name, model, made, True)
        counts = ", ".join(f"{len(group['vectors'])} {group['name']}" for group in made["groups"])
        print(f"tokenizer/{name}: {counts}", flush=True)


def check(out: Path, seed: int, only: list[str] | None = None) -> int:
    """Recomputes the vectors of the recorded tokenizers, without training: not all trainers are reproducible."""
    differing = []
    for name in recorded_names(out, only):
        model = json.loads((out / name / "model" / "tokenizer.json").read_text(encoding="utf-8"))
        recorded = gzip.decompress((out / name / "vectors.json.gz").read_bytes()).decode()
        if recorded != textual.text(vectors_of(name, seed, model), ascii_only=False):
            differing.append(f"{name}/vectors.json.gz: differs")
    print("\n".join(differing) or "recorded again, nothing differs")
    return 1 if differing else 0


def record_fresh(out: Path, seed: int, n: int, n_texts: int) -> None:
    """Records tokenizers of any parts, and the published shapes in turn, one directory for each."""
    published_shapes = list(tokenizer_variants.VARIANTS.items())
    for number in range(n):
        rng = random.Random(f"fresh {seed} {number}")
        lines = tokenizer_texts.corpus(rng, 300)
        name, make = published_shapes[number // 4 % len(published_shapes)]
        shaped = number % 4 == 0
        model = make(rng, lines) if shaped else tokenizer_draw.draw(rng, lines)
        # tokenizers keeps what truncation cuts off, and pairs each part with each where a template has the text twice: 19 GB for 12 KiB.
        long = 512 if model.get("truncation") else 12288
        amount = Amount(texts=n_texts, streams=4 if shaped else 0, long=long, all_kinds=True)
        made = document(model, f"scripts/record/tokenizers.py --fresh, seed {seed}, {number}",
                        drawn_groups(rng, publisher(model), model, amount))
        write(out / f"{number:05d}", model, made, False)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.record.tokenizer",
                                     description="Records what tokenizers make of texts and ids.")
    parser.add_argument("--seed", type=int, default=0, help="of everything (default: 0)")
    parser.add_argument("--variant", action="append", choices=[*tokenizer_variants.VARIANTS, PARTS, RARE],
                        help="only that one; may be given again")
    parser.add_argument("--out", type=Path, default=Path("fixtures/tokenizer"),
                        help="directory that receives the variants (default: fixtures/tokenizer)")
    parser.add_argument("--fresh", type=int, metavar="N", help="draw N tokenizers, not the variants")
    parser.add_argument("--texts", type=int, metavar="N", default=150, help="drawn texts of each fresh one")
    parser.add_argument("--check", action="store_true",
                        help="write nothing: ask the tokenizers of --out again, and compare")
    options = parser.parse_args(arguments)
    if options.check:
        return check(options.out, options.seed, options.variant)
    if options.fresh is not None:
        record_fresh(options.out, options.seed, options.fresh, options.texts)
    else:
        record(options.out, options.seed, options.variant)
        archives.store(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
