/**
 * The script of an exported file, which replaces the server before the page starts.
 *
 * It simulates the flock with WebAssembly, or plays a recorded run. It imports only types from the page, because it is a
 * single script that runs before the page's own.
 */

import { readData } from "./data";
import type { LocalServer } from "./local_socket";
import { replaceWebSocket } from "./local_socket";
import { LocalFlock } from "./local_flock";
import { Recorded } from "./recording";

async function begin(): Promise<LocalServer> {
  const data = await readData();
  if (data.loop) return Recorded.of(data, data.loop);
  const flock = LocalFlock.of(data);
  Object.assign(globalThis, { murmuraFlock: flock });
  return flock;
}

replaceWebSocket(begin());
