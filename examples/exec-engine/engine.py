#!/usr/bin/env python3
"""An engine as a program, `assay run --engine 'exec:python3 engine.py'`: docs/protocol.md, with no package of Assay.

SPDX-License-Identifier: Apache-2.0"""
import json
import struct
import sys

import llama
import numpy as np

MODELS, SESSIONS = {}, {}  # by number: (config, weights), and (model, limits, {sample: its tokens})


class Refused(Exception):
    """status, text: answered as an error."""


def step(r):
    (model, limits, samples), after, outputs = SESSIONS[r["session"]], {}, []
    vocab = len(MODELS[model][1]["lm_head.weight"])
    for s in r["steps"]:
        new = s["tokens"]
        if s["sample"] not in samples or s["sample"] in after or not new or not all(0 <= t < vocab for t in new):
            raise Refused("invalid", f"sample {s['sample']}: no such sample, two steps, no tokens, or a token of {new} outside the vocabulary")
        if s["items"] or s["positions"] or any(o["name"] != "logits" for o in s["outputs"]):
            raise Refused("unsupported", "items, positions and outputs other than logits are not supported")
        if not all(1 <= o["n_last"] <= len(new) for o in s["outputs"]):
            raise Refused("invalid", f"n_last of {s['outputs']} is out of range")
        after[s["sample"]] = samples[s["sample"]] + new
        outputs += [llama.logits(*MODELS[model], after[s["sample"]], *limits)[-o["n_last"]:] for o in s["outputs"]]
    samples.update(after)  # last, so that a step that fails changes nothing
    return outputs


def answer(r):
    """(header, tensors) for a request."""
    if r["call"] == "hello":
        MODELS.clear(), SESSIONS.clear()
        return {"protocol": 1, "name": "exec-engine", "version": "1", "logits": "F32", "can": []}, []
    if r["call"] == "model_open":
        if r.get("compute") not in (None, "F32"):
            raise Refused("unsupported", f"compute {r['compute']} is not supported")
        MODELS[r["model"]] = llama.model_open(r["dir"])
        return {"vocab": len(MODELS[r["model"]][1]["lm_head.weight"])}, []
    if r["call"] == "session_open":
        SESSIONS[r["session"]] = r["model"], (r["limit"], r["sink_tokens"]), {sample: [] for sample in range(r["n_samples"])}
    elif r["call"] == "step":
        outputs, ends = step(r), [0]
        for o in outputs:
            ends.append(ends[-1] + o.nbytes)
        return {"outputs": [{"dtype": "F32", "shape": o.shape, "data_offsets": e} for o, e in zip(outputs, zip(ends, ends[1:]))]}, outputs
    elif r["call"] in ("model_free", "session_free"):
        (MODELS if r["call"] == "model_free" else SESSIONS).pop(r[r["call"][:-5]])
    else:
        raise Refused("unsupported", f"{r['call']} is not supported")
    return {}, []


while start := sys.stdin.buffer.read(16):
    n_header, n_body = struct.unpack("<4xIQ", start)
    request, _ = json.loads(sys.stdin.buffer.read(n_header)), sys.stdin.buffer.read(n_body)
    try:
        header, tensors = answer(request)
    except Exception as error:
        status, text = error.args if isinstance(error, Refused) else ("internal", f"{type(error).__name__}: {error}")
        if isinstance(error, NotImplementedError):
            status, text = "unsupported", str(error)
        header, tensors = {"error": {"status": status, "text": text}}, []
    data = json.dumps({"id": request["id"], **header}).encode()
    body = b"".join(np.ascontiguousarray(t, "<f4").tobytes() for t in tensors)
    sys.stdout.buffer.write(b"ASAY" + struct.pack("<IQ", len(data), len(body)) + data + body)
    sys.stdout.buffer.flush()
