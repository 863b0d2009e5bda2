"""llama.cpp's server, from the package xllamacpp; runs until it is stopped.

    python llama_server.py FILE --port N [--cache f32|f16] [--slots N] [--context N] [--threads N]
"""

from __future__ import annotations

import argparse
import signal

import xllamacpp


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--cache", choices=("f32", "f16"), default="f32", help="type of the KV cache")
    parser.add_argument("--plain-attention", action="store_true", help="no flash attention")
    parser.add_argument("--slots", type=int, default=4, help="requests that are evaluated at once")
    parser.add_argument("--context", type=int, default=2048, help="tokens of a request")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--forget", action="store_true", help="keep no prompt of an earlier request")
    options = parser.parse_args()
    params = xllamacpp.CommonParams()
    params.model.path = options.file
    params.hostnames, params.port = ["127.0.0.1"], options.port
    params.model_alias = {"bundle"}
    params.n_ctx, params.n_parallel = options.context * options.slots, options.slots
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = options.threads
    if options.forget:
        params.cache_prompt, params.cache_ram_mib = False, 0
    if options.plain_attention:
        params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
    params.use_jinja, params.endpoint_metrics = True, True
    kind = getattr(xllamacpp.ggml_type, f"GGML_TYPE_{options.cache.upper()}")
    params.cache_type_k = params.cache_type_v = kind
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    signal.sigwait([signal.SIGTERM, signal.SIGINT])


if __name__ == "__main__":
    main()
