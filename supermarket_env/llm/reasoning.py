"""What a model thinks to itself is not for the other side: hidden reasoning is cut out of every answer."""

from __future__ import annotations

import json
import re
from typing import Any, Final

_NAMES: Final = r"think|thinking|thought|reasoning|reflection|scratchpad|analysis"
_BLOCK: Final = re.compile(rf"<\s*({_NAMES})\b[^>]*>.*?<\s*/\s*\1\s*>", re.IGNORECASE | re.DOTALL)
_OPEN: Final = re.compile(rf"<\s*(?:{_NAMES})\b[^>]*>.*\Z", re.IGNORECASE | re.DOTALL)
_CLOSE: Final = re.compile(rf"\A.*<\s*/\s*(?:{_NAMES})\s*>", re.IGNORECASE | re.DOTALL)
_CHANNEL: Final = re.compile(r"\A.*<\|channel\|>final<\|message\|>", re.DOTALL)
_HARMONY: Final = re.compile(r"<\|channel\|>(?:analysis|commentary).*?(?=<\|channel\|>final|\Z)", re.DOTALL)
_TOKEN: Final = re.compile(r"<\|[a-zA-Z_]{1,40}\|>")
_FENCE: Final = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL | re.IGNORECASE)


def without_reasoning(text: str) -> str:
    """Return an answer without its hidden reasoning; what an unclosed block holds is hidden as well.

    >>> without_reasoning("<think>she wants milk</think> Hello!"), without_reasoning("Hi <think>secret")
    ('Hello!', 'Hi')
    """
    text = _CHANNEL.sub("", text)
    text = _HARMONY.sub("", text)
    before = None
    while before != text:  # blocks in blocks
        before, text = text, _BLOCK.sub("", text)
    text = _CLOSE.sub("", text)
    return _TOKEN.sub("", _OPEN.sub("", text)).strip()


def writable(text: str) -> str:
    """Return a text without what no log can hold: lone surrogates and control characters but tab and line end."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    return "".join(c for c in text if c in "\n\t" or (c >= " " and not "\x7f" <= c <= "\x9f"))


def writable_json(value: Any) -> Any:
    """Return JSON data with every text in it made writable: what was escaped is not seen by :func:`writable` before."""
    if isinstance(value, str):
        return writable(value)
    if isinstance(value, list):
        return [writable_json(part) for part in value]
    if isinstance(value, dict):
        return {writable(name): writable_json(part) for name, part in value.items()}
    return value


def find_object(text: str) -> Any:
    """Return the first JSON object in a text (alone, fenced, or among words); None when there is none.

    Its texts are such as a log can hold.

    >>> find_object('Sure: {"act": "greet"}!')
    {'act': 'greet'}
    """
    fenced = _FENCE.search(text)
    decoder = json.JSONDecoder()
    for source in ([fenced.group(1)] if fenced else []) + [text]:
        start = source.find("{")
        tried = 0
        while start >= 0 and tried < 20:
            try:
                found = writable_json(decoder.raw_decode(source, start)[0])
            except (ValueError, RecursionError):
                start, tried = source.find("{", start + 1), tried + 1
                continue
            if isinstance(found, dict):
                return found
            start, tried = source.find("{", start + 1), tried + 1
    return None
