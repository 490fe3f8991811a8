"""What can go wrong with a call, by class: the endpoint's failures and the model's are kept apart."""

from __future__ import annotations

from typing import Final

from supermarket_env.errors import InfrastructureError

RETRIED: Final = ("rate_limited", "server_error", "timeout", "connection", "too_large", "bad_body")
"""The endpoint's failures: repeated, then the episode is set aside as ``infra_error``."""
MODEL_FAULTS: Final = ("empty", "cut_off", "not_json", "wrong_schema", "context_overflow", "rejected", "no_call")
"""The model's: one repair round, then the role's own fallback; counted against whoever the model plays."""
TOOLS_REFUSED: Final = "tools_refused"
"""The endpoint knows no function calling: nobody's fault, the same is asked in another form."""


class EndpointError(InfrastructureError):
    """A call failed for good; ``kind`` is one of :data:`RETRIED`."""

    def __init__(self, kind: str, role: str, attempts: int) -> None:
        super().__init__(f"llm {role}: {kind} after {attempts} attempts")
        self.kind = kind
        self.attempts = attempts


class AttemptFailed(Exception):
    """One attempt failed."""

    def __init__(
        self,
        kind: str,
        *,
        status: int = 0,
        code: str = "",
        param: str = "",
        about_tools: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(kind)
        self.kind = kind
        self.status = status
        self.code = code
        self.param = param
        """The field of the request that does not suit the endpoint, where it names one."""
        self.about_tools = about_tools
        """Whether the refusal speaks of tools or functions."""
        self.retry_after = retry_after
