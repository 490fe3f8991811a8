"""One attempt of one call over HTTP: bounded in time and size, every failure classed."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from supermarket_env.errors import MissingExtraError
from supermarket_env.llm.faults import AttemptFailed
from supermarket_env.llm.reasoning import writable

if TYPE_CHECKING:
    import httpx

_CODE: Final = re.compile(r"[a-z0-9_.-]{1,40}", re.IGNORECASE)
_TOO_LONG: Final = re.compile(
    r"context[ _-]?(?:length|size|window)|maximum context|(?:prompt|input|request)[^.]{0,40}too (?:long|large)|"
    r"too many (?:input )?tokens|exceed_context_size|maximum (?:input |prompt )?length|"
    r"exceeds? the (?:maximum|available|model)",
    re.IGNORECASE,
)
_ABOUT_FORM: Final = re.compile(r"response_format|json.?schema|grammar", re.IGNORECASE)
_NOT_KNOWN: Final = re.compile(
    r"unsupported|not (?:yet )?support|not implemented|does not support|requires --jinja|unavailable", re.IGNORECASE
)
_ABOUT_TOOLS: Final = re.compile(r"tool|function", re.IGNORECASE)
_RETRY_STATUS: Final = {408: "timeout", 409: "server_error", 425: "server_error", 429: "rate_limited"}


class Reply(NamedTuple):
    """What an endpoint answered."""

    text: str
    finish: str
    tokens_in: int | None
    tokens_out: int | None


def new_client(*, loopback: bool) -> httpx.AsyncClient:
    """Return an HTTP client that follows no redirects (a key must not travel); proxies are not for this machine.

    Raises:
        MissingExtraError: If httpx is not installed.
    """
    try:
        import httpx
    except ImportError:
        raise MissingExtraError("language models need the extra llm: pip install 'supermarket_env[llm]'") from None
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=64)
    return httpx.AsyncClient(timeout=None, limits=limits, trust_env=not loopback, follow_redirects=False)


async def post(
    client: httpx.AsyncClient, url: str, body: Mapping[str, Any], key: str, *, timeout_s: float, max_bytes: int
) -> Reply:
    """Send one request and read the answer.

    Raises:
        AttemptFailed: with the class of the failure. No word of the request or of the server's text is in it, for
            either may hold what others must not see.
    """
    headers = {"authorization": f"Bearer {key}"} if key else {}
    try:
        async with asyncio.timeout(timeout_s):
            async with client.stream("POST", url, json=body, headers=headers) as response:
                data = bytearray()
                async for chunk in response.aiter_bytes():
                    data += chunk
                    if len(data) > max_bytes:
                        raise AttemptFailed("too_large", status=response.status_code)
                status, retry_after = response.status_code, response.headers.get("retry-after")
    except TimeoutError:
        raise AttemptFailed("timeout") from None
    except AttemptFailed:
        raise
    except Exception:  # whatever the stack below comes up with: nobody in the store can have caused it
        raise AttemptFailed("connection") from None
    raw = bytes(data)
    if key:
        raw = raw.replace(key.encode(), b"[key]")
    if status != 200:
        raise refusal(status, raw, retry_after)
    return read_reply(raw)


def refusal(status: int, raw: bytes, retry_after: str | None) -> AttemptFailed:
    """Return the failure an HTTP status stands for; of the server's text only short code words are kept."""
    wait = None
    if retry_after is not None:
        try:
            wait = max(0.0, float(retry_after))
        except ValueError:  # a date: our own pause will do
            wait = None
    if status in _RETRY_STATUS:
        return AttemptFailed(_RETRY_STATUS[status], status=status, retry_after=wait)
    text = raw[:4000].decode("utf-8", "replace")
    about_form, about_tools = bool(_ABOUT_FORM.search(text)), bool(_ABOUT_TOOLS.search(text))
    if status >= 500 and not ((about_form or about_tools) and _NOT_KNOWN.search(text)):
        return AttemptFailed("server_error", status=status, retry_after=wait)
    # Some servers say 500 where they mean that they do not know a field: asking again would not help.
    if status in (400, 413, 422) and not about_form and _TOO_LONG.search(text):
        return AttemptFailed("context_overflow", status=status)
    code, param = _words_of(text)
    return AttemptFailed("refused", status=status, code=code, param=param, about_tools=about_tools)


def _words_of(text: str) -> tuple[str, str]:
    """Return the code words of an error and the field it names; of its sentences nothing is kept."""
    try:
        error = json.loads(text).get("error", {})
        found = [str(error.get(name) or "") for name in ("type", "code", "param")]
    except (ValueError, AttributeError, RecursionError):
        return "", ""
    kind, code, param = (word if _CODE.fullmatch(word) else "" for word in found)
    return " ".join(word for word in (kind, code) if word), param


def read_reply(raw: bytes) -> Reply:
    """Read the body of an answer; a call of a function becomes its JSON: ``{"call": name, "arguments": {...}}``.

    Raises:
        AttemptFailed: ``bad_body``, if it is not what the protocol says.
    """
    try:
        data = json.loads(raw.decode("utf-8"))
    except RecursionError:  # only what a model wrote can be so deep: nothing that can be read was said
        return Reply("", "stop", None, None)
    except ValueError:
        raise AttemptFailed("bad_body", status=200) from None
    try:
        choice = data["choices"][0]
        message = choice["message"]
        content = message.get("content")
        usage = data.get("usage")
        counted = usage if isinstance(usage, dict) else {}
        if isinstance(content, list):  # parts, as some servers write them
            content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
        if content is not None and not isinstance(content, str):
            raise TypeError("content is no text")
        calls = message.get("tool_calls") or []
        return Reply(
            writable(_call_of(calls[0]) if calls else content or ""),
            str(choice.get("finish_reason") or "stop")[:20],
            _count(counted.get("prompt_tokens")),
            _count(counted.get("completion_tokens")),
        )
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        raise AttemptFailed("bad_body", status=200) from None


def _call_of(call: Mapping[str, Any]) -> str:
    """Return a call of a function as JSON; arguments that are no JSON object stay the text they are."""
    function = call["function"]
    arguments = function.get("arguments") or {}
    if isinstance(arguments, str):
        try:
            read = json.loads(arguments)
        except (ValueError, RecursionError):  # too deep is no usable object either
            read = None
        arguments = read if isinstance(read, dict) else arguments
    name = str(function["name"])
    try:
        return json.dumps({"call": name, "arguments": arguments}, ensure_ascii=True)
    except RecursionError:
        return json.dumps({"call": name, "arguments": ""})


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < 10**9 else None
