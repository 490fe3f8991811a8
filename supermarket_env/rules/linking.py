"""Compile a tree of functions with one optimisation at its root instead of one at every node.

numba optimises every function together with all it calls, and makes machine code of it, before it is linked into its
callers, where the same is done again. For a rule book whose inner functions are never called from Python that is most
of the compile time. It also keeps inner functions callable from outside, so that the world (some 120 numbers, passed by
value) is handed over in every call. Here inner functions are linked as they are; in the root's module they become
private, so the optimiser drops what a function does not use of the world, inlines what is called once, and finishes
sooner. The results are the same to the bit: nothing is reordered that numba would not reorder.

This leans on numba's insides, so it is done only for versions it was tested with; others compile as usual.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

TESTED: Final = ("0.68",)
"""Versions of numba this was tested with."""


def can_link_once(numba: Any) -> bool:
    """Return whether this numba is one of those tested."""
    return ".".join(numba.__version__.split(".")[:2]) in TESTED


@contextmanager
def optimised_once(root: str) -> Iterator[None]:
    """While this lasts, only libraries with ``root`` in their name are optimised and loaded; others are just linked.

    Other threads that want to compile wait until it is over.
    """
    from numba.core import codegen, compiler_lock

    library: Any = codegen.CPUCodeLibrary
    loaded: Any = codegen.JITCodeLibrary
    engine: Any = codegen.JITCPUCodegen
    own = (library._optimize_final_module, library._finalize_final_module, engine.set_env)
    pointer = loaded.get_pointer_to_function

    def optimise(self: Any) -> None:
        if root in self.name:
            for function in self._final_module.functions:
                if not function.is_declaration and function.linkage.name == "linkonce_odr":
                    function.linkage = "internal"
            own[0](self)

    def finalise(self: Any) -> None:
        if root in self.name:
            own[1](self)
        else:
            self._finalize_dynamic_globals()
            self._finalized = True

    def address(self: Any, name: str) -> int:
        return int(pointer(self, name)) if root in self.name else 0

    def set_environment(self: Any, name: str, environment: Any) -> None:
        if self._engine.is_symbol_defined(name):
            own[2](self, name, environment)

    with compiler_lock.global_compiler_lock:
        library._optimize_final_module, library._finalize_final_module = optimise, finalise
        engine.set_env = set_environment
        loaded.get_pointer_to_function = address
        try:
            yield
        finally:
            library._optimize_final_module, library._finalize_final_module, engine.set_env = own
            loaded.get_pointer_to_function = pointer


def link_once(dispatcher: Any, root: str) -> Any:
    """Let a numba dispatcher compile in that way; ``root`` is a part of its function's name and of no other one's."""
    compile_as_usual = dispatcher.compile

    def compile_once(signature: Any) -> Any:
        with optimised_once(root):
            return compile_as_usual(signature)

    dispatcher.compile = compile_once
    return dispatcher
