"""Frames and tensors: what is written is read again, and what is malformed ends in a ProtocolError."""

from __future__ import annotations

import io
import json
import random
import struct
import unittest

import numpy as np

from assay import frames
from assay.calls import Calls
from assay.errors import EngineError, ProtocolError
from assay.serve import Server
from assay.tensors import NAMES, BFloat16, Body, Reader

from . import toy

N_MUTATIONS = 4000


def raw(header: bytes, body: bytes = b"", magic: bytes = b"ASAY", n_header: int | None = None, n_body: int | None = None) -> bytes:
    sizes = struct.pack("<IQ", len(header) if n_header is None else n_header, len(body) if n_body is None else n_body)
    return magic + sizes + header + body


def written(header: dict, body: Body | None = None) -> bytes:
    stream = io.BytesIO()
    frames.write(stream, header, body)
    return stream.getvalue()


def example() -> bytes:
    """A step with an image."""
    body = Body()
    tensors = [{"name": "pixel_values", **body.add(np.arange(6, dtype=np.float32).reshape(2, 3))},
               {"name": "image_grid_thw", **body.add(np.array([[1, 1, 2]], np.int64))}]
    step = {"sample": 0, "tokens": [1, 2, 3], "positions": [[0, 1, 2]],
            "items": [{"kind": "image", "offset": 0, "n_tokens": 0, "tensors": tensors}], "outputs": [{"name": "logits", "n_last": 2}]}
    return written({"call": "step", "id": 3, "session": 1, "padded_width": 0, "steps": [step]}, body)


