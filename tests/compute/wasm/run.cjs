// Steps a kernel under Node: `node run.cjs FOLDER` reads kernel.wasm, memory.bin and task.json there, and writes after.bin.
const fs = require("fs");
const path = require("path");

const file = (name) => path.join(process.argv[2], name);
const { frame, stack, steps, timed, pages } = JSON.parse(fs.readFileSync(file("task.json")));
const memory = new WebAssembly.Memory({ initial: pages });
const bytes = new Uint8Array(memory.buffer);
bytes.set(fs.readFileSync(file("memory.bin")), stack);
const table = new WebAssembly.Table({ initial: 8, element: "anyfunc" });
const env = {
  __linear_memory: memory,
  __indirect_function_table: table,
  __stack_pointer: new WebAssembly.Global({ value: "i32", mutable: true }, stack),
  murmura_yield: () => 0,
  memset: (to, value, count) => (bytes.fill(value, to, to + count), to),
  memcpy: (to, from, count) => (bytes.copyWithin(to, from, from + count), to),
  memmove: (to, from, count) => (bytes.copyWithin(to, from, from + count), to),
};
const { exports: kernel } = new WebAssembly.Instance(new WebAssembly.Module(fs.readFileSync(file("kernel.wasm"))), { env });
table.set(1, kernel.steer);
table.set(2, kernel.finish);
kernel.run(frame, 0, 1, steps);
fs.writeFileSync(file("after.bin"), bytes.subarray(stack));
if (timed) {
  const begun = process.hrtime.bigint();
  kernel.run(frame, 0, 1, timed);
  console.log(Number(process.hrtime.bigint() - begun) / 1e6 / timed);
}
