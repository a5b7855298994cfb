/** The disks of a Device, mounted, taken away, made read-only and filled for real. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { StorageWatch } from '../../../device/agent/storage/storage-watch.ts';
import { mountStatusOf, statesOf } from '../../../domain/shapes/devices/device-storage.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { mountedFolder, temporaryFolder } from '../../store/support.ts';
import { silentLog } from '../../helpers/silent-log.ts';
import { until } from '../../helpers/until.ts';

const TMPFS = ['-t', 'tmpfs', '-o', 'size=20971520', 'tmpfs'];
const sh = (program: string, ...args: string[]): Buffer => execFileSync(program, args, { stdio: 'pipe' });

/** The kernel refuses it for the moment in which the watch has a file open there. */
const mounts = (program: 'mount' | 'umount', ...args: string[]): Promise<unknown> =>
  until(`${program} ${args.join(' ')}`, () => spawnSync(program, args).status === 0);

function watched(t: TestContext, deviceDir: string): (recordings: string, segments?: string) => Promise<unknown> {
  const ended = new AbortController();
  cleanUp(t, () => ended.abort());
  const watch = new StorageWatch({ deviceDir, log: silentLog, signal: ended.signal, everyMs: 50 });
  return (recordings, segments = 'mounted') =>
    until(`${recordings}, ${segments}`, () => {
      const { recordings: its, segments: other } = statesOf(watch.storage);
      return its === recordings && other === segments && watch.storage;
    });
}

it('a disk that is read-only, full or not mounted any more is told by its state, and taken again when it is back', async (t) => {
  const disk = await mountedFolder(t, ...TMPFS);
  if (disk === undefined) return;
  const deviceDir = await temporaryFolder(t);
  symlinkSync(disk, join(deviceDir, 'recordings'));
  const are = watched(t, deviceDir);
  const [recordings] = (await are('mounted')) as { total: number; free: number }[];
  assert.equal(recordings?.total, 20_971_520);

  await mounts('mount', '-o', 'remount,ro', disk);
  await are('readonly');
  await mounts('mount', '-o', 'remount,rw', disk);
  await are('mounted');

  writeFileSync(join(disk, 'ballast'), Buffer.alloc(19_500_000));
  await are('full');
  rmSync(join(disk, 'ballast'));
  await are('mounted');

  // What is left is an empty folder of the disk below, which takes every write.
  await mounts('umount', disk);
  await are('missing');
  await watched(t, deviceDir)('missing');
  await mounts('mount', ...TMPFS, disk);
  await are('mounted');
  assert.match(readFileSync(join(deviceDir, 'storage.json'), 'utf8'), new RegExp(`"mount":"${disk}"`, 'u'));
});

it('a disk that does not answer is unknown, holds nobody up, and is taken again as soon as it answers', async (t) => {
  const deviceDir = await temporaryFolder(t);
  const live = join(deviceDir, 'live');
  mkdirSync(live);
  // Whoever opens a pipe for writing waits in the kernel until somebody reads it, as with a network share whose server is gone.
  sh('mkfifo', join(live, '.write-trial'));
  const are = watched(t, deviceDir);
  await are('mounted', 'unknown');
  const reader = spawn('cat', [join(live, '.write-trial')], { stdio: 'ignore' });
  await once(reader, 'exit');
  await are('mounted');
});

it('the folder of a Device that is gone is not made anew on the disk below', async (t) => {
  const deviceDir = await temporaryFolder(t);
  const are = watched(t, join(deviceDir, 'gone'));
  await are('missing', 'missing');
  assert.throws(() => readFileSync(join(deviceDir, 'gone')), /ENOENT/u);
});

it('the worst disk stands for the Device, and one that tells of none is unknown', () => {
  assert.equal(mountStatusOf({ recordings: 'full', segments: 'missing' }), 'missing');
  assert.equal(mountStatusOf({ recordings: 'unknown', segments: 'readonly' }), 'readonly');
  assert.equal(mountStatusOf({ recordings: 'mounted', segments: 'mounted' }), 'mounted');
  assert.equal(mountStatusOf({}), 'unknown');
});
