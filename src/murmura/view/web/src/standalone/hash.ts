/** The hash of a state, as `Simulation.state_hash` computes it (core/state.py, `digest`). */

import type { RunnableScene } from "./data";
import type { UnnumberedEvent } from "./events";
import { movingColumns, type Flock, type FlockState } from "./flock_state";
import type { Tables } from "./tables";

/** Values of columns that the kernel does not keep, by id: they never change, and newborns have their mothers'. */
export class Heritage {
  private readonly names: string[];
  private readonly byId = new Map<number, number[]>();
  private readonly newborn: number[];

  constructor(
    private readonly scene: RunnableScene,
    flock: Flock,
  ) {
    const kept = new Set(["id", ...movingColumns(scene.plan.dimension), ...scene.columns]);
    const rest = scene.digest.filter(([name]) => !kept.has(name));
    this.names = rest.map(([name]) => name);
    this.newborn = rest.map(([, , newborn]) => newborn);
    flock.ids.forEach((id, k) => {
      this.byId.set(
        id,
        this.names.map((name) => flock.columns[name][k]),
      );
    });
  }

  note(events: UnnumberedEvent[]): void {
    for (const { kind, id, other } of events)
      if (kind === "birth") this.byId.set(id, this.byId.get(other ?? -1) ?? this.newborn);
  }

  private valueOf(name: string): (id: number) => number {
    const at = this.names.indexOf(name);
    return (id) => (this.byId.get(id) ?? this.newborn)[at];
  }

  /** The whole hash; null where the browser computes none: on pages from an insecure host. */
  async hash(state: FlockState, tables: Tables): Promise<string | null> {
    if (!("subtle" in crypto)) return null;
    const { count, ids } = state;
    const parts: ArrayBufferView<ArrayBuffer>[] = [BigInt64Array.from([state.step, state.nextId, count].map(BigInt))];
    for (const [name, isInteger] of this.scene.digest) {
      const values = name === "id" ? ids : (state.column(name) ?? Float32Array.from(ids, this.valueOf(name)));
      parts.push(isInteger ? Int32Array.from(values) : values);
    }
    parts.push(...this.itemsOf(state, tables));
    const digest = await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer());
    return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  /** The rows of items that are stepped, by the names of their rules. */
  private itemsOf(state: FlockState, tables: Tables): Float32Array<ArrayBuffer>[] {
    const { groups, plan } = this.scene;
    const lasting = groups.map((group, number) => ({ ...group, number })).filter(({ lasts }) => lasts);
    lasting.sort((a, b) => (a.name < b.name ? -1 : 1));
    return lasting.flatMap(({ number, columns }) => {
      const [begin, end] = tables.range(number);
      return Array.from({ length: end - begin }, (_, k) => {
        const first = (begin + k) * plan.itemWidth;
        return state.items.slice(first, first + columns.length);
      });
    });
  }
}
