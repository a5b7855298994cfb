#!/usr/bin/env node
// Starts the built program; in a checkout that was never built, the sources through tsx.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Each process of an installation has a program of its own, in a few files in place of the many chunks that other commands share. So have
// `onair mcp`, which assistants wait for at each of their starts and which needs no parser without flags, and completion, which people wait
// for at each Tab.
const PROGRAMS = {
  serve: 'serve.js',
  device: 'device.js',
  runner: 'runner.js',
  spare: 'runner.js',
  push: 'push.js',
  media: 'media.js',
  mcp: 'mcp.js',
  __complete: 'complete.js',
};
const words = process.argv.slice(2);
const command = words.find((word, at) => !word.startsWith('-') && !/^--(?:config|context)$/u.test(words[at - 1] ?? ''));
const isPartOfWhole = !Object.hasOwn(PROGRAMS, command ?? '') || (command === 'mcp' && words.length > 1);
const built = new URL(`../dist/${isPartOfWhole ? 'onair.js' : PROGRAMS[command]}`, import.meta.url);
if (existsSync(fileURLToPath(built))) {
  await import(built.href);
} else {
  const { register } = await import('tsx/esm/api');
  register();
  await import(new URL(command === '__complete' ? './completion/main.ts' : './main.ts', import.meta.url).href);
}
