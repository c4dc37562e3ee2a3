"""Finds the numbers with which a model predicts best, and how well the motion determines them.

Speeds and turns are compared, each with a noise of its own, by maximum likelihood. Numbers
on which a step depends smoothly are found by least squares. At a threshold, such as a radius, a prediction jumps where
an animal enters it: thresholds are searched within their bounds, and everything smooth is fitted again for each try.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from murmura.core.errors import MurmuraError, ScenarioError
from murmura.lab.infer.errors import block_length, blocks_of, errors_of
from murmura.lab.infer.least_squares import flat, moved, spread_points
from murmura.lab.infer.prediction import Predictor
from murmura.lab.infer.smoothness import STEP, is_threshold
from murmura.lab.infer.solution import Estimate, Noise, Numbers, Solution
from murmura.lab.infer.transitions import Recording, Vectors
from murmura.lab.infer.work import Work
from murmura.lab.sweeps.axes import Axis

FLOOR = 1e-6
"""The least noise, relative to the animals' speed: models and recordings have single precision."""
ROUNDING = 1.2e-7
"""The least error of a number, relative to it: that of single precision."""
NINETY = 1.6449
"""Standard errors to each side that hold 90 % of a normal distribution."""
RISE = 1.3528
"""How much the logarithm of the likelihood falls at the ends of an interval that holds 90 % (half of chi squared)."""
FEW, POINTS, CLOSER = 60, 41, 13
"""Transitions of a first search; points of a profile; points of each closer look."""
LEAST_STEP = 0.5e-3
"""The least share of a range over which derivatives are taken: below, single precision shows."""
STARTS = 4
"""Starts of a search without thresholds."""
CYCLES = 5
ZOOM = (0.5, 0.1, 0.02, 0.004, 0.0008, 0.00016)
"""How far closer looks at a threshold reach, as shares of its range: the likelihood has a cusp there."""
ALIKE = 0.99
"""Two estimates with this correlation cannot be told apart."""


