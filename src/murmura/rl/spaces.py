"""The spaces of one learning agent, as Gymnasium describes them."""

from __future__ import annotations

import numpy as np
from gymnasium.spaces import Box

from murmura.rl.arena import Arena


def spaces_of(arena: Arena) -> tuple[Box, Box]:
    """The space of an agent's observations and that of its actions."""
    width = arena.observations.shape[-1]
    seen = Box(-np.inf, np.inf, (width,), np.float32)
    return seen, Box(-1.0, 1.0, (arena.action_size,), np.float32)
