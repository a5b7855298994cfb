import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanUp, type Owner } from './clean-up.ts';

/** A folder of its own, which goes with the test; with node:test's `{ after }` it goes with the file or suite. */
export function testFolder(t: Owner, name: string): string {
  const dir = mkdtempSync(join(tmpdir(), `onair-${name}-`));
  cleanUp(t, () => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
