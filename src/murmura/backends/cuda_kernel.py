"""The step on a GPU: index, perceive and steer, move. A template like `cpu_kernel`, with the same fused rules.

One thread for each agent. State is physically sorted by (row, bin, x) with bins a quarter as wide as anybody
sees; a thread walks three rows and in each only the bins that the circle around it touches. On a wrapping
world a run that leaves the world goes on at the other side, shifted. Atomics only count; the order they leave
in a bin is mended by sorting it by place, so the same device gives the same bits every time.

Everything that changes from step to step lives on the device (`clock`, `layout_*`), so that a step can be
captured once as a CUDA graph and replayed.
"""

# mypy: ignore-errors

# THE FUSED RULES

ACROSS = 4
TINY = F(1e-20)
COLUMNS, ROWS, X0, Y0, PER_X, PER_Y, ROW_HEIGHT = 0, 1, 0, 1, 2, 3, 4
NEVER_LESS, NEVER_MORE = F(-3.0e38), F(3.0e38)
LISTENERS = 128


@jit
def world_at(values, clock):
    """The world as the rules see it at the current step, in single precision."""
    step = clock[0] - 1
    time = step * values[2]
    return World(
        F(values[0]), F(values[1]), WRAPS, WALLED, F(values[2]), F(time),
        F(time - NOISE_TIME_PERIOD * math.floor(time / NOISE_TIME_PERIOD)),
        F(values[3]), F(values[4]), F(values[5]), F(values[6]), np.uint32(step), np.uint32(clock[1]),
        np.uint32(clock[2]), F(values[7]), F(values[8]),
    )  # fmt: skip


@jit
def column_of(x, layout_numbers, columns):
    return min(
        max(np.int32((x - layout_numbers[X0]) * layout_numbers[PER_X]), np.int32(0)), np.int32(columns - 1)
    )


@jit
def row_of(y, layout_numbers, rows):
    return min(
        max(np.int32((y - layout_numbers[Y0]) * layout_numbers[PER_Y]), np.int32(0)), np.int32(rows - 1)
    )


@kernel
def reset_bounds(bounds):
    if cuda.grid(1) == 0:
        bounds[0], bounds[1], bounds[2], bounds[3] = NEVER_MORE, NEVER_MORE, NEVER_LESS, NEVER_LESS


@jit
def agents_of(n, clock):
    """How many agents, dead ones of the step before included; `n` is how many there may be."""
    return clock[ALIVE] if MORTAL else n


@kernel
def find_bounds(state, bounds, n, clock):
    i = cuda.grid(1)
    if i < agents_of(n, clock):
        x, y, _, _ = load_quad(state, i)
        cuda.atomic.min(bounds, 0, x)
        cuda.atomic.min(bounds, 1, y)
        cuda.atomic.max(bounds, 2, x)
        cuda.atomic.max(bounds, 3, y)


@kernel
def forget_tracked(tracked, items):
    t = cuda.grid(1)
    if t < tracked.shape[0]:
        items[tracked[t, 1], 4] = F(0.0)


