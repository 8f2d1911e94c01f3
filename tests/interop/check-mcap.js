// SPDX-License-Identifier: Apache-2.0
// Reads MCAP files with @mcap/core, as viewers do, with every check that it has, and adds those of
// the format's doctor that it has not.
//
//   check-mcap.js FILE     checks a file; prints topics and counts; 1 when something is wrong
//
// or, from a test: require("./check-mcap.js").check(file) gives all messages, decoded.
"use strict";

const assert = require("assert");
const fs = require("fs");
const { packages } = require("./tap.js");
const [core, support, { parse }, { MessageReader }] = packages([
  "@mcap/core",
  "@mcap/support",
  "@foxglove/rosmsg",
  "@foxglove/rosmsg2-serialization",
]);

class Readable {
  constructor(bytes) {
    this.bytes = bytes;
  }
  async size() {
    return BigInt(this.bytes.length);
  }
  async read(offset, size) {
    return new Uint8Array(this.bytes.subarray(Number(offset), Number(offset + size)));
  }
}

const plain = (value) =>
  JSON.stringify(value, (key, one) => {
    if (typeof one === "bigint") {
      return String(one);
    }
    if (one instanceof Map) {
      return [...one];
    }
    return one instanceof Uint8Array ? Buffer.from(one).toString("hex") : one;
  });

// Front to back, checking CRCs, what comes before what, and what each chunk says of itself.
function read_stream(bytes, handlers) {
  const reader = new core.McapStreamReader({
    includeChunks: true, decompressHandlers: handlers, validateCrcs: true,
  });
  const found = {
    schemas: new Map(), channels: new Map(), messages: [], chunks: [], attachments: [], metadata: [],
    indexes: [], header: undefined, dataEnd: undefined, footer: undefined,
  };
  let chunk;
  let inSummary = false;
  const learn = (map, record) => {
    const known = map.get(record.id);
    assert.ok(known == undefined || inSummary, `${record.type} ${record.id} is there twice`);
    assert.ok(known == undefined || plain(known) === plain(record), `${record.type} changes`);
    assert.ok(known != undefined || !inSummary, `${record.type} is in the summary only`);
    map.set(record.id, record);
  };
  reader.append(bytes);
  for (let record; (record = reader.nextRecord()); ) {
    switch (record.type) {
      case "Header":
        found.header = record;
        break;
      case "Schema":
        assert.notStrictEqual(record.id, 0);
        assert.ok(record.encoding !== "" || record.data.length === 0);
        learn(found.schemas, record);
        break;
      case "Channel":
        assert.ok(record.schemaId === 0 || found.schemas.has(record.schemaId));
        learn(found.channels, record);
        break;
      case "Chunk":
        chunk = { record, messages: [] };
        found.chunks.push(chunk);
        break;
      case "Message":
        assert.ok(found.channels.has(record.channelId), "a message before its channel");
        found.messages.push({ ...record, data: Buffer.from(record.data) });
        chunk?.messages.push(record);
        break;
      case "MessageIndex":
        found.indexes.push({ record, chunk });
        break;
      case "Attachment":
        found.attachments.push(record);
        break;
      case "Metadata":
        found.metadata.push(record);
        break;
      case "DataEnd":
        found.dataEnd = record;
        inSummary = true;
        break;
      case "Footer":
        found.footer = record;
        break;
    }
  }
  assert.ok(reader.done(), "the stream reader wants more");
  return found;
}

function check_chunks(found) {
  for (const { record, messages } of found.chunks) {
    const times = messages.map((one) => one.logTime).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    assert.ok(times.length > 0, "a chunk without messages");
    assert.strictEqual(record.messageStartTime, times[0]);
    assert.strictEqual(record.messageEndTime, times[times.length - 1]);
  }
  for (const { record, chunk } of found.indexes) {
    const own = chunk.messages.filter((one) => one.channelId === record.channelId);
    const times = own.map((one) => one.logTime);
    assert.deepStrictEqual(record.records.map(([time]) => time), times);
  }
}

function check_statistics(found, statistics) {
  const counts = new Map();
  for (const { channelId } of found.messages) {
    counts.set(channelId, (counts.get(channelId) ?? 0n) + 1n);
  }
  const times = found.messages.map((one) => one.logTime);
  assert.deepStrictEqual(
    new Map([...statistics.channelMessageCounts].sort()), new Map([...counts].sort()));
  assert.strictEqual(statistics.messageCount, BigInt(found.messages.length));
  assert.strictEqual(statistics.schemaCount, found.schemas.size);
  assert.strictEqual(statistics.channelCount, found.channels.size);
  assert.strictEqual(statistics.chunkCount, found.chunks.length);
  assert.strictEqual(statistics.attachmentCount, found.attachments.length);
  assert.strictEqual(statistics.metadataCount, found.metadata.length);
  assert.strictEqual(statistics.messageStartTime, times.reduce((a, b) => (b < a ? b : a), times[0] ?? 0n));
  assert.strictEqual(statistics.messageEndTime, times.reduce((a, b) => (b > a ? b : a), 0n));
}

