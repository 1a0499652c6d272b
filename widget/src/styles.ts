// The launcher and its panel. A host page's rules reach `:host` and nothing below it, so what must hold there is
// `!important`: between two such rules the shadow tree's wins.

export const STYLES = `
:host {
  all: initial !important;
  position: fixed !important;
  inset: auto 16px 16px auto !important;
  z-index: 2147483000 !important;
  display: block !important;
  color-scheme: light dark !important;
  --height: min(640px, calc(100vh - 32px));
  font: 600 16px/1.2 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif !important;
}
button {
  position: relative;
  display: flex;
  align-items: center;
  gap: 10px;
  min-width: 56px;
  height: 56px;
  margin: 0 0 0 auto;
  padding: 0 20px;
  border: 0;
  border-radius: 28px;
  background: #17626b;
  color: #fff;
  font: inherit;
  cursor: pointer;
  box-shadow: 0 4px 18px rgb(0 0 0 / .28);
}
button:hover { background: #114d54; }
button:focus-visible { outline: 3px solid #fff; outline-offset: -5px; box-shadow: 0 0 0 3px #17626b; }
button[aria-expanded=true] {
  position: absolute;
  z-index: 1;
  right: 6px;
  bottom: calc(var(--height) - 50px);
  width: 44px;
  min-width: 44px;
  height: 44px;
  padding: 0;
  justify-content: center;
  box-shadow: none;
}
button[aria-expanded=true] span { display: none; }
svg { width: 24px; height: 24px; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; flex: none; }
div {
  position: absolute;
  right: 0;
  bottom: 0;
  width: 400px;
  height: var(--height);
  border-radius: 16px;
  overflow: hidden;
  background: Canvas;
  box-shadow: 0 8px 40px rgb(0 0 0 / .3);
}
div[hidden] { display: none; }
iframe { display: block; width: 100%; height: 100%; border: 0; }
@media (max-width: 480px) {
  div { position: fixed; inset: 0; width: auto; height: auto; border-radius: 0; }
  button[aria-expanded=true] { position: fixed; top: 6px; bottom: auto; }
}
@media (prefers-reduced-motion: no-preference) {
  div { animation: rise .18s ease-out; }
}
@keyframes rise { from { opacity: 0; transform: translateY(12px); } }
@media (forced-colors: active) { button, div { border: 1px solid; } }
@media print { :host { display: none !important; } }
`;
