"""The shipped user models by name, and how one is built.

The table is data: nothing is imported until a model is made.
"""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from supermarket_env.envs.users import UserModel
from supermarket_env.errors import ConfigError, SupermarketError, unknown_name

SCRIPTED: Final = "scripted"
"""The user that is the rules' own: no model sits in its seat."""


class UserSpec(NamedTuple):
    """One shipped user."""

    target: str
    """Import path of the class; empty for the scripted user."""
    description: str


_HERE: Final = "supermarket_env.user_sim"
USERS: Final[Mapping[str, UserSpec]] = {
    SCRIPTED: UserSpec("", "the simulated shopper of the rules"),
    "noisy": UserSpec(f"{_HERE}.noisy.Noisy", "typos, off-topic chat, interruptions, changes of mind"),
    "adversarial": UserSpec(f"{_HERE}.adversarial.Adversarial", "orders in its words, false claims, bait"),
    "robust": UserSpec(f"{_HERE}.robust.Robust", "noisy in three of four trips, adversarial in the others"),
    "llm": UserSpec(f"{_HERE}.llm.LanguageModelUser", "a language model (options.mode full or hybrid)"),
    "replay": UserSpec(f"{_HERE}.replay.Replay", "does again what a logged user did (options.file)"),
    "terminal": UserSpec(f"{_HERE}.terminal.Terminal", "a person types"),
}
"""All shipped users."""


def make_user(name: str, options: Mapping[str, Any] | None = None) -> UserModel | None:
    """Build a user model.

    Args:
        name: A shipped user, or the import path ``package.module.Class`` of your own.
        options: Keyword arguments of its constructor.

    Returns:
        A new model; ``None`` for the scripted user.

    Raises:
        ConfigError: the name is unknown, the path cannot be imported, or the options do not fit.
    """
    options = dict(options or {})
    if name == SCRIPTED:
        if options:
            raise ConfigError(f"the scripted user takes no options (got {', '.join(sorted(options))})")
        return None
    if name not in USERS and "." not in name:
        raise ConfigError(unknown_name("user model", name, USERS) + " Or give an import path (package.module.Class).")
    module, _, attribute = (USERS[name].target if name in USERS else name).rpartition(".")
    try:
        made = getattr(import_module(module), attribute)(**options)
    except SupermarketError:
        raise
    except Exception as error:
        raise ConfigError(f"user model {name!r} cannot be built: {type(error).__name__}: {error}") from error
    methods = [method for method in ("start", "respond") if not callable(getattr(made, method, None))]
    texts = [field for field in ("name", "version") if not isinstance(getattr(made, field, None), str)]
    if methods or texts:
        raise ConfigError(
            f"{name!r} is no user model: expected the methods start and respond and the strings name and version, "
            f"missing {', '.join(methods + texts)}"
        )
    return cast("UserModel", made)


def user_hash(base: str, name: str, model: UserModel, options: Mapping[str, Any]) -> str:
    """Return the SHA-256 (hex) of a user model: the population, its source file, version, options and replayed log.

    Args:
        base: Content hash of the population (:class:`~supermarket_env.user_sim.config.UserConfig`).
        name: The name it was made by.
        model: The model.
        options: The options it was made with.
    """
    try:
        source = Path(inspect.getfile(type(model))).read_bytes()
    except (OSError, TypeError):  # a class typed into a console has no file
        source = b""
    payload = {
        "base": base,
        "model": name,
        "version": model.version,
        "options": {key: str(value) for key, value in options.items()},
        "source": hashlib.sha256(source).hexdigest(),
    }
    file = options.get("file")
    logged = [path for path in (Path(str(file)), Path(str(file)) / "episodes.jsonl") if file and path.is_file()]
    if logged:
        payload["file"] = hashlib.sha256(logged[0].read_bytes()).hexdigest()
    return hashlib.sha256(json.dumps(payload, sort_keys=True).encode()).hexdigest()