// Strictly in order of time within each channel.
function check_order(found) {
  const last = new Map();
  for (const { channelId, logTime } of found.messages) {
    assert.ok(!(last.get(channelId) >= logTime), `channel ${channelId} goes back to ${logTime}`);
    last.set(channelId, logTime);
  }
}

// The groups of the summary lie where the SummaryOffset records say, and nothing lies between.
function check_summary_offsets(bytes, footer) {
  const start = Number(footer.summaryStart);
  const offsets = Number(footer.summaryOffsetStart);
  const groups = [];
  const end = bytes.length - 8 - 29;
  const said = [];
  for (let at = start; at < end; ) {
    const opcode = bytes[at];
    const length = 9 + Number(bytes.readBigUInt64LE(at + 1));
    if (opcode === 0x0e) {
      said.push([bytes[at + 9], Number(bytes.readBigUInt64LE(at + 10)), Number(bytes.readBigUInt64LE(at + 18))]);
    } else if (groups.length > 0 && groups[groups.length - 1][0] === opcode) {
      groups[groups.length - 1][2] += length;
    } else {
      groups.push([opcode, at, length]);
    }
    at += length;
  }
  assert.deepStrictEqual(said, groups);
  assert.strictEqual(offsets, end - 26 * groups.length);
}

async function check_indexed(bytes, handlers, found) {
  const reader = await core.McapIndexedReader.Initialize({
    readable: new Readable(bytes), decompressHandlers: handlers,
  });
  const byTime = [...found.messages].sort((a, b) => (a.logTime < b.logTime ? -1 : a.logTime > b.logTime ? 1 : 0));
  let n = 0;
  for await (const message of reader.readMessages({ validateCrcs: true })) {
    assert.strictEqual(message.logTime, byTime[n].logTime);
    n++;
  }
  assert.strictEqual(n, found.messages.length);
  assert.strictEqual(reader.chunkIndexes.length, found.chunks.length);
  assert.strictEqual(reader.channelsById.size, found.channels.size);
  let attachments = 0;
  for await (const one of reader.readAttachments({ validateCrcs: true })) {
    assert.ok(found.attachments.some((other) => other.name === one.name));
    attachments++;
  }
  assert.strictEqual(attachments, found.attachments.length);
  let metadata = 0;
  for await (const one of reader.readMetadata()) {
    assert.ok(found.metadata.some((other) => other.name === one.name));
    metadata++;
  }
  assert.strictEqual(metadata, found.metadata.length);
  check_statistics(found, reader.statistics);
  check_summary_offsets(bytes, found.footer);
}

function decoder_of(found, channel) {
  const schema = found.schemas.get(channel.schemaId);
  if (channel.messageEncoding !== "cdr" || schema?.encoding !== "ros2msg") {
    return undefined;
  }
  const reader = new MessageReader(parse(Buffer.from(schema.data).toString("utf8"), { ros2: true }));
  return (data) => reader.readMessage(data);
}

// What is in a file: everything that was checked, and messages with `topic` and `value`.
async function check(file) {
  const bytes = fs.readFileSync(file);
  const handlers = await support.loadDecompressHandlers();
  const found = read_stream(bytes, handlers);
  assert.notStrictEqual(found.header.library, "");
  assert.notStrictEqual(found.dataEnd.dataSectionCrc, 0);
  check_chunks(found);
  check_order(found);
  await check_indexed(bytes, handlers, found);
  const decoders = new Map();
  for (const channel of found.channels.values()) {
    decoders.set(channel.id, decoder_of(found, channel));
  }
  for (const message of found.messages) {
    message.topic = found.channels.get(message.channelId).topic;
    message.value = decoders.get(message.channelId)?.(message.data);
  }
  return found;
}

async function main() {
  const found = await check(process.argv[2]);
  for (const { id, topic, schemaId } of found.channels.values()) {
    const n = found.messages.filter((one) => one.channelId === id).length;
    console.log(`${topic}\t${found.schemas.get(schemaId)?.name ?? ""}\t${n}`);
  }
}

module.exports = { check };
if (require.main === module) {
  main().catch((error) => {
    console.error(`${process.argv[2]}: ${error.message}`);
    process.exitCode = 1;
  });
}
