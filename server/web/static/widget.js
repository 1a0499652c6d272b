"use strict";(()=>{var r="http://www.w3.org/2000/svg";function a(t){let e=document.createElementNS(r,"svg");e.setAttribute("viewBox","0 0 24 24"),e.setAttribute("aria-hidden","true");let n=document.createElementNS(r,"path");return n.setAttribute("d",t),e.append(n),e}var d="M4 5h16v11H11l-5 4v-4H4z",l="M6 6l12 12M18 6L6 18";var c="lodge:opened",h="lodge:close";function p(t,e,n,i){return t.data===e&&t.source===n&&n!==null&&i.includes(t.origin)}var u=`
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
`;var o=class extends HTMLElement{#e=document.createElement("button");#t=document.createElement("div");#n=null;constructor(){super();let e=this.attachShadow({mode:"closed"}),n=new CSSStyleSheet;n.replaceSync(u),e.adoptedStyleSheets=[n],this.#t.id="panel",this.#t.hidden=!0,this.#e.type="button",this.#e.setAttribute("aria-controls",this.#t.id),this.#e.addEventListener("click",()=>this.isOpen?this.close():this.open()),e.addEventListener("keydown",i=>this.#l(i)),e.append(this.#e,this.#t),this.#i()}connectedCallback(){addEventListener("message",this.#a),this.#i()}disconnectedCallback(){removeEventListener("message",this.#a)}get isOpen(){return!this.#t.hidden}open(){this.isOpen||(this.#t.hidden=!1,this.#i(),this.#n??=this.#d(),this.#r(),this.dispatchEvent(new CustomEvent("lodge-open",{bubbles:!0})))}close(){this.isOpen&&(this.#t.hidden=!0,this.#i(),this.#e.focus(),this.dispatchEvent(new CustomEvent("lodge-close",{bubbles:!0})))}get#o(){return new URL(this.getAttribute("server")??location.href,location.href).origin}get#s(){return this.getAttribute("label")??"Ask a question"}#i(){let e=document.createElement("span");e.textContent=this.#s,this.#e.replaceChildren(a(this.isOpen?l:d),e),this.#e.setAttribute("aria-label",this.#s),this.#e.setAttribute("aria-expanded",String(this.isOpen))}#d(){let e=document.createElement("iframe"),n=new URL("/chat",this.#o);return n.searchParams.set("site",this.getAttribute("site")??"main"),n.searchParams.set("embed","1"),e.title=this.#s,e.addEventListener("load",()=>this.#r()),e.src=n.href,this.#t.append(e),e}#r(){this.isOpen&&(this.#n?.focus(),this.#n?.contentWindow?.postMessage(c,this.#o))}#a=e=>{let n=this.#n?.contentWindow??null;p(e,h,n,[this.#o])&&this.close()};#l(e){e.key==="Escape"&&this.close()}};var s="lodge-chat";function m(t){customElements.get(s)||(customElements.define(s,b(t?new URL(t.src,location.href).origin:location.origin)),g(()=>{document.querySelector(s)||document.body.append(f(t))}))}function b(t){return class extends o{connectedCallback(){this.hasAttribute("server")||this.setAttribute("server",t),super.connectedCallback()}}}function f(t){let e=document.createElement(s);for(let n of["site","label"]){let i=t?.dataset[n];i!==void 0&&e.setAttribute(n,i)}return e}function g(t){document.readyState==="loading"?document.addEventListener("DOMContentLoaded",t,{once:!0}):t()}m(document.currentScript);})();
