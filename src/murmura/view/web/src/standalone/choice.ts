/** Chooses what simulates a flock: WebAssembly wherever it keeps up with time, else WebGPU if there is a suitable GPU. */

import type { RunnableScene, Words } from "./data";
import type { Engine } from "./engine";
import { GpuEngine } from "./gpu/engine";
import { Layout } from "./gpu/layout";
import type { Choose } from "./local_flock";
import { Tables } from "./tables";
import { WasmEngine } from "./wasm/engine";

/** Agents up to which WebAssembly is enough. It takes 0.5 us a step for each on one core, and a picture 16 ms. */
export const ENOUGH = 20_000;
/** For tests and measurements: `flock.html?engine=WebGPU`. */
const wanted = new URLSearchParams(location.search).get("engine");

export function chooser(words: Words): Choose {
  return async (scene: RunnableScene, agents: number): Promise<Engine> => {
    const isEnough = wanted ? wanted === "WebAssembly" : agents <= ENOUGH;
    const device = isEnough || scene.kernels.length === 0 ? null : await deviceFor(scene, agents);
    return device ? GpuEngine.of(device, scene, words) : new WasmEngine(scene, words);
  };
}

/** A GPU with buffers that are large enough; null if there is none. */
async function deviceFor(scene: RunnableScene, agents: number): Promise<GPUDevice | null> {
  const adapter =
    "gpu" in navigator ? await navigator.gpu.requestAdapter({ powerPreference: "high-performance" }) : null;
  if (!adapter) return null;
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  const sizes = new Layout(scene.plan, agents, new Tables(scene).listeners).sizes(0);
  if (4 * Math.max(...Object.values(sizes)) > Math.min(maxBufferSize, maxStorageBufferBindingSize)) return null;
  const device = await adapter.requestDevice({ requiredLimits: { maxBufferSize, maxStorageBufferBindingSize } });
  void device.lost.then(({ message }) => {
    console.error(`the GPU was lost: ${message}`);
  });
  return device;
}
