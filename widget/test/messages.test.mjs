import assert from "node:assert/strict";
import { test } from "node:test";
import { CLOSE, OPENED, isFrom } from "../dist/messages.js";

const sender = {};
const event = { data: CLOSE, source: sender, origin: "https://ask.example.edu" };
const origins = ["https://ask.example.edu"];

test("the right word from the right window and origin is heard", () => {
  assert.equal(isFrom(event, CLOSE, sender, origins), true);
});

for (const [what, changed] of Object.entries({
  "another word": { ...event, data: OPENED },
  "another window": { ...event, source: {} },
  "another origin": { ...event, origin: "https://evil.example" },
  "an origin that only begins alike": { ...event, origin: "https://ask.example.edu.evil.example" },
  "an opaque origin": { ...event, origin: "null" },
})) {
  test(`${what} is not`, () => assert.equal(isFrom(changed, CLOSE, sender, origins), false));
}

test("before there is a frame nobody is heard", () => {
  assert.equal(isFrom({ ...event, source: null }, CLOSE, null, origins), false);
});
