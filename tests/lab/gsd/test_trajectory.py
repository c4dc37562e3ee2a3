"""run.gsd: other programs read it correctly."""

from __future__ import annotations

from pathlib import Path

import freud
import gsd.fl
import gsd.hoomd
import numpy as np
import pytest

import murmura as mm
from murmura.core.errors import RunError
from murmura.lab.gsd.writer import GsdReader, GsdWriter
from murmura.lab.runs.recording import record
from murmura.measure import measure_flock
from tests.lab.living_simulation import LivingSimulation


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> mm.Run:
    """Four species on a torus, after they have found some order."""
    scenario = mm.load_scenario("mixed").with_values({"agents": 200})
    simulation = mm.Simulation(scenario, seed=2, backend="cpu")
    simulation.step(300)
    return record(
        simulation,
        40,
        tmp_path_factory.mktemp("runs") / "mixed",
        every=10,
        columns=["energy", "species", "gender"],
    )


def again(run: mm.Run, step: int) -> mm.Simulation:
    simulation = mm.Simulation(run.scenario, run.seed, backend="cpu")
    simulation.step(step)
    return simulation


def test_frames_are_the_flock_at_their_steps(run: mm.Run):
    frames = run.frames
    assert frames.steps.tolist() == [300, 310, 320, 330, 340]
    assert (len(frames), frames.columns) == (5, ("energy", "gender"))  # species are always recorded
    for number in (3, 0, -1):  # in any order
        frame = frames[number]
        truth = again(run, frame.step)
        assert frame.time == truth.time
        assert np.array_equal(frame.ids, truth.ids)
        assert np.array_equal(frame.species, truth.column("species"))
        assert np.array_equal(frame.velocities, truth.velocities)
        assert np.array_equal(frame.columns["energy"], truth.column("energy"))
        assert np.array_equal(frame.columns["gender"], truth.column("gender"))
        assert frame.columns["gender"].dtype == np.int32
        # Positions relative to the centre of the box are rounded twice: by half a unit in the last place of 1000 u.
        assert np.abs(frame.positions - truth.positions).max() <= 2 * np.spacing(np.float32(1000.0))
    assert [frame.step for frame in frames[1:4]] == [310, 320, 330]
    assert [frame.step for frame in frames] == frames.steps.tolist()
    with pytest.raises(IndexError):
        frames[5]


def test_places_are_exact_where_their_columns_are_recorded(tmp_path: Path):
    simulation = mm.Simulation("classic", seed=1, backend="cpu")
    run = record(simulation, 20, tmp_path / "run", every=20, columns=["position_x", "position_y"])
    assert np.array_equal(run.frames[-1].positions, simulation.positions)


def test_whole_numbers_stay_whole_where_no_measure_asks_for_the_state(tmp_path: Path):
    """The kernel keeps every column as float32."""
    scenario = mm.load_scenario("courtship").with_values({"agents": 40, "rules.feeding.enabled": False})
    simulation = mm.Simulation(scenario, seed=1, backend="cpu")
    frames = record(
        simulation, 30, tmp_path / "run", every=10, metrics_every=1000, columns=["mating_state"]
    ).frames
    assert [frame.columns["mating_state"].dtype for frame in frames] == [np.int32] * 4


def test_gsd_reads_it(run: mm.Run):
    with gsd.hoomd.open(run.folder / "run.gsd") as trajectory:
        assert len(trajectory) == 5
        for theirs, ours in zip(trajectory, run.frames, strict=True):
            theirs.validate()
            assert theirs.configuration.step == ours.step
            assert theirs.configuration.dimensions == 2
            assert theirs.configuration.box.tolist() == [2000.0, 1250.0, 1.0, 0.0, 0.0, 0.0]
            assert theirs.particles.types == list(run.scenario.species_names())
            assert np.array_equal(theirs.particles.typeid, ours.species)
            assert np.array_equal(theirs.particles.position[:, :2] + [1000.0, 625.0], ours.positions)
            assert (np.abs(theirs.particles.position) <= [1000.0, 625.0, 0.0]).all()
            assert np.array_equal(theirs.particles.velocity[:, :2], ours.velocities)
            assert np.array_equal(theirs.log["particles/id"], ours.ids)
            assert np.array_equal(theirs.log["particles/energy"], ours.columns["energy"])
    with gsd.fl.open(run.folder / "run.gsd", "r") as file:
        assert (file.schema, file.schema_version, file.gsd_version) == ("hoomd", (1, 4), (2, 1))
        assert file.application == f"murmura {mm.__version__}"


