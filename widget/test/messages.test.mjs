import assert from "node:assert/strict";
import { test } from "node:test";
import { CLOSE, heard } from "../dist/messages.js";

const sender = {};
const event = { data: [CLOSE], source: sender, origin: "https://ask.example.edu" };
const origins = ["https://ask.example.edu"];

test("what comes from the right window and origin is heard", () => {
  assert.deepEqual(heard(event, sender, origins), [CLOSE]);
});

for (const [what, changed] of Object.entries({
  "no list of words": { ...event, data: CLOSE },
  "an object": { ...event, data: { 0: CLOSE } },
  "another window": { ...event, source: {} },
  "another origin": { ...event, origin: "https://evil.example" },
  "an origin that only begins alike": { ...event, origin: "https://ask.example.edu.evil.example" },
  "an opaque origin": { ...event, origin: "null" },
})) {
  test(`${what} is not`, () => assert.deepEqual(heard(changed, sender, origins), []));
}

test("before there is a frame nobody is heard", () => {
  assert.deepEqual(heard({ ...event, source: null }, null, origins), []);
  assert.deepEqual(heard({ ...event, source: undefined }, undefined, origins), []);
});
