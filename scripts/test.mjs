// Runs the tests with node's own runner: all of them, or those whose path contains a word given.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname, join, relative } from 'node:path';
import { needsQuiet } from './alone.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const words = process.argv.slice(2);

function specs(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return specs(path);
    return entry.name.endsWith('.spec.ts') ? [relative(root, path)] : [];
  });
}

const files = specs(join(root, 'test'))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  // Those that wait for one another come last.
  .sort((one, other) => needsQuiet(one) - needsQuiet(other) || (one < other ? -1 : 1));
if (files.length === 0) {
  process.stderr.write(`No test file matches ${words.join(' ')}\n`);
  process.exit(1);
}
// Two files at a time, but of those with real media one: they need the machine to themselves.
const flags = ['--import', 'tsx', '--import', './scripts/alone.mjs'];
const test = ['--test', '--test-concurrency=2', '--test-timeout=600000', '--test-reporter=spec'];
const runner = spawn(process.execPath, [...flags, ...test, ...files], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, NODE_OPTIONS: '--no-warnings' },
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => runner.kill(signal));
runner.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
