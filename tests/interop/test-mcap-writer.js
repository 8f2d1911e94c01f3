// SPDX-License-Identifier: Apache-2.0
// A take of mcap-writer in other people's readers: every value, every stamp, and what the file says
// about itself. mcap-recorder records it; its log says what was pushed when.
"use strict";

const assert = require("assert");
const fs = require("fs");
const os = require("os");
const path = require("path");
const { execFileSync } = require("child_process");
const { test, finish } = require("./tap.js");
const { check } = require("./check-mcap.js");

const recorder = process.argv[2];
const COUNT = 400;
const LOG_SIZE = 8 + 65536 * 8;
const dir = fs.mkdtempSync(path.join(os.tmpdir(), "acq-interop-"));
process.on("exit", () => fs.rmSync(dir, { recursive: true }));

function record(name, compression) {
  const into = path.join(dir, name);
  const log = path.join(dir, `${name}.log`);
  fs.mkdirSync(into);
  fs.writeFileSync(log, Buffer.alloc(LOG_SIZE));
  execFileSync(recorder, [log, into, "100", compression, String(COUNT)]);
  const take = path.join(into, fs.readdirSync(into)[0]);
  const file = fs.readdirSync(take).find((one) => one.endsWith(".mcap"));
  const bytes = fs.readFileSync(log);
  assert.strictEqual(bytes.readBigUInt64LE(0), BigInt(COUNT));
  const times = Array.from({ length: COUNT }, (_, i) => bytes.readBigInt64LE(8 + 8 * i));
  return { file: path.join(take, file), times };
}

function compare_messages(found, times) {
  const messages = found.messages.filter((one) => one.topic === "/rig/imu");
  assert.strictEqual(messages.length, COUNT);
  messages.forEach((message, i) => {
    const { stamp, frame_id } = message.value.header;
    assert.strictEqual(message.sequence, i + 1);
    assert.strictEqual(message.logTime, times[i]);
    assert.strictEqual(message.publishTime, times[i]);
    assert.strictEqual(BigInt(stamp.sec) * 1000000000n + BigInt(stamp.nsec ?? stamp.nanosec), times[i]);
    assert.strictEqual(frame_id, "rig");
    assert.deepStrictEqual(message.value.linear_acceleration, { x: i * 0.125 - 7, y: 0, z: 0 });
    assert.deepStrictEqual(message.value.orientation, { x: 0, y: 0, z: 0, w: 0 });
  });
}

function compare_story(found) {
  const channel = [...found.channels.values()].find((one) => one.topic === "/rig/imu");
  const schema = found.schemas.get(channel.schemaId);
  const metadata = new Map(found.metadata.map((one) => [one.name, one.metadata]));
  const ledger = JSON.parse(metadata.get("acq.ledger").get("streams"))["rig.imu"];
  assert.strictEqual(found.header.profile, "ros2");
  assert.strictEqual(schema.name, "sensor_msgs/msg/Imu");
  assert.strictEqual(channel.metadata.get("acq.node"), "rig");
  assert.strictEqual(channel.metadata.get("acq.sequence"), "counter");
  assert.match(channel.metadata.get("offered_qos_profiles"), /reliability: reliable/);
  assert.strictEqual(ledger.frames, COUNT);
  assert.strictEqual(ledger.sinks.mcap.offered, COUNT);
  assert.strictEqual(ledger.sinks.mcap.written, COUNT);
  assert.strictEqual(metadata.get("acq.end").get("complete"), "true");
  assert.ok(metadata.has("acq.session") && metadata.has("acq.provenance") && metadata.has("acq.clocks"));
}

// The engine's own topics decode too, and their final rows agree.
function compare_ledger_topic(found) {
  const rows = found.messages
    .filter((one) => one.topic === "/acq/ledger" && one.value.stream === "imu" && one.value.final)
    .map((one) => one.value);
  const stream = rows.find((one) => one.sink === "");
  assert.ok(stream, "no final row of the stream");
  assert.strictEqual(stream.frames, BigInt(COUNT));
}

for (const compression of ["lz4", "zstd", "none"]) {
  test(`a take, ${compression}`, async () => {
    const { file, times } = record(compression, compression);
    const found = await check(file);
    compare_messages(found, times);
    compare_story(found);
    compare_ledger_topic(found);
  });
}

finish();
