import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { cleanUp, type TestScope } from '../helpers/clean-up.ts';

const SOAK = fileURLToPath(new URL('soak.ts', import.meta.url));

/** Runs soak.ts for so many minutes, and shows what it says; with a seed what fails can be done again. */
export async function soaked(t: TestScope, minutes: number, seed?: number): Promise<void> {
  const words = [minutes, ...(seed === undefined ? [] : [seed])].map(String);
  const child = spawn(process.execPath, ['--import', 'tsx', SOAK, ...words], { stdio: 'inherit' });
  cleanUp(t, () => child.kill());
  const [code] = (await once(child, 'exit')) as [number | null];
  assert.equal(code, 0);
}
