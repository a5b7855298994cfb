/** Recordings that go to a bucket: growing ones in pieces, finished ones whole; and those of a Device that is lost. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { recordingsInBucket } from '../../../assets/recordings-in-bucket.ts';
import { parseBucketAddress } from '../../../domain/network/bucket-address.ts';
import type { MediaBucket } from '../../../domain/ports/media-bucket.ts';
import {
  keysOfPieces,
  PIECE_BYTES,
  pieceKey,
  tailKey,
  wholeKey,
} from '../../../domain/rules/media/recording-objects.ts';
import { enterPlace, type NewPlace } from '../../../domain/rules/broadcasts/run-again.ts';
import type { Run } from '../../../domain/shapes/broadcasts/run.ts';
import type { Recording } from '../../../domain/shapes/media/recording.ts';
import { openMediaBucket } from '../../../integrations/media-bucket.ts';
import { openRestApi } from '../../app/rest-api.ts';
import { startTestApp, type TestApp } from '../../app/test-app.ts';
import { TOKENS } from '../../app/users.ts';
import { recordingRow } from '../../helpers/recording-row.ts';
import type { Running } from '../../helpers/servers/program.ts';
import { startS3 } from '../../helpers/servers/s3.ts';
import { until } from '../../helpers/until.ts';
import { addBroadcast } from '../../app/broadcast.ts';
import { listen } from '../../rest/rest-app.ts';
import { testFolder } from '../../helpers/test-folder.ts';

const KEYS = { accessKey: 'recordings-access-key', secretKey: 'recordings-secret-key' };
const LOOK_MS = 30_000;
const AT = '2026-01-01T00:00:00.000Z';
const FINISHED = { state: 'finished', duration_seconds: 10, ended_at: '2026-01-01T00:00:10.000Z' } as const;

let s3: Running;
let bucket: MediaBucket;
before(async () => {
  s3 = await startS3(KEYS.accessKey, KEYS.secretKey);
  const endpoint = encodeURIComponent(`http://127.0.0.1:${s3.port}`);
  bucket = await openMediaBucket(parseBucketAddress(`s3://clips/station?endpoint=${endpoint}`), KEYS);
});
after(() => s3.stop());

interface Scene {
  app: TestApp;
  key: { livestreamId: number; runId: string; publishingId: number };
  id: number;
  /** The file that the Device writes. */
  path: string;
  row(): Promise<Readonly<Recording>>;
  /** As the next look finds it. */
  later(what: string, isSo: (row: Readonly<Recording>) => boolean): Promise<Readonly<Recording>>;
}

/** A Recording that the Device of this machine writes, and its row. */
async function recording(t: TestContext): Promise<Scene> {
  const app = await startTestApp({ media: (dir, clock) => recordingsInBucket({ dir, clock, bucket, takes: true }) });
  t.after(() => app.close());
  const { livestreamId } = await addBroadcast(app);
  // The tests have one bucket.
  const runId = randomUUID();
  const key = { livestreamId, runId, publishingId: 7 };
  const path = join(testFolder(t, 'written'), `${runId}-7-1.mp4`);
  writeFileSync(path, '');
  app.device.putRecording(key, {}, [path]);
  const fields = { ...key, deviceId: app.deviceId, status: 'recording', ended_at: null, size_bytes: 0 } as const;
  const { id } = await app.store.tx((tx) => tx.insert('recordings', recordingRow(fields)));
  const row = async (): Promise<Readonly<Recording>> => (await app.store.get('recordings', id))!.row;
  const later: Scene['later'] = (what, isSo) =>
    until(what, async () => {
      const now = await row();
      if (isSo(now)) return now;
      app.clock.advance(LOOK_MS);
      return undefined;
    });
  return { app, key, id, path, row, later };
}

const sizesOf = (row: Readonly<Recording>): Promise<(number | undefined)[]> =>
  Promise.all(keysOfPieces(row, row.objects!).map((key) => bucket.sizeOf(key)));

