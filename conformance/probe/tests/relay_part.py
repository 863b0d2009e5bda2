"""A relay that passes on part of a server: python -m conformance.probe.tests.relay_part URL FILE ENDPOINT…

Prompts of token ids are refused, and so is what is sent to other endpoints of answers. Writes the relay's URL to FILE.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import sys
from pathlib import Path

from conformance.probe.tests.relay import PATHS, Handler, Relay


class Part(Handler):
    def do_POST(self) -> None:
        if PATHS.get(self.round({})[0]) in sys.argv[3:]:
            super().do_POST()
        else:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.answer(404, "application/json", b'{"error":{"message":"no such endpoint"}}')

    def forward(self, method: str, path: str, body: bytes) -> tuple[int, str, bytes]:
        if isinstance((self.read(body) or {}).get("prompt"), list):
            return 400, "application/json", b'{"error":{"message":"expected a text"}}'
        return super().forward(method, path, body)


relay = Relay(sys.argv[1], [[]])
relay.RequestHandlerClass = Part
Path(sys.argv[2]).write_text(relay.url(0))
relay.serve_forever()
