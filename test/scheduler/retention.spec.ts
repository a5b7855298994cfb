import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { findStored, removeStored } from '../../device/agent/recordings/stored-recordings.ts';
import { partName } from '../../device/recording-names.ts';
import { recordingsDir } from '../../device/run-dir.ts';
import { AppError } from '../../domain/base/errors.ts';
import type { LivestreamEvent } from '../../domain/shapes/installation/event.ts';
import type { Recording, RecordingFiles } from '../../domain/shapes/media/recording.ts';
import { backUp } from '../../integrations/remote-folder.ts';
import { Retention } from '../../scheduler/retention.ts';
import { freePort } from '../helpers/ports.ts';
import { recordingRow } from '../helpers/recording-row.ts';
import { nfsMissing, nfsOnDiskMissing, startNfs, startNfsOn } from '../helpers/servers/nfs.ts';
import { type Running } from '../helpers/servers/program.ts';
import { openSmallDisk, smallDiskMissing, type SmallDisk } from '../helpers/servers/small-disk.ts';
import { startWebdav, webdavMissing, type WebdavServer } from '../helpers/servers/webdav.ts';
import { letPass } from '../helpers/pass.ts';
import { until } from '../helpers/until.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';
import { silentLog } from '../helpers/silent-log.ts';

const USER = 'archive';
const PASSWORD = 'canary-retention';
const DAY_MS = 86_400_000;
const AT = '2026-01-01T00:00:00.000Z';
const RETRY = { max_attempts: 2, initial_delay_ms: 10, max_delay_ms: 20 };

let app: TestApp;
let livestreamId: number;
let task: Retention | undefined;
beforeEach(async () => {
  app = await startTestApp();
  ({ livestreamId } = await addBroadcast(app, '', 'Ölçü News'));
});
afterEach(async () => {
  task?.end();
  await app.close();
});

/** The Device's own shelf, without the agent before it. */
const heldRecordings: RecordingFiles = {
  linkTo: () => Promise.resolve(undefined),
  recover: () => Promise.resolve(false),
  async open(recording) {
    const held = await findStored(app.dir, recording);
    if (held === undefined) throw new AppError('not_found', 'The Device has lost the Recording.');
    return { files: held.files.map(({ path }) => path), release: () => Promise.resolve() };
  },
  remove: (recording) => removeStored(app.dir, recording),
};

async function begin(recordings = heldRecordings): Promise<void> {
  task = new Retention({
    store: app.store,
    clock: app.clock,
    log: silentLog,
    control: { recordings },
    integrations: { backUp: (folder, file, signal) => backUp(folder, file, signal, undefined, { retry: RETRY }) },
  });
  await task.begin();
}

interface Recorded {
  id: number;
  /** On the Device. */
  path: string;
  content: Buffer;
}

/** A Recording that ended now. */
async function record(fields: Partial<Recording>, runId = 'run-4711'): Promise<Recorded> {
  const content = randomBytes(1_500_000);
  const publishingId = 77;
  const dir = recordingsDir(app.dir, livestreamId);
  mkdirSync(dir, { recursive: true });
  const path = join(dir, partName({ runId, publishingId, container: 'mp4' }, 1));
  writeFileSync(path, content);
  const report = { name: `News ${runId}`, livestream_name: 'Ölçü News', deviceId: app.deviceId, qualities: ['720p'] };
  const measures = { started_at: AT, ended_at: AT, duration_seconds: 60, size_bytes: content.length };
  const row = recordingRow({ livestreamId, publishingId, runId, ...report, ...measures, delete_after: 7, ...fields });
  return { id: (await app.store.tx((tx) => tx.insert('recordings', row))).id, path, content };
}

const rowOf = async (id: number): Promise<Readonly<Recording> | undefined> =>
  (await app.store.get('recordings', id))?.row;
const events = async (kind: string): Promise<LivestreamEvent[]> =>
  (await app.store.find('events', { where: { kind } })).rows as LivestreamEvent[];
