// SPDX-License-Identifier: Apache-2.0
// What an MCAP file costs with npm's @mcap/core: the messages of `bench-mcap ... dump`, stored
// without compression. It stands in where cargo does not find the crate.
//
//   NODE_PATH=... node mcap-core.js MESSAGES SECONDS DIRECTORY
"use strict";

const fs = require("fs");
const path = require("path");
const { McapWriter } = require("@mcap/core");

class Output {
  constructor(name) {
    this.fd = fs.openSync(name, "w");
    this.size = 0;
  }
  async write(bytes) {
    fs.writeSync(this.fd, bytes);
    this.size += bytes.byteLength;
  }
  position() {
    return BigInt(this.size);
  }
}

function readMessages(data) {
  const messages = [];
  for (let at = 12; at < data.length; ) {
    const size = data.readUInt32LE(at + 8);
    messages.push({
      channelId: data.readUInt32LE(at),
      offset: BigInt(data.readUInt32LE(at + 4)) * 1000n,
      data: data.subarray(at + 12, at + 12 + size),
    });
    at += 12 + size;
  }
  return messages;
}

async function write(name, data, messages, seconds) {
  const [nChannels, , stretchMs] = [0, 4, 8].map((at) => data.readUInt32LE(at));
  const writer = new McapWriter({ writable: new Output(name), chunkSize: 1024 * 1024 });
  await writer.start({ profile: "ros2", library: "@mcap/core" });
  const schemaId = await writer.registerSchema({
    name: "a/msg/A", encoding: "ros2msg", data: Buffer.from("uint8 x\n"),
  });
  for (let i = 0; i < nChannels; i++)
    await writer.registerChannel({
      schemaId, topic: `/${i}`, messageEncoding: "cdr", metadata: new Map(),
    });
  for (let turn = 0; turn < (seconds * 1000) / stretchMs; turn++)
    for (let i = 0; i < messages.length; i++) {
      const { channelId, offset, data } = messages[i];
      const time = 1700000000000000000n + BigInt(turn * stretchMs) * 1000000n + offset;
      await writer.addMessage({ channelId, sequence: i, logTime: time, publishTime: time, data });
    }
  await writer.end();
}

async function main() {
  const [dump, seconds, directory] = process.argv.slice(2);
  const data = fs.readFileSync(dump);
  const messages = readMessages(data);
  const own = path.join(directory, "peer.mcap");
  for (const [name, file] of [["none", "/dev/null"], ["none file", own]]) {
    const begin = process.hrtime.bigint();
    const cpu = process.cpuUsage();
    await write(file, data, messages, Number(seconds));
    const used = process.cpuUsage(cpu);
    console.log(JSON.stringify({
      case: name,
      wall_s: Number(process.hrtime.bigint() - begin) / 1e9,
      cpu_s: (used.user + used.system) / 1e6,
    }));
  }
  fs.rmSync(own, { force: true });
}

main();
