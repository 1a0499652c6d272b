import assert from "node:assert/strict";
import { test } from "node:test";
import { SERVER, hostPage } from "./dom.mjs";

const chats = (page) => [...page.document.querySelectorAll("lodge-chat")];
const button = (chat) => chat.shadowRoot.querySelector("button");
const frame = (chat) => chat.shadowRoot.querySelector("iframe");

test("one element is appended beside the body, with what the script says of it", async () => {
  const page = await hostPage({ data: { site: "main", label: "Frag uns", position: "left" } });
  const [chat, ...others] = chats(page);
  assert.equal(others.length, 0);
  assert.equal(chat.parentNode, page.document.documentElement);
  assert.equal(chat.getAttribute("site"), "main");
  assert.equal(chat.getAttribute("position"), "left");
  assert.equal(button(chat).textContent, "Frag uns");
});

test("a script that names no site appends main, unless one was placed by hand", async () => {
  assert.equal(chats(await hostPage()).length, 1);
  const page = await hostPage({ body: '<p><lodge-chat site="library"></lodge-chat></p>' });
  assert.deepEqual(chats(page).map((chat) => chat.getAttribute("site")), ["library"]);
});

test("a script that names a site appends it beside another one placed by hand, once", async () => {
  const body = '<lodge-chat site="library"></lodge-chat>';
  const page = await hostPage({ body, data: { site: "main" }, scripts: 2 });
  assert.deepEqual(chats(page).map((chat) => chat.getAttribute("site")), ["library", "main"]);
});

test("its words are those of the page's language, or of its own, or the site's first", async () => {
  const words = async (options) => button(chats(await hostPage(options))[0]).textContent;
  assert.equal(await words({ lang: "es-MX" }), "Pregunte");
  assert.equal(await words({ lang: "es", data: { lang: "en" } }), "Ask a question");
  assert.equal(await words({ lang: "fr" }), "Ask a question");
});

test("a page that is not among the site's origins shows nothing and reads why", async () => {
  const page = await hostPage({ url: "https://evil.example/" });
  assert.equal(chats(page)[0].shadowRoot.childNodes.length, 0);
  assert.equal(page.errors.length, 1);
  assert.match(page.errors[0], /https:\/\/ask\.example\.edu has no site "main" with the origin https:\/\/evil\.example/);
});

test("so does one that names a site which is none", async () => {
  const page = await hostPage({ data: { site: "nowhere" } });
  chats(page)[0].open();
  assert.equal(chats(page)[0].isOpen, false);
  assert.match(page.errors[0], /no site "nowhere"/);
});

test("the server's own pages may always show it", async () => {
  const page = await hostPage({ url: `${SERVER}/demo` });
  assert.equal(chats(page)[0].shadowRoot.childNodes.length, 2);
});

test("it opens and closes, and says so once each time", async () => {
  const page = await hostPage();
  const [chat] = chats(page);
  const heard = [];
  for (const name of ["lodge-open", "lodge-close"]) {
    page.document.addEventListener(name, (event) => heard.push([event.type, chat.isOpen]));
  }
  chat.open();
  chat.open();
  chat.close();
  chat.close();
  assert.deepEqual(heard, [["lodge-open", true], ["lodge-close", false]]);
});

test("the frame is made when it is first opened, on the server's chat page", async () => {
  const [chat] = chats(await hostPage({ data: { site: "library" } }));
  assert.equal(frame(chat), null);
  chat.open();
  assert.equal(frame(chat).src, `${SERVER}/chat?site=library&lang=en&embed=1`);
  assert.equal(frame(chat).title, "Ask the library");
  chat.close();
  assert.ok(frame(chat));
});

test("one that is opened closes the other", async () => {
  const page = await hostPage({ body: '<lodge-chat site="library"></lodge-chat>', data: { site: "main" } });
  const [library, main] = chats(page);
  library.open();
  main.open();
  assert.deepEqual([library.isOpen, main.isOpen], [false, true]);
});

test("Escape closes it, unless the page has used the key itself", async () => {
  const page = await hostPage();
  const [chat] = chats(page);
  const escape = (used) => {
    const event = new page.KeyboardEvent("keydown", { key: "Escape", cancelable: true });
    if (used) event.preventDefault();
    page.dispatchEvent(event);
  };
  chat.open();
  escape(true);
  assert.equal(chat.isOpen, true);
  escape(false);
  assert.equal(chat.isOpen, false);
});

test("an element that is taken out listens no more, and works again when it is put back", async () => {
  const page = await hostPage();
  const [chat] = chats(page);
  chat.open();
  chat.remove();
  page.document.body.append(chat);
  assert.equal(chat.isOpen, false);
  chat.open();
  assert.ok(frame(chat));
});
