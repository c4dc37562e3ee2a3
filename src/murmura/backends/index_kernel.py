"""How the CPU kernel finds candidates: the flock sorted by place, with ghosts at the edges of a wrapping world.

The world is cut into rows at least as high as anybody sees, and each row into bins a quarter as wide. State is
physically sorted by (row, bin, x), so an agent's candidates are three contiguous runs. On a wrapping world a
halo of ghost copies around the edges replaces every modulo; each row ends in far-away sentinels, so that the
tiles of four candidates may read past a run's end. The order within a bin is by place, not by id or history:
a step is a function of the state alone, whatever the number of threads and whoever has which id.

A template, and never imported: it comes before `cpu_kernel` in a module that `cpu_build.py` makes.
"""

# mypy: ignore-errors

ACROSS = 4  # bins per perception radius
PAD = 4  # sentinels at the end of each row
# Columns that travel together when agents are sorted. The other columns of agents with many follow one by one:
# a hundred streams at once are more than the processor's tables of pages hold.
AT_ONCE = STATE_ROWS if STATE_ROWS <= 10 else 4
FAR = F(1e18)  # beyond any place a run may reach, and its square is still a float32


@jit
def layout(bounds, reach, most_bins):
    """Rows and bins for these bounds: (columns, rows, 1/bin width, 1/row height), at most `most_bins` bins."""
    width = bounds[2] - bounds[0]
    height = bounds[3] - bounds[1]
    least = reach * 1.00001
    rows = max(1, min(int(height / least), most_bins // (8 * ACROSS) - 2))
    columns = max(1, min(int(width * ACROSS / least), most_bins // (rows + 2) - 2 * ACROSS - 1))
    return (
        np.int64(columns),
        np.int64(rows),
        F(columns / width) if width > 0.0 else F(0.0),
        F(rows / height) if height > 0.0 else F(0.0),
    )


@jit
def find_bounds(x, y, begin, end, found):
    least_x = least_y = np.inf
    most_x = most_y = -np.inf
    for i in range(begin, end):
        least_x = min(least_x, np.float64(x[i]))
        most_x = max(most_x, np.float64(x[i]))
        least_y = min(least_y, np.float64(y[i]))
        most_y = max(most_y, np.float64(y[i]))
    found[0], found[1], found[2], found[3] = least_x, least_y, most_x, most_y


@jit
def count_bins(x, y, ids, key, counts, begin, end, grid, x0, y0, per_x, per_y):
    columns, rows, pitch = grid
    counts[:] = 0
    for i in range(begin, end):  # without the counting, so that it vectorises
        c = min(max(np.int32((x[i] - x0) * per_x), np.int32(0)), np.int32(columns - 1))
        r = min(max(np.int32((y[i] - y0) * per_y), np.int32(0)), np.int32(rows - 1))
        key[i] = (r + np.int32(1)) * np.int32(pitch) + c + np.int32(ACROSS)
    for i in range(begin, end):
        if MORTAL and ids[i] < 0:  # died in the step before
            key[i] = np.int32(-1)
        else:
            counts[np.uint32(key[i])] += np.int32(1)


@jit
def row_length(hist, team, base, columns):
    """Agents of a row, the ghosts at its ends, and the sentinels."""
    total = 0
    for t in range(team):
        counts = hist[t, base + ACROSS : base + ACROSS + columns]
        for c in range(columns):
            total += counts[c]
        if WRAPS:
            for c in range(ACROSS):
                total += counts[c] + counts[columns - 1 - c]
    return total + PAD


@jit
def place_bins(hist, team, start, base, columns, run):
    """Where each bin of a row begins; the counts become write cursors."""
    first = start[base : base + columns + 2 * ACROSS]
    for c in range(ACROSS):
        first[c] = run
        if WRAPS:
            for t in range(team):
                run += hist[t, base + columns + c]
    for c in range(ACROSS, ACROSS + columns):
        first[c] = run
        for t in range(team):
            count = hist[t, base + c]
            hist[t, base + c] = run
            run += count
    for c in range(ACROSS):
        first[ACROSS + columns + c] = run
        if WRAPS:
            run += first[ACROSS + c + 1] - first[ACROSS + c]


@jit
def precedes(table, ids, a, b):
    """Whether agent a comes before agent b: by x, y, velocity, and id as the last resort."""
    for r in range(4):
        if table[r, a] != table[r, b]:
            return table[r, a] < table[r, b]
    return ids[a] < ids[b]


@jit
def sort_row(table, ids, source, begin, end):
    """Sort a row by x. Its bins are in order and each was sorted a step ago, so insertion has little to do."""
    xs = table[0]
    for d in range(begin + 1, end):
        if xs[np.uint64(d)] > xs[np.uint64(d - 1)]:
            continue
        k = d
        while k > begin and precedes(table, ids, k, k - 1):
            for r in range(AT_ONCE):
                table[r, k], table[r, k - 1] = table[r, k - 1], table[r, k]
            ids[k], ids[k - 1] = ids[k - 1], ids[k]
            if AT_ONCE < STATE_ROWS:
                source[k], source[k - 1] = source[k - 1], source[k]
            k -= 1


@jit
def fetch_rest(table, source, state, begin, end):
    """Bring the other columns of a sorted row, one after the other."""
    for r in range(AT_ONCE, STATE_ROWS):
        to, column = table[r], state[r]
        for d in range(np.uint64(begin), np.uint64(end)):
            to[d] = column[np.uint32(source[d])]


@jit
def copy_ghosts(table, table_ids, to, begin, count, shift_x, shift_y):
    for k in range(count):
        table[0, to + k] = table[0, begin + k] + shift_x
        table[1, to + k] = table[1, begin + k] + shift_y
        table_ids[to + k] = table_ids[begin + k]
    for r in range(2, STATE_ROWS):
        row = table[r]
        for k in range(count):
            row[to + k] = row[begin + k]


@jit
def finish_row(table, table_ids, source, state, start, base, end, columns, width):
    """Sort and complete a row, and add ghosts and sentinels."""
    begin = np.int64(start[base + ACROSS])
    stop = np.int64(start[base + ACROSS + columns])
    sort_row(table, table_ids, source, begin, stop)
    fetch_rest(table, source, state, begin, stop)
    if WRAPS:
        left = np.int64(start[base])
        last = np.int64(start[base + columns])
        copy_ghosts(table, table_ids, left, last, stop - last, -width, F(0.0))
        first_end = np.int64(start[base + 2 * ACROSS])
        copy_ghosts(table, table_ids, stop, begin, first_end - begin, width, F(0.0))
    for d in range(end - PAD, end):
        table[0, d] = FAR
        table[1, d] = FAR
        for r in range(2, STATE_ROWS):
            table[r, d] = F(0.0)
        table_ids[d] = np.int32(-1)


@jit
def note_tracked(table, table_ids, begin, stop, tracked, items):
    for t in range(tracked.shape[0]):
        for d in range(begin, stop):
            if table_ids[d] == tracked[t, 0]:
                row = tracked[t, 1]
                for c in range(4):
                    items[row, c] = table[c, d]
                items[row, 4] = F(1.0)
                items[row, 5] = F(tracked[t, 0])


@jit
def start_rows(row_start, rows, table, status, tracked, items):
    """Where each row of the sorted flock begins; too little room is noted."""
    row_start[0] = row_start[rows] if WRAPS else PAD
    row_start[rows + 1] = row_start[1] if WRAPS else PAD
    total = np.int64(0)
    for r in range(rows + 2):
        length = row_start[r]
        row_start[r] = total
        total += length
    row_start[rows + 2] = total
    if total + 64 > table.shape[1]:
        put(status, 0, TOO_SMALL)
        status[2] = total
    for t in range(tracked.shape[0]):
        items[tracked[t, 1], 4] = F(0.0)


@jit
def start_tasks(start, row_start, row_first, first_task, grid):
    """Where each row's agents begin among all, which tasks are its own, and the bins of the rows beyond the edges."""
    columns, rows, pitch = grid
    start[(rows + 2) * pitch] = row_start[rows + 2]
    agents = np.int64(0)
    tasks = np.int64(0)
    for r in range(rows):
        base = (r + 1) * pitch
        row_first[r] = agents
        first_task[r] = tasks
        here = start[base + ACROSS + columns] - start[base + ACROSS]
        agents += here
        tasks += (here + BLOCK - 1) // BLOCK
    first_task[rows] = tasks
    for side in range(2):
        r = side * (rows + 1)
        opposite = (rows if side == 0 else 1) if WRAPS else r
        for c in range(pitch):
            moved = start[opposite * pitch + c] - row_start[opposite] if WRAPS else 0
            start[r * pitch + c] = row_start[r] + moved


@jit
def scatter(state, ids, key, cursors, table, table_ids, source, begin, end):
    """Put agents into their bins."""
    for i in range(begin, end):
        if MORTAL and key[i] < 0:
            continue
        k = np.uint32(key[i])
        d = cursors[k]
        cursors[k] = d + np.int32(1)
        for r in range(AT_ONCE):
            table[r, np.uint32(d)] = state[r, i]
        table_ids[np.uint32(d)] = ids[i]
        if AT_ONCE < STATE_ROWS:
            source[np.uint32(d)] = np.int32(i)


@jit
def fill_edge(table, table_ids, row_start, rows, side, height):
    """The row beyond the lower (0) or upper (1) edge: ghosts, or nobody."""
    r = side * (rows + 1)
    if WRAPS:
        opposite = rows if side == 0 else np.int64(1)
        shift = -height if side == 0 else height
        length = row_start[r + 1] - row_start[r]
        copy_ghosts(table, table_ids, row_start[r], row_start[opposite], length, F(0.0), shift)
    else:
        for d in range(row_start[r], row_start[r + 1]):
            table[0, d] = FAR
            table[1, d] = FAR
            for c in range(2, STATE_ROWS):
                table[c, d] = F(0.0)