def test_freud_finds_the_order_that_we_find(run: mm.Run):
    measured = {row["step"]: row for row in run.metrics()}
    radius = again(run, 0).flock().radius
    with gsd.hoomd.open(run.folder / "run.gsd") as trajectory:
        for frame in trajectory:
            ours = measured[int(frame.configuration.step)]
            # The nematic order of half the angles is the polar order of the angles: |mean exp(2i a/2)|.
            halves = np.arctan2(frame.particles.velocity[:, 1], frame.particles.velocity[:, 0]) / 2.0
            nematic = freud.order.Nematic()
            nematic.compute(np.stack([np.cos(halves), np.sin(halves), 0.0 * halves], axis=1))
            order = (4.0 * np.linalg.eigvalsh(nematic.nematic_tensor).max() - 1.0) / 3.0
            assert order == pytest.approx(ours["polarization"], abs=1e-5)
            # freud accepts the frame itself as a system: box, dimensions and positions.
            clusters = freud.cluster.Cluster()
            clusters.compute(frame, neighbors={"r_max": radius})
            assert clusters.num_clusters == ours["groups"]
            assert max(map(len, clusters.cluster_keys)) == ours["largest_group"]
            query = freud.locality.AABBQuery.from_system(frame)
            nearest = query.query(query.points, {"num_neighbors": 1, "exclude_ii": True}).toNeighborList()
            assert nearest.distances.mean() == pytest.approx(ours["nearest_neighbor_distance"], rel=1e-5)


def test_a_population_that_changes(tmp_path: Path):
    scenario = mm.load_scenario("classic").with_values({"agents": 3})
    simulation = LivingSimulation(scenario, seed=1, backend="reference")
    run = record(simulation, 8, tmp_path / "run", every=1, columns=["energy"])
    assert [frame.agent_count for frame in run.frames] == [3, 4, 5, 3, 2, 1, 0, 0, 1]
    assert run.frames[5].ids.tolist() == [4]
    assert run.frames.all_ids.tolist() == [0, 1, 2, 3, 4, 5]
    assert [row["agents"] for row in run.metrics()] == [3, 4, 5, 3, 2, 1, 0, 0, 1]
    assert [event["kind"] for event in run.events()] == ["birth"] * 2 + ["death"] * 5 + ["birth"]
    with gsd.hoomd.open(run.folder / "run.gsd") as trajectory:
        for theirs, ours in zip(trajectory, run.frames, strict=True):
            assert ours.agent_count == theirs.particles.N
            assert np.array_equal(theirs.particles.velocity[:, :2], ours.velocities)
            assert np.array_equal(theirs.particles.typeid, ours.species)
            if ours.agent_count:
                assert np.array_equal(theirs.log["particles/id"], ours.ids)


def test_an_empty_world_has_frames_too(tmp_path: Path):
    scenario = mm.load_scenario("classic").with_values({"agents": 0})
    run = record(mm.Simulation(scenario, backend="reference"), 2, tmp_path / "run", every=1)
    assert [(frame.step, frame.agent_count) for frame in run.frames] == [(0, 0), (1, 0), (2, 0)]
    with gsd.hoomd.open(run.folder / "run.gsd") as trajectory:
        assert [frame.particles.N for frame in trajectory] == [0, 0, 0]


def test_measures_of_a_frame_are_those_of_the_simulation(run: mm.Run):
    """A reader finds everything needed to compute measures."""
    frame, truth = run.frames[-1], again(run, 340).flock()
    flock = mm.Flock(frame.positions, frame.velocities, truth.width, truth.height, truth.wraps, truth.radius)
    for name, value in measure_flock(flock).items():
        if name != "turning_rate":  # that needs the step before
            assert value == pytest.approx(measure_flock(truth)[name], rel=1e-4), name


NAMES = ["a", "b"]


def written(path: Path, frames: int) -> GsdWriter:
    file = GsdWriter.create(path, NAMES, "test")
    for k in range(frames):
        file.append({"a": np.arange(k + 1, dtype="<f4"), "b": np.full((2, 3), k, "<i4")})
    return file


