/** An hour of a broadcast that is changed and harmed at random; `.ci/run` has three minutes of it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const SOAK = fileURLToPath(new URL('soak.ts', import.meta.url));
const MINUTES = 60;

it(`${MINUTES} minutes of changes and faults leave the broadcast on air, video and audio in sync, and memory bounded`, async (t) => {
  const child = spawn(process.execPath, ['--import', 'tsx', SOAK, String(MINUTES)], { stdio: 'inherit' });
  t.after(() => child.kill());
  const [code] = (await once(child, 'exit')) as [number | null];
  assert.equal(code, 0);
});