/** Work that is due now has its turn with the next tick of the clock. */
const gone = (id: number): Promise<unknown> =>
  until(`Recording ${id} gone`, async () => {
    app.clock.advance(1);
    return !(await rowOf(id));
  });
const attempts = (id: number, count: number): Promise<Readonly<Recording>> =>
  until(`attempt ${count}`, async () => {
    // A timer that was set for a moment which is over by now.
    app.clock.advance(0);
    const row = await rowOf(id);
    return row?.backup?.attempts === count && row;
  });
/** Long enough for what must not happen. */
const aWhile = (): Promise<void> => letPass(150);
const days = (count: number): void => app.clock.advance(count * DAY_MS);

describe('a Recording without a Remote Folder', () => {
  it('a Recording without a Remote Folder is deleted, with an event, when its days are over and not before', async () => {
    await begin();
    const { id, path } = await record({});
    app.clock.advance(7 * DAY_MS - 1);
    await aWhile();
    assert.ok(existsSync(path), 'not before its time');
    app.clock.advance(1);
    await gone(id);
    assert.equal(existsSync(path), false);
    const [event] = await events('recording_deleted');
    assert.match(event?.message ?? '', /its 7 days are over/u);
    assert.equal(event?.data['recordingId'], id);
  });

  it('a Recording without a Remote Folder stays without days, and while it is written', async () => {
    const { id: kept } = await record({ delete_after: null });
    const { id: written } = await record({ status: 'recording', ended_at: null, delete_after: 1 }, 'run-2');
    await begin();
    days(400);
    await aWhile();
    assert.ok((await rowOf(kept)) !== undefined && (await rowOf(written)) !== undefined, 'both stay');
  });

  it('a Recording without a Remote Folder is not deleted while somebody reads it', async () => {
    await begin();
    const { id, path, content } = await record({});
    const handle = openSync(path, 'r');
    days(7);
    await gone(id);
    assert.ok(readFileSync(handle).equals(content), 'the open file is whole');
    closeSync(handle);
  });

  it('a Recording waits for a Device that is away, and goes when a crash came between its files and its row', async () => {
    let away = true;
    const { id } = await record({});
    await begin({
      ...heldRecordings,
      remove: (row) =>
        away ? Promise.reject(new AppError('unavailable', 'The Device is away.')) : heldRecordings.remove(row),
    });
    days(7);
    await aWhile();
    assert.ok((await rowOf(id)) !== undefined, 'the row stays with its files');
    away = false;
    app.clock.advance(60_000);
    await gone(id);
    const lost = await record({ status: 'failed', errorstatus: 'Its media is lost.' }, 'run-3');
    await gone(lost.id);
  });
});