/** A file of fragments, as Recordings are, of several pieces. */
function fragments(path: string, seconds: number): Buffer {
  const source = `testsrc2=size=640x360:rate=25,noise=alls=80:allf=t`;
  const to = ['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '20', '-g', '25', '-t', String(seconds)];
  const form = ['-movflags', 'frag_keyframe+empty_moov+default_base_moof', '-y', path];
  execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', source, ...to, ...form]);
  return readFileSync(path);
}

function framesIn(path: string): number {
  const of = ['-select_streams', 'v', '-count_packets', '-show_entries', 'stream=nb_read_packets', '-of', 'csv=p=0'];
  return Number.parseInt(execFileSync('ffprobe', ['-v', 'error', ...of, path], { encoding: 'utf8' }), 10);
}

describe('a Recording that is written', () => {
  it('goes to the bucket in pieces of one size; what is behind them goes when it has doubled', async (t) => {
    const { path, later } = await recording(t);
    appendFileSync(path, Buffer.alloc(1000, 'a'));
    const first = await later('a tail', ({ objects }) => objects?.parts[0]?.tail === 1000);
    assert.deepEqual(await sizesOf(first), [1000]);
    appendFileSync(path, Buffer.alloc(900, 'b'));
    appendFileSync(path, Buffer.alloc(200, 'c'));
    await later('a longer tail', ({ objects }) => objects?.parts[0]?.tail === 2100);
    appendFileSync(path, Buffer.alloc(2 * PIECE_BYTES, 'd'));
    const grown = await later('pieces', ({ objects }) => objects?.parts[0]?.pieces === 2 && objects.parts[0].tail > 0);
    assert.deepEqual(await sizesOf(grown), [PIECE_BYTES, PIECE_BYTES, 2100]);
    assert.equal(await bucket.sizeOf(tailKey(grown, basename(path), 0)), undefined, 'the first tail is outdated');
  });

  it('is whole in the bucket once it is finished, and nowhere else', async (t) => {
    const { app, key, path, later, id } = await recording(t);
    appendFileSync(path, Buffer.alloc(PIECE_BYTES + 5, 'x'));
    await later('a piece', ({ objects }) => objects?.parts[0]?.pieces === 1);
    const joined = path.replace(/-1\.mp4$/u, '-1to1.mp4');
    // Parts of an object have 16 MiB, so these are two.
    const content = Buffer.alloc(3 * PIECE_BYTES, 'y');
    writeFileSync(joined, content);
    app.device.putRecording(key, { ...FINISHED, size_bytes: content.length }, [joined]);
    const row = await later('whole', ({ objects }) => objects?.whole !== undefined && objects.parts.length === 0);
    assert.deepEqual(row.objects?.whole, [{ key: wholeKey(row, 1), bytes: content.length }]);
    assert.deepEqual(await app.device.recordings.list(), []);
    assert.equal(await bucket.sizeOf(pieceKey(row, basename(path), 0)), undefined);
    app.device.goOffline();
    const seen = await app.data('getRecording', { recordingId: id });
    assert.deepEqual([seen['status'], seen['bucket_bytes']], ['finished', content.length]);
    app.device.goOnline();
    const changes = { status: 'failed', errorstatus: 'Its files are no longer there.', files: 0 } as const;
    await app.store.tx((tx) => tx.put('recordings', { ...row, ...changes }));
    await app.control.recordings.recover(row, new AbortController().signal);
    const back = await app.data('getRecording', { recordingId: id });
    assert.deepEqual([back['status'], back['files']], ['finished', 1], 'an earlier version has called it lost');
    await app.call('deleteRecording', { recordingId: id });
    assert.equal(await bucket.sizeOf(wholeKey(row, 1)), undefined);
  });

  it('is downloaded from the bucket by a signed link', async (t) => {
    const { app, key, path, later, id } = await recording(t);
    const content = Buffer.alloc(100_000, 'z');
    writeFileSync(path, content);
    app.device.putRecording(key, { ...FINISHED, size_bytes: content.length }, [path]);
    await later('whole', ({ objects }) => objects?.whole !== undefined);
    const api = await openRestApi(app);
    const server = await listen(api.rest);
    t.after(() => server.close());
    const reply = await api.send('POST', `/recordings/${id}/downloads`, { token: TOKENS.operator, body: {} });
    const { data } = (await reply.json()) as { data: { url: string } };
    const url = data.url.replace('http://onair.example', server.url);
    const redirect = await fetch(url, { redirect: 'manual' });
    assert.deepEqual([redirect.status, redirect.headers.get('cache-control')], [302, 'no-store']);
    const range = await fetch(url, { headers: { Range: 'bytes=10-19' } });
    assert.deepEqual([range.status, await range.text()], [206, 'z'.repeat(10)]);
    const whole = await fetch(url);
    assert.match(whole.headers.get('content-disposition') ?? '', /^attachment; filename\*=UTF-8''Show/u);
    assert.deepEqual(Buffer.from(await whole.arrayBuffer()), content);
    const head = await fetch(url, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, '100000']);
    assert.equal((await fetch(`${url}0`, { redirect: 'manual' })).status, 403);
  });
});

