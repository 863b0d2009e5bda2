"""Renders a chat template with jinja2 as transformers sets it up."""

from __future__ import annotations

import datetime
import re
from functools import lru_cache
from typing import Any

import jinja2
from transformers.utils import chat_template_utils

NOW = 1753600000  # 27 July 2025


class FixedTime(datetime.datetime):
    """The time that strftime_now prints."""

    @classmethod
    def now(cls, tz: Any = None) -> datetime.datetime:
        return datetime.datetime.fromtimestamp(NOW, datetime.timezone.utc).replace(tzinfo=None)


chat_template_utils.datetime = FixedTime


@lru_cache(64)
def compiled(template: str) -> Any:
    return chat_template_utils._cached_compile_jinja_template(template)


def expected(template: str, variables: dict[str, Any]) -> dict[str, Any] | None:
    """What the published function renders; None: no golden, since a text shows a Python object."""
    try:
        text = compiled(template).render(**variables)
        text.encode()
    except jinja2.exceptions.TemplateError as error:
        raised = type(error) is jinja2.exceptions.TemplateError
        return {"error": re.split(r"[\x00-\x1f\x7f-\x9f]", str(error.message))[0] if raised else None}
    except UnicodeEncodeError:  # half of a surrogate pair, which is no text of a JSON document
        return None
    except Exception:  # noqa: BLE001: whatever Python raises within a template is an error of the template
        return {"error": None}
    return None if re.search(r" at 0x[0-9a-f]+|bound method Markup", text) else {"text": text}
