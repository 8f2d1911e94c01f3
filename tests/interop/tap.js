// SPDX-License-Identifier: Apache-2.0
// A few lines of TAP: one case is one function that throws when something is wrong.
"use strict";

const cases = [];

function test(name, run) {
  cases.push({ name, run });
}

async function finish() {
  let failed = 0;
  console.log(`1..${cases.length}`);
  for (let i = 0; i < cases.length; i++) {
    const { name, run } = cases[i];
    try {
      await run();
      console.log(`ok ${i + 1} ${name}`);
    } catch (error) {
      failed++;
      console.log(`not ok ${i + 1} ${name}`);
      console.log(String(error.stack ?? error).replace(/^/gm, "# "));
    }
  }
  process.exitCode = failed > 0 ? 1 : 0;
}

// Packages come from BUILD/interop/node_modules, through NODE_PATH.
function packages(names) {
  try {
    return names.map((name) => require(name));
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") {
      throw error;
    }
    console.log("1..0 # SKIP the npm packages are not there: tests/interop/setup BUILD gets them");
    process.exit(0);
  }
}

module.exports = { test, finish, packages };
