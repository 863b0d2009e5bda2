"""Tokenizers of a few dozen tokens, and chat templates, each odd or plain."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

from ..trained.tokenizer import dump, write

SPECIAL = ("<|pad|>", "<|start|>", "<|end|>")  # ids 0, 1 and 2
STOP = "<|end|>"
ANSWER = "assistant:"  # the token that ends each prompt of a chat

PLAIN = """{%- for message in messages -%}
    {{- '<|start|>' + message.role + ':' + message.content + '<|end|>' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|start|>assistant:' -}}{%- endif -%}
"""
# Strips each message, and refuses what published templates refuse: a system prompt, and roles that do not alternate.
STRIPPING = """{%- for message in messages -%}
    {%- if (message.role == 'user') != (loop.index0 % 2 == 0) -%}
        {{- raise_exception('roles must alternate user/assistant/user/assistant/...') -}}
    {%- endif -%}
    {{- '<|start|>' + message.role + ':' + message.content | trim + '<|end|>' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|start|>assistant:' -}}{%- endif -%}
"""
# Says whether the model thinks, and leaves the reasoning of earlier turns out.
THINKING = """{%- for message in messages -%}
    {{- '<|start|>' + message.role + ':' + message.content.split('</think>')[-1] + '<|end|>' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}
    {{- '<|start|>assistant:' -}}
    {%- if enable_thinking is defined and enable_thinking is false -%}{{- '<think></think>' -}}{%- endif -%}
{%- endif -%}
"""
# As THINKING, but the prompt opens the reasoning.
OPENING = THINKING.replace("{%- if enable_thinking", "{{- '<think>' -}}\n    {%- if enable_thinking").replace("'<think></think>'", "'</think>'")

# Has tools, calls and results, and says whether the model thinks.
CALLING = """{%- if tools -%}
    {{- '<|start|>system:' -}}
    {%- for tool in tools -%}{{- ' ' + tool.function.name -}}{%- endfor -%}
    {{- '<|end|>' -}}
{%- endif -%}
{%- for message in messages -%}
    {{- '<|start|>' + message.role + ':' + (message.content or '').split('</think>')[-1] -}}
    {%- for call in message.tool_calls or [] -%}
        {%- set given = call.function.arguments -%}
        {{- '<tool_call>{"name": "' + call.function.name + '", "arguments": ' -}}
        {{- given if given is string else given | tojson -}}
        {{- '}</tool_call>' -}}
    {%- endfor -%}
    {{- '<|end|>' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}
    {{- '<|start|>assistant:' -}}
    {%- if enable_thinking is defined and enable_thinking is false -%}{{- '<think></think>' -}}{%- endif -%}
{%- endif -%}
"""


@dataclass(frozen=True)
class Words:
    """A tokenizer whose pieces are words. words: after the special tokens and `added`, in the order of their ids. added: tokens
    that are not special. A word that is not among them is spelled in bytes `<0xNN>`, as far as `words` has these."""

    words: tuple[str, ...]
    added: tuple[str, ...] = ()

    def tokens(self) -> tuple[str, ...]:
        return (*SPECIAL, *self.added, *self.words)

    def build(self) -> Tokenizer:
        """Byte fallback, spaces as U+2581 at the beginnings of words, as SentencePiece writes them."""
        ids = {token: i for i, token in enumerate(self.tokens())}
        tokenizer = Tokenizer(models.BPE(ids, [], unk_token="<|pad|>", byte_fallback=True, ignore_merges=True))
        tokenizer.normalizer = normalizers.Replace(" ", "\u2581")
        tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("\u2581?[^\u2581:]*:?"), "isolated")
        tokenizer.decoder = decoders.Sequence([decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse()])
        tokenizer.add_special_tokens([AddedToken(text, normalized=False, special=True) for text in SPECIAL])
        tokenizer.add_tokens([AddedToken(text, normalized=False, special=False) for text in self.added])
        return tokenizer


def write_texts(directory: Path, tokenizer: Tokenizer, template: str | None, most_positions: int) -> None:
    """tokenizer.json, tokenizer_config.json, and chat_template.jinja if there is one."""
    config: dict[str, Any] = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": STOP, "pad_token": "<|pad|>", "bos_token": None,
                              "unk_token": None, "clean_up_tokenization_spaces": False, "model_max_length": most_positions}
    write(directory, dump(json.loads(tokenizer.to_str())), config)
    if template is not None:
        (directory / "chat_template.jinja").write_text(template)
