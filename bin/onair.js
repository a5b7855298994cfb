#!/usr/bin/env node
// Starts the program where Node is new enough. A Node that is not must be able to read this file: it imports nothing before it has looked.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 20 || (major === 20 && minor >= 19)) void import('./launch.js');
else {
  console.error(
    'onair: Node ' +
      process.versions.node +
      ' at ' +
      process.execPath +
      ' is too old; Node 20.19 or newer is needed. Debian 12 has Node 18: take a newer one from https://nodejs.org/, then try again.',
  );
  process.exitCode = 1;
}