for (const protocol of ['WEBDAV', 'NFS'] as const) {
  describe(
    `a Recording with a Remote Folder by ${protocol}`,
    { skip: protocol === 'NFS' ? nfsMissing : webdavMissing },
    () => {
      let port: number;
      let server: Running | undefined;
      before(async () => {
        port = await freePort();
      });
      after(() => server?.stop());
      afterEach(async () => {
        await server?.stop();
        server = undefined;
      });
      const come = async (): Promise<void> => {
        server =
          protocol === 'NFS'
            ? await startNfs({ port, mostFileBytes: 2 * 1024 * 1024 })
            : await startWebdav(USER, PASSWORD, port);
      };
      const fetchFile = (name: string): Buffer => {
        const limits = { maxBuffer: 10_000_000 };
        if (protocol === 'WEBDAV') return readFileSync(join((server as WebdavServer).files, name));
        return execFileSync('nfs-cat', [`nfs://127.0.0.1/rw/${name}?version=4&nfsport=${port}`], limits);
      };
      const addFolder = async (fields: object = {}): Promise<number> => {
        const host = protocol === 'NFS' ? `127.0.0.1:${port}` : `http://127.0.0.1:${port}`;
        const account = protocol === 'NFS' ? {} : { user: USER, password: PASSWORD };
        return (
          await app.data('addRemoteFolder', { name: 'Archive', protocol, host, folder: '/rw', ...account, ...fields })
        ).id;
      };

      /** The file that is there in the end is the Recording, byte for byte, with a sidecar that says so. */
      async function assertBackedUp({ id, path, content }: Recorded): Promise<void> {
        await gone(id);
        assert.equal(existsSync(path), false, 'the media is gone here');
        const [report] = await events('recording_backed_up');
        const [media, sidecar] = report?.data['files'] as { name: string; size_bytes: number; sha256: string }[];
        assert.match(media?.name ?? '', /^Olcu-News-20260101T000000Z-run4711-77\.mp4$/u);
        assert.ok(fetchFile(media!.name).equals(content), 'the media is whole there');
        const facts = JSON.parse(fetchFile(sidecar!.name).toString('utf8'));
        assert.equal(facts.files[0].sha256, createHash('sha256').update(content).digest('hex'));
        assert.deepEqual([facts.livestream_name, facts.duration_seconds], ['Ölçü News', 60]);
        assert.match((await events('recording_deleted'))[0]?.message ?? '', /backed up as Olcu-News-/u);
      }

      it('a Recording is backed up to its Remote Folder, read back and only then deleted', async () => {
        await come();
        const recorded = await record({ remotefolder: await addFolder() });
        await begin();
        await aWhile();
        assert.deepEqual(await events('recording_backed_up'), [], 'not before its time');
        days(7);
        await assertBackedUp(recorded);
      });

      it('a Recording stays while its server is away: one event, further tries with growing pauses, and then the backup and the delete', async () => {
        const recorded = await record({ remotefolder: await addFolder() });
        await begin();
        days(7);
        for (const [index, minutes] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
          const { backup } = await attempts(recorded.id, index + 1);
          assert.match(backup?.error ?? '', /cannot be reached: it refuses the connection/u);
          assert.equal(Date.parse(backup?.next_at ?? '') - app.clock.now(), minutes * 60_000);
          if (index === 4) await restart();
          app.clock.advance(minutes * 60_000);
        }
        await attempts(recorded.id, 9);
        assert.ok(readFileSync(recorded.path).equals(recorded.content), 'nothing is deleted');
        const failed = await events('recording_backup_failed');
        assert.equal(failed.length, 1, 'one event for one reason');
        assert.match(
          failed[0]?.message ?? '',
          /is kept: it could not be backed up\. The server .* refuses the connection/u,
        );
        await come();
        app.clock.advance(3_600_000);
        await assertBackedUp(recorded);
      });

      async function restart(): Promise<void> {
        task?.end();
        await begin();
      }

      it('a Recording stays where its folder refuses or is gone; once the folder is put right it is tried at once', async () => {
        await come();
        const refusals: [object, RegExp][] =
          protocol === 'NFS'
            ? [
                [{ folder: '/ro' }, /is not writable/u],
                [{ folder: '/nowhere' }, /There is no folder/u],
              ]
            : [
                [{ password: `${PASSWORD}-wrong` }, /user name or password is wrong/u],
                [{ folder: '/full', password: PASSWORD }, /storage is full/u],
                [{ folder: '/ro' }, /is not writable/u],
              ];
        const folderId = await addFolder(refusals[0]![0]);
        const recorded = await record({ remotefolder: folderId });
        await begin();
        days(7);
        for (const [index, [fields, reason]] of refusals.entries()) {
          if (index > 0) await app.data('updateRemoteFolder', { folderId, ...fields });
          const { backup } = await attempts(recorded.id, index + 1);
          assert.match(backup?.error ?? '', reason);
          assert.ok(existsSync(recorded.path), 'nothing is deleted');
        }
        const failed = await events('recording_backup_failed');
        assert.equal(failed.length, refusals.length, 'each reason is told');
        assert.ok(!JSON.stringify(failed).includes(PASSWORD), 'and no password');
        await app.data('updateRemoteFolder', { folderId, folder: '/rw' });
        await assertBackedUp(recorded);
      });
    },
  );
}

