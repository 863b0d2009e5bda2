"""The stop sets of documents that the published server cannot read: the finding odd-stop-documents."""

from __future__ import annotations

import tempfile
from pathlib import Path
from types import SimpleNamespace

from .rows import Row

ODD = (  # description of the document, its text, the required result
    ("invalid JSON", b'{"eos_token_id": [1, 106]', "refused by name"),
    ("a byte order mark", b'\xef\xbb\xbf{"eos_token_id": 106}', "refused by name"),
    ("bytes that are not UTF-8", b'{"eos_token_id": 106, "model_type": "\xff"}', "refused by name"),
    ("no object", b"[106]", "refused by name"),
    ("a member that is there twice", b'{"eos_token_id": 1, "eos_token_id": 106}', "refused by name"),
    ("a boolean", b'{"eos_token_id": true}', "refused by name"),
    ("a string", b'{"eos_token_id": "106"}', "refused by name"),
    ("a fraction", b'{"eos_token_id": 106.9}', "refused by name"),
    ("a negative id", b'{"eos_token_id": [1, -106]}', "refused by name"),
    ("an id beyond 32 bits", b'{"eos_token_id": 4294967402}', "refused by name"),
    ("a list in a list", b'{"eos_token_id": [[1, 106]]}', "refused by name"),
    ("null in a list", b'{"eos_token_id": [1, null]}', "refused by name"),
    ("an object", b'{"eos_token_id": {"id": 106}}', "refused by name"),
    ("ids of text_config alone", b'{"text_config": {"eos_token_id": [1, 106]}}', "1, 106"),
)


def of_odd(content: bytes) -> str:
    """The published function's result for this content of config.json."""
    from vllm_mlx.utils.tokenizer import collect_eos_token_ids
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "config.json").write_bytes(content)
        try:
            found = sorted(collect_eos_token_ids(SimpleNamespace(), place))
        except Exception as error:  # noqa: BLE001: any exception is the result
            return f"raises {type(error).__name__}"
    return ", ".join(map(str, found)) or "nothing, without a word"


def shown(content: bytes) -> str:
    return content.decode(errors="backslashreplace").replace("\ufeff", "\\ufeff")


def rows(seed: int, n: int) -> list[Row]:
    return [["odd-stop-documents", what, "-", shown(content), of_odd(content), must] for what, content, must in ODD]
