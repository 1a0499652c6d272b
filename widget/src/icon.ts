const SVG = "http://www.w3.org/2000/svg";

/** A line icon, made of elements: `innerHTML` would be refused by a page with Trusted Types. */
export function icon(path: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

export const BUBBLE = "M4 5h16v11H11l-5 4v-4H4z";
export const CROSS = "M6 6l12 12M18 6L6 18";