describe(
  'a Recording with a Remote Folder by NFS that is full',
  { skip: nfsOnDiskMissing || smallDiskMissing() },
  () => {
    let disk: SmallDisk;
    let server: Running | undefined;
    beforeEach(async () => void (disk = await openSmallDisk(4 * 1024 * 1024)));
    afterEach(async () => {
      await server?.stop();
      await disk.stop();
    });

    for (const [when, left] of [
      ['before the first byte', 0],
      ['midway', 700_000],
    ] as const) {
      it(`a Recording stays when the folder is full ${when}, with one event; once there is room it is backed up, verified, deleted`, async () => {
        server = await startNfsOn(disk);
        disk.fill(left);
        const host = `127.0.0.1:${server.port}`;
        const folder = await app.data('addRemoteFolder', { name: 'Archive', protocol: 'NFS', host, folder: '/rw' });
        const { id, path, content } = await record({ remotefolder: folder.id });
        await begin();
        days(7);
        for (const [index, minutes] of [1, 2, 4].entries()) {
          const { backup } = await attempts(id, index + 1);
          assert.match(backup?.error ?? '', /^The storage is full\./u);
          app.clock.advance(minutes * 60_000);
        }
        await attempts(id, 4);
        assert.ok(readFileSync(path).equals(content), 'nothing is deleted');
        assert.deepEqual(readdirSync(disk.outside), ['.filler'], 'nothing of it takes room there');
        const failed = await events('recording_backup_failed');
        assert.equal(failed.length, 1, 'one event for one reason');
        assert.match(failed[0]?.message ?? '', /is kept: it could not be backed up\. The storage is full\./u);

        disk.free();
        app.clock.advance(3_600_000);
        await gone(id);
        assert.equal(existsSync(path), false, 'the media is gone here');
        const [report] = await events('recording_backed_up');
        const [media] = report?.data['files'] as { name: string; sha256: string }[];
        assert.ok(readFileSync(join(disk.outside, media!.name)).equals(content), 'the media is whole there');
        assert.equal(media!.sha256, createHash('sha256').update(content).digest('hex'));
        assert.equal((await events('recording_deleted')).length, 1);
      });
    }
  },
);

describe('a Recording whose Remote Folder is gone', { skip: webdavMissing }, () => {
  it('a Recording keeps its Remote Folder from being deleted; it stays when the folder is gone, and an event has the reason', async () => {
    const host = `http://127.0.0.1:${await freePort()}`;
    const folder = { name: 'Archive', protocol: 'WEBDAV', host, folder: '/rw' };
    const { id: folderId } = await app.data('addRemoteFolder', folder);
    const { id, path } = await record({ remotefolder: folderId });
    await begin();
    const { extras } = await app.refused('in_use', 'deleteRemoteFolder', { folderId });
    assert.deepEqual(extras.facts?.['users'], [{ resource: 'Recording', id, name: (await rowOf(id))?.name }]);
    await app.store.tx((tx) => tx.delete('remoteFolders', folderId));
    days(7);
    const { backup } = await attempts(id, 1);
    assert.match(backup?.error ?? '', /There is no Remote Folder/u);
    assert.ok(existsSync(path), 'nothing is deleted');
  });

  it('a Recording stays when its media is lost before it was backed up', async () => {
    const { id } = await record({ remotefolder: 1, status: 'failed', errorstatus: 'lost' });
    await begin();
    days(30);
    await aWhile();
    assert.ok((await rowOf(id)) !== undefined, 'a person sees what was lost');
    assert.deepEqual(readdirSync(recordingsDir(app.dir, livestreamId)).length, 1);
  });
});
