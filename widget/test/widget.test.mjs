import assert from "node:assert/strict";
import { test } from "node:test";
import { SERVER, hostPage } from "./dom.mjs";

const chats = (page) => [...page.document.querySelectorAll("lodge-chat")];

test("one element is appended, and it knows its server from its script", async () => {
  const page = await hostPage({ data: { site: "main", label: "Frag uns" } });
  const [chat, ...others] = chats(page);
  assert.equal(others.length, 0);
  assert.equal(chat.getAttribute("server"), SERVER);
  assert.equal(chat.getAttribute("site"), "main");
  assert.equal(chat.getAttribute("label"), "Frag uns");
});

test("none is appended where one was placed by hand", async () => {
  const page = await hostPage({ body: '<p><lodge-chat site="library"></lodge-chat></p>' });
  assert.deepEqual(chats(page).map((chat) => chat.getAttribute("site")), ["library"]);
});

test("an element may name another server", async () => {
  const page = await hostPage({ body: '<lodge-chat server="https://other.example"></lodge-chat>' });
  assert.equal(chats(page)[0].getAttribute("server"), "https://other.example");
});

test("a second script changes nothing", async () => {
  const page = await hostPage({ scripts: 2 });
  assert.equal(chats(page).length, 1);
});

test("the page cannot reach into it", async () => {
  const page = await hostPage();
  assert.equal(chats(page)[0].shadowRoot, null);
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
