"""Tables of names: which tensor of a dump is which member of an observation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from observatory.dumps.sources import BadDump

BUNDLED = Path(__file__).parent / "names"
MEMBERS = ("prefill", "decode", "tokens")
SHOWN = 8  # names of a dump, in messages
NUMBER = re.compile(r"\{(\w+)(\+\d+)?(?::0(\d)d)?\}")


@dataclass(frozen=True)
class Line:
    """One line of a table. optional: it is left out if the case or the dump does not have it."""

    member: str
    pattern: str
    optional: bool


def bundled() -> list[str]:
    return sorted(file.name for file in BUNDLED.iterdir())


def find(name: str) -> Path:
    """The table of this path, or the bundled one of this name."""
    if Path(name).is_file():
        return Path(name)
    if name in bundled():
        return BUNDLED / name
    raise BadDump(f"--names {name}: found no such file, expected a table of names, or one of {', '.join(bundled())}")


def read(path: Path) -> Iterator[Line]:
    for number, text in enumerate(path.read_text().splitlines(), 1):
        words = text.split("#")[0].split()
        if not words:
            continue
        if len(words) != 2:
            raise BadDump(f"{path}:{number}: found {len(words)} words, expected a member and the name of a tensor")
        member = words[0].removesuffix("?")
        if member not in MEMBERS and not member.startswith("trace/"):
            raise BadDump(f"{path}:{number}: found member {member!r}, expected {', '.join(MEMBERS)} or trace/NAME")
        yield Line(member, words[1], words[0].endswith("?"))


def filled(pattern: str, numbers: dict[str, int]) -> str:
    """The pattern with its numbers: {layer}, {step+1}, {step:05d}."""
    def value(match: re.Match[str]) -> str:
        name, more, digits = match.groups()
        if name not in numbers:
            raise BadDump(f"{pattern!r}: {name!r} cannot be filled in here")
        return f"{numbers[name] + int(more or 0):0{digits or 1}d}"
    return NUMBER.sub(value, pattern)


def lookup(wanted: str, known: Iterable[str]) -> str:
    """The one tensor of this name. A `*` in it is any text without `/` and `.`: a process id, a running number, the name of a class."""
    known = sorted(known)
    form = re.compile("[^/.]*".join(re.escape(part) for part in wanted.split("*")))
    found = [name for name in known if name == wanted] or [name for name in known if form.fullmatch(name)]
    if not found:
        raise Missing(f"found no tensor {wanted!r}, expected one of {shown(known)}")
    if len(found) > 1:
        raise BadDump(f"found {len(found)} tensors {wanted!r}, expected one: {shown(found)}")
    return found[0]


class Missing(BadDump):
    """Something that an optional line may lack."""


def shown(names: list[str]) -> str:
    return f"{', '.join(names[:SHOWN])}{', ...' if len(names) > SHOWN else ''}"
