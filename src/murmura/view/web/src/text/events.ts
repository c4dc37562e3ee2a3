/** One sentence for each event. */

import type { FlockEvent } from "../net/protocol";

/** Kinds in the order of the filters, each with its plural. */
export const EVENT_KINDS: Record<string, string> = {
  birth: "births",
  death: "deaths",
  capture: "captures",
  fight: "fights",
  mating: "matings",
  meal: "meals",
  arrival: "arrivals",
};

const CAUSES: Record<string, string> = {
  predation: "was killed",
  starvation: "starved",
  age: "died of old age",
  combat: "was killed in a fight",
};

export function eventInWords({ kind, id, other, cause }: FlockEvent): string {
  const who = `Agent ${id}`;
  const whom = other === null ? "" : ` ${other}`;
  switch (kind) {
    case "birth":
      return other === null ? `${who} was born.` : `${who} was born to${whom}.`;
    case "death":
      return `${who} ${CAUSES[cause ?? ""] ?? "died"}${cause === "predation" || cause === "combat" ? (other === null ? "" : ` by${whom}`) : ""}.`;
    case "capture":
      return other === null ? `${who} was caught.` : `${who} was caught by hunter${whom}.`;
    case "meal":
      return `${who} ate.`;
    case "mating":
      return other === null ? `${who} mated.` : `${who} mated with${whom}.`;
    case "fight":
      return other === null ? `${who} fought.` : `${who} fought${whom}.`;
    case "arrival":
      return `${who} arrived from outside.`;
    default:
      return `${who}: ${kind.replace(/[_-]/g, " ")}.`;
  }
}
