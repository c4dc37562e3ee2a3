"""A simulation with births and deaths at fixed steps."""

from __future__ import annotations

from typing import Any

import murmura as mm


class LivingSimulation(mm.Simulation):
    """Two agents are born, then all die one after the other and two at once, then one is born again."""

    def step(self, count: int = 1) -> None:
        for _ in range(count):
            super().step(1)
            step = self.step_count
            self._happened = [*getattr(self, "_happened", [])]
            if step in (1, 2, 8):
                born = self.add_agents([[10.0 * step, 20.0]], [[1.0, 0.0]])
                self._happened.append({"step": step, "kind": "birth", "id": int(born[0]), "x": 10.0 * step})
            else:
                for dead in self.ids[: 2 if step == 3 else 1].tolist():
                    self.remove_agents([dead])
                    self._happened.append({"step": step, "kind": "death", "id": dead, "cause": "age"})

    def events(self) -> list[dict[str, Any]]:
        return getattr(self, "_happened", [])
