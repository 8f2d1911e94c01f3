// SPDX-License-Identifier: Apache-2.0
// mcap-peer.js ROUNDS SECONDS FILE...: as mcap-rs, with npm @mcap/core, where there is no cargo.
"use strict";

const fs = require("fs");
const path = require("path");
const { McapWriter } = require("@mcap/core");

class Nothing {
  size = 0n;
  async write(bytes) {
    this.size += BigInt(bytes.byteLength);
  }
  position() {
    return this.size;
  }
}

function read(file) {
  const bytes = fs.readFileSync(file);
  const messages = [];
  for (let at = 0; at < bytes.length; ) {
    const size = bytes.readUInt32LE(at + 6);
    messages.push({
      channelId: bytes.readUInt16LE(at),
      time: 1700000000000000000n + BigInt(bytes.readUInt32LE(at + 2)) * 1000n,
      data: bytes.subarray(at + 10, at + 10 + size),
    });
    at += 10 + size;
  }
  return messages;
}

async function write(messages, seconds) {
  const begin = process.hrtime.bigint();
  const cpu = process.cpuUsage();
  const writer = new McapWriter({ writable: new Nothing() });
  await writer.start({ profile: "ros2", library: "peer" });
  const schemaId = await writer.registerSchema({
    name: "a/msg/A", encoding: "ros2msg", data: Buffer.from("uint8 x\n"),
  });
  const n = Math.max(...messages.map((one) => one.channelId)) + 1;
  for (let i = 0; i < n; i++) {
    await writer.registerChannel({ schemaId, topic: `/${i}`, messageEncoding: "cdr", metadata: new Map() });
  }
  for (let second = 0; second < seconds; second++) {
    for (let i = 0; i < messages.length; i++) {
      const { channelId, time, data } = messages[i];
      const logTime = time + BigInt(second) * 1000000000n;
      await writer.addMessage({ channelId, sequence: i, logTime, publishTime: logTime, data });
    }
  }
  await writer.end();
  const used = process.cpuUsage(cpu);
  return [Number(process.hrtime.bigint() - begin) / 1e9, (used.user + used.system) / 1e6];
}

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

async function main() {
  const [rounds, seconds] = process.argv.slice(2, 4).map(Number);
  for (const file of process.argv.slice(4)) {
    const messages = read(file);
    const n = messages.length * seconds;
    const bytes = messages.reduce((sum, one) => sum + one.data.length, 0) * seconds;
    const runs = [];
    for (let i = 0; i < rounds; i++) {
      runs.push(await write(messages, seconds));
    }
    const wall = median(runs.map((one) => one[0]));
    const cpu = median(runs.map((one) => one[1]));
    const name = `${path.basename(file, ".bin")}, @mcap/core, none`;
    console.log(
      `  ${name.padEnd(30)} ${(bytes / wall / 1e6).toFixed(0).padStart(7)} MB/s  ` +
        `${(n / wall / 1e6).toFixed(2).padStart(6)} M msg/s  ${((cpu / n) * 1e9).toFixed(1).padStart(6)} ns CPU/msg`,
    );
  }
}

main();