class Estimation:
    """The estimation of some numbers of a model.

    Args:
        predictor: The model and the motion.
        axes: The numbers and their ranges.
        work: Counts the predicted frames.
        smooth: Paths of the numbers on which a step depends smoothly, if they are known.
    """

    def __init__(
        self, predictor: Predictor, axes: Sequence[Axis], work: Work | None = None,
        smooth: Collection[str] | None = None,
    ) -> None:  # fmt: skip
        self.predictor, self.axes, self.work = predictor, list(axes), work or Work()
        known = {
            axis.path: not is_threshold(predictor, axis) if smooth is None else axis.path in smooth
            for axis in axes
        }
        self.smooth = [axis for axis in self.axes if known[axis.path]]
        self.thresholds = [axis for axis in self.axes if not known[axis.path]]
        speed = float(np.sqrt((predictor.later**2).sum(axis=1).mean()))
        self._floor = FLOOR * max(speed, 1e-12)

    def observing(self, recording: Recording) -> Estimation:
        """The same numbers of the same model, from other motion."""
        predictor = Predictor(self.predictor.model, recording, self.predictor.seed)
        return Estimation(predictor, self.axes, self.work, [axis.path for axis in self.smooth])

    # Passes over the motion

    def values_at(self, shares: Numbers, thresholds: dict[str, Any]) -> dict[str, Any]:
        """Values by path."""
        return thresholds | {
            axis.path: axis.at(float(u)) for axis, u in zip(self.smooth, shares, strict=True)
        }

    def _pass(self, shares: Numbers, thresholds: dict[str, Any]) -> Vectors:
        found = self.predictor.velocities(self.values_at(shares, thresholds))
        self.work.add(len(self.predictor.recording.transitions))
        return found

    @property
    def expected_frames(self) -> int:
        """About how many frames will be predicted until all numbers have errors."""
        transitions, each = len(self.predictor.recording.transitions), 2 * len(self.smooth) + 2
        few, whole = min(FEW, transitions), 3 * each * transitions
        if not self.thresholds:
            return whole + (2 * each * STARTS * few if self.smooth else 0)
        count = len(self.thresholds)
        first = 2 * each * self._starts + count * 3 * (CLOSER + 2 * each)
        closer = 2 * count * len(ZOOM[2:]) * (CLOSER + 2 * each)
        return few * first + transitions * (closer + count * (POINTS + 20) * each) + whole

    @property
    def _starts(self) -> int:
        """The number of points of the first search."""
        return min(64, 8 << len(self.thresholds))

    def cost(self, velocities: Vectors) -> tuple[float, Noise]:
        """Minus the logarithm of the likelihood, and the noise."""
        missed = self.predictor.residuals(velocities)
        sizes = [np.sqrt((missed[:, columns] ** 2).mean()) for columns in self.predictor.noises]
        noise = Noise(*(max(float(size), self._floor) for size in (sizes[0], sizes[-1])))
        axes = missed.shape[1] - 1
        return len(missed) * (math.log(noise.along) + axes * math.log(noise.across)), noise

    # Smooth numbers

    def solve(self, thresholds: dict[str, Any], start: Numbers, rounds: int = 20) -> Solution:
        """Fit the smooth numbers by Levenberg and Marquardt's method, with the noise estimated again in between."""
        shares, lam, step = start.copy(), 1e-3, STEP
        velocities = self._pass(shares, thresholds)
        cost, noise = self.cost(velocities)
        derivatives: list[Vectors] = []
        for _ in range(rounds if self.smooth else 0):
            derivatives = self._derivatives(shares, thresholds, velocities, step)
            missed, jacobian = self.equations(velocities, derivatives, noise)
            better = None
            for _ in range(6):
                there = moved(shares, flat(jacobian), missed.ravel(), lam)
                tried = self._pass(there, thresholds)
                new, new_noise = self.cost(tried)
                if new <= cost:
                    better = there, tried, new, new_noise
                    lam = max(lam * 0.1, 1e-9)
                    break
                lam *= 10.0
            if better is None and step > LEAST_STEP:
                step, lam = 0.1 * step, 1e-3  # over several steps of time, animals cross radii: look closer
                continue
            if better is None:
                break
            change, gain = float(np.abs(better[0] - shares).max()), cost - better[2]
            shares, velocities, cost, noise = better
            if change < 1e-6 or gain < 1e-3:
                if lam < 1e-3 or step <= LEAST_STEP:
                    break
                step, lam = 0.1 * step, 1e-3
        return Solution(shares, cost, noise, velocities, tuple(derivatives))

    def equations(
        self, velocities: Vectors, derivatives: Sequence[Vectors], noise: Noise
    ) -> tuple[Numbers, Numbers]:
        """The least-squares problem at a prediction, in units of the noise: what the prediction misses (animals,
        axes), and derivatives (animals, axes, numbers)."""
        missed = self.predictor.residuals(velocities)
        scale = np.array([1.0 / noise.along] + [1.0 / noise.across] * (missed.shape[1] - 1))
        columns = [d * scale for d in derivatives]
        return missed * scale, np.stack(columns, axis=2) if columns else np.zeros((*missed.shape, 0))

    def _derivatives(
        self, shares: Numbers, thresholds: dict[str, Any], velocities: Vectors, step: float = STEP
    ) -> list[Vectors]:
        """How the predictions, as speeds and turns, change with each share.

        Over several steps of time an animal may cross a radius, and its prediction jumps: the differences to both
        sides disagree then, and say nothing about a derivative.
        """
        found, centre = [], self.predictor.compared(velocities)
        for k in range(len(shares)):
            ends = []
            for sign in (1.0, -1.0):
                end = shares.copy()
                end[k] = np.clip(shares[k] + sign * step, 0.0, 1.0)
                ends.append((end[k], self.predictor.compared(self._pass(end, thresholds))))
            (above, after), (below, before) = ends
            slope = (after - before) / (above - below)
            if above - shares[k] > 0.0 < shares[k] - below:
                up, down = (after - centre) / (above - shares[k]), (centre - before) / (shares[k] - below)
                slope[np.abs(up - down) > np.abs(up + down) + self._floor / step] = 0.0
            for columns in self.predictor.noises:  # a speed that is kept changes by its rounding alone
                if np.sqrt(((after - before)[:, columns] ** 2).mean()) < self._floor:
                    slope[:, columns] = 0.0
            found.append(slope)
        return found

    # Thresholds

    def search(self) -> tuple[dict[str, Any], Solution]:
        """The best thresholds, and the smooth numbers that go with them."""
        middle, whole = np.full(len(self.smooth), 0.5), self.predictor
        self.predictor = self._part_of(whole)
        if not self.thresholds:
            start = self._smooth_start(middle)
            self.predictor = whole
            return {}, self.solve({}, start)
        tried = []
        for point in spread_points(self._starts, len(self.thresholds)):
            values = {axis.path: axis.at(float(u)) for axis, u in zip(self.thresholds, point, strict=True)}
            try:
                tried.append((self.solve(values, middle, rounds=2), point))
            except MurmuraError:
                continue  # thresholds that do not fit together
        if not tried:
            raise ScenarioError("no values within the ranges of --vary make a valid scenario: narrow them")
        tried.sort(key=lambda pair: pair[0].cost)
        best, point = tried[0]
        for reach in ZOOM[:3]:
            best, point = self._nearer(best, point, reach)
        self.predictor = whole
        best = self.solve(self._thresholds_at(point), best.shares)
        for _ in range(CYCLES):  # a cusp of one threshold shows only when the other is right
            before = best.cost
            for reach in ZOOM[2:]:
                best, point = self._nearer(best, point, reach)
            if before - best.cost < RISE:
                break
        values = self._thresholds_at(point)
        return values, self.solve(values, best.shares)

    def _part_of(self, whole: Predictor) -> Predictor:
        """Some of the transitions, for a first search."""
        transitions = len(whole.recording.transitions)
        if transitions <= FEW:
            return whole
        chosen = np.linspace(0, transitions - 1, FEW).astype(int)
        return Predictor(whole.model, whole.recording.part(chosen), whole.seed)

    def _smooth_start(self, middle: Numbers) -> Numbers:
        """The best of several starts, so that a valley that is not the deepest is left."""
        if not self.smooth:
            return middle
        others = spread_points(STARTS, len(self.smooth))[1:]
        return min((self.solve({}, u, rounds=2) for u in (middle, *others)), key=lambda one: one.cost).shares

    def at(self, shares: Numbers, thresholds: dict[str, Any]) -> Solution:
        """The solution at numbers that are known already."""
        velocities = self._pass(shares, thresholds)
        cost, noise = self.cost(velocities)
        return Solution(
            shares, cost, noise, velocities, tuple(self._derivatives(shares, thresholds, velocities))
        )

    def _thresholds_at(self, point: Numbers) -> dict[str, Any]:
        return {axis.path: axis.at(float(u)) for axis, u in zip(self.thresholds, point, strict=True)}

    def _nearer(self, best: Solution, point: Numbers, reach: float) -> tuple[Solution, Numbers]:
        """A closer look around each threshold in turn: first with the smooth numbers as they are, then fitted."""
        for k in range(len(self.thresholds)):
            tried = []
            around = np.clip(point[k] + reach * np.linspace(-1.0, 1.0, CLOSER), 0.0, 1.0)
            for u in np.unique([*around, *_round_shares(self.thresholds[k], float(point[k]), reach)]):
                place = point.copy()
                place[k] = u
                values = self._thresholds_at(place)
                if (
                    values != self._thresholds_at(point)
                    and (cost := self._cost_at(best.shares, values)) is not None
                ):
                    tried.append((cost, u))
            for _, u in sorted(tried)[:2]:
                place = point.copy()
                place[k] = u
                found = self._quick(self._thresholds_at(place), best.shares)
                if found is not None and found.cost < best.cost:
                    best, point = found, place
        return best, point

    def _cost_at(self, shares: Numbers, thresholds: dict[str, Any]) -> float | None:
        try:
            return self.cost(self._pass(shares, thresholds))[0]
        except MurmuraError:
            return None

    def _quick(self, thresholds: dict[str, Any], shares: Numbers) -> Solution | None:
        try:
            return self.solve(thresholds, shares, rounds=1)
        except MurmuraError:
            return None

    # Errors

    def estimates(self, thresholds: dict[str, Any], best: Solution) -> list[Estimate]:
        """All numbers with errors: smooth ones by resampled blocks of time, thresholds by their profile."""
        found, inflation = self.smooth_estimates(best)
        for axis in self.thresholds:
            found.append(self._of_threshold(axis, thresholds, best, inflation))
        order = {axis.path: k for k, axis in enumerate(self.axes)}
        return sorted(found, key=lambda estimate: order[estimate.path])

    def smooth_estimates(self, best: Solution) -> tuple[list[Estimate], float]:
        """The smooth numbers, and how many times their variance is that of independent frames."""
        if not self.smooth:
            return [], 1.0
        owners, transitions = self.predictor.owners, len(self.predictor.recording.transitions)
        missed, rows = self.equations(best.velocities, best.derivatives, best.noise)
        scores = np.zeros((transitions, len(self.smooth)))
        np.add.at(scores, owners, np.einsum("nkp,nk->np", rows, missed))
        length = block_length(scores)
        blocks = blocks_of(owners, transitions, length)
        count = int(blocks.max()) + 1
        normal, gradient = (
            np.zeros((count, len(self.smooth), len(self.smooth))),
            np.zeros((count, len(self.smooth))),
        )
        np.add.at(normal, blocks, np.einsum("nkp,nkq->npq", rows, rows))
        np.add.at(gradient, blocks, np.einsum("nkp,nk->np", rows, missed))
        inverse = np.linalg.pinv(normal.sum(axis=0))
        alone = np.sqrt(np.maximum(np.diag(inverse), 0.0))
        errors, low, high = errors_of(normal, gradient, alone)
        found = [
            self.estimate_of(axis, float(best.shares[k]), float(errors[k]), float(low[k]), float(high[k]))
            for k, axis in enumerate(self.smooth)
        ]
        inflation = float(np.median((errors / np.where(alone > 0.0, alone, 1.0)) ** 2))
        return found, max(1.0, inflation)

    @staticmethod
    def estimate_of(axis: Axis, share: float, error: float, low: float, high: float) -> Estimate:
        """A smooth number from its share of the range, its error and the ends of its interval, as shares."""
        value, slope = float(axis.at(share)), _slope(axis, share)
        least = ROUNDING * abs(value)
        below, above = max(-slope * low, NINETY * least), max(slope * high, NINETY * least)
        return Estimate(axis.path, value, max(slope * error, least), value - below, value + above, True)

    def _of_threshold(
        self, axis: Axis, thresholds: dict[str, Any], best: Solution, inflation: float
    ) -> Estimate:
        """A threshold with its profile: the likelihood of other values, with everything smooth fitted again."""
        value, limit = float(thresholds[axis.path]), RISE * inflation

        def rise(x: Any) -> float:
            found = self._quick(thresholds | {axis.path: x}, best.shares)
            return math.inf if found is None else found.cost - best.cost

        places = sorted({axis.at(float(u)) for u in np.linspace(0.0, 1.0, POINTS)} | {thresholds[axis.path]})
        profile = [(float(x), rise(x)) for x in places]
        ends = []
        for side in (-1.0, 1.0):
            beyond = [x for x, y in profile if (x - value) * side > 0.0 and y > limit]
            end = min(beyond, key=lambda x: abs(x - value), default=None)
            ends.append(_bound(axis, side) if end is None else self._crossing(axis, value, end, limit, rise))
        spread = (max(ends) - min(ends)) / (2.0 * 1.6449)
        finite = tuple((x, y) for x, y in profile if math.isfinite(y))
        return Estimate(axis.path, value, spread, min(ends), max(ends), False, finite)

    def _crossing(
        self, axis: Axis, inside: float, outside: float, limit: float, rise: Callable[[Any], float]
    ) -> float:
        """The value between two at which the profile crosses the limit."""
        if axis.whole:
            return outside - math.copysign(1.0, outside - inside)
        for _ in range(10):
            middle = 0.5 * (inside + outside)
            if rise(middle) > limit:
                outside = middle
            else:
                inside = middle
        return outside

    def correlations(self, best: Solution) -> list[tuple[str, str, float]]:
        """Pairs of smooth numbers that the motion cannot tell apart."""
        jacobian = flat(self.equations(best.velocities, best.derivatives, best.noise)[1])
        inverse = np.linalg.pinv(jacobian.T @ jacobian)
        size = np.sqrt(np.maximum(np.diag(inverse), 1e-300))
        found = []
        for a in range(len(self.smooth)):
            for b in range(a):
                share = float(inverse[a, b] / (size[a] * size[b]))
                if abs(share) >= ALIKE:
                    found.append((self.smooth[b].path, self.smooth[a].path, share))
        return found


def _round_shares(axis: Axis, share: float, reach: float) -> list[float]:
    """The shares of round values nearby, which scenarios tend to have: a cusp there may be too narrow to be met."""
    if axis.log or axis.whole:
        return []
    width, value = axis.high - axis.low, float(axis.at(share))
    shares = [(round(value, digits) - axis.low) / width for digits in range(-1, 5)]
    return [u for u in shares if 0.0 <= u <= 1.0 and abs(u - share) <= reach]


def _slope(axis: Axis, u: float) -> float:
    """How much the value changes with the share."""
    if axis.log:
        return float(axis.low * (axis.high / axis.low) ** u * math.log(axis.high / axis.low))
    return axis.high - axis.low


def _bound(axis: Axis, side: float) -> float:
    return axis.low if side < 0.0 else axis.high
