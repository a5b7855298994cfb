#!/usr/bin/env node
// Starts the built program; in a checkout that was never built, the sources through tsx.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const built = new URL('../dist/onair.js', import.meta.url);
if (existsSync(fileURLToPath(built))) {
  await import(built.href);
} else {
  const { register } = await import('tsx/esm/api');
  register();
  await import(new URL('./main.ts', import.meta.url).href);
}
