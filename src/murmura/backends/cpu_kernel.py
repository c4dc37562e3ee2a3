"""The step on CPU cores: index, perceive and steer, move. A template: the fused rules come from `fusing`.

Four agents times four candidates fill the sixteen lanes (`lanes_kernel`); who is a candidate is in `index_kernel`.
This file is never imported: `cpu_build.py` puts the fused functions in place of the marked line and compiles the result
as a module of its own.
"""

# mypy: ignore-errors

# THE FUSED RULES

BLOCK = 128  # agents per task
TINY = F(1e-20)  # keeps 1/d, and its cube, finite for agents in the same place
FINE, TOO_SMALL, NOT_FINITE, MUCH_TO_TELL = 0, 1, 2, 3


@jit
def reach_of_nearest(numbers, table, start, base, pitch, c, i, nearest, closest):
    """Squared distance to the k-th nearest visible neighbour of one agent, widened by the rounding: ties count."""
    vx = table[2, i]
    vy = table[3, i]
    square = vx * vx + vy * vy
    inverse = F(1.0) / sqrt(square + TINY)
    hx = vx * inverse if square > F(0.0) else F(1.0)
    species = np.int64(table[SPECIES_ROW, i]) if SPECIES_ROW > 0 else np.int64(0)
    radius = numbers[RADIUS_NUMBER * SPECIES_PITCH + species]
    cosine = numbers[COSINE_NUMBER * SPECIES_PITCH + species] if square >= F(0.01) else F(-2.0)
    found = 0
    for r in range(base - pitch, base + pitch + 1, pitch):
        for j in range(start[r + c - ACROSS], start[r + c + ACROSS + 1]):
            dx = table[0, j] - table[0, i]
            dy = table[1, j] - table[1, i]
            d2 = dx * dx + dy * dy
            d = d2 * (F(1.0) / sqrt(d2 + TINY))
            if j != i and sees_one(radius * radius, cosine, hx, vy * inverse, dx, dy, d2, d):
                if found < nearest or d2 < closest[found - 1]:
                    k = found if found < nearest else found - 1
                    while k > 0 and closest[k - 1] > d2:
                        closest[k] = closest[k - 1]
                        k -= 1
                    closest[k] = d2
                    found = min(found + 1, nearest)
    return closest[nearest - 1] * F(1.0 + TIE) if found == nearest else radius * radius


@jit
def box_of(xs, begin, count, y0, per_y, row):
    """Middle and half size of a box around agents that lie next to each other in a row, a little too large."""
    height = F(1.0) / per_y if per_y > F(0.0) else F(0.0)
    half_x, half_y = (xs[begin + count - 1] - xs[begin]) * F(0.5), height * F(0.5)
    return xs[begin] + half_x, y0 + (F(row) - F(0.5)) * height, half_x * F(1.001), half_y * F(1.001) + F(0.01)


@jit
def is_near(box, x, y, distance, world):
    """Whether somebody in the box may be that near to a place."""
    across, along = abs(x - box[0]), abs(y - box[1])
    if WRAPS:
        across, along = min(across, world.width - across), min(along, world.height - along)
    across, along = max(across - box[2], F(0.0)), max(along - box[3], F(0.0))
    return across * across + along * along <= distance * distance * F(1.001)


@jit
def steer_block(
    table, table_ids, start, grid, x0, per_x, box, state, ids, sums, reaches, closest, chosen, near, row, begin, count,
    target, world, numbers, kin, items, ranges, item_ranges, shapes, nearest, step, told, news, events, status, young,
):  # fmt: skip
    """Perceive, steer and move `count` agents that lie next to each other in a row."""
    columns, _, pitch = grid
    base = row * pitch
    xs = table[0]
    if TOPOLOGICAL:
        for i in range(begin, begin + count):
            c = min(max(np.int64((xs[i] - x0) * per_x), 0), columns - 1) + ACROSS
            reaches[i] = reach_of_nearest(numbers, table, start, base, pitch, c, i, nearest, closest)
    for k in range(0, count, 4):
        i = begin + k
        last = begin + min(k + 4, count) - 1
        c0 = min(max(np.int64((xs[i] - x0) * per_x), 0), columns - 1)
        c1 = min(max(np.int64((xs[last] - x0) * per_x), 0), columns - 1) + 2 * ACROSS + 1
        # Past a row's last bin lie its sentinels. A run that took them in would let its last tile reach into
        # the next row, whose agents would then be met twice.
        over = PAD if c1 == pitch else 0
        above = (np.int64(start[base - pitch + c0]), np.int64(start[base - pitch + c1]) - over)
        here = (np.int64(start[base + c0]), np.int64(start[base + c1]) - over)
        below = (np.int64(start[base + pitch + c0]), np.int64(start[base + pitch + c1]) - over)
        perceive_four(numbers, kin, table, table_ids, i, above, here, below, reaches, sums, k, world)
    choose(items, ranges, item_ranges, box, world, chosen, near)
    fine = True
    for k in range(0, count, 16):
        fine &= move_sixteen(
            numbers, kin, table, table_ids, begin + k, sums, k, count - k, world, items, ranges, chosen, near, shapes,
            state, ids, target + k, step, told, news, events, status, young,
        )  # fmt: skip
    return fine


