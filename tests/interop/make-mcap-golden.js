// SPDX-License-Identifier: Apache-2.0
// make-mcap-golden.js DIR: writes cases in the form of the MCAP conformance suite, and the files
// that @mcap/core makes of them. tests/core/formats/golden/mcap was made by this; mcap-conformance
// compares our writer with it, byte for byte, also where npm is not.
"use strict";

const fs = require("fs");
const path = require("path");
const { McapWriter } = require("@mcap/core");

class Memory {
  parts = [];
  size = 0;
  async write(bytes) {
    this.parts.push(Buffer.from(bytes));
    this.size += bytes.byteLength;
  }
  position() {
    return BigInt(this.size);
  }
}

const schema = (id, name, text) => ({ id, name, encoding: "ros2msg", data: Buffer.from(text) });
const channel = (id, schema_id, topic, metadata = {}) => ({
  id, schema_id, topic, message_encoding: "cdr", metadata,
});
const message = (channel_id, sequence, log_time, size) => ({
  channel_id, sequence, log_time: BigInt(log_time), publish_time: BigInt(log_time) - 3n,
  data: Buffer.from(Array.from({ length: size }, (_, i) => (i * 7 + sequence) & 255)),
});
const schemas = [schema(1, "a/msg/A", "float32 x\n"), schema(2, "b/msg/B", "string é\n")];
const channels = [
  channel(0, 1, "/a", { side: "left", offered_qos_profiles: "- history: 1" }),
  channel(1, 2, "/b/ü"),
  channel(2, 0, "/none", { "": "empty key" }),
];
const now = 1767225600_000000000n;
const some = (n) =>
  Array.from({ length: n }, (_, i) => message(i % 3, i + 1, now + BigInt(i * 1000003), (i * 31) % 90));
const backwards = (all) =>
  all.map((one, i) => ({ ...one, log_time: all[all.length - 1 - i].log_time }));
const attachments = [
  { log_time: now, create_time: 0n, name: "pipeline.json", media_type: "application/json",
    data: Buffer.from('{"sources":{}}') },
  { log_time: 2n ** 63n, create_time: 1n, name: "ü", media_type: "", data: Buffer.alloc(0) },
];
const metadata = [
  { name: "acq.session", metadata: { task: "pour", operator: "op07", "a key": "" } },
  { name: "", metadata: {} },
];
const every = ["ch", "mx", "st", "rsh", "rch", "ax", "mdx", "chx", "sum"];
const cases = {
  "head-only": { features: ["st", "sum"] },
  "three-channels": { features: every, schemas, channels, messages: some(50) },
  "one-channel-loose": { features: ["st", "rsh", "rch", "sum"], schemas: [schemas[0]],
    channels: [channels[0]], messages: some(50).filter((one) => one.channel_id === 0) },
  "one-at-time-zero": { features: every, schemas: [schemas[0]], channels: [channels[0]],
    messages: [{ ...message(0, 1, 3, 0), log_time: 0n, publish_time: 0n }] },
  "largest-numbers": { features: every, schemas: [schemas[0]], channels: [channels[0]],
    messages: [{ ...message(0, 4294967295, 3, 1), log_time: 2n ** 64n - 1n, publish_time: 2n ** 64n - 1n }] },
  "out-of-order": { features: every, schemas, channels, messages: backwards(some(30)) },
  "attachments": { features: every, attachments },
  "metadata": { features: every, metadata },
  "extras-without-indexes": { features: ["st"], attachments, metadata },
};

async function write(one, library) {
  const on = (name) => one.features.includes(name);
  const memory = new Memory();
  const writer = new McapWriter({
    writable: memory, startChannelId: 0,
    useChunks: on("ch"), useMessageIndex: on("mx"), useStatistics: on("st"),
    repeatSchemas: on("rsh"), repeatChannels: on("rch"), useAttachmentIndex: on("ax"),
    useMetadataIndex: on("mdx"), useChunkIndex: on("chx"), useSummaryOffsets: on("sum"),
  });
  await writer.start({ profile: "ros2", library });
  for (const { name, encoding, data } of one.schemas ?? []) {
    await writer.registerSchema({ name, encoding, data });
  }
  for (const { schema_id, topic, message_encoding, metadata: map } of one.channels ?? []) {
    await writer.registerChannel({
      schemaId: schema_id, topic, messageEncoding: message_encoding,
      metadata: new Map(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))),
    });
  }
  for (const { channel_id, sequence, log_time, publish_time, data } of one.messages ?? []) {
    await writer.addMessage({
      channelId: channel_id, sequence, logTime: log_time, publishTime: publish_time, data,
    });
  }
  for (const { log_time, create_time, name, media_type, data } of one.attachments ?? []) {
    await writer.addAttachment({
      logTime: log_time, createTime: create_time, name, mediaType: media_type, data,
    });
  }
  for (const { name, metadata: map } of one.metadata ?? []) {
    await writer.addMetadata({
      name, metadata: new Map(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))),
    });
  }
  await writer.end();
  return Buffer.concat(memory.parts);
}

function word(value) {
  if (Buffer.isBuffer(value)) {
    return Array.from(value, String);
  }
  return typeof value === "object" || typeof value === "string" ? value : String(value);
}

function record(type, fields) {
  return { type, fields: Object.entries(fields).map(([name, value]) => [name, word(value)]) };
}

function describe(one, library) {
  const list = (type, all) => (all ?? []).map((fields) => record(type, fields));
  return {
    records: [
      record("Header", { profile: "ros2", library }),
      ...list("Schema", one.schemas), ...list("Channel", one.channels),
      ...list("Message", one.messages), ...list("Attachment", one.attachments),
      ...list("Metadata", one.metadata),
    ],
    meta: { variant: { features: one.features } },
  };
}

async function main() {
  const dir = process.argv[2];
  fs.mkdirSync(dir, { recursive: true });
  for (const [name, one] of Object.entries(cases)) {
    fs.writeFileSync(path.join(dir, `${name}.json`), JSON.stringify(describe(one, "golden")) + "\n");
    fs.writeFileSync(path.join(dir, `${name}.mcap`), await write(one, "golden"));
  }
}

main();
