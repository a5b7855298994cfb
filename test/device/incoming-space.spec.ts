/** Incoming files leave a small disk its reserve: uploads, media from another machine, clips. The disk is real. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { it, type TestContext } from 'node:test';
import { AssetCache } from '../../device/agent/files/asset-cache.ts';
import { openAssetFiles } from '../../assets/asset-files.ts';
import { IncomingRoom } from '../../device/incoming-space.ts';
import type { AssetFiles } from '../../domain/ports/control.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { isAppError, mountedFolder, temporaryFolder } from '../store/support.ts';
import { silentLog } from '../helpers/silent-log.ts';

const DISK = 20 * 1024 * 1024;
/** A tenth of it. */
const RESERVE = DISK / 10;
const MEGABYTE = Buffer.alloc(1024 * 1024, 1);
const never = new AbortController().signal;
const FULL = isAppError('unavailable', /no room.*2\.1 MB must stay free for what is on air.*Delete Assets/u);

const smallDisk = (t: TestContext): Promise<string | undefined> =>
  mountedFolder(t, '-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs');

function free(dir: string): number {
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize;
}

/** Takes all room but `left` bytes. */
function fill(dir: string, left: number): void {
  const file = openSync(join(dir, 'filler'), 'a');
  while (free(dir) > left) writeSync(file, Buffer.alloc(Math.min(65_536, Math.max(4096, free(dir) - left))));
  closeSync(file);
}

function assetFiles(disk: string): Promise<AssetFiles> {
  return openAssetFiles(join(disk, 'assets'), { maxBytes: 1e9, log: silentLog });
}

it('an upload that says nothing of its length is broken off at the reserve, and leaves nothing', async (t) => {
  const disk = await smallDisk(t);
  if (disk === undefined) return;
  const files = await assetFiles(disk);
  let lowest = DISK;
  const endless = (): ReadableStream<Uint8Array> =>
    new ReadableStream({
      pull(controller) {
        lowest = Math.min(lowest, free(disk));
        controller.enqueue(MEGABYTE.subarray(0, 65_536));
      },
    });
  await assert.rejects(files.receive('files', 'a.mp4', endless(), never), FULL);
  assert.ok(lowest > RESERVE * 0.9, `only ${lowest} bytes were free for a moment`);
  assert.deepEqual(readdirSync(join(disk, 'assets', 'files', '.incoming')), []);
  fill(disk, RESERVE - 65_536);
  await assert.rejects(files.receive('files', 'a.mp4', endless(), never), FULL);
  rmSync(join(disk, 'filler'));
  await IncomingRoom.of(disk, 10_000_000);
  await assert.rejects(IncomingRoom.of(disk, 19_000_000), FULL);
});

it('media from another machine is refused before its first byte when it cannot fit', async (t) => {
  const disk = await smallDisk(t);
  if (disk === undefined) return;
  const cache = new AssetCache({ deviceDir: disk, clock: new FakeClock(), held: () => new Set() });
  let read = false;
  const content = new Readable({ read: () => (read = true) });
  await assert.rejects(cache.receive(`${DISK}-0123456789abcdef`, 'a.mp4', content), FULL);
  assert.equal(read, false);
  // A length that was true, on a disk that others fill meanwhile.
  const parts = (async function* () {
    for (let at = 0; at < 10; at += 1) {
      if (at === 4) fill(disk, RESERVE);
      yield MEGABYTE;
    }
  })();
  await assert.rejects(cache.receive(`${10 * MEGABYTE.length}-0123456789abcdef`, 'a.mp4', Readable.from(parts)), FULL);
  assert.deepEqual(readdirSync(join(disk, 'assets', '.incoming')), []);
});

it('a clip is given up when the disk runs full beside it', async (t) => {
  const disk = await smallDisk(t);
  if (disk === undefined) return;
  const elsewhere = await temporaryFolder(t);
  const source = join(elsewhere, 'source.mp4');
  const pictures = ['-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=30:duration=30'];
  execFileSync('ffmpeg', ['-v', 'error', ...pictures, '-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '40', source]);
  const files = await assetFiles(disk);
  const order = { files: [source], segments: [{ in: 0, out: 29, at: '' }], mode: 'accurate' } as const;
  let begun = false;
  const onProgress = (): void => {
    if (!begun) fill(disk, RESERVE / 2);
    begun = true;
  };
  await assert.rejects(files.cut('clip.mp4', order, never, onProgress), FULL);
  assert.ok(begun, 'it was under way');
  assert.deepEqual(readdirSync(join(disk, 'assets', 'clips', '.incoming')), []);
  await assert.rejects(files.cut('clip.mp4', order, never, onProgress), FULL);
  mkdirSync(join(disk, 'still-works'));
  assert.ok(!existsSync(join(disk, 'assets', 'clips', 'clip.mp4')));
});
