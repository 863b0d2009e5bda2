"""Records lib/model/families/tests/vectors/configs.json: configs as published and as several versions of transformers save them, and what the
published classes make of them.

    python -m scripts.record.configs            # a few minutes; --check compares instead of writing
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import transformers

from .. import pinned
from . import published, sources

VERSIONS = ("4.51.3", "4.57.1", "5.2.0", transformers.__version__)
OUT = Path("lib/model/families/tests/vectors/configs.json")

# Parts of Qwen3-Omni that speak: they would be most of the vectors, and Assay reads none of their members.
SPEECH = ("talker_config", "code2wav_config")
DIGITS = 7  # of the published float32

# Members that say how large a model is, which a text_config and the document around it may both have.
SIZES = ("hidden_size", "intermediate_size", "num_hidden_layers", "vocab_size")

# Names that a later version replaced.
RENAMED = {"num_experts": "num_local_experts"}


def run(version: str, module: str, given: Any) -> Any:
    """Runs a module in the environment of a version."""
    python = sys.executable if version == transformers.__version__ else pinned.python(version)
    with tempfile.TemporaryDirectory() as scratch:
        source, out = Path(scratch) / "in.json", Path(scratch) / "out.json"
        source.write_text(json.dumps(given))
        subprocess.run([python, "-m", f"scripts.record.configs.{module}", source, out], check=True)
        found = json.loads(out.read_text())
    if found["version"] != version:
        raise SystemExit(f"{python} has transformers {found['version']}, not {version}")
    return found


def order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def without_speech(document: dict[str, Any]) -> dict[str, Any]:
    return {name: {} if name in SPEECH else value for name, value in document.items()}


def saved_rows() -> list[dict[str, Any]]:
    """A row for each config that a version writes; versions that write the same one share a row if they have the same major number."""
    rows: dict[str, dict[str, Any]] = {}
    documents = sources.all_sources()
    for version in VERSIONS:
        for name, parts in run(version, "saved", documents)["configs"].items():
            for part, document in parts.items():
                if part == "text" and name in sources.WITH_TOWER:
                    continue
                config = without_speech(document)
                members = {member: value for member, value in config.items() if member != "transformers_version"}
                key = json.dumps([name, part, order(version)[0], members], sort_keys=True)
                rows.setdefault(key, row(name, part, [], config))["by"].append(version)
    return list(rows.values())


def row(checkpoint: str, part: str, by: list[str], config: dict[str, Any]) -> dict[str, Any]:
    return {"checkpoint": checkpoint, "part": part, "by": by, "config": config}


def spelled_rows() -> list[dict[str, Any]]:
    """Configs that only classes with rope_parameters read, as of the first of these versions."""
    return [row(name, f"rope_theta {how}", ["5.2.0"], document)
            for name in sources.BOTH for how, document in sources.both_spellings(sources.config(name)).items()]


def published_rows() -> list[dict[str, Any]]:
    return [row(checkpoint, repository, [document["transformers_version"]], without_speech(document))
            for repository, checkpoint, document in published.configs()]


def rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, list):
        return [rounded(inner) for inner in value]
    return {name: rounded(inner) for name, inner in value.items()} if isinstance(value, dict) else value


def resolve(rows: list[dict[str, Any]]) -> None:
    """Adds to each row what the versions from its writer on make of it, and to all what this version makes of the checkpoint's own config."""
    for each in rows:
        each["read"] = {}
    for version in VERSIONS:
        mine = [each for each in rows if order(version) >= order(each["by"][0])]
        given = [{"config": each["config"], "weights": str(sources.FIXTURES / each["checkpoint"] / "model")} for each in mine]
        for each, facts in zip(mine, run(version, "resolved", given)["facts"]):
            each["read"][version] = rounded(facts)


def own_facts(checkpoints: list[str]) -> dict[str, Any]:
    given = [{"config": sources.config(name), "weights": str(sources.FIXTURES / name / "model")} for name in checkpoints]
    return dict(zip(checkpoints, rounded(run(VERSIONS[-1], "resolved", given)["facts"])))


def equal(a: Any, b: Any) -> bool:
    """Whether two versions resolve the same; their powers in float32 differ in the last bits."""
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= 1e-6 * abs(b)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(equal(a[name], b[name]) for name in a)
    return a == b


def is_unknown(facts: dict[str, Any]) -> bool:
    """Whether a version has no class for the config."""
    return any(text in facts.get("error", "") for text in ("does not recognize this architecture", "no class of a model with a head"))


def contradictions(document: dict[str, Any]) -> list[str]:
    """Members that say another thing than others do: those beside rope_parameters, those of a document around a text_config, and an older
    name beside a newer one."""
    text = document.get("text_config", document)
    rope = text.get("rope_parameters") or {}
    found = [name for name in ("rope_theta", "partial_rotary_factor") if name in text and name in rope and text[name] != rope[name]]
    found += [name for name in SIZES if text is not document and name in document and name in text and document[name] != text[name]]
    return found + [old for old, new in RENAMED.items() if old in text and new in text and text[old] != text[new]]


def judge(each: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """The row with what is expected: the facts of the newest version if they are not those of the checkpoint's own config, or why the
    config is refused, and what the message names. A version that cannot load the weights with this config, or evaluate the model, gives
    it no meaning. Where no member contradicts another, an earlier version that reads a config differently ignores members that it
    did not know yet, or reads a value as its authors no longer do."""
    judged = {"id": f"{each['checkpoint']}, {each['part']}, transformers {' and '.join(each['by'])}",
              "checkpoint": each["checkpoint"], "config": each["config"]}
    read = {version: facts for version, facts in each["read"].items() if not is_unknown(facts)}
    if not read and each["checkpoint"].startswith(published.WITHOUT_CLASS) and each["part"] != "text":
        return judged
    if not read:
        return judged | {"refused": "no version has a class that makes logits of it", "names": ["has no head"]}
    *earlier, newest = read.values()
    if "error" in newest:
        raise SystemExit(f"{judged['id']}: {newest['error']}")
    earlier = [facts for facts in earlier if "error" not in facts]
    names = contradictions(each["config"])
    if names and not all(equal(newest, other) for other in earlier):
        return judged | {"refused": f"transformers {' and '.join(read)} read it differently", "names": names}
    if newest["head"] == "missing":
        return judged | {"refused": "its head is not tied, and not stored", "names": ["lm_head.weight"]}
    return judged if equal(newest, own) else judged | {"facts": newest}


def text_of(own: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    """One checkpoint or row a line."""
    facts = [f"{json.dumps(name)}: {json.dumps(own[name], sort_keys=True)}" for name in sorted(own) if "error" not in own[name]]
    lines = [json.dumps(each, sort_keys=True) for each in rows]
    return '{"facts": {\n' + ",\n".join(facts) + '\n}, "rows": [\n' + ",\n".join(lines) + "\n]}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the recorded file instead of writing it")
    options = parser.parse_args()
    rows = published_rows() + saved_rows() + spelled_rows()
    resolve(rows)
    own = own_facts(sorted({each["checkpoint"] for each in rows}))
    text = text_of(own, [judge(each, own[each["checkpoint"]]) for each in rows])
    if not options.check:
        OUT.write_text(text)
    elif OUT.read_text() != text:
        raise SystemExit(f"{OUT}: differs from what the published versions give")


if __name__ == "__main__":
    main()
