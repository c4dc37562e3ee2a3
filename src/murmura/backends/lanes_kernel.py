"""What a step does on sixteen lanes: four agents meet four candidates at a time, then sixteen agents move.

A template like `cpu_kernel`, and its other half: the fused rules come in place of the marked line. It is neither
imported nor compiled but run, and writes the code of the two functions at its end as it goes (see `tracing`).
"""

# mypy: ignore-errors

# THE FUSED RULES

TINY = F(1e-20)  # keeps 1/d, and its cube, finite for agents in the same place


def known(world):
    """The world with what is known of it now: questions about it are answered while the code is written."""
    return world._replace(wraps=WRAPS, walled=WALLED)


def neighbour(p, me, rows, ids, kin, j):
    """The agents in four rows from j on, or in rows j of sixteen, as `me` sees them."""
    dx = load_tile(rows[0], j, 4) - me.x
    dy = load_tile(rows[1], j, 4) - me.y
    d2 = dx * dx + dy * dy
    inv_d = F(1.0) / sqrt(d2 + TINY)
    vx, vy = load_tile(rows[2], j, 4), load_tile(rows[3], j, 4)
    return seen_of(p, me, rows, ids, kin, j, dx, dy, d2, d2 * inv_d, inv_d, vx, vy)


def scan(p, me, reach_squared, cosine, rows, ids, kin, world, begin, end, i, own, acc):
    """Feed one run of candidates to the rules of four agents."""
    mine = as_ints(i) + lane_numbers(4, 0)

    def meet(j, number, acc):
        seen = neighbour(p, me, rows, ids, kin, j)
        m = sees(reach_squared, cosine, me.hx, me.hy, seen.dx, seen.dy, seen.d2, seen.d)
        if own:
            m = m & (number != mine)
        return number + 4, merge(acc, contribute(p, me, seen, world, number_of(number)), m)

    _, acc = loop(begin, end, meet, as_ints(begin) + lane_numbers(4, 1), acc, step=4)
    return acc


def perceive_four(numbers, kin, table, ids, i, above, here, below, reaches, sums, k, world):
    """Four agents from row i on meet the candidates of three runs; what rules add up goes to columns k to k + 3."""
    world = known(world)
    rows = rows_of(table)
    p, me = me_pairing(numbers, rows, ids, i, F(0.0), world)
    cosine = cosine_of(p, me)
    reach_squared = load_repeated(reaches, i, 4) if TOPOLOGICAL else p[1].radius * p[1].radius
    acc = blank()
    for run, own in ((above, False), (here, True), (below, False)):
        acc = scan(p, me, reach_squared, cosine, rows, ids, kin, world, *run, i, own, acc)
    fold(sums, k, acc)


def move_sixteen(
    numbers, kin, table, table_ids, i, sums, k, left, world, items, ranges, chosen, near, shapes, state, ids, target,
    step, told, news, events, status, young,
):  # fmt: skip
    """Sixteen agents, or the `left` ones, decide, move and tell; whether all of them are somewhere."""
    world = known(world)
    found = sums_at(sums, k)
    rows = rows_of(table)
    p, me = me_moving(numbers, rows, table_ids, i, found[0], world)
    here = as_ints(i) + lane_numbers(16, 1)
    me, fx, fy, tale = decide(p, me, found, world, items, ranges, chosen, near, rows, table_ids, kin, here)
    me, new = live(p, me, fx, fy, world, shapes)
    store_all(state, target, new, left)
    store_first(ids, target, mark_dead(me.id, tale[0]) if MORTAL else me.id, left)
    if LASTING:
        tell(p, me, tale[0], world, items, ranges, told, news, left)
    if EVENTFUL:
        note(tale, me, left, step, events, status, young)
    whole = absolute(new[0]) + absolute(new[1]) + absolute(new[2]) + absolute(new[3]) < F(1e30)
    return ~any_lane(~whole & first_lanes(left))
