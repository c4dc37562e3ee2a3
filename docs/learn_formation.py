"""Trains a policy to fly in formation, with PyTorch on the CPU: docs/learn.md shows what comes of it.

    pip install "murmura[rl]" torch
    python docs/learn_formation.py formation.npz

Proximal policy optimisation (Schulman et al. 2017): all agents share one policy, and each learns from its own rewards.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import torch
from torch import nn

from murmura import rl
from murmura.rl.tasks import formation

ROW, WIDTH = 5, 32  # numbers of a neighbour in a view, and of a layer
WORLDS, TURNS, EPOCHS, PARTS = 16, 50, 3, 4
DISCOUNT, TRACE, CLIP, RATE = 0.98, 0.9, 0.2, 3e-3


class Seen(nn.Module):
    """Numbers from a view: every neighbour goes through the same layer, and their sum through another."""

    def __init__(self, numbers: int) -> None:
        super().__init__()
        self.each, self.all = nn.Linear(ROW, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.straight, self.out = nn.Linear(ROW, numbers), nn.Linear(WIDTH, numbers)
        nn.init.zeros_(self.out.weight)

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        rows = seen.unflatten(-1, (-1, ROW))
        there = rows[..., -1:]
        met = (torch.tanh(self.each(rows)) * there).sum(-2)
        return self.out(torch.tanh(self.all(met))) + self.straight(
            rows.sum(-2) / there.sum(-2).clamp(min=1.0)
        )


class Policy(nn.Module):
    """The mean of an agent's action, and what it expects to earn."""

    def __init__(self, axes: int) -> None:
        super().__init__()
        self.mean, self.value = Seen(axes), Seen(1)
        self.log_spread = nn.Parameter(torch.full((axes,), -0.7))

    def choices(self, seen: torch.Tensor) -> torch.distributions.Normal:
        return torch.distributions.Normal(self.mean(seen), self.log_spread.exp())

    def save(self, path: str) -> None:
        """The layers of the mean as arrays: enough to act without PyTorch."""
        np.savez(path, **{name: value.numpy() for name, value in self.mean.state_dict().items()})


def played(arena: rl.Arena, policy: Policy) -> dict[str, torch.Tensor]:
    """What happened in some turns of all worlds, shape (turns, agents of all worlds, …)."""
    found: dict[str, list[Any]] = {
        name: [] for name in ("seen", "action", "chance", "value", "reward", "end")
    }
    for _ in range(TURNS):
        seen = torch.from_numpy(arena.observations.reshape(-1, arena.observations.shape[-1]).copy())
        with torch.no_grad():
            choices = policy.choices(seen)
            action = choices.sample()
            found["chance"].append(choices.log_prob(action).sum(-1))
            found["value"].append(policy.value(seen)[:, 0])
        turn = arena.step(action.numpy().reshape(len(arena), len(arena.learners), -1))
        found["seen"].append(seen)
        found["action"].append(action)
        found["reward"].append(torch.from_numpy(turn.rewards.ravel().copy()))
        found["end"].append(torch.from_numpy(np.repeat(turn.ended, len(arena.learners))).float())
        if turn.ended.any():
            arena.restart(np.flatnonzero(turn.ended).tolist())
    return {name: torch.stack(values) for name, values in found.items()}


def advantages(batch: dict[str, torch.Tensor], last: torch.Tensor) -> torch.Tensor:
    """How much better than expected each turn was (generalised advantage estimation)."""
    found, ahead, after = torch.zeros_like(batch["reward"]), torch.zeros_like(last), last
    for k in reversed(range(TURNS)):
        goes_on = 1.0 - batch["end"][k]
        surprise = batch["reward"][k] + DISCOUNT * after * goes_on - batch["value"][k]
        ahead = surprise + DISCOUNT * TRACE * goes_on * ahead
        found[k], after = ahead, batch["value"][k]
    return found


def improve(
    policy: Policy, optimizer: torch.optim.Optimizer, batch: dict[str, torch.Tensor], last: torch.Tensor
) -> None:
    gain = advantages(batch, last)
    data = {name: value.flatten(0, 1) for name, value in batch.items()}
    gain, goal = gain.flatten(), (gain + batch["value"]).flatten()
    gain = (gain - gain.mean()) / (gain.std() + 1e-8)
    for _ in range(EPOCHS):
        for part in torch.randperm(len(gain)).chunk(PARTS):
            choices = policy.choices(data["seen"][part])
            ratio = (choices.log_prob(data["action"][part]).sum(-1) - data["chance"][part]).exp()
            won = torch.minimum(ratio * gain[part], ratio.clamp(1.0 - CLIP, 1.0 + CLIP) * gain[part]).mean()
            missed = (policy.value(data["seen"][part])[:, 0] - goal[part]).square().mean()
            loss = 0.5 * missed - won
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            optimizer.step()


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("out")
    options.add_argument("--rounds", type=int, default=120)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    torch.manual_seed(given.seed)
    torch.set_num_threads(1)  # the layers are so small that threads would only wait for each other
    arena = rl.Arena(formation(), WORLDS, seed=given.seed)
    policy = Policy(arena.action_size)
    optimizer = torch.optim.Adam(policy.parameters(), RATE)
    curve = []
    for done in range(given.rounds):
        optimizer.param_groups[0]["lr"] = RATE * (1.0 - done / given.rounds)
        batch = played(arena, policy)
        with torch.no_grad():
            last = policy.value(
                torch.from_numpy(arena.observations.reshape(-1, arena.observations.shape[-1]))
            )[:, 0]
        improve(policy, optimizer, batch, last)
        curve.append((time.process_time(), float(batch["reward"].mean())))
        if done % 10 == 9:
            print(
                f"{curve[-1][0]:6.0f} s of CPU time, round {done + 1}: {np.mean(curve[-10:], axis=0)[1]:.3f}",
                flush=True,
            )
    policy.save(given.out)
    np.savetxt(f"{given.out}.csv", curve, delimiter=",", header="seconds,reward", comments="", fmt="%.3f")


if __name__ == "__main__":
    main()
