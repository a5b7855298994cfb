/**
 * The store after a power cut: an ext4 image is copied while the writer is stopped. What the file system still had in
 * memory is not in the copy, so a commit that was acknowledged without having been synced is lost there.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { randomOf } from '../fuzz/mutation.ts';
import { countOf } from '../helpers/counts.ts';
import { until } from '../helpers/until.ts';
import type { WriterSaid } from './fixtures/writer.ts';
import { Ledger } from './ledger.ts';
import { Program } from './program.ts';
import { mountedFolder, temporaryFolder } from './support.ts';

const CUTS = countOf(2, 8);
const random = randomOf(1);

/** Resolves when no thread of the process runs any more. */
async function stop(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  const tasks = `/proc/${pid}/task`;
  const areStopped = async (): Promise<boolean> => {
    const states = await Promise.all(
      (await readdir(tasks)).map(async (task) => readFile(join(tasks, task, 'stat'), 'utf8')),
    );
    return states.every((stat) => stat.slice(stat.lastIndexOf(')')).startsWith(') T'));
  };
  await until('no thread runs', areStopped, { everyMs: 1 });
}

it(`the store loses nothing in ${CUTS} power cuts`, async (t) => {
  const images = await temporaryFolder(t);
  const ledger = new Ledger();
  let image = join(images, 'disk');
  try {
    execFileSync('truncate', ['-s', '16M', image], { stdio: 'pipe' });
    execFileSync('mkfs.ext4', ['-q', '-F', image], { stdio: 'pipe' });
  } catch (error) {
    t.skip(`no ext4 image could be made: ${String(error)}`);
    return;
  }
  for (let cut = 0; cut <= CUTS; cut += 1) {
    const disk = await mountedFolder(t, '-o', 'loop', image);
    if (disk === undefined) return;
    const writer = new Program<WriterSaid>(t, 'writer', [join(disk, 'store'), String(cut)]);
    for (let left = 50 + random(150); left > 0; left -= 1) ledger.hear(await writer.expect());
    await stop(writer.pid);
    image = join(images, `cut ${cut}`);
    await copyFile(join(images, cut === 0 ? 'disk' : `cut ${cut - 1}`), image);
    writer.signal('SIGKILL');
    for (const message of await writer.rest()) ledger.hear(message);
    await writer.ended();
    assert.equal(writer.errors, '');
  }
  t.diagnostic(`${ledger.acknowledged} acknowledged writes, ${ledger.starts} starts checked`);
});
