"""What StochasticForceInference does in the contest of `inference.py`: it simulates two flocks, and infers them.

Runs in an environment of its own, which `inference.py` makes; it imports nothing of murmura.

    python inference_sfi.py simulate FOLDER BEGIN END
    python inference_sfi.py flock|particles FOLDER BEGIN END        prints a line of JSON for each seed
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax import random
from SFI import OverdampedLangevinInference, UnderdampedLangevinInference
from SFI.bases.pairs import (
    angular_pair_basis,
    heading_vector,
    pair_velocity_difference,
    radial_pair_basis,
    scalar_pair_basis,
)
from SFI.langevin import OverdampedProcess, UnderdampedProcess
from SFI.statefunc import Basis
from SFI.trajectory import TrajectoryCollection

jax.config.update("jax_enable_x64", True)
FLOCK = {"dt": 0.005, "cohesion": 0.05, "alignment": 0.2, "noise": 5e-3}
PARTICLES = {"dt": 0.02, "speed": 1.0, "repulsion": 2.0, "torque": 0.5, "noise": 0.05, "side": 30.0}


def flock_basis() -> Basis:
    """Two linear couplings in space: a spring to every other animal, and damping of the difference in velocity."""
    spring = radial_pair_basis([(lambda r: r, "r")], dim=3).dispatch_pairs()
    damping = (
        scalar_pair_basis([(jnp.ones_like, "1")], dim=3) * pair_velocity_difference(dim=3)
    ).dispatch_pairs()
    return spring & damping


def particle_basis() -> Basis:
    """Swimming along the heading, a soft repulsion, and a torque towards the headings of others; state x, y, theta."""
    pairs = {
        "symmetric": True,
        "exclude_self": True,
        "owners": "focal",
        "reducer": "sum",
        "return_as": "basis",
    }
    plane = {"dim": 3, "box": "extras", "spatial_dims": slice(0, 2)}
    repel = radial_pair_basis([(lambda r: jnp.exp(-r), "exp(-r)")], embed_dim=3, embed_axes=[0, 1], **plane)
    align = angular_pair_basis(
        [(lambda r: jnp.exp(-r / 2.0), "exp(-r/2)")], jnp.sin, angle_index=2, output_index=2, **plane
    )
    swim = heading_vector(dim=3, angle_index=2)
    return Basis.stack([swim, repel.dispatch_pairs(**pairs), align.dispatch_pairs(**pairs)])


def simulated_flock(seed: int) -> np.ndarray:
    """Positions, (3000 frames, 20, 3): the numbers of the flock in space of the package's gallery, version 2.0.1."""
    couplings = jnp.array([FLOCK["cohesion"], FLOCK["alignment"]])
    process = UnderdampedProcess(flock_basis(), D=FLOCK["noise"], theta_F=couplings)
    kx, kv, run = random.split(random.PRNGKey(seed), 3)
    process.initialize(random.normal(kx, (20, 3)) * 1.2, v0=random.normal(kv, (20, 3)) * 0.5)
    made = process.simulate(dt=FLOCK["dt"], Nsteps=3000, key=run, oversampling=4, prerun=200)
    return np.asarray(made.to_array())


def simulated_particles(seed: int) -> np.ndarray:
    """Positions and headings, (2000 frames, 60, 3): the aligning particles of the package's examples."""
    strengths = jnp.array([PARTICLES["speed"], -PARTICLES["repulsion"], PARTICLES["torque"]])
    side = PARTICLES["side"]
    process = OverdampedProcess(
        particle_basis(),
        D=PARTICLES["noise"],
        theta_F=strengths,
        extras_global={"box": jnp.array([side, side])},
    )
    places, headings, run = random.split(random.PRNGKey(seed), 3)
    start = [
        random.uniform(places, (60, 2)) * side,
        random.uniform(headings, (60, 1), minval=-jnp.pi, maxval=jnp.pi),
    ]
    process.initialize(jnp.concatenate(start, axis=1))
    made = process.simulate(dt=PARTICLES["dt"], Nsteps=2000, key=run, oversampling=4, prerun=100)
    return np.asarray(made.to_array())


def inferred_flock(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cohesion and alignment from positions alone, and their standard errors."""
    data = TrajectoryCollection.from_arrays(X=positions, dt=FLOCK["dt"])
    inference = UnderdampedLangevinInference(data)
    inference.compute_diffusion_constant()
    inference.infer_force_linear(flock_basis())
    inference.compute_force_error()
    return np.asarray(inference.force_coefficients_full), np.asarray(inference.force_coefficients_stderr)


def inferred_particles(states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Speed, repulsion and torque from positions and headings, and their standard errors."""
    side = PARTICLES["side"]
    box = {"box": jnp.array([side, side])}
    data = TrajectoryCollection.from_arrays(X=states, dt=PARTICLES["dt"], extras_global=box)
    inference = OverdampedLangevinInference(data)
    inference.compute_diffusion_constant()
    inference.infer_force_linear(particle_basis())
    inference.compute_force_error()
    return np.asarray(inference.force_coefficients_full), np.asarray(inference.force_coefficients_stderr)


NAMES = {"flock": ("cohesion", "damping"), "particles": ("pace", "repulsion", "strength")}


def main() -> None:
    task, folder, begin, end = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    for seed in range(begin, end):
        if task == "simulate":
            for name, simulate in (("flock", simulated_flock), ("particles", simulated_particles)):
                if not (folder / f"{name}-{seed}.npy").exists():
                    np.save(folder / f"{name}-{seed}.npy", simulate(seed))
            continue
        fresh = seed == begin
        begun = 0.0 if fresh else time.process_time()  # the first one pays for importing and compiling
        infer = {"flock": inferred_flock, "particles": inferred_particles}[task]
        values, errors = infer(np.load(folder / f"{task}-{seed}.npy"))
        used = time.process_time() - begun
        # The repulsion pushes away, so its coefficient along the way to the other is negative.
        found = {
            name: (abs(value), error, 0.0, 0.0)
            for name, value, error in zip(NAMES[task], values.tolist(), errors.tolist(), strict=True)
        }
        print(json.dumps({"found": found, "cpu": used, "fresh": fresh}), flush=True)


if __name__ == "__main__":
    main()