@kernel
def make_layout(bounds, reach, most_bins, layout_counts, layout_numbers):
    """Rows and bins for these bounds, at most `most_bins` bins."""
    if cuda.grid(1) != 0:
        return
    width = np.float64(bounds[2]) - np.float64(bounds[0])
    height = np.float64(bounds[3]) - np.float64(bounds[1])
    least = reach * 1.00001
    rows = max(1, min(np.int64(height / least), most_bins // (8 * ACROSS)))
    columns = max(1, min(np.int64(width * ACROSS / least), most_bins // rows))
    layout_counts[COLUMNS] = columns
    layout_counts[ROWS] = rows
    layout_numbers[X0] = bounds[0]
    layout_numbers[Y0] = bounds[1]
    layout_numbers[PER_X] = F(columns / width) if width > 0.0 else F(0.0)
    layout_numbers[PER_Y] = F(rows / height) if height > 0.0 else F(0.0)
    layout_numbers[ROW_HEIGHT] = F(height / rows)


@kernel
def count_bins(state, ids, n, layout_counts, layout_numbers, keys, ranks, counts, clock):
    """Each agent's bin and its rank among those counted there so far; and a new step begins."""
    i = cuda.grid(1)
    if i == 0:
        clock[0] += 1
    if i < agents_of(n, clock):
        if MORTAL and ids[i] < 0:  # died in the step before
            keys[i] = -1
            return
        x, y, _, _ = load_quad(state, i)
        columns = layout_counts[COLUMNS]
        key = row_of(y, layout_numbers, layout_counts[ROWS]) * columns + column_of(x, layout_numbers, columns)
        keys[i] = key
        ranks[i] = cuda.atomic.add(counts, key + 1, 1)


@kernel
def scatter(state, extras, ids, n, keys, ranks, start, table, table_extras, table_ids, clock):
    i = cuda.grid(1)
    if i < agents_of(n, clock) and not (MORTAL and keys[i] < 0):
        d = start[keys[i]] + ranks[i]
        x, y, vx, vy = load_quad(state, i)
        store_quad(table, d, x, y, vx, vy)
        for k in range(CARRIED):
            table_extras[k, d] = extras[k, i]
        table_ids[d] = ids[i]


@jit
def precedes(table, ids, a, b):
    """Whether agent a comes before agent b: by x, y, velocity, and id as the last resort."""
    for k in range(4):
        if table[a, k] != table[b, k]:
            return table[a, k] < table[b, k]
    return ids[a] < ids[b]


@kernel
def sort_bins(table, table_extras, table_ids, start, bins, tracked, items):
    """Order the agents of each bin by place, and note where tracked agents are."""
    c = cuda.grid(1)
    if c >= bins:
        return
    begin, end = start[c], start[c + 1]
    for d in range(begin + 1, end):
        k = d
        while k > begin and precedes(table, table_ids, k, k - 1):
            for r in range(4):
                table[k, r], table[k - 1, r] = table[k - 1, r], table[k, r]
            for r in range(CARRIED):
                table_extras[r, k], table_extras[r, k - 1] = table_extras[r, k - 1], table_extras[r, k]
            table_ids[k], table_ids[k - 1] = table_ids[k - 1], table_ids[k]
            k -= 1
    for t in range(tracked.shape[0]):
        for d in range(begin, end):
            if table_ids[d] == tracked[t, 0]:
                row = tracked[t, 1]
                for r in range(4):
                    items[row, r] = table[d, r]
                items[row, 4] = F(1.0)
                items[row, 5] = F(tracked[t, 0])


@jit
def scan(p, me, reach_squared, cosine, rows, ids, kin, world, begin, end, x, y, i, acc):
    """Feed one run of candidates, seen from (x, y), to the rules."""
    j = np.int32(begin)
    while j < end:
        xj, yj, vx, vy = load_quad(rows[0], j)
        dx = xj - x
        dy = yj - y
        d2 = dx * dx + dy * dy
        if d2 <= reach_squared and j != i:
            inv_d = inverse_root(d2 + TINY)
            d = d2 * inv_d
            if sees(reach_squared, cosine, me.hx, me.hy, dx, dy, d2, d):
                seen = seen_of(p, me, rows, ids, kin, j, dx, dy, d2, d, inv_d, vx, vy)
                acc = merge(acc, contribute(p, me, seen, world), True)
        j = np.int32(j + 1)
    return acc


@jit
def run_of(layout_counts, layout_numbers, world, me, reach_squared, row, offset, part):
    """Bins of one row that the agent's circle touches: (row, first, last, shift_x, shift_y); first > last: none.

    Part 1 is what lies beyond the seam of a wrapping world.
    """
    columns, rows = layout_counts[COLUMNS], layout_counts[ROWS]
    height = layout_numbers[ROW_HEIGHT]
    edge = layout_numbers[Y0] + height * F(row + offset)
    near = F(0.0)
    if offset > 0:
        near = maximum(F(0.0), edge - me.y)
    elif offset < 0:
        near = maximum(F(0.0), me.y - (edge + height))
    # A hair wider than the circle: rounding must not lose a neighbour on its edge.
    half = sqrt(maximum(F(0.0), reach_squared - near * near * F(0.999))) * F(1.0001) + F(1e-3)
    first = np.int32(floor((me.x - half - layout_numbers[X0]) * layout_numbers[PER_X]))
    last = np.int32(floor((me.x + half - layout_numbers[X0]) * layout_numbers[PER_X]))
    there = row + offset
    shift_x = shift_y = F(0.0)
    if WRAPS:
        if there < 0:
            there += rows
            shift_y = -world.height
        elif there >= rows:
            there -= rows
            shift_y = world.height
        if part == 1:
            if first < 0:
                first += columns
                last = columns - 1
                shift_x = -world.width
            elif last >= columns:
                first = 0
                last -= columns
                shift_x = world.width
            else:
                last = first - 1
            return there, first, last, shift_x, shift_y
    elif there < 0 or there >= rows or part == 1:
        return np.int32(0), np.int32(1), np.int32(0), shift_x, shift_y
    # Outside a world without seams agents lie in the border bins, whatever their distance.
    first = min(max(first, np.int32(0)), np.int32(columns - 1))
    last = min(max(last, np.int32(0)), np.int32(columns - 1))
    return there, first, last, shift_x, shift_y


@jit
def steer_one(
    i, table, table_extras, table_ids, start, layout_counts, layout_numbers, world_values, clock, numbers, kin, items,
    ranges, shapes, nearest, state, extras, ids, felt, keep, trouble, told, news, events, young,
):  # fmt: skip
    """Perceive, steer and move one agent."""
    rows = (table, table_extras)
    world = world_at(world_values, clock)
    p, me = me_pairing(numbers, rows, table_ids, i, F(0.0), world)
    cosine = cosine_of(p, me)
    reach_squared = p[1].radius * p[1].radius
    row = row_of(me.y, layout_numbers, layout_counts[ROWS])
    columns = layout_counts[COLUMNS]
    if TOPOLOGICAL:
        closest = cuda.local.array(64, np.float32)
        found = 0
        for offset in range(-1, 2):
            for part in range(PARTS):
                there, first, last, sx, sy = run_of(
                    layout_counts, layout_numbers, world, me, reach_squared, row, offset, part
                )
                if first <= last:
                    for j in range(start[there * columns + first], start[there * columns + last + 1]):
                        xj, yj, _, _ = load_quad(table, j)
                        dx = xj - (me.x - sx)
                        dy = yj - (me.y - sy)
                        d2 = dx * dx + dy * dy
                        d = d2 * inverse_root(d2 + TINY)
                        if j != i and sees(reach_squared, cosine, me.hx, me.hy, dx, dy, d2, d):
                            if found < nearest or d2 < closest[found - 1]:
                                k = found if found < nearest else found - 1
                                while k > 0 and closest[k - 1] > d2:
                                    closest[k] = closest[k - 1]
                                    k -= 1
                                closest[k] = d2
                                found = min(found + 1, nearest)
        if found == nearest:
            reach_squared = closest[nearest - 1] * F(1.0 + TIE)
    acc = blank()
    for offset in range(-1, 2):
        for part in range(PARTS):
            there, first, last, sx, sy = run_of(
                layout_counts, layout_numbers, world, me, reach_squared, row, offset, part
            )
            if first <= last:
                s = start[there * columns + first]
                e = start[there * columns + last + 1]
                acc = scan(
                    p,
                    me,
                    reach_squared,
                    cosine,
                    rows,
                    table_ids,
                    kin,
                    world,
                    s,
                    e,
                    me.x - sx,
                    me.y - sy,
                    i,
                    acc,
                )
    p, me = me_moving(numbers, rows, table_ids, i, acc[0], world)
    me, fx, fy, tale = decide(p, me, acc, world, items, ranges)
    me, new = live(p, me, fx, fy, world, shapes)
    store_quad(state, i, new[0], new[1], new[2], new[3])
    store_rest(extras, felt, i, new, keep)
    ids[i] = mark_dead(me.id, tale[0]) if MORTAL else me.id
    if LASTING:
        tell(p, me, tale[0], world, items, ranges, told, news, 1)
    if EVENTFUL:
        note(tale, me, i, clock[0], events, clock, young)
    if not (
        abs(new[0]) < F(1e30) and abs(new[1]) < F(1e30) and abs(new[2]) < F(1e30) and abs(new[3]) < F(1e30)
    ):
        if trouble[0] == 0:  # the first bad step is the one to name
            trouble[0] = clock[0]


@kernel
def steer(
    table, table_extras, table_ids, n, start, bins, layout_counts, layout_numbers, world_values, clock, numbers, kin,
    items, ranges, shapes, nearest, state, extras, ids, felt, keep, trouble, told, news, events, young,
):  # fmt: skip
    """Each thread steers one agent; what a block's agents tell is brought together before others hear of it."""
    i = np.int32(cuda.grid(1))
    here = start[bins] if MORTAL else n
    if LASTING:
        heard = cuda.shared.array((LISTENERS, TOLD), np.int64)
        for k in range(cuda.threadIdx.x, told.shape[0] * TOLD, cuda.blockDim.x):
            heard[k // TOLD, k % TOLD] = 0
        cuda.syncthreads()
        if i < here:
            steer_one(
                i, table, table_extras, table_ids, start, layout_counts, layout_numbers, world_values, clock, numbers,
                kin, items, ranges, shapes, nearest, state, extras, ids, felt, keep, trouble, heard, news, events,
                young,
            )  # fmt: skip
        cuda.syncthreads()
        if cuda.threadIdx.x == 0:
            pass_on(heard, told, ranges)
    elif i < here:
        steer_one(
            i, table, table_extras, table_ids, start, layout_counts, layout_numbers, world_values, clock, numbers, kin,
            items, ranges, shapes, nearest, state, extras, ids, felt, keep, trouble, told, news, events, young,
        )  # fmt: skip


@kernel
def find_fathers(ids, start, bins, clock, young):
    """Where the fathers of this step's young are, dead or alive."""
    i = cuda.grid(1)
    if i < start[bins]:
        for k in range(min(clock[YOUNG], young.shape[0])):
            # Nobody, -1, has agent 0 as its complement.
            if young[k, 2] >= 0 and (ids[i] == young[k, 2] or ids[i] == -1 - young[k, 2]):
                young[k, 4] = i


@kernel
def be_born(numbers, world_values, clock, start, bins, state, extras, felt, ids, room, events, young):
    """The young of this step, each in the place that the order of their mothers' ids gives it."""
    count = min(clock[YOUNG], young.shape[0])
    for k in range(cuda.grid(1), count, cuda.gridsize(1)):
        before = np.int64(0)
        for j in range(count):
            earlier = young[j, 0] == young[k, 0] and young[j, 1] < young[k, 1]
            if young[j, 0] < young[k, 0] or earlier:
                before += 1
        n = np.int64(start[bins]) + before
        if n < room:
            f = young[k, 4]
            father = young[k, 2] if f >= 0 else young[k, 0]
            child = clock[NEXT_ID] + before
            bear(
                young[k, 1], numbers, state, extras, felt, ids, n, young[k, 3], f if f >= 0 else young[k, 3],
                young[k, 0], father, child, world_at(world_values, clock),
            )  # fmt: skip
            slot = clock[EVENTS] + before
            if slot < events.shape[0]:
                events[slot, 0] = clock[0]
                events[slot, 1] = BIRTH
                events[slot, 2] = child
                events[slot, 3] = young[k, 0]
                events[slot, 4] = state[n, 0]
                events[slot, 5] = state[n, 1]
                events[slot, 6] = 0.0
                events[slot, 7] = young[k, 2]


@kernel
def afterwards(
    numbers, items, ranges, told, news, heard, world_values, clock, start, bins, state, extras, felt, ids, room, events,
    young,
):  # fmt: skip
    """Items take their turns, the young are counted in and newcomers arrive: one thread does it."""
    if cuda.grid(1) != 0:
        return
    world = world_at(world_values, clock)
    if LASTING:
        take_turns(numbers, items, ranges, told, news, heard, world)
    if MORTAL:
        n = np.int64(start[bins])
        born = min(min(clock[YOUNG], young.shape[0]), max(room - n, 0))
        clock[NEXT_ID] += born
        clock[EVENTS] += born
        clock[YOUNG] = 0
        clock[ALIVE] = welcome(
            numbers, state, extras, felt, ids, n + born, room, items, ranges, world, clock[0], clock, events
        )
