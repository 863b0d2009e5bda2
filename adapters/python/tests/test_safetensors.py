"""Headers of safetensors files: what is read, and what is refused by name."""

from __future__ import annotations

import json
import struct
import tempfile
import unittest
from pathlib import Path
from typing import Any

import numpy as np

from assay import checkpoint, safetensors_header
from assay.errors import EngineError, FileUnreadable, FormatError, Unsupported


class Headers(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.path = Path(place.name) / "model.safetensors"

    def write(self, header: object, body: bytes = bytes(16)) -> None:
        text = header if isinstance(header, bytes) else json.dumps(header).encode()
        self.path.write_bytes(struct.pack("<Q", len(text)) + text + body)

    def refused(self, kind: type[EngineError], text: str) -> None:
        for read in (safetensors_header.read, lambda path: dict(checkpoint.tensors(path))):
            with self.assertRaises(kind) as raised:
                read(self.path)
            self.assertEqual(str(raised.exception).partition(": ")[0], str(self.path))
            self.assertIn(text, str(raised.exception))

    def test_tensors_have_their_places_and_values(self) -> None:
        self.write({"__metadata__": {"format": "pt"}, "b": {"dtype": "BF16", "shape": [2], "data_offsets": [8, 12]},
                    "a": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]}, "none": {"dtype": "F16", "shape": [0, 3], "data_offsets": [12, 12]},
                    "one": {"dtype": "F16", "shape": [], "data_offsets": [12, 14]}},
                   np.array([1.5, -2], "<f4").tobytes() + np.array([0x3FC0, 0xC000, 0x3C00, 0], "<u2").tobytes())
        start = self.path.stat().st_size - 16
        found = safetensors_header.read(self.path)
        self.assertEqual(list(found), ["b", "a", "none", "one"])
        self.assertEqual(found["b"], safetensors_header.Entry("BF16", (2,), start + 8, 4))
        values = {name: tensor.float32().tolist() for name, tensor in checkpoint.tensors(self.path)}
        self.assertEqual(values, {"b": [1.5, -2], "a": [[1.5, -2]], "none": [], "one": 1})

    def test_what_breaks_the_format_is_named(self) -> None:
        good: dict[str, Any] = {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}
        for changed, text in (({"dtype": 7}, "a: found type 7, expected one of F64, F32, F16, BF16"),
                              ({"shape": [-4]}, "a: found shape [-4], expected a list of sizes"), ({"shape": [True]}, "a: found shape [True]"),
                              ({"shape": 4}, "a: found shape 4"), ({"shape": [5]}, "a: data_offsets: found bytes 0 to 16 of 16, expected 20 bytes for F32 [5]"),
                              ({"data_offsets": [0]}, "a: found data_offsets [0], expected two offsets"), ({"data_offsets": None}, "a: found data_offsets None"),
                              ({"data_offsets": [1, 17]}, "a: data_offsets: found bytes 1 to 17 of 16"),
                              ({"data_offsets": [16, 0]}, "a: data_offsets: found bytes 16 to 0"), ({"shape": [2**62, 2**62]}, "a: data_offsets: ")):
            with self.subTest(changed):
                self.write({"a": good | changed})
                self.refused(FormatError, text)

    def test_a_file_without_a_header_is_named(self) -> None:
        for header, text in ((b"[]", "header: found list, expected an object"), (b"{,}", "header: "), (b"\xff\xff", "header: "), (b"[" * 200_000, "header: "),
                             ({"a": [0, 4]}, "a: found list, expected an object")):
            with self.subTest(header[:9] if isinstance(header, bytes) else header):
                self.write(header)
                self.refused(FormatError, text)
        for data in (b"", b"\2\0\0\0", struct.pack("<Q", 1) + b"{}", struct.pack("<Q", 3) + b"{}", struct.pack("<Q", 2**63) + b"{}"):
            with self.subTest(data):
                self.path.write_bytes(data)
                self.refused(FormatError, f"in a file of {len(data)}, expected a safetensors file")
        self.path.unlink()
        self.refused(FileUnreadable, "No such file")

    def test_types_that_a_reader_does_not_have_are_unsupported(self) -> None:
        self.write({"a": {"dtype": "F8_E4M3", "shape": [16], "data_offsets": [0, 16]}})
        self.refused(Unsupported, "a: found type F8_E4M3, expected one of F64, F32, F16, BF16")
        self.write({"a": {"dtype": "U32", "shape": [4], "data_offsets": [0, 16]}})
        self.assertEqual(safetensors_header.read(self.path)["a"].size, 16)
        with self.assertRaisesRegex(Unsupported, "a: found type U32, expected one of F64, F32, F16, BF16$"):
            dict(checkpoint.tensors(self.path))


if __name__ == "__main__":
    unittest.main()
