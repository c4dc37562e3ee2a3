"""Long tables of tracks: what is read, and the message for each fault."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from murmura.core.errors import ScenarioError
from murmura.lab.tracks import tables
from murmura.lab.tracks.tracks import read_tracks

from .shoals import circling, table

FINE = "frame,id,x,y\n0,a,1,2\n0,b,3,4\n1,a,2,2\n1,b,3,5\n"


def atomic_write(folder: Path, text: str, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table_gives_its_places(tmp_path: Path):
    places = circling()
    found = read_tracks(atomic_write(tmp_path, table(places)), fps=10.0, arena="box:0,0,40,20")
    middle = np.array([found.width, found.height]) / 2.0 - (20.0, 10.0)
    np.testing.assert_allclose(found.positions - middle, places, atol=1e-12)
    assert list(found.names) == ["0", "1", "2"] and found.report["missing"] == 0


@pytest.mark.parametrize(
    ("header", "options"),
    [
        ("Frame_Number;Track_ID;X;Y", {}),
        ("f,fish number,px across,px down", {"columns": ["id=fish number,x=px across", "y=px down"]}),
    ],
)
def test_columns_are_found_or_named(tmp_path: Path, header: str, options: dict[str, list[str]]):
    text = table(circling(), header)
    if ";" in header:
        text = text.replace(",", ";")
    assert read_tracks(atomic_write(tmp_path, text), fps=10.0, **options).positions.shape == (24, 3, 2)  # type: ignore[arg-type]


def test_times_give_the_frame_rate(tmp_path: Path):
    lines = table(circling(), "time,id,x,y").splitlines()
    timed = [lines[0]] + [f"{int(line.split(',')[0]) / 12.5},{line.split(',', 1)[1]}" for line in lines[1:]]
    assert read_tracks(atomic_write(tmp_path, "\n".join(timed))).fps == pytest.approx(12.5)


@pytest.mark.parametrize(("late", "is_on_time"), [(0.24, True), (-0.24, True), (0.26, False), (-0.26, False)])
def test_times_may_be_off_by_a_quarter_of_a_frame(late: float, is_on_time: bool, tmp_path: Path):
    """Clocks of cameras jitter. Time 10 is late, and all others are even: the frame rate stays."""
    lines = table(circling(), "time,id,x,y").splitlines()
    rows = [line.split(",", 1) for line in lines[1:]]
    timed = [f"{(int(when) + late * (int(when) == 10)) / 12.5!r},{rest}" for when, rest in rows]
    file = atomic_write(tmp_path, "\n".join([lines[0], *timed]))
    if is_on_time:
        found = read_tracks(file)
        assert found.fps == pytest.approx(12.5) and len(found.positions) == 24
    else:
        with pytest.raises(ScenarioError, match=r"the time 0\.\d+ s is between two frames"):
            read_tracks(file)


def test_parquet_equals_csv(tmp_path: Path):
    polars = pytest.importorskip("polars")
    path = atomic_write(tmp_path, table(circling()))
    polars.read_csv(path).write_parquet(tmp_path / "t.parquet")
    one, other = read_tracks(path, fps=10.0), read_tracks(tmp_path / "t.parquet", fps=10.0)
    np.testing.assert_array_equal(one.positions, other.positions)


def test_a_plain_table_is_read_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Line by line in Python, a million rows took three seconds."""
    monkeypatch.setattr(tables, "_read_with_care", lambda *arguments: pytest.fail("read line by line"))
    text = table(circling(1000, 3)).replace("\n1,", '\n"1",') + "\n\n"
    assert read_tracks(atomic_write(tmp_path, text), fps=10.0).positions.shape == (1000, 3, 2)


@pytest.mark.parametrize(
    "text",
    [
        FINE.replace("\n0,b", "\n\n0,b"),
        FINE.replace("\n", "\r\n"),
        "\ufeff" + FINE,
        FINE.replace(",3,", ', " 3" ,').replace(",a,", ',"a",').replace(', " 3" ,', ",3,"),
        FINE.replace("y\n", "y,note\n")
        .replace("2\n", '2,"a, b"\n')
        .replace("4\n", "4,\n")
        .replace("5\n", "5,x\n"),
        FINE.replace("frame,id,x,y", "frame,id,x [u],y (cm)"),
    ],
)
def test_the_same_table_in_other_words(text: str, tmp_path: Path):
    """Empty lines, line ends, a byte order mark, quotes with a comma inside, units in the header."""
    one = read_tracks(atomic_write(tmp_path, text, "other.csv"), fps=10.0)
    other = read_tracks(atomic_write(tmp_path, FINE), fps=10.0)
    np.testing.assert_array_equal(one.positions, other.positions)
    assert list(one.names) == list(other.names)


