"""Function calling: which function an answer calls, whatever way the server or the model wrote the call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from supermarket_env.llm.reasoning import find_object
from supermarket_env.llm.schema import problem_with


def function(name: str, description: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return a function as it is offered to a model; ``parameters`` is the schema of its arguments."""
    return {"name": name, "description": description, "parameters": dict(parameters)}


def read_call(text: str, tools: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any] | None, str, str]:
    """Return the call in an answer, or the fault and why.

    Besides a call that the server recognised, a model may write it into its words: with ``name`` and ``arguments`` or
    ``parameters``, or as bare arguments that fit one function.

    Args:
        text: The answer; a recognised call is ``{"call": name, "arguments": {...}}``.
        tools: The functions on offer.

    >>> offered = [function("where", "", {"type": "object", "properties": {"what": {"type": "string"}}})]
    >>> read_call('{"name": "where", "parameters": {"what": "milk"}}', offered)
    ({'call': 'where', 'arguments': {'what': 'milk'}}, '', '')
    >>> read_call("I would not know.", offered)[1]
    'no_call'
    """
    data = find_object(text)
    if data is None:
        return None, "no_call", "no function was called"
    known = {str(tool["name"]): tool["parameters"] for tool in tools}
    name = data.get("call", data.get("name"))
    arguments = data.get("arguments", data.get("parameters", {}))
    if not isinstance(name, str):
        fits = [each for each, form in known.items() if not problem_with(data, form)]
        if not fits:
            return None, "no_call", "no function was called"
        name, arguments = fits[0], data
    if name not in known:
        return None, "wrong_schema", f"there is no function of that name, only {', '.join(known)}"
    if not isinstance(arguments, dict):
        return None, "not_json", f"the arguments of {name} are no whole JSON object"
    problem = problem_with(arguments, known[name], name)
    return (None, "wrong_schema", problem) if problem else ({"call": name, "arguments": arguments}, "", "")
