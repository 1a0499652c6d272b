/** The button's words, its words as a link when the server is down, and, for a site with no such link, without. */
export type Words = readonly [string, string, string?];

/** What the server writes into the loader of each of its sites (server/visitor/assets.py). */
export interface SiteFacts {
  /** Origins of the pages that may embed it, beside the server's own. */
  o: string[];
  t: Record<string, Words>;
  /** The button's colour. */
  c: string;
  /** The words on it, where they are not white. */
  i?: string;
  /** The corners' radius, where it is not 14. */
  r?: number;
  /** A font, where it is not the system's. */
  f?: string;
  /** The corner, where it is not the right one. */
  p?: string;
  /** The page with people to ask. */
  u?: string;
}

/** The server puts its table of sites in this name's place. */
declare const LODGE_SITES: Record<string, SiteFacts>;

/** The sites of the server that this script came from. */
export const SITES: Readonly<Record<string, SiteFacts>> = LODGE_SITES;

/** The words in a page's language ("es-MX" is Spanish), or else in the site's first; and which that is. */
export function wordsIn(facts: SiteFacts, lang: string): [string, Words] {
  const known = Object.entries(facts.t);
  return known.find(([own]) => own === lang.split("-")[0]) ?? (known[0] as [string, Words]);
}