def test_a_third_coordinate_that_never_changes_is_told(tmp_path: Path):
    text = FINE.replace("x,y", "x,y,z").replace("\n0", ",9\n0").replace("\n1", ",9\n1")
    lines = text.splitlines()
    lines = [lines[0].removesuffix(",9")] + [
        line if line.count(",") == 4 else line + ",9" for line in lines[1:]
    ]
    found = read_tracks(atomic_write(tmp_path, "\n".join(lines)), fps=1.0)
    assert "the third coordinate never changes" in found.report["notes"][0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it is empty"),
        ("  \n", "it is empty"),
        ("frame,id,x,y\n", "it has a header and no row"),
        ("frame,x,y\n0,1,2\n", "row 1: no column is called id: it has frame, x, y; name it with --columns id=NAME"),
        ("id,x,y\n0,1,2\n", r"row 1: no column is called frame \(or time\)"),
        ("frame,id,x,x\n0,1,2,3\n", "row 1, column x: it appears twice"),
        (FINE + "0,a,5,5\n", "row 6, column frame: animal a goes back to 0"),
        (FINE + "1,b,5,5\n", "row 6, column id: animal b is in frame 1 twice"),
        (FINE + "2,b,far,5\n", "row 6, column x: expected a number, got 'far'"),
        (FINE + "2,b,inf,5\n", "row 6, column x: expected a number, got 'inf'"),
        (FINE + "2,b,,5\n", "row 6, column x: one coordinate is given and the other is not"),
        (FINE + "2,,5,5\n", "row 6, column id: the id is missing"),
        (FINE + ",b,5,5\n", "row 6, column frame: the frame is missing"),
        (FINE + "2.5,b,5,5\n", "row 6, column frame: a frame must be a whole number"),
        (FINE + "-1,c,5,5\n", "row 6, column frame: a frame must be a whole number"),
        (FINE + "2,b,5\n", "row 6: expected 4 values, got 3"),
        (FINE + '2,b,"5,5",1,2\n', "row 6: expected 4 values, got 5"),
        (FINE.replace("y\n", "y,note\n").replace("2\n", '2,"a,b"\n'), "row 3: expected 5 values, got 4"),
        (FINE + "99999999999,b,5,5\n", "row 6, column frame: frame 1e.11 would give more than"),
        (FINE + "2,c,nan,nan\n", "row 6, column x: animal c is not seen in any of the 3 frames"),
        ("frame,id,x,y\n0,a,1,2\n5,a,2,2\n10,a,3,3\n", "row 2, column frame: only every 5th frame"),
        ("time,id,x,y\n" + "".join(f"{t},a,1,2\n" for t in (0, 1, 1.5, 2, 3, 4, 5)), "row 4, column time: the time 1."),
        ("time,id,x,y\n0,a,1,2\n0,b,2,2\n", "column time: all rows have the same time"),
        (b"frame,id,x,y\n0,a,1,\xff\n".decode("latin-1"), "it is not text in UTF-8"),
    ],
)  # fmt: skip
def test_faults_are_named_with_their_place(tmp_path: Path, text: str, words: str):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ScenarioError, match=words) as error:
        read_tracks(path, fps=1.0)
    assert str(path) in str(error.value)


def test_speeds_of_a_wrong_unit_are_refused(tmp_path: Path):
    places = circling() * 1e4
    path = atomic_write(tmp_path, table(places))
    with pytest.raises(
        ScenarioError,
        match=r"t\.csv, row \d+, column x: half of all moves are faster than .* is a unit wrong",
    ) as refused:
        read_tracks(path, fps=10.0)
    row = int(str(refused.value).split("row ")[1].split(",")[0])
    animal = str(refused.value).split("and animal ")[1].split()[0]
    named = path.read_text().splitlines()[row - 1].split(",")
    assert animal == named[1]
    assert read_tracks(path, fps=10.0, scale=1e4).report["jumped"] == 0
    assert read_tracks(path, fps=10.0, max_speed=1.0).report["jumped"] == 23 * 3


def test_a_file_of_two_gigabytes_is_refused_unread(tmp_path: Path):
    path = tmp_path / "t.csv"
    with path.open("wb") as file:
        file.truncate(2**31)  # sparse: it takes no space on disk
    with pytest.raises(ScenarioError, match=r"t\.csv: it has 2\.1 GB, expected at most 1\.1"):
        read_tracks(path, fps=1.0)


def test_files_that_are_not_tracks(tmp_path: Path):
    with pytest.raises(ScenarioError, match="it cannot be read: No such file"):
        read_tracks(tmp_path / "no.csv", fps=1.0)
    with pytest.raises(ScenarioError, match=r"tracks must end in \.csv"):
        read_tracks(atomic_write(tmp_path, "x", "t.doc"), fps=1.0)
    with pytest.raises(ScenarioError, match="add --fps"):
        read_tracks(atomic_write(tmp_path, FINE))
    with pytest.raises(ScenarioError, match=r"of one kind, got \.csv, \.npy"):
        read_tracks([atomic_write(tmp_path, FINE), atomic_write(tmp_path, "x", "t.npy")], fps=1.0)
