// The file that runs a unit: each of its specs is a suite, so that hooks of a file belong to that file.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { UNIT_VARIABLE } from './processes.mjs';

/** `end` runs what test/helpers/process-end.ts has been given; SIGUSR2 asks what is waited for (test/helpers/until.ts). */
const HEAD = ({ id, suite }) => `import { after, describe } from 'node:test';
process.env.${UNIT_VARIABLE} = '${id}';
${suite === 'long' ? "process.env.TEST_COUNTS = 'whole';\n" : ''}const tasks = (globalThis[Symbol.for('tests.end')] = []);
const waits = (globalThis[Symbol.for('tests.waits')] = new Map());
process.on('SIGUSR2', () => process.stderr.write(\`waits for: \${[...waits.values()].join('; ') || 'nothing that it names'}\\n\`));
// Node's runner ends the process while the last of what it has said is still on its way to the pipe.
const exit = process.exit;
process.exit = (...code) => {
  if (code.length > 0) exit(...code);
  let quiet = 0;
  setInterval(() => {
    quiet = process.stdout.writableLength === 0 ? quiet + 1 : 0;
    if (quiet === 10) exit();
  }, 10);
};
after(async () => {
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) await task();
});
`;

/** Writes the file and answers its path. */
export function writeEntry(build, unit) {
  const { id, files } = unit;
  const entry = join(build, 'units', `${id}.js`);
  mkdirSync(dirname(entry), { recursive: true });
  const suites = files.map((file) => {
    const compiled = relative(dirname(entry), join(build, file.replace(/ts$/u, 'js')));
    return `describe('${file}', async () => { await import('${compiled}'); });\n`;
  });
  writeFileSync(entry, HEAD(unit) + suites.join(''));
  return entry;
}
