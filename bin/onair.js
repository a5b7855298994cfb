#!/usr/bin/env node
// Starts the built program; in a checkout that was never built, the sources through tsx.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Assistants wait for `onair mcp` at each of their starts: without flags it needs neither a parser nor the rest of the program.
const [, , command, ...flags] = process.argv;
// Nor does completion, which people wait for at each Tab.
const [name, source] =
  command === 'mcp' && flags.length === 0
    ? ['mcp.js', 'main.ts']
    : command === '__complete'
      ? ['complete.js', 'completion/main.ts']
      : ['onair.js', 'main.ts'];
const built = new URL(`../dist/${name}`, import.meta.url);
if (existsSync(fileURLToPath(built))) {
  await import(built.href);
} else {
  const { register } = await import('tsx/esm/api');
  register();
  await import(new URL(`./${source}`, import.meta.url).href);
}
