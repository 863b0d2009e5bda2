"""Writes lib/template/values/unicode_table.c: what Python knows about characters and utf8proc does not.

`python -m scripts.record.template.characters`. Python's str decides, and with it the version of Unicode of this Python, which the table names.
"""

from __future__ import annotations

import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Callable, Iterator

OUT = Path("lib/template/values/unicode_table.c")
HEAD = """/* Properties of characters that utf8proc does not have, and which characters Unicode {version} has. Written by
 * scripts/record/template/characters.py from Python {python}.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "template/values/unicode_table.h"

const char tpl_unicode_version[] = "{version}";
"""


def characters() -> Iterator[str]:
    return (chr(c) for c in range(0x110000) if not 0xd800 <= c < 0xe000)


def ranges(has: Callable[[str], bool]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for c in characters():
        if not has(c):
            continue
        if found and found[-1][1] == ord(c) - 1:
            found[-1] = (found[-1][0], ord(c))
        else:
            found.append((ord(c), ord(c)))
    return found


def is_ignored(c: str) -> bool:
    """Case_Ignorable: the final sigma looks past it."""
    return ("A" + c + "\u03a3").lower()[-1] == "\u03c2" and (c + "\u03a3").lower()[-1] == "\u03c3"


def category(c: str) -> str:
    return unicodedata.category(c)


SETS: dict[str, Callable[[str], bool]] = {
    "ASSIGNED": lambda c: category(c) != "Cn",
    "LOWERCASE": lambda c: c.islower() and category(c) != "Ll",
    "UPPERCASE": lambda c: c.isupper() and category(c) != "Lu",
    "DIGIT": lambda c: c.isdigit() and not c.isdecimal(),
    "NUMERIC": lambda c: c.isnumeric() and category(c)[0] != "N",
    "ZERO": lambda c: unicodedata.decimal(c, -1) == 0,
    "IGNORED": lambda c: is_ignored(c) != (category(c) in ("Mn", "Me", "Cf", "Lm", "Sk")),
    "NAME_BEGIN": lambda c: c.isidentifier() != (category(c) in ("Lu", "Ll", "Lt", "Lm", "Lo", "Nl") or c == "_"),
    "NAME_WITHIN": lambda c: ("a" + c).isidentifier() != (category(c) in ("Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Nd", "Mn", "Mc", "Pc")),
}


def quoted(text: str) -> str:
    return '"' + "".join(f"\\{byte:03o}" if byte >= 0x80 else chr(byte) for byte in text.encode()) + '"'


def table() -> str:
    parts = [HEAD.format(version=unicodedata.unidata_version, python=".".join(map(str, sys.version_info[:2])))]
    for name, has in SETS.items():
        found = ", ".join(f"{{{a:#x}, {b:#x}}}" for a, b in ranges(has))
        parts.append(f"static const tpl_range {name.lower()}[] = {{{found}}};\n")
    entries = ", ".join(f"{{{name.lower()}, sizeof {name.lower()} / sizeof *{name.lower()}}}" for name in SETS)
    parts.append(f"const tpl_ranges tpl_unicode_sets[TPL_UNICODE_SETS] = {{{entries}}};\n")
    special = [c for c in characters() if len(c.upper()) > 1 or len(c.title()) > 1]
    parts.append("const tpl_special tpl_unicode_special[] = {" +
                 ", ".join(f"{{{ord(c):#x}, {quoted(c.upper())}, {quoted(c.title())}}}" for c in special) + "};\n")
    parts.append("const size_t tpl_unicode_n_special = sizeof tpl_unicode_special / sizeof *tpl_unicode_special;\n")
    return "\n".join(parts)


if __name__ == "__main__":
    OUT.write_text(table())
    subprocess.run(["clang-format", "-i", str(OUT)], check=True)
