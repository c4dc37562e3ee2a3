/**
 * The script of an exported file, which replaces the server before the page starts.
 *
 * If the browser has WebGPU and the scene can run there, it simulates the flock; otherwise it plays recorded frames.
 * It imports only types from the page, because it is a single script that runs before the page's own.
 */

import { isRunnable, readData, type FileData, type RunnableScene } from "./data";
import { Layout } from "./gpu/layout";
import type { LocalServer } from "./local_socket";
import { replaceWebSocket } from "./local_socket";
import { LocalFlock } from "./local_flock";
import { Recorded } from "./recording";
import { Tables } from "./gpu/tables";
import { numberAt } from "./values";

function wordsOfBuffers(scene: RunnableScene): number[] {
  const layout = new Layout(scene.plan, numberAt(scene.hello.scenario, "agents"), new Tables(scene).listeners);
  return Object.values(layout.sizes(0));
}

async function deviceFor(data: FileData): Promise<GPUDevice | string> {
  if (data.run !== undefined) return "";
  if (data.whyNot) return `This scene is shown from recorded frames: ${data.whyNot}.`;
  const instead = "so you see recorded frames. With WebGPU, this page runs the simulation.";
  if (!("gpu" in navigator)) return `This browser has no WebGPU, ${instead}`;
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) return `This browser found no GPU for WebGPU, ${instead}`;
  const largest = 4 * Math.max(...data.scenes.filter(isRunnable).flatMap(wordsOfBuffers));
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  if (largest > Math.min(maxBufferSize, maxStorageBufferBindingSize)) return `This GPU has buffers too small for this flock, ${instead}`;
  return adapter.requestDevice({ requiredLimits: { maxBufferSize, maxStorageBufferBindingSize } });
}

async function begin(): Promise<LocalServer> {
  const data = await readData();
  let notice: string;
  try {
    const device = await deviceFor(data);
    if (typeof device !== "string") {
      const flock = await LocalFlock.of(data, device);
      Object.assign(globalThis, { murmuraFlock: flock });
      void device.lost.then(({ message }) => { console.error(`the GPU was lost: ${message}`); });
      return flock;
    }
    notice = device;
  } catch (error) {
    notice = `WebGPU failed here (${error instanceof Error ? error.message : String(error)}), so you see recorded frames.`;
  }
  return Recorded.of(data, notice);
}

replaceWebSocket(begin());
