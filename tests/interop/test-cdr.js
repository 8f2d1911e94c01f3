// SPDX-License-Identifier: Apache-2.0
// CDR beside @foxglove/rosmsg2-serialization, in both directions and on every shipped type:
// the values that we encode are the values that it reads, bit for bit; what it writes we read,
// and its bytes are ours. cdr-peer.c says how values are told.
"use strict";

const assert = require("assert");
const { spawnSync } = require("child_process");
const { test, finish, packages } = require("./tap.js");
const [{ parse }, { MessageReader, MessageWriter }, common] = packages([
  "@foxglove/rosmsg",
  "@foxglove/rosmsg2-serialization",
  "@foxglove/rosmsg-msgs-common",
]);

const peer = process.argv[2];
const SEED = 20260101;

function ask(args, input) {
  const result = spawnSync(peer, args, { input, encoding: "utf8", maxBuffer: 1 << 30 });
  assert.strictEqual(result.status, 0, `${peer} ${args.join(" ")}: ${result.stderr}`);
  return result.stdout.split("\n").slice(0, -1);
}

// --- what our half says ---

const schemas = new Map(); // name -> { text, limits, messages }
for (const line of ask(["emit", String(SEED)])) {
  const [word, name, ...rest] = line.split("\t");
  if (word === "schema") {
    const text = Buffer.from(rest[0], "base64").toString("utf8");
    schemas.set(name, { name, text, limits: new Map(), messages: [] });
  } else if (word === "limit") {
    const [field, max, room] = rest;
    schemas.get(name).limits.set(field, { max: Number(max), room: Number(room) });
  } else {
    schemas.get(name).messages.push({ bytes: Buffer.from(rest[0], "base64"), words: rest[1] });
  }
}

// Their writer counts UTF-16 units where bytes are meant, so only ASCII comes back whole.
function is_ascii(words) {
  return !words.split(" ").some((one) => /^s(..)*[89a-f]./.test(one));
}

// --- values as words, in wire order ---

const bits = new DataView(new ArrayBuffer(8));

function word(type, value) {
  switch (type) {
    case "float32":
      bits.setFloat32(0, value);
      return "f" + bits.getUint32(0).toString(16).padStart(8, "0");
    case "float64":
      bits.setFloat64(0, value);
      return "d" + bits.getBigUint64(0).toString(16).padStart(16, "0");
    case "string":
      return "s" + Buffer.from(value, "utf8").toString("hex");
    case "bool":
      return value ? "1" : "0";
    default:
      return String(value);
  }
}

function dump(definitions, definition, value, out) {
  for (const field of definition.definitions) {
    if (field.isConstant) {
      continue;
    }
    const member = value[field.name];
    const all = field.isArray ? Array.from(member) : [member];
    if (field.isArray && field.arrayLength == undefined) {
      out.push("#" + all.length);
    }
    for (const one of all) {
      if (field.isComplex) {
        dump(definitions, definitions.get(field.type), one, out);
      } else if (field.type === "time" || field.type === "duration") {
        out.push(String(one.sec), String(one.nsec ?? one.nanosec));
      } else {
        out.push(word(field.type, one));
      }
    }
  }
  return out;
}

function read_definitions(text) {
  const list = parse(text, { ros2: true });
  return { list, root: list[0], byName: new Map(list.map((one) => [one.name, one])) };
}

// --- random messages of their side ---

let state = SEED;
function random(n) {
  // xorshift32: a seed gives the same messages everywhere
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % n;
}

function random_text(room) {
  let text = "";
  const letters = ["a", "Z", "9", '"', "\\"];
  for (let n = random(room + 1); n > 0; n--) {
    text += letters[random(letters.length)];
  }
  return text;
}

