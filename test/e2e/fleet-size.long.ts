/** The simulator of a large fleet, with a small one: servers, database and connections are real, and nothing may be lost or done twice. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { it } from 'node:test';
import { cleanUp } from '../helpers/clean-up.ts';

const PROGRAM = fileURLToPath(new URL('../../bench/fleet-size/main.ts', import.meta.url));
const SIZE = ['--devices=12', '--livestreams=60', '--members=3', '--minutes=0.3', '--seed=7'];
/** Every line of the table of what must be true. */
const LINES = 8;

it('a small fleet of simulated Devices at three servers loses and doubles nothing when each kind of fault befalls it', async (t) => {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, ...SIZE], { stdio: ['ignore', 'pipe', 'pipe'] });
  const gone = once(child, 'exit');
  cleanUp(t, async () => {
    child.kill('SIGTERM');
    await gone;
  });
  let [table, problems] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (table += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (problems += chunk.toString()));
  const [code] = (await gone) as [number | null];
  t.diagnostic(table);
  assert.equal(code, 0, problems);
  const lines = table.split('\n').filter((line) => line.endsWith('| yes |'));
  assert.equal(lines.length, LINES, table);
  assert.match(table, /\| 6 starts at once: handed over \|/u);
  assert.match(table, /\| 1[02]0 events at once: stored \|/u);
  assert.match(table, /\| A server is killed: all Devices back \|/u);
  assert.match(table, /\| Cold start of all servers: all Devices online for all \|/u);
});
