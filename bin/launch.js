// Starts the built program; in a checkout that was never built, the sources through tsx.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// The processes of an installation need a tenth of the commands. `onair mcp`, which assistants wait for at each of their starts, needs none
// without flags, nor does completion, which people wait for at each Tab.
const PROCESSES = new Set(['serve', 'device', 'runner', 'spare', 'push', 'media']);
const words = process.argv.slice(2);
const command = words.find((word, at) => !word.startsWith('-') && !/^--(?:config|context)$/u.test(words[at - 1] ?? ''));
const [name, source] = PROCESSES.has(command)
  ? ['processes.js', 'processes/main.ts']
  : command === '__complete'
    ? ['complete.js', 'completion/main.ts']
    : command === 'mcp' && words.length === 1
      ? ['mcp.js', 'main.ts']
      : ['onair.js', 'main.ts'];
const built = new URL(`../dist/${name}`, import.meta.url);
if (existsSync(fileURLToPath(built))) {
  await import(built.href);
} else {
  const { register } = await import('tsx/esm/api');
  register();
  await import(new URL(`./${source}`, import.meta.url).href);
}
