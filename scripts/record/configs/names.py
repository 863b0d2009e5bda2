"""Records lib/model/families/tests/vectors/names.json: the names that versions of transformers give the tensors of bundled checkpoints when they save
them, where those are others than the checkpoint's own.

    python -m scripts.record.configs.names      # --check compares instead of writing
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from . import __main__ as configs, sources, stored

OUT = Path("lib/model/families/tests/vectors/names.json")

Pairs = list[list[str | None]]  # [beginning of a checkpoint's own names, that of the written ones, or None: not written]


def shared_end(a: str, b: str) -> int:
    """The number of last parts that two names have in common."""
    x, y = a.split(".")[::-1], b.split(".")[::-1]
    return next((i for i, (p, q) in enumerate(zip(x, y)) if p != q), min(len(x), len(y)))


def beginning(name: str, n_end: int) -> str:
    """The name without its last n_end parts, up to and with the dot."""
    parts = name.split(".")
    return "".join(f"{part}." for part in parts[:len(parts) - n_end])


def counterpart(own: str, digest: str, written: dict[str, str]) -> str | None:
    """The written name of the tensor with this content whose end is most like its own."""
    same = [name for name in written if written[name] == digest]
    return max(same, key=lambda name: (shared_end(own, name), name == own), default=None)


def renamed(own: str, pairs: Pairs) -> str | None:
    """The written name, by the first pair that fits."""
    for before, after in pairs:
        if own.startswith(before):
            return None if after is None else after + own[len(before):]
    return own


def pairs_of(own: dict[str, str], written: dict[str, str]) -> Pairs | None:
    """What distinguishes the names; None: the contents differ (a version divides stacks of experts, or stores other types)."""
    found: dict[str, str | None] = {}
    for name, digest in own.items():
        other = counterpart(name, digest, written)
        if other is None:
            found[name] = None
        elif other != name:
            n_end = shared_end(name, other)
            found[beginning(name, n_end)] = beginning(other, n_end)
    pairs = [[before, found[before]] for before in sorted(found, key=len, reverse=True)]
    expected = {name: counterpart(name, digest, written) for name, digest in own.items()}
    is_same = set(written) <= set(expected.values()) and all(renamed(name, pairs) == other for name, other in expected.items())
    return pairs if is_same else None


def left_out(own: dict[str, str], pairs: Pairs) -> Pairs:
    """The pairs, those of tensors that are not written by the longest beginnings that no written one has."""
    gone = {before for before, after in pairs if after is None}
    short: set[str] = set()
    for name in gone:
        parts = name.split(".")
        starts = ["".join(f"{part}." for part in parts[:n]) for n in range(1, len(parts))] + [name]
        short.add(next(start for start in starts if all(other in gone for other in own if other.startswith(start))))
    kept = [pair for pair in pairs if pair[1] is not None]
    return sorted(kept + [[start, None] for start in short], key=lambda pair: (-len(pair[0]), pair[0]))


def row(checkpoint: str, part: str, saved: dict[str, Any], own: dict[str, str]) -> dict[str, Any] | None:
    """None: the version writes the checkpoint's own names, or other contents of the whole."""
    pairs = pairs_of(own, saved["tensors"])
    if not pairs or (part == "whole" and any(after is None for _, after in pairs)):
        return None
    return {"checkpoint": checkpoint, "part": part, "renamed": left_out(own, pairs), "config": configs.without_speech(saved["config"])}


def rows() -> list[dict[str, Any]]:
    places = {name: sources.FIXTURES / name / "model" for name in sources.all_sources()}
    places = {name: place for name, place in places.items() if (place / "model.safetensors").exists()}
    own = {name: stored.tensors(place) for name, place in places.items()}
    found: dict[str, dict[str, Any]] = {}
    for version in configs.VERSIONS:
        given = {name: str(place) for name, place in places.items()}
        for name, parts in configs.run(version, "stored", given)["stored"].items():
            for part, saved in parts.items():
                each = row(name, part, saved, own[name])
                if each is not None:
                    key = json.dumps([name, part, each["renamed"]])
                    found.setdefault(key, {"id": "", "by": []} | each)["by"].append(version)
    for each in found.values():
        each["id"] = f"{each['checkpoint']}, {each['part']}, transformers {' and '.join(each.pop('by'))}"
    return list(found.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the recorded file instead of writing it")
    options = parser.parse_args()
    text = "[\n" + ",\n".join(json.dumps(each, sort_keys=True) for each in rows()) + "\n]\n"
    if not options.check:
        OUT.write_text(text)
    elif OUT.read_text() != text:
        raise SystemExit(f"{OUT}: differs from what the published versions write")


if __name__ == "__main__":
    main()
