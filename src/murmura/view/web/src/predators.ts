/** Outlines of hunters, nose towards +x, about two units long: told apart by shape, not by colour. */

const OUTLINES: [RegExp, string][] = [
  // Long pointed wings, swept back.
  [/falcon|hobby|kestrel|merlin|peregrine/, "M1 0 .45 .16 -.1 .3 -.75 1.25 -.35 .25 -.8 .14 -1.05 .22 -1.05-.22-.8-.14-.35-.25-.75-1.25-.1-.3 .45-.16z"],
  // Broad fingered wings, fan of a tail.
  [/hawk|eagle|buzzard|harrier|kite|goshawk|owl/, "M.9 0 .6 .16 .35 .25 .3 1.3 .1 1.15 0 1.3-.12 1.12-.22 1.25-.3 .3-.6 .18-1.1 .45-1.1-.45-.6-.18-.3-.3-.22-1.25-.12-1.12 0-1.3 .1-1.15 .3-1.3 .35-.25 .6-.16z"],
  // A long body with fins and a forked tail.
  [/shark|barracuda|tuna|pike|bass|cod/, "M1.2 0 .7 .26 .35 .3 0 .75-.1 .3-.7 .12-1.2 .55-1 0-1.2-.55-.7-.12-.1-.3 0-.75 .35-.3 .7-.26z"],
  // Round head, flippers, flat tail.
  [/dolphin|orca|whale|seal|porpoise/, "M1.15 0 .95 .16 .6 .34 .3 .36-.05 .85 0 .32-.7 .13-1.15 .5-.98 0-1.15-.5-.7-.13 0-.32-.05-.85 .3-.36 .6-.34 .95-.16z"],
  // Ears, body, bushy tail.
  [/fox|wolf|cat|dog|jackal|weasel/, "M1.1 0 .75 .18 .72 .42 .45 .25-.3 .3-.6 .16-1.2 .26-1.3 0-1.2-.26-.6-.16-.3-.3 .45-.25 .72-.42 .75-.18z"],
  // Legs all round.
  [/spider|mantis|dragonfly|beetle|ant|wasp/, "M.9 0 .5 .2 .7 .75 .3 .3 .15 .9 0 .3-.3 .9-.25 .28-.8 .6-.5 .15-1 0-.5-.15-.8-.6-.25-.28-.3-.9 0-.3 .15-.9 .3-.3 .7-.75 .5-.2z"],
];
const ANY = "M1 0-.1 .35-.6 1.1-.45 .2-.9 0-.45-.2-.6-1.1-.1-.35z";
const kept = new Map<string, Path2D>();

export function outlineOf(species: string): string {
  return OUTLINES.find(([names]) => names.test(species.toLowerCase()))?.[1] ?? ANY;
}

export function predatorShape(species: string): Path2D {
  const shape = kept.get(species) ?? new Path2D(outlineOf(species));
  kept.set(species, shape);
  return shape;
}
