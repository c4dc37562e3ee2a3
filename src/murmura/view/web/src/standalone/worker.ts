/** The thread of a kernel in WebAssembly: it writes into its memory, runs steps, and copies parts of the memory out. */

export interface Task {
  /** The module, when the thread begins. */
  code?: ArrayBuffer;
  /** Functions that the kernel calls, by their place in its table. */
  called?: string[];
  /** Where the stack begins, which grows down. */
  stack?: number;
  /** Bytes of memory that are needed. */
  size?: number;
  /** Set to zero from here to the end of the memory. */
  clear?: number;
  writes?: [address: number, bytes: ArrayBufferView][];
  run?: { frame: number; steps: number };
  /** What to copy: an address, a size in bytes, and where the number of such parts is, if there are several. */
  reads?: [address: number, size: number, count?: number][];
}

/** The whole thread: this function becomes its script, so it must not use anything outside itself. */
export function kernelThread(): void {
  const PAGE = 65536;
  const port = globalThis as unknown as {
    onmessage: (event: { data: Task }) => void;
    postMessage(found: unknown, moved: ArrayBuffer[]): void;
  };
  const memory = new WebAssembly.Memory({ initial: 32 });
  let run: ((frame: number, thread: number, team: number, steps: number) => void) | null = null;
  const bytes = (): Uint8Array => new Uint8Array(memory.buffer);

  function start({ code, called = [], stack = 0 }: Task): void {
    const table = new WebAssembly.Table({ initial: 8, element: "anyfunc" });
    const env = {
      __linear_memory: memory,
      __indirect_function_table: table,
      __stack_pointer: new WebAssembly.Global({ value: "i32", mutable: true }, stack),
      murmura_yield: () => 0, // one thread never waits
      memset: (to: number, value: number, count: number) => (bytes().fill(value, to, to + count), to),
      memcpy: (to: number, from: number, count: number) => (bytes().copyWithin(to, from, from + count), to),
      memmove: (to: number, from: number, count: number) => (bytes().copyWithin(to, from, from + count), to),
    };
    const module = new WebAssembly.Module(code as ArrayBuffer);
    const { exports } = new WebAssembly.Instance(module, { env });
    called.forEach((name, k) => {
      table.set(k + 1, exports[name]);
    });
    run = exports.run as typeof run;
  }

  port.onmessage = ({ data: task }) => {
    try {
      if (task.code) start(task);
      const missing = (task.size ?? 0) - memory.buffer.byteLength;
      if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
      if (task.clear !== undefined) bytes().fill(0, task.clear);
      for (const [address, { buffer, byteOffset, byteLength }] of task.writes ?? [])
        bytes().set(new Uint8Array(buffer, byteOffset, byteLength), address);
      if (task.run) run?.(task.run.frame, 0, 1, task.run.steps);
      const found = (task.reads ?? []).map(([address, size, count]) => {
        const all = count === undefined ? size : size * new Int32Array(memory.buffer, count, 1)[0];
        return memory.buffer.slice(address, address + all);
      });
      port.postMessage(found, found);
    } catch (error) {
      port.postMessage(String(error), []);
    }
  };
}
