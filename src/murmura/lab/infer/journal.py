"""What the finished stages of an inference found, kept until all are done: a stopped inference continues from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from murmura.core.errors import ScenarioError
from murmura.lab.infer.folder import STAGES
from murmura.scenario.plain_files import parse_json, read_plain_file, write_atomically

LARGEST_FILE = 2**26


class Journal:
    """The stages of an inference in its folder.

    Args:
        folder: The folder.
        asked: What the inference was asked; stages of another one are refused.
    """

    def __init__(self, folder: Path, asked: dict[str, Any]) -> None:
        self.path = folder / STAGES
        self._asked = asked
        self._stages: dict[str, Any] = self._read() if self.path.is_file() else {}
        self._write()

    def _read(self) -> dict[str, Any]:
        try:
            there = parse_json(read_plain_file(self.path, LARGEST_FILE))
            asked, stages = there["asked"], dict(there["stages"])
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise ScenarioError(
                f"{self.path} is damaged: {error}. Remove it to begin the inference again"
            ) from None
        differing = [key for key, value in self._asked.items() if asked.get(key) != value]
        if differing:
            raise ScenarioError(
                f"{self.path.parent} holds another inference, not finished, which differs in {', '.join(differing)}: "
                "choose another folder"
            )
        return stages

    def __contains__(self, stage: str) -> bool:
        return stage in self._stages

    def get(self, stage: str) -> Any:
        """What a stage found; None if it is not finished."""
        return self._stages.get(stage)

    def put(self, stage: str, found: Any) -> None:
        """Keep what a stage found; it is on disk before the next one begins."""
        self._stages[stage] = json.loads(json.dumps(found))
        self._write()

    def remove(self) -> None:
        """Forget all stages: the inference is finished."""
        self.path.unlink(missing_ok=True)

    def _write(self) -> None:
        text = json.dumps({"asked": self._asked, "stages": self._stages})
        write_atomically(self.path, text.encode())