def test_the_index_grows_and_the_same_frames_give_the_same_bytes(tmp_path: Path):
    """More frames than the first index can hold; committed often, or once."""
    often = GsdWriter.create(tmp_path / "often", NAMES, "test")
    for k in range(900):
        often.append({"a": np.arange(k + 1, dtype="<f4"), "b": np.full((2, 3), k, "<i4")})
        if k % 7 == 0:
            often.commit()
    once = written(tmp_path / "once", 900)
    for file in (often, once):
        file.commit()
        file.close()
    assert (tmp_path / "often").read_bytes() == (tmp_path / "once").read_bytes()
    with gsd.fl.open(tmp_path / "once", "r") as file:
        assert file.nframes == 900
        for k in (0, 1, 340, 341, 342, 899):
            assert file.read_chunk(k, "a").tolist() == list(range(k + 1))
            assert file.read_chunk(k, "b").tolist() == [[k] * 3] * 2


def test_going_back_gives_the_bytes_of_never_having_gone_further(tmp_path: Path):
    straight = written(tmp_path / "straight", 400)
    straight.commit()
    straight.close()
    for back in (0, 1, 341, 342, 399, 400):  # the index moves when frame 341 is added
        file = written(tmp_path / f"{back}", back)
        file.commit()
        mark = file.mark()
        for k in range(back, 380):
            file.append({"a": np.full(k + 5, 9, "<f4")})
        file.commit()
        file.append({"a": np.zeros(3, "<f4")})  # never committed
        file.close()
        again = GsdWriter.reopen(tmp_path / f"{back}", mark)
        for k in range(back, 400):
            again.append({"a": np.arange(k + 1, dtype="<f4"), "b": np.full((2, 3), k, "<i4")})
        again.commit()
        again.close()
        assert (tmp_path / f"{back}").read_bytes() == (tmp_path / "straight").read_bytes(), back
        assert again.mark() == straight.mark()


def test_frames_count_when_they_are_committed(tmp_path: Path):
    file = written(tmp_path / "file", 3)
    assert len(GsdReader(tmp_path / "file")) == 0
    file.commit()
    assert len(GsdReader(tmp_path / "file")) == 3
    file.close()


def test_a_torn_index_entry_hides_its_frame_only(tmp_path: Path):
    file = written(tmp_path / "file", 3)
    file.commit()
    mark = file.mark()
    file.append(
        {"a": np.zeros(2, "<f4"), "b": np.zeros(2, "<i4")}
    )  # three entries, including that of the checksum
    file.commit()
    file.close()
    content = (tmp_path / "file").read_bytes()
    entries = mark["index_location"] + 32 * 3 * 3
    assert entries % 32 == 0  # so a page ends between two of them, which is where a write would be torn
    for torn in (0, 32, 64):
        (tmp_path / "torn").write_bytes(
            content[: entries + torn] + bytes(3 * 32 - torn) + content[entries + 3 * 32 :]
        )
        assert len(GsdReader(tmp_path / "torn")) == 3, torn
        GsdWriter.reopen(tmp_path / "torn", mark).close()
        assert GsdReader(tmp_path / "torn").checked(3)


def test_a_flipped_byte_in_a_frame_is_found_when_it_is_read(run: mm.Run, tmp_path: Path):
    content = bytearray((run.folder / "run.gsd").read_bytes())
    (tmp_path / "run").mkdir()
    for name in ("config.json", "manifest.json"):
        (tmp_path / "run" / name).write_bytes((run.folder / name).read_bytes())
    end = len(content)
    place = end - 5_000  # in the last frame's data
    content[place] ^= 1
    (tmp_path / "run" / "run.gsd").write_bytes(content)
    hurt = mm.open_run(tmp_path / "run")
    assert np.array_equal(hurt.frames[3].positions, run.frames[3].positions)
    with pytest.raises(RunError, match=r"run\.gsd is damaged: frame 4: it does not match its checksum"):
        hurt.frames[4]
    (tmp_path / "run" / "run.gsd").write_bytes(content[: end - 3_000])
    cut = mm.open_run(tmp_path / "run")
    assert np.array_equal(cut.frames[3].positions, run.frames[3].positions)
    with pytest.raises(RunError, match=r"run\.gsd is damaged: frame 4: parts of it are beyond"):
        cut.frames[4]