@jit
def row_of_task(first_task, rows, task):
    low = 0
    high = rows
    while high - low > 1:
        middle = (low + high) >> 1
        if first_task[middle] <= task:
            low = middle
        else:
            high = middle
    return low


@jit
def row_named(ids, n, name):
    """Where an agent is in the moved flock, be it dead; -1: nowhere."""
    if name < 0:  # nobody: its complement would be agent 0
        return -1
    for begin in range(0, n, 1024):
        found = np.int32(-1)
        for i in range(
            np.uint64(begin), np.uint64(min(begin + 1024, n))
        ):  # to its end, so that it vectorises
            here = ids[i] == name or ids[i] == -1 - name
            found = max(found, np.int32(i) if here else np.int32(-1))
        if found >= 0:
            return np.int64(found)
    return -1


@jit
def let_be_born(state, ids, n, status, young, events, numbers, world, step):
    """Append the young of this step, in the order of their mothers' ids, as far as there is room."""
    count = min(status[YOUNG], young.shape[0])
    for k in range(1, count):
        j = k
        while j > 0 and young[j, 0] < young[j - 1, 0]:
            for c in range(3):
                young[j, c], young[j - 1, c] = young[j - 1, c], young[j, c]
            j -= 1
    room = state.shape[1] - 64
    for k in range(count):
        if n < room:
            m = row_named(ids, n, young[k, 0])
            f = row_named(ids, n, young[k, 2])
            father = young[k, 2] if f >= 0 else young[k, 0]
            child = status[NEXT_ID]
            bear(
                young[k, 1], numbers, state, ids, n, m, f if f >= 0 else m, young[k, 0], father, child, world
            )
            status[NEXT_ID] += 1
            slot = fetch_add(status, EVENTS, 1)
            if slot < events.shape[0]:
                events[slot, 0] = step
                events[slot, 1] = BIRTH
                events[slot, 2] = child
                events[slot, 3] = young[k, 0]
                events[slot, 4] = state[0, n]
                events[slot, 5] = state[1, n]
                events[slot, 6] = 0.0
                events[slot, 7] = young[k, 2]
            n += 1
    status[YOUNG] = 0
    return n


@jit
def end_step(
    turns, numbers, items, ranges, told, team, news, heard, world_values, world, step, seed_low, seed_high, state, ids,
    alive, status, young, events,
):  # fmt: skip
    """What happens when all have moved: items take their turns, the young are born, newcomers arrive."""
    if LASTING:
        merge_told(told, team, ranges)
        take_turns(
            turns, numbers, items, ranges, told[0], news, heard, world_values, step, seed_low, seed_high
        )
    if MORTAL:
        alive = let_be_born(state, ids, alive, status, young, events, numbers, world, step + 1)
        room = state.shape[1] - 64
        alive = welcome(numbers, state, ids, alive, room, items, ranges, world, step + 1, status, events)
        put(status, ALIVE, alive)
    if EVENTFUL and 2 * status[EVENTS] > events.shape[0]:
        put(status, 0, MUCH_TO_TELL)
    status[1] += 1


