"""The part of JSON Schema that answers are asked for in, and a check against it without a dependency."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def problem_with(value: Any, schema: Mapping[str, Any], place: str = "answer") -> str:
    """Return why a value does not fit a schema, in a few words; empty when it fits.

    Understood: type, enum, properties, required, additionalProperties, items, minItems, maxItems, minimum, maximum,
    maxLength, anyOf.

    >>> problem_with({"n": 7}, {"type": "object", "properties": {"n": {"type": "integer", "maximum": 5}}})
    'answer.n: at most 5'
    """
    if "anyOf" in schema:
        problems = [problem_with(value, option, place) for option in schema["anyOf"]]
        return "" if "" in problems else problems[0]
    if "enum" in schema:
        allowed = [(type(v), v) for v in schema["enum"]]
        return "" if (type(value), value) in allowed else f"{place}: not one of the allowed values"
    kind = schema.get("type")
    if kind is not None:
        wrong_bool = isinstance(value, bool) and kind in ("integer", "number")
        if wrong_bool or not isinstance(value, _TYPES[kind]):
            return f"{place}: expected {kind}"
    if isinstance(value, dict):
        return _object_problem(value, schema, place)
    if isinstance(value, list):
        return _array_problem(value, schema, place)
    if isinstance(value, str) and len(value) > schema.get("maxLength", len(value)):
        return f"{place}: at most {schema['maxLength']} characters"
    if isinstance(value, int | float) and not isinstance(value, bool):
        if value < schema.get("minimum", value):
            return f"{place}: at least {schema['minimum']}"
        if value > schema.get("maximum", value):
            return f"{place}: at most {schema['maximum']}"
    return ""


def _object_problem(value: Mapping[str, Any], schema: Mapping[str, Any], place: str) -> str:
    known = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            return f"{place}: {name} is missing"
    for name, part in value.items():
        if name not in known:
            if schema.get("additionalProperties", True) is False:
                return f"{place}: unexpected field"
            continue
        problem = problem_with(part, known[name], f"{place}.{name}")
        if problem:
            return problem
    return ""


def _array_problem(value: list[Any], schema: Mapping[str, Any], place: str) -> str:
    if len(value) > schema.get("maxItems", len(value)):
        return f"{place}: at most {schema['maxItems']} entries"
    if len(value) < schema.get("minItems", 0):
        return f"{place}: at least {schema['minItems']} entries"
    for number, part in enumerate(value):
        problem = problem_with(part, schema.get("items", {}), f"{place}[{number}]")
        if problem:
            return problem
    return ""


def record(properties: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the schema of an object with exactly these fields, all required: what strict servers accept."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


_BOUNDS: Final[Mapping[str, str]] = {
    "maxLength": "at most {} characters",
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minItems": "at least {} entries",
    "maxItems": "at most {} entries",
}


def without_bounds(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema for servers that know no bounds of size: they become words of the description.

    >>> without_bounds({"type": "string", "maxLength": 9})
    {'type': 'string', 'description': 'at most 9 characters'}
    """
    made: dict[str, Any] = {}
    words = []
    for name, value in schema.items():
        if name in _BOUNDS:
            words.append(_BOUNDS[name].format(value))
        elif name == "properties":
            made[name] = {field: without_bounds(part) for field, part in value.items()}
        elif name == "items":
            made[name] = without_bounds(value)
        elif name == "anyOf":
            made[name] = [without_bounds(part) for part in value]
        else:
            made[name] = value
    if words:
        made["description"] = ", ".join(words)
    return made
