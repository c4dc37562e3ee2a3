/** Small line drawings for buttons, 24 x 24. */

const PATHS = {
  play: "M7 4.500v15l12.500-7.500z",
  pause: "M7 5h3.500v14H7zM13.500 5H17v14h-3.500z",
  step: "M5 5v14l9-7zM16 5h3v14h-3z",
  reset: "M12 5V1.500L6.500 6 12 10.500V7a5.500 5.500 0 1 1-5.500 5.500h-2A7.500 7.500 0 1 0 12 5z",
  dice: "M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2zm3 3.500a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3zm8 8a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3zm-4-4a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3z",
  hand: "M12 3a2 2 0 0 0-2 2v7L8 10.500a1.800 1.800 0 0 0-2.500 2.600L10 19.500A4.500 4.500 0 0 0 13.500 21H15a4 4 0 0 0 4-4v-5a1.700 1.700 0 0 0-2.500-1.500A1.800 1.800 0 0 0 14 9.300V5a2 2 0 0 0-2-2z",
  scare: "M2 7c4 0 6.500 2 8 5l2-3 2 3c1.500-3 4-5 8-5-1 4-4 6-7 7l-3 5-3-5C6 13 3 11 2 7z",
  circle: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 2.500a6.500 6.500 0 1 1 0 13 6.500 6.500 0 0 1 0-13z",
  wall: "M3 18 9 7l5 7 5-10 2 1-6.500 13.500-5-7L5 19z",
  camera: "M9 4 7.500 6H4a2 2 0 0 0-2 2v10a2 2 0 0 0 2 2h16a2 2 0 0 0 2-2V8a2 2 0 0 0-2-2h-3.500L15 4zm3 4.500a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9zm0 2a2.500 2.500 0 1 0 0 5 2.500 2.500 0 0 0 0-5z",
  record: "M12 5a7 7 0 1 0 0 14 7 7 0 0 0 0-14z",
  link: "M10.500 13.500a4 4 0 0 1 0-5.700l3-3a4 4 0 0 1 5.700 5.700l-1.700 1.700-1.400-1.400 1.700-1.700a2 2 0 1 0-2.900-2.900l-3 3a2 2 0 0 0 0 2.900zm3-3a4 4 0 0 1 0 5.700l-3 3a4 4 0 0 1-5.700-5.700l1.700-1.700 1.400 1.400-1.700 1.700a2 2 0 1 0 2.900 2.900l3-3a2 2 0 0 0 0-2.900z",
  save: "M11 3h2v9l3.500-3.500L18 10l-6 6-6-6 1.500-1.500L11 12zM4 18h16v3H4z",
  open: "M11 16h2V7l3.500 3.500L18 9l-6-6-6 6 1.500 1.500L11 7zM4 18h16v3H4z",
  fit: "M3 3h7v2.500H5.500V10H3zm11 0h7v7h-2.500V5.500H14zM3 14h2.500v4.500H10V21H3zm15.500 0H21v7h-7v-2.500h4.500z",
  help: "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zm-1.200 15h2.400v2.300h-2.400zm1.200-12c2.500 0 4 1.500 4 3.500 0 2.800-2.900 3-2.900 5.500h-2.300c0-3.400 2.800-3.600 2.800-5.400 0-.9-.6-1.500-1.600-1.500s-1.700.7-1.700 1.800H8C8 6.700 9.500 5 12 5z",
  panel: "M3 6h10v2H3zm14 0h4v2h-4zM3 16h4v2H3zm8 0h10v2H11zM13.500 4.500h2v5h-2zM7.500 14.500h2v5h-2z",
  chart: "M3 3h2v16h16v2H3zM7 15l4-5 3 3 5-7 1.500 1.200L14.200 16l-3-3-2.700 3.300z",
} as const;

export type IconName = keyof typeof PATHS;

export function icon(name: IconName): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", PATHS[name]);
  path.setAttribute("fill-rule", "evenodd");
  svg.append(path);
  return svg;
}