@numba.njit(cache=True, **JIT)
def run(
    steps, me, team, first_step, seed_low, seed_high, world_values, reach, nearest, sync, status, found_bounds,
    state, ids, key, table, table_ids, source, start, hist, row_start, row_first, first_task, reaches,
    numbers, kin, items, ranges, item_ranges, tracked, shapes, turns, told, news, heard, events, young,
):  # fmt: skip
    """Advance `steps` steps as thread `me` of `team`; stops early, before or after a whole step, on trouble."""
    width, height = F(world_values[0]), F(world_values[1])
    sums = np.zeros((ACCUMULATORS, BLOCK + 16), np.float32)
    closest = np.empty(64, np.float32)
    chosen, near = np.empty(items.shape[0], np.int64), np.empty(ranges.shape, np.int64)
    bounds = (0.0, 0.0, world_values[0], world_values[1])
    most_bins = start.shape[0] - 1
    for done in range(steps):
        step = first_step + done
        n = status[ALIVE]
        begin, end = n * me // team, n * (me + 1) // team
        if OPEN:
            find_bounds(state[0], state[1], begin, end, found_bounds[me])
            meet(sync, team)
            bounds = (
                found_bounds[:team, 0].min(), found_bounds[:team, 1].min(),
                found_bounds[:team, 2].max(), found_bounds[:team, 3].max(),
            )  # fmt: skip
            if n == 0:
                bounds = (0.0, 0.0, 1.0, 1.0)
        columns, rows, per_x, per_y = layout(bounds, reach, most_bins)
        pitch = columns + 2 * ACROSS
        grid = (columns, rows, pitch)
        x0, y0 = F(bounds[0]), F(bounds[1])
        counts = hist[me, : pitch * (rows + 2)]
        count_bins(state[0], state[1], ids, key, counts, begin, end, grid, x0, y0, per_x, per_y)
        meet(sync, team)
        first_row, last_row = rows * me // team, rows * (me + 1) // team
        for r in range(first_row, last_row):
            row_start[r + 1] = row_length(hist, team, (r + 1) * pitch, columns)
        meet(sync, team)
        if me == 0:
            start_rows(row_start, rows, table, status, tracked, items)
            for t in range(team):
                put(sync, NEXT_TASK + 16 * t, 0)
        meet(sync, team)
        if peek(status, 0) != FINE:
            break
        for r in range(first_row, last_row):
            place_bins(hist, team, start, (r + 1) * pitch, columns, np.int32(row_start[r + 1]))
        meet(sync, team)
        if me == 0:
            start_tasks(start, row_start, row_first, first_task, grid)
        scatter(state, ids, key, counts, table, table_ids, source, begin, end)
        meet(sync, team)
        for r in range(first_row, last_row):
            base = (r + 1) * pitch
            finish_row(table, table_ids, source, state, start, base, row_start[r + 2], columns, width)
            if tracked.shape[0] > 0:
                note_tracked(
                    table, table_ids, start[base + ACROSS], start[base + ACROSS + columns], tracked, items
                )
        meet(sync, team)
        for side in range(me, 2, team):
            fill_edge(table, table_ids, row_start, rows, side, height)
        meet(sync, team)
        world = world_at(world_values, step, seed_low, seed_high)
        tasks = first_task[rows]
        for turn in range(team):
            # First the tasks whose agents this thread has just sorted, then what others have not got to.
            whose = (me + turn) % team
            task = tasks * whose // team + fetch_add(sync, NEXT_TASK + 16 * whose, 1)
            while task < tasks * (whose + 1) // team:
                r = row_of_task(first_task, rows, task)
                base = (r + 1) * pitch
                offset = (task - first_task[r]) * BLOCK
                first = start[base + ACROSS] + offset
                count = min(BLOCK, start[base + ACROSS + columns] - first)
                box = box_of(table[0], first, count, y0, per_y, r + 1)
                if not steer_block(
                    table, table_ids, start, grid, x0, per_x, box, state, ids, sums, reaches, closest, chosen, near,
                    r + 1, first, count, row_first[r] + offset, world, numbers, kin, items, ranges, item_ranges,
                    shapes, nearest, step + 1, told[me], news, events, status, young,
                ):  # fmt: skip
                    put(status, 0, NOT_FINITE)
                task = tasks * whose // team + fetch_add(sync, NEXT_TASK + 16 * whose, 1)
        meet(sync, team)
        if me == 0:
            last = rows * pitch + ACROSS
            alive = row_first[rows - 1] + start[last + columns] - start[last]
            end_step(
                turns, numbers, items, ranges, told, team, news, heard, world_values, world, step, seed_low, seed_high,
                state, ids, alive, status, young, events,
            )  # fmt: skip
        if MORTAL or LASTING or EVENTFUL:
            meet(sync, team)
        if peek(status, 0) != FINE:
            break
    return 0
