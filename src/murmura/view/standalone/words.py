"""The meanings of the codes in columns, items and events, as texts for an exported page."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any

from murmura.core.events import Cause, Event
from murmura.core.state import FeedingState, Gender, MatingState
from murmura.rules.evolution.stances import REASONS, STANCES, Stance
from murmura.rules.life import feeding, mating
from murmura.rules.predators.kind import KINDS
from murmura.rules.predators.reading import WITHOUT_TARGET
from murmura.rules.predators.states import STATE_NAMES


def words_of_codes() -> dict[str, Any]:
    """Words by code: lists, where an unused code has an empty word, and a table for kinds of hunters."""
    return {
        "events": _names(Event),
        "causes": _names(Cause),
        "hunterKinds": {kind.code: kind.name for kind in KINDS.values()},
        "hunterStates": list(STATE_NAMES),
        "statesWithoutTarget": list(WITHOUT_TARGET),
        "genders": _names(Gender),
        "feeding": _names(FeedingState),
        "mating": _names(MatingState),
        "feedingStages": _words(feeding.STAGES),
        "matingStages": _words(mating.STAGES),
        "stances": _names(Stance),
        "stanceWords": _words(STANCES),
        "reasons": _words(REASONS),
    }


def _names(codes: type[IntEnum]) -> list[str]:
    return _words({code: code.name.lower() for code in codes})


def _words(by_code: Mapping[Any, str]) -> list[str]:
    found = {int(code): word for code, word in by_code.items()}
    return [found.get(code, "") for code in range(max(found) + 1)]
