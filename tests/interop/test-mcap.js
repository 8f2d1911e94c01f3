// SPDX-License-Identifier: Apache-2.0
// Our container in other people's readers, every value compared; mcap-peer.c says what is in it.
"use strict";

const assert = require("assert");
const fs = require("fs");
const os = require("os");
const path = require("path");
const { execFileSync } = require("child_process");
const { test, finish } = require("./tap.js");
const { check } = require("./check-mcap.js");

const peer = process.argv[2];
const dir = fs.mkdtempSync(path.join(os.tmpdir(), "acq-interop-"));
process.on("exit", () => fs.rmSync(dir, { recursive: true }));

function compare(found) {
  assert.strictEqual(found.header.profile, "ros2");
  assert.strictEqual(found.messages.length, 3000);
  found.messages.forEach((message, i) => {
    const logTime = 10n ** 18n + BigInt(i) * 1000n;
    assert.strictEqual(message.topic, `/values/${i % 4}`);
    assert.strictEqual(message.sequence, i);
    assert.strictEqual(message.logTime, logTime);
    assert.strictEqual(message.publishTime, logTime - 5n);
    assert.strictEqual(message.value.index, i);
    assert.deepStrictEqual(
      Array.from(message.value.values), Array.from({ length: i % 50 }, (_, j) => i + j / 8));
  });
  assert.strictEqual(found.attachments.length, 1);
  assert.strictEqual(Buffer.from(found.attachments[0].data).toString(), "{}");
  assert.strictEqual(found.attachments[0].logTime, 5n);
  assert.strictEqual(found.metadata[0].metadata.get("task"), "pour");
  assert.strictEqual(found.channels.get(2).metadata.get("side"), "left");
}

for (const [compression, chunkSize, workers] of [
  ["", 1 << 20, 0],
  ["", 1024, 2],
  ["lz4", 65536, 1],
  ["lz4", 4096, 3],
  ["zstd", 65536, 2],
]) {
  test(`${compression || "none"}, chunks of ${chunkSize}, ${workers} workers`, async () => {
    const file = path.join(dir, `${compression}-${chunkSize}-${workers}.mcap`);
    execFileSync(peer, [file, compression, String(chunkSize), String(workers)]);
    compare(await check(file));
  });
}

finish();
