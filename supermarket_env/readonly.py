"""A dict that cannot be changed: what one assistant could spoil for all others is not lent as a plain one."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class ReadOnlyDict(dict[K, V]):
    """A dict whose changing methods raise ``TypeError``; it reads as fast as a dict, and can be copied and pickled."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(
            "this table is shared by everything in the process and cannot be changed; copy it with dict(...)"
        )

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)

    def __copy__(self) -> ReadOnlyDict[K, V]:
        return self

    def __deepcopy__(self, _: dict[int, Any]) -> ReadOnlyDict[K, V]:
        return self