function random_scalar(type, room) {
  const wide = (BigInt(random(2 ** 32)) << 32n) | BigInt(random(2 ** 32));
  const bitsOf = Number((/\d+$/.exec(type) ?? ["8"])[0]);
  switch (type) {
    case "string":
      return random_text(room);
    case "bool":
      return random(2) === 1;
    case "float32":
      return [NaN, -0, Infinity, Math.fround(random(1000) / 7 - 50)][random(4)];
    case "float64":
      return [NaN, -0, -Infinity, random(1000) / 7 - 50][random(4)];
    default: {
      const value = type.startsWith("u") ? BigInt.asUintN(bitsOf, wide) : BigInt.asIntN(bitsOf, wide);
      return bitsOf === 64 ? value : Number(value);
    }
  }
}

function limits_of(type) {
  return schemas.get(type.replace("/", "/msg/"))?.limits ?? new Map();
}

function random_message(definitions, definition, limits, style) {
  const message = {};
  for (const field of definition.definitions) {
    if (field.isConstant) {
      continue;
    }
    const { max, room } = limits.get(field.name) ?? { max: 1, room: 65 };
    const most = field.arrayLength ?? (max === 0 ? 20 : max);
    const fixed = field.arrayLength != undefined;
    const n = fixed || style === "full" ? most : style === "empty" ? 0 : random(most + 1);
    const textRoom = style === "empty" ? 0 : (room > 1 ? room : 40) - 1;
    const one = () => {
      if (field.isComplex) {
        const inner = definitions.get(field.type);
        return random_message(definitions, inner, limits_of(field.type), style);
      }
      if (field.type === "time" || field.type === "duration") {
        return { sec: random(2 ** 32) | 0, nsec: random(1e9), nanosec: 0 };
      }
      return random_scalar(field.type, textRoom);
    };
    message[field.name] = field.isArray ? Array.from({ length: n }, one) : one();
  }
  return message;
}

// --- the cases ---

for (const [name, schema] of schemas) {
  if (name.startsWith("builtin_interfaces/")) {
    continue; // their parser knows these as words, not as types
  }
  const { list, root, byName } = read_definitions(schema.text);

  test(`ours to theirs: ${name}`, () => {
    const reader = new MessageReader(list);
    const writer = new MessageWriter(list);
    let compared = 0;
    for (const { bytes, words } of schema.messages) {
      const value = reader.readMessage(bytes);
      assert.deepStrictEqual(dump(byName, root, value, []).join(" "), words);
      if (is_ascii(words)) {
        const theirs = Buffer.from(writer.writeMessage(value));
        assert.strictEqual(theirs.toString("hex"), bytes.toString("hex"));
        compared++;
      }
    }
    assert.ok(compared >= 5, `${compared} messages were written back`);
  });

  test(`theirs to ours: ${name}`, () => {
    const writer = new MessageWriter(list);
    const sent = ["any", "full", "empty", "any", "any", "any"].map((style) => {
      const value = random_message(byName, root, schema.limits, style);
      return { value, line: `${name} ${Buffer.from(writer.writeMessage(value)).toString("base64")}` };
    });
    const answers = ask(["dump"], sent.map((one) => one.line + "\n").join(""));
    assert.strictEqual(answers.length, sent.length);
    sent.forEach(({ value }, i) => {
      assert.strictEqual(answers[i], dump(byName, root, value, []).join(" "));
    });
  });
}

// Fields and constants of the standard types, beside the definitions that viewers ship.
for (const [name, schema] of schemas) {
  const theirs = (common.ros2jazzy ?? common.ros2humble)[name.replace("/msg/", "/")];
  if (theirs == undefined || name.startsWith("builtin_interfaces/")) {
    continue;
  }
  test(`definition: ${name}`, () => {
    const ours = parse(schema.text, { ros2: true })[0];
    const plain = (definition) => ({
      fields: definition.definitions
        .filter((one) => !one.isConstant)
        .map((one) => `${one.type}${one.isArray ? `[${one.arrayLength ?? ""}]` : ""} ${one.name}`),
      constants: definition.definitions
        .filter((one) => one.isConstant)
        .map((one) => `${one.type} ${one.name}=${one.value}`),
    });
    assert.deepStrictEqual(plain(ours), plain(theirs));
  });
}

finish();
