/** The scene as one file that needs no server: the thing to send. */

import { download } from "../dom";
import { isObject } from "../net/protocol";
import { saved } from "./capture";

/** Ask the server for the page and save it; return what to tell the user. Throws with the reason. */
export async function savePage(name: string): Promise<string> {
  const answer = await fetch("./api/page");
  if (!answer.ok) throw new Error(`The page could not be saved: ${await reasonOf(answer)}`);
  download(`${name}.html`, await answer.blob());
  return `${saved(`${name}.html`)} Send it, or put it on any web host: it opens without Murmura.`;
}

async function reasonOf(answer: Response): Promise<string> {
  const data: unknown = await answer.json().catch(() => null);
  return isObject(data) && typeof data.error === "string" ? data.error : `the server answered ${answer.status}`;
}
