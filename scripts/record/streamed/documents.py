"""The documents of a checkpoint that the recorder and Assay's loader both read: config.json, generation_config.json and the index of the
weights, by the rules and in the words of lib/model/checkpoint (config.h, token_ids.h, weights.h)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from . import json_scan
from .json_scan import Broken, clip

BYTES_MOST, VALUES_MOST = 16 << 20, 1 << 17
INDEX_BYTES_MOST, INDEX_VALUES_MOST = 64 << 20, 1 << 22
ID_MOST, IDS_MOST = 2 ** 31 - 1, 65536
LISTS = ("eos_token_id", "forced_eos_token_id", "decoder_start_token_id")
SINGLE, INDEX, SUFFIX = "model.safetensors", "model.safetensors.index.json", ".safetensors"
OTHER_FORMATS = ("pytorch_model.bin", "pytorch_model.bin.index.json", "tf_model.h5", "flax_model.msgpack")
NAME_SHOWN, VALUE_SHOWN, PART_SHOWN = 120, 80, 64


class _Float(float):
    """A number as its document writes it."""

    written = ""


def _written_float(text: str) -> _Float:
    value = _Float(text)
    value.written = text
    return value


def type_name(value: Any) -> str:
    """As json-c names it."""
    names = {type(None): "null", bool: "boolean", _Float: "double", int: "int", dict: "object", list: "array", str: "string"}
    return names[type(value)]


def plain(value: Any) -> str:
    """As json-c prints it: as short as possible."""
    if isinstance(value, list):
        return "[" + ",".join(map(plain, value)) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{plain(name)}:{plain(part)}" for name, part in value.items()) + "}"
    return value.written if isinstance(value, _Float) else json.dumps(value, ensure_ascii=False)


def read(path: Path, most_bytes: int, most_values: int) -> Any:
    text = json_scan.read_file(path, most_bytes)
    json_scan.check(str(path), text, most_values)
    return json.loads(text, parse_float=_written_float)


def read_document(path: Path) -> dict[str, Any]:
    """A config.json or generation_config.json."""
    document = read(path, BYTES_MOST, VALUES_MOST)
    if not isinstance(document, dict):
        raise Broken(f"{path}: expected an object, found {type_name(document)}")
    check_token_ids(path, "", document)
    return document


def check_token_ids(path: Path, prefix: str, part: dict[str, Any]) -> None:
    for name, value in part.items():
        place = prefix + clip(name.encode(), PART_SHOWN)
        if name.endswith("_token_id") and value is not None:
            check_member(path, place, name, value)
        if isinstance(value, dict):
            check_token_ids(path, f"{place}.", value)


def check_member(path: Path, place: str, name: str, value: Any) -> None:
    if name in LISTS and isinstance(value, list) and len(value) > IDS_MOST:
        raise Broken(f"{path}: {place}: found a list of {len(value)} ids, expected at most {IDS_MOST}")
    least, expected = (0, "a token id, a list of them or null") if name in LISTS else (-1, "a token id, -1 or null")
    for one in value if name in LISTS and isinstance(value, list) else [value]:
        shown = clip(plain(one).encode(), VALUE_SHOWN)
        if type(one) is int and one > ID_MOST:
            raise Broken(f"{path}: {place}: found {shown}, larger than {ID_MOST}, the largest token id")
        if type(one) is not int or one < least:
            raise Broken(f"{path}: {place}: found {shown}, expected {expected}")


def stop_ids(checkpoint: Path) -> list[int]:
    """The ids that end a stream, of config.json and generation_config.json, both of which are checked."""
    found: set[int] = set()
    for name in ("config.json", "generation_config.json"):
        if name == "config.json" or (checkpoint / name).exists():
            document = read_document(checkpoint / name)
            text = document.get("text_config")
            for part in (document, text if isinstance(text, dict) else {}):
                ids = part.get("eos_token_id")
                found |= set(ids if isinstance(ids, list) else [] if ids is None else [ids])
    return sorted(found)


def exists(path: Path) -> bool:
    """A dangling link exists: opening it gives the reason."""
    return path.is_symlink() or path.exists()


def read_index(directory: Path) -> dict[str, str]:
    """The file of each tensor, or an empty dict: all are in model.safetensors."""
    if exists(directory / SINGLE):
        return {}
    path = directory / INDEX
    if not exists(path):
        for other in OTHER_FORMATS:
            if exists(directory / other):
                raise Broken(f"{directory}: found {other}, expected the safetensors format: {SINGLE} or {INDEX}")
        raise Broken(f"{directory}: no weights found, expected {SINGLE} or {INDEX}")
    index = read(path, INDEX_BYTES_MOST, INDEX_VALUES_MOST)
    if not isinstance(index, dict):
        raise Broken(f"{path}: found {type_name(index)}, expected an object")
    if "weight_map" not in index:
        raise Broken(f"{path}: weight_map is missing, expected an object")
    places = index["weight_map"]
    if not isinstance(places, dict):
        raise Broken(f"{path}: weight_map is of type {type_name(places)}, expected an object")
    if not places:
        raise Broken(f"{path}: weight_map is empty, expected tensors")
    for tensor, shard in places.items():
        check_shard(directory, path, tensor, shard)
    return places


def check_shard(directory: Path, index: Path, tensor: str, shard: Any) -> None:
    place = f"{index}: weight_map['{clip(tensor.encode(), NAME_SHOWN)}'] is"
    if not isinstance(shard, str):
        raise Broken(f"{place} of type {type_name(shard)}, expected a file name")
    shown = clip(shard.partition("\0")[0].encode(), NAME_SHOWN)
    if not shard.endswith(SUFFIX) or "/" in shard or "\0" in shard:
        raise Broken(f"{place} '{shown}', expected the name of a {SUFFIX} file in {directory}")


def compare_index(directory: Path, places: dict[str, str], held: dict[str, str]) -> None:
    """held: the file of each tensor. Both must name the same tensors and files."""
    def shown(name: str) -> str:
        return clip(name.encode(), NAME_SHOWN)

    for name in sorted(places.keys() | held.keys(), key=str.encode):
        if name not in places:
            raise Broken(f"{directory / held[name]}: tensor '{shown(name)}': found, expected only what {INDEX} lists")
        if name not in held:
            raise Broken(f"{directory / places[name]}: tensor '{shown(name)}': missing, expected because {INDEX} places it here")
        if held[name] != places[name]:
            raise Broken(f"{directory / held[name]}: tensor '{shown(name)}': found, expected in '{shown(places[name])}', where {INDEX} places it")
