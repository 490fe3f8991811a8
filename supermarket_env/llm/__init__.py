"""Language models behind any OpenAI-compatible endpoint: calls, recordings, budgets, prices.

Nothing here knows the game. A run opens one :class:`~supermarket_env.llm.runtime.Runtime`; users, assistants and judges
put their questions to it.
"""

from __future__ import annotations
