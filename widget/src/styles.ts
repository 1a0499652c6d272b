import type { SiteFacts } from "./facts";

// The launcher and its panel. A host page's rules reach `:host` and nothing below it, so what must hold there is
// `!important`: between two such rules the shadow tree's wins. `all` leaves `direction` as it is.

/** The panel takes the whole screen where there is no room for a page beside it: phones, and zoom to 400 %. */
export const FULL = "(max-width:480px),(max-height:480px)";

/** The style sheet of one element; `row` counts the others below it in the same corner. */
export function styles(facts: SiteFacts, side: string, row: number): string {
  const font = `600 16px/1.2 ${facts.f ? `${facts.f},` : ""}system-ui,sans-serif`;
  return `:host{all:initial!important;direction:ltr!important;position:fixed!important;${side}:16px!important;bottom:calc(${16 + row * 68}px + var(--up))!important;z-index:2147483647!important;display:block!important;color-scheme:light dark!important;font:${font}!important;--h:min(640px,100vh - 32px - var(--up))!important}
:host::backdrop{display:none!important}
button,a{position:relative;display:flex;box-sizing:border-box;align-items:center;gap:10px;max-width:calc(100vw - 32px);min-height:56px;padding:8px 20px;border:0;border-radius:28px;background:${facts.c};color:${facts.i ?? "#fff"};font:inherit;text-decoration:none;cursor:pointer;box-shadow:0 2px 10px rgb(0 0 0/.3)}
:focus-visible{outline:3px solid;outline-offset:-6px}
button::before{content:"";flex:none;width:24px;height:24px;background:currentColor;clip-path:path("M2 3h20v14H11l-5 4v-4H2z")}
[aria-expanded=true]{position:absolute;z-index:1;right:6px;bottom:calc(var(--h) - 50px);min-height:44px;padding:10px;box-shadow:none}
[aria-expanded=true]::before{clip-path:path("M6 4l6 6 6-6 2 2-6 6 6 6-2 2-6-6-6 6-2-2 6-6-6-6z")}
[aria-expanded=true] span{position:absolute;clip-path:inset(50%)}
div{position:absolute;${side}:0;bottom:0;width:400px;height:var(--h);border-radius:${facts.r ?? 14}px;overflow:hidden;background:repeating-linear-gradient(#8884 0 14px,#0000 0 32px) 24px 88px/70% 78px no-repeat,Canvas;box-shadow:0 4px 24px rgb(0 0 0/.3)}
[hidden]{display:none}
iframe{display:block;width:100%;height:100%;border:0}
iframe+a{position:absolute;inset:auto 16px 16px}
@media ${FULL}{button[aria-expanded=false]{min-height:52px;padding:14px}button span{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}div{position:fixed;inset:0;width:auto;height:auto;border-radius:0}[aria-expanded=true]{position:fixed;top:6px;bottom:auto}}
@media (forced-colors:active){button,a,div{border:1px solid}button::before{forced-color-adjust:none;background:ButtonText}}
@media print{:host{display:none!important}}`;
}