describe('the Recording of a Device that is lost', () => {
  it('is made whole from its pieces, and replaced once the Device is back with more', async (t) => {
    const { app, key, id, path, row, later } = await recording(t);
    const all = fragments(path, 6);
    assert.ok(all.length > 2 * PIECE_BYTES, `${all.length} bytes`);
    const sent = await later('its pieces', ({ objects }) => (objects?.parts[0]?.pieces ?? 0) >= 2);
    const { signal } = new AbortController();
    assert.equal(await app.control.recordings.recover(sent, signal), false, 'its Device is there');
    app.device.goOffline();
    await until('it is lost', async () => {
      app.clock.advance(LOOK_MS);
      return app.control.recordings.recover(await row(), signal);
    });
    const recovered = await row();
    assert.equal(recovered.status, 'finished');
    assert.match(recovered.errorstatus ?? '', /Device 1 "studio" was lost with the last seconds of it/u);
    assert.deepEqual(recovered.objects?.parts, []);
    const opened = await app.control.recordings.open(recovered, signal);
    const [frames, here] = [framesIn(opened.files[0]!), framesIn(path)];
    await opened.release();
    assert.ok(frames >= 25 && frames <= here && frames % 25 === 0, `${frames} of ${here} frames`);
    assert.ok(Math.abs(recovered.duration_seconds - frames / 25) < 0.1);

    app.device.putRecording(key, { ...FINISHED, size_bytes: all.length + 1 }, [path]);
    appendFileSync(path, 'x');
    app.device.goOnline();
    const fuller = await later(
      'its own',
      ({ objects }) => objects?.whole?.[0]?.bytes === statSize(path, all.length + 1),
    );
    assert.deepEqual([fuller.status, fuller.errorstatus], ['finished', null]);
    await until('nothing is left there', async () => (await app.device.recordings.list()).length === 0);
    await app.call('deleteRecording', { recordingId: id });
  });

  it('is made whole when the Device comes back without it', async (t) => {
    const { app, key, path, row, later } = await recording(t);
    fragments(path, 6);
    await later('its pieces', ({ objects }) => (objects?.parts[0]?.pieces ?? 0) >= 1);
    app.device.goOffline();
    app.device.loseRecording(key);
    rmSync(path);
    app.device.goOnline();
    await until('it is lost there', async () => (await row()).objects?.isLost === true);
    assert.equal(await app.control.recordings.recover(await row(), new AbortController().signal), true);
    assert.equal((await row()).status, 'finished');
  });

  it('has all files that it was whole in, where the store went back to before that', async (t) => {
    const { app, id, path, row } = await recording(t);
    const keys = [wholeKey(await row(), 1), wholeKey(await row(), 2)];
    for (const [at, key] of keys.entries()) {
      writeFileSync(path, Buffer.alloc(100 + at, 'm'));
      await bucket.send(key, path);
    }
    const objects: Recording['objects'] = {
      parts: [{ name: basename(path), pieces: 1, tail: 0 }],
      isLost: true,
    };
    await app.store.tx((tx) => tx.put('recordings', { ...tx.get('recordings', id)!, objects }));
    assert.equal(await app.control.recordings.recover(await row(), new AbortController().signal), true);
    const { files, size_bytes, objects: now } = await row();
    assert.deepEqual([files, size_bytes, now?.whole?.map(({ key }) => key)], [2, 201, keys]);
  });

  it('goes on in the run that records again, also when one between has recorded nothing', async (t) => {
    const { app, key, row } = await recording(t);
    const run = { id: key.livestreamId, runId: key.runId } as Run;
    const place = (runId: string): NewPlace => ({ runId, deviceId: app.deviceId, slot: 1, cost: 1 });
    await app.store.tx((tx) => {
      tx.insert('runs', run);
      enterPlace(tx, enterPlace(tx, run, AT, place('second')), AT, place('third'));
    });
    assert.equal((await row()).goes_on, 'third');
    const another = { livestreamId: key.livestreamId, publishingId: key.publishingId, runId: 'third' };
    await app.store.tx((tx) => {
      tx.insert('recordings', recordingRow({ ...another, status: 'recording' }));
      enterPlace(tx, tx.get('runs', run.id)!, AT, place('fourth'));
    });
    const { rows } = await app.store.find('recordings', { sort: { field: 'id', descending: false } });
    assert.deepEqual(
      rows.map(({ goes_on }) => goes_on),
      ['third', 'fourth'],
    );
  });

  it('is one with what was recorded elsewhere, also when its Device comes back with more', async (t) => {
    const { app, key, id, path, row, later } = await recording(t);
    const files = testFolder(t, 'others');
    const put = async (runId: string, bytes: number): Promise<Partial<Recording>> => {
      const object = wholeKey({ ...(await row()), runId }, 1);
      writeFileSync(join(files, runId), Buffer.alloc(bytes, 'm'));
      await bucket.send(object, join(files, runId));
      const objects = { parts: [], whole: [{ key: object, bytes }], recovered: 4 };
      return { runId, objects, status: 'finished', size_bytes: bytes, duration_seconds: 4, files: 1 };
    };
    const [goes_on, third] = [randomUUID(), randomUUID()];
    const first = await put(key.runId, 1000);
    const second = await put(goes_on, 300);
    const away = { deviceId: 99, livestreamId: key.livestreamId, publishingId: key.publishingId };
    await app.store.tx((tx) => {
      tx.put('recordings', { ...tx.get('recordings', id)!, ...first, goes_on, errorstatus: 'The end is missing.' });
      tx.insert(
        'recordings',
        recordingRow({ ...away, ...second, goes_on: third, ended_at: '2026-01-01T00:01:00.000Z' }),
      );
    });
    const { signal } = new AbortController();
    assert.equal(await app.control.recordings.recover(await row(), signal), true);
    const one = await row();
    assert.deepEqual([one.files, one.size_bytes, one.duration_seconds], [2, 1300, 8]);
    assert.deepEqual([one.goes_on, one.ended_at], [third, '2026-01-01T00:01:00.000Z']);
    assert.equal((await app.store.find('recordings', {})).total, 1);
    assert.equal(await app.control.recordings.recover(one, signal), false, 'the third is not there');

    writeFileSync(path, Buffer.alloc(1200, 'n'));
    app.device.putRecording({ ...key, runId: goes_on }, { ...FINISHED, size_bytes: 300 }, [path]);
    app.device.putRecording(key, { ...FINISHED, size_bytes: 1200, duration_seconds: 6 }, [path]);
    const fuller = await later('more of the first', ({ size_bytes }) => size_bytes === 1500);
    assert.deepEqual([fuller.files, fuller.duration_seconds, fuller.errorstatus], [2, 10, null]);
    await until('nothing is left there', async () => (await app.device.recordings.list()).length === 0);
    const opened = await app.control.recordings.open(fuller, signal);
    assert.deepEqual(
      opened.files.map((file) => readFileSync(file, 'utf8')),
      ['n'.repeat(1200), 'm'.repeat(300)],
    );
    await opened.release();
    await app.call('deleteRecording', { recordingId: id });
    for (const { key: object } of fuller.objects!.whole!) assert.equal(await bucket.sizeOf(object), undefined);
  });
});

function statSize(path: string, otherwise: number): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? otherwise;
}