class Frames(unittest.TestCase):
    def refuse(self, data: bytes, text: str) -> None:
        with self.assertRaisesRegex(ProtocolError, text):
            frames.read(io.BytesIO(data))

    def test_every_type_is_read_as_it_was_written(self) -> None:
        body, arrays = Body(), [np.ones((2, 3), dtype) for dtype in NAMES]
        given = [body.add(array) for array in arrays]
        frame = frames.read(io.BytesIO(written({"all": given}, body)))
        reader = Reader(frame.body)
        for array, one in zip(arrays, frame.header["all"]):
            found = reader.take(one, "tensor")
            self.assertEqual((found.dtype, found.shape, found.tobytes()), (array.dtype, array.shape, array.tobytes()))
        reader.finish("frame")

    def test_bfloat16_is_read_as_the_same_values_in_float32(self) -> None:
        body = Body()
        given = body.add(BFloat16(np.array([0x3F80, 0xC000, 0x7F7F], np.uint16)))
        found = Reader(b"".join(body.parts)).take(given, "tensor")
        self.assertEqual((given["dtype"], found.dtype), ("BF16", np.float32))
        self.assertEqual(found.tolist(), [1.0, -2.0, float(np.float32(2.0**128 - 2.0**120))])

    def test_an_empty_stream_has_no_frame(self) -> None:
        self.assertIsNone(frames.read(io.BytesIO(b"")))

    def test_what_is_no_frame_is_refused(self) -> None:
        for data, text in ((raw(b"{}", magic=b"ASAX"), "expected a frame"), (b"ASAY\0", "ends after 5 of 16"),
                           (raw(b"{}", n_header=3), "ends after 2 of 3"), (raw(b"{}", n_body=1 << 33), "ends after 0 of"),
                           (raw(b"{}", n_header=1 << 31), "at most"), (raw(b"{}", n_body=1 << 60), "at most")):
            self.refuse(data, text)

    def test_a_header_that_is_not_one_json_object_is_refused(self) -> None:
        for header in (b"", b"[]", b"1", b"{} {}", b"{", b'{"a":1,"a":2}', b'{"a":NaN}', b'{"a":-Infinity}', b"\xff",
                       b'{"a":' + b"[" * 100000, b'{"a":' + b"9" * 10000 + b"}"):
            with self.subTest(header[:20]):
                self.refuse(raw(header), "header")

    def test_a_description_that_does_not_fit_its_data_is_refused(self) -> None:
        good = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
        for change, text in (({"dtype": "F8"}, "dtype"), ({"dtype": []}, "dtype"), ({"shape": [-1]}, "shape: "), ({"shape": [2.0]}, "shape: "),
                             ({"shape": [True]}, "shape: "), ({"shape": [3]}, "12 bytes"), ({"shape": [1] * 9}, "shape: "),
                             ({"shape": [2**40, 2**40]}, "bytes"), ({"data_offsets": [8, 0]}, "bytes"),
                             ({"data_offsets": [2, 10]}, "multiple"), ({"data_offsets": [8, 16]}, "the body has"),
                             ({"data_offsets": [0]}, "offsets"), ({"data_offsets": None}, "offsets")):
            with self.subTest(change), self.assertRaisesRegex(ProtocolError, text):
                Reader(bytes(12)).take({**good, **change}, "tensor")
        with self.assertRaisesRegex(ProtocolError, "its tensors end at 8"):
            reader = Reader(bytes(16))
            reader.take(good, "tensor")
            reader.finish("frame")

    def test_mutated_frames_end_in_an_error_or_a_frame(self) -> None:
        good, outcomes = example(), {"frame": 0, "refused": 0}
        for seed in range(N_MUTATIONS):
            data = mutate(good, random.Random(seed))
            try:
                frame = frames.read(io.BytesIO(data), body_most=1 << 20)
                outcomes["frame" if frame else "refused"] += 1
            except ProtocolError as error:
                self.assertTrue(str(error))
                outcomes["refused"] += 1
        self.assertGreater(min(outcomes.values()), N_MUTATIONS // 50, outcomes)

    def test_mutated_requests_end_in_an_error_or_an_answer(self) -> None:
        good, outcomes = frames.read(io.BytesIO(example())), {"answer": 0, "refused": 0}
        for seed in range(N_MUTATIONS):
            rng = random.Random(seed)
            header = json.loads(json.dumps(good.header))
            for _ in range(rng.randint(1, 2)):
                mutate_value(header, rng)
            calls = Calls(toy.Toy(), lambda *_: None)
            calls.call("model_open", {"model": 1, "dir": ""}, Reader(b""), Body())
            calls.call("session_open", {"session": 1, "model": 1, "n_samples": 2}, Reader(b""), Body())
            try:
                calls.call("step", header, Reader(good.body), Body())
                outcomes["answer"] += 1
            except (EngineError, ProtocolError) as error:
                self.assertTrue(str(error))
                outcomes["refused"] += 1
                self.assertEqual(calls.sessions[1].samples, {0: 0, 1: 0})
        self.assertGreater(min(outcomes.values()), N_MUTATIONS // 50, outcomes)

    def test_mutated_streams_end_in_answers_or_an_error(self) -> None:
        opened = [{"call": "hello", "id": 1, "protocol": 1}, {"call": "model_open", "id": 2, "model": 1, "dir": ""},
                  {"call": "session_open", "id": 3, "session": 1, "model": 1, "n_samples": 2},
                  {"call": "tap", "id": 4, "session": 1, "names": []}]
        start, rest = b"".join(map(written, opened)), (example() + written({"id": 3, "go_on": True})) * 2
        outcomes = {"ended": 0, "refused": 0}
        for seed in range(N_MUTATIONS):
            answers = io.BytesIO()
            server = Server(toy.Toy(), io.BytesIO(start + mutate(rest, random.Random(seed))), answers)
            try:
                server.run()
                outcomes["ended"] += 1
            except ProtocolError as error:
                self.assertTrue(str(error))
                outcomes["refused"] += 1
            answers.seek(0)
            while (frame := frames.read(answers)) is not None:  # whole frames, and nothing else
                self.assertNotEqual(frame.header.get("error", {}).get("status"), "internal", frame.header)
        self.assertGreater(min(outcomes.values()), N_MUTATIONS // 100, outcomes)


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Bytes that are changed, removed, repeated or inserted, or an end that is cut off."""
    found = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        begin = rng.randrange(len(found) + 1) if rng.random() < 0.7 else rng.randrange(min(20, len(found) + 1))
        end = min(len(found), begin + rng.randint(0, 8))
        found[begin:end] = rng.choice((rng.randbytes(end - begin), b"", found[begin:end] * 2, b'"', b"\0\0", bytes(found[:begin])))
        if rng.random() < 0.1:
            del found[rng.randrange(len(found) + 1):]
    return bytes(found)


def mutate_value(value: object, rng: random.Random) -> None:
    """Changes one value or member somewhere below."""
    odd = [None, True, -1, 0, 1.5, 2**31, 2**70, "", "logits", [], [[]], {}, [None], {"dtype": "F32"}, [0, 2**62]]
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))  # type: ignore[call-overload, arg-type]
        if not keys:
            return
        key = rng.choice(keys)
        below = value[key]  # type: ignore[index]
        if isinstance(below, (dict, list)) and below and rng.random() < 0.8:
            value = below
            continue
        if rng.random() < 0.2:
            del value[key]  # type: ignore[attr-defined]
        elif isinstance(value, dict) and rng.random() < 0.1:
            value["unknown"] = rng.choice(odd)
        else:
            value[key] = rng.choice(odd)  # type: ignore[index]
        return


if __name__ == "__main__":
    unittest.main()
