// Runs the tests with node's own runner: all of them, or those whose path contains a word given.
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { dirname, join, relative } from 'node:path';
import { placesOf } from './alone.mjs';

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
  .sort();
if (files.length === 0) {
  process.stderr.write(`No test file matches ${words.join(' ')}\n`);
  process.exit(1);
}
// Who has media waits for it most of the time, so two such files run beside two others. Those that measure come last, one at a time.
const [light, media, measured] = [0, 1, 2].map((places) => files.filter((file) => placesOf(file) === places));

const runners = new Set();
let isEnded = false;
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    isEnded = true;
    for (const runner of runners) runner.kill(signal);
  });
}

/** Resolves with the exit code. */
function run(files, atOnce, output = 'inherit') {
  if (files.length === 0 || isEnded) return Number(isEnded);
  const flags = ['--import', 'tsx', '--import', './scripts/alone.mjs'];
  const test = ['--test', `--test-concurrency=${atOnce}`, '--test-timeout=600000', '--test-reporter=spec'];
  const runner = spawn(process.execPath, [...flags, ...test, ...files], {
    cwd: root,
    stdio: ['inherit', output, output],
    env: { ...process.env, NODE_OPTIONS: '--no-warnings' },
  });
  runners.add(runner);
  return new Promise((resolve) => {
    runner.on('exit', (code, signal) => {
      runners.delete(runner);
      resolve(signal ? 1 : (code ?? 1));
    });
  });
}

/** The second report is shown when the first is complete: they would tear each other apart. */
async function runBeside(first, second) {
  const folder = mkdtempSync(join(tmpdir(), 'onair-tests-'));
  const path = join(folder, 'report');
  const report = openSync(path, 'w');
  const codes = await Promise.all([run(first, 2), run(second, 2, report)]);
  closeSync(report);
  process.stdout.write(readFileSync(path));
  rmSync(folder, { recursive: true });
  return Math.max(...codes);
}

const isMixed = light.length > 0 && media.length > 0;
const code = isMixed ? await runBeside(light, media) : await run([...light, ...media], 2);
process.exitCode = Math.max(code, await run(measured, 1));
