/** The harness before specs that are wrong in every way that a spec can be: each fails the run, once, and none of them hangs it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { PLAIN_GENERATOR } from '../helpers/plain-generator.ts';
import { ROOT } from '../house/sources.ts';

const STILL_MS = 4000;
const HEAD = `import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { after, it } from 'node:test';
import { until } from '../helpers/until.ts';
`;

const PLANTED = {
  'open/listener': `it('fails with a listener open', () => { createServer().listen(0); assert.equal(1, 2); });`,
  'still/wait': `it('waits for ever', () => until('the moon', () => false, { everyMs: 100 }));`,
  'child/left': `it('leaves a child', () => void spawn('sleep', ['4321'], { detached: true, stdio: 'ignore' }).unref());`,
  'second/try': `it('would pass the second time', () => {
    const isSecond = existsSync(import.meta.filename + '.tried');
    writeFileSync(import.meta.filename + '.tried', '');
    assert.ok(isSecond);
  });`,
  'end/exits': `it('ends its process', () => process.exit(0));`,
  'after/throws': `it('passes', () => undefined); after(() => { throw new Error('in after'); });`,
  'much/output': `it('says much', () => void process.stdout.write('x'.repeat(10_000_000))); it('and fails', () => assert.equal(1, 2));`,
  'good/first': `it('passes in the first file', () => undefined);`,
  'good/second': `after(() => undefined); it('passes in the second file of the same process', () => undefined);`,
};

let folder: string;
let outcome: { code: number; output: string };

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'onair-harness-'));
  for (const path of ['scripts/tests', 'scripts/build', 'scripts/test.mjs', 'scripts/version.mjs'])
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  // There is no program to build.
  writeFileSync(join(folder, 'scripts/build.mjs'), '');
  writeFileSync(join(folder, 'scripts/gen.ts'), PLAIN_GENERATOR);
  cpSync(join(ROOT, 'test/helpers/until.ts'), join(folder, 'test/helpers/until.ts'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const room = 'test/helpers/fixtures/machine-room';
  for (const [path, text] of Object.entries({ ...planted(), [room]: 'export {};' })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, `${path}.ts`), text);
  }
  outcome = await run();
});
after(() => rmSync(folder, { recursive: true, force: true }));

function planted(): Record<string, string> {
  return Object.fromEntries(Object.entries(PLANTED).map(([path, text]) => [`test/${path}.spec`, HEAD + text]));
}

function run(): Promise<{ code: number; output: string }> {
  const { NODE_TEST_CONTEXT: _context, TEST_BUILD: _build, TEST_UNIT: _unit, ...rest } = process.env;
  const env = { ...rest, TEST_STILL_MS: String(STILL_MS) };
  return new Promise((resolve) => {
    const bounds = { env, cwd: folder, maxBuffer: 100_000_000 };
    execFile(process.execPath, ['scripts/test.mjs'], bounds, (error, stdout, stderr) =>
      resolve({
        code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1,
        output: stdout + stderr,
      }),
    );
  });
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // It is no process, or has ended.
    return '';
  }
}

const count = (name: string): number => Number(new RegExp(`^ℹ ${name} (\\d+)$`, 'mu').exec(outcome.output)?.[1]);

describe('a run of specs that are wrong', () => {
  it('a run with a failure ends with exit code 1, and all its other files have run', () => {
    assert.equal(outcome.code, 1);
    for (const title of ['passes in the first file', 'passes in the second file of the same process'])
      assert.match(outcome.output, new RegExp(`✔ ${title}`, 'u'));
  });

  it('a listener that a failed test left open holds up nothing', () => {
    assert.match(outcome.output, /✖ fails with a listener open/u);
  });

  it('a test that waits for ever is ended, and the run says what it waited for', () => {
    assert.match(outcome.output, /waits for: the moon/u);
  });

  it('a test that leaves a process behind fails with its command, and the process is ended', () => {
    assert.match(outcome.output, /left processes behind:\n\s*sleep 4321/u);
    assert.ok(!readdirSync('/proc').some((pid) => commandOf(pid).startsWith('sleep\x004321')));
  });

  it('a test that would pass the second time is run once', () => {
    assert.match(outcome.output, /✖ would pass the second time/u);
  });

  it('a file that ends its own process, one that throws after its tests, and one with ten megabytes of output are counted', () => {
    assert.match(outcome.output, /ended before the end of test\/end\/exits/u);
    assert.match(outcome.output, /in after/u);
    assert.match(outcome.output, /✖ and fails/u);
  });

  it('the closing lines count every test, and name the dearest files and the CPU time of all', () => {
    assert.equal(count('pass') + count('fail') + count('cancelled'), count('tests'));
    assert.ok(count('fail') >= 5, outcome.output.slice(-2000));
    assert.match(outcome.output, /^ℹ cpu \d+\.\d min in \d+ processes of \d+ files$/mu);
    assert.match(outcome.output, /^ℹ \d+\.\d s of CPU, \d+\.\d s: test\/good\/first\.spec\.ts$/mu);
  });

  it('the specs of a folder share a process', () => {
    const [, processes, files] = /in (\d+) processes of (\d+) files/u.exec(outcome.output) ?? [];
    assert.ok(Number(processes) < Object.keys(PLANTED).length, `${processes} processes, ${files} files`);
  });
});
