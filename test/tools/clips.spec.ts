import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import type { Recording } from '../../domain/shapes/media/recording.ts';
import { recordingRow } from '../helpers/recording-row.ts';
import { makeCountedClip, numbersIn } from '../helpers/counted.ts';
import { sftpMissing, startSftp, type SftpServer } from '../helpers/servers/sftp.ts';
import { PNG_BASE64 } from '../app/broadcast.ts';
import { fieldsOf } from '../app/calls.ts';
import { addBroadcast } from '../app/broadcast.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

const PASSWORD = 'canary-clips';
const dir = mkdtempSync(join(tmpdir(), 'onair-clips-'));
const media = join(dir, 'show.mp4');
before(() => void makeCountedClip(media, 300));
after(() => rmSync(dir, { recursive: true, force: true }));

let app: TestApp;
let livestreamId: number;
let recordingId: number;
async function open(): Promise<void> {
  app = await startTestApp();
  ({ livestreamId } = await addBroadcast(app, '', 'News'));
  recordingId = await record();
}

/** A Recording on the Device, and its row. */
async function record(fields: Partial<Recording> = {}): Promise<number> {
  const key = { livestreamId, runId: `run-${fields.status ?? 'finished'}`, publishingId: 7 };
  const status = fields.status ?? 'finished';
  app.device.putRecording(key, { state: status, duration_seconds: 10, ended_at: '2026-01-01T00:00:10.000Z' }, [media]);
  const ended_at = status === 'recording' ? null : '2026-01-01T00:00:10.000Z';
  const messages = {
    name: 'News 2026-01-01',
    livestream_name: 'News',
    deviceId: app.deviceId,
    status,
    qualities: ['720p'],
  };
  const row = recordingRow({ ...key, ...messages, ended_at, duration_seconds: 10, size_bytes: 1, ...fields });
  return (await app.store.tx((tx) => tx.insert('recordings', row))).id;
}

const pathOf = (filename: string): string => app.control.assetFiles.path('clips', filename);
const clips = (): Promise<unknown> => app.ids('listAssets', { fileType: 'clips' });

describe('createClip', () => {
  beforeEach(open);
  afterEach(() => app.close());

  it('createClip makes up a name of its own for each clip that was given none', async () => {
    const args = { recordingId, in: 2, out: 3, mode: 'keyframe' };
    const names = [];
    for (const trackId of [undefined, 1, undefined])
      names.push((await app.data('createClip', { ...args, ...(trackId !== undefined && { trackId }) }))['filename']);
    const first = String(names[0]).replace(/\.mp4$/u, '');
    assert.deepEqual(names, [`${first}.mp4`, `${first}-2.mp4`, `${first}-3.mp4`]);
  });

  it('createClip makes an Asset of the very pictures, and an event names it', async () => {
    const messages: string[] = [];
    const progress = (done: number, total: number, message: string): void => {
      assert.ok(done <= total, `${done} of ${total}`);
      messages.push(message);
    };
    const args = { recordingId, in: 2, out: 4.5, filename: 'goal.mp4' };
    const reply = await app.call('createClip', args, { user: 'operator', progress });
    assert.equal(reply.status, 201);
    const { id: _, ...data } = (reply.body as { data: Record<string, unknown> & { id: number } }).data;
    assert.deepEqual([data['filename'], data['fileType'], data['width']], ['goal.mp4', 'clips', 320]);
    assert.deepEqual([data['recordingId'], data['in'], data['out']], [recordingId, 2, 4.5]);
    assert.deepEqual(
      numbersIn(pathOf('goal.mp4')),
      Array.from({ length: 75 }, (_each, n) => 60 + n),
    );
    assert.ok(
      messages.some((message) => /of 2\.5 s$/u.test(message)),
      messages.join(),
    );
    const [event] = await app.rows('getLivestreamEvents', { livestreamId, kind: 'clip_created' });
    const segments = [{ in: 2, out: 4.5 }];
    assert.deepEqual(event?.['data'], { recordingId, filename: 'goal.mp4', in: 2, out: 4.5, segments });
    assert.equal(
      (await app.data('readAsset', { filename: 'goal.mp4', fileType: 'clips' }))['size_bytes'],
      data['size_bytes'],
    );
  });

  it('createClip joins segments in their order; answer, event and audit list them, and the progress goes over all of them', async () => {
    const messages: string[] = [];
    const segments = [
      { in: 6, out: 7 },
      { in: 1, out: 1.5 },
      { in: 6.5, out: 8 },
    ];
    const progress = (_done: number, _total: number, message: string): void => void messages.push(message);
    const args = { recordingId, segments };
    const { body } = await app.call('createClip', args, { user: 'operator', progress });
    const { data } = body as { data: Record<string, unknown> };
    const filename = String(data['filename']);
    assert.equal(filename, 'News 20260101T000006Z 3s.mp4');
    assert.deepEqual([data['in'], data['out'], data['segments']], [1, 8, segments]);
    const range = (first: number, next: number): number[] => Array.from({ length: next - first }, (_, n) => first + n);
    assert.deepEqual(numbersIn(pathOf(filename)), [range(180, 210), range(30, 45), range(195, 240)].flat());
    assert.ok(
      messages.length > 0 &&
        messages.filter((message) => / s$/u.test(message)).every((message) => message.endsWith('of 3.0 s')),
    );
    const [event] = await app.rows('getLivestreamEvents', { livestreamId, kind: 'clip_created' });
    assert.match(String(event?.['message']), /, 3 pieces: 6-7 s, 1-1\.5 s, 6\.5-8 s\.$/u);
    assert.deepEqual((event?.['data'] as { segments: unknown }).segments, segments);
    const [row] = await app.rows('getAuditLog', { operation: 'createClip' });
    assert.ok(JSON.stringify(row).includes('segments'), JSON.stringify(row));
    assert.deepEqual(readdirSync(join(app.dir, 'clips', '.incoming')), []);
  });

  it('createClip copies from the keyframe before, says where that is, and finds a name', async () => {
    const data = await app.data('createClip', { recordingId, in: 3.5, out: 5, mode: 'keyframe' });
    assert.equal(data['filename'], 'News 20260101T000003Z 1.5s.mp4');
    assert.ok(Math.abs((data['in'] as number) - 3) < 0.05, String(data['in']));
    assert.equal(numbersIn(pathOf(data['filename'] as string))[0], 90);
  });

  it('createClip cuts what is still being written', async () => {
    const growing = await record({ status: 'recording' });
    const data = await app.data('createClip', { recordingId: growing, in: 0, out: 1 });
    assert.equal(numbersIn(pathOf(data['filename'] as string)).length, 30);
  });

  it('createClip refuses what cannot be cut, and leaves nothing', async () => {
    const refusals: [object, Parameters<TestApp['refused']>[0], string][] = [
      [{ in: 3, out: 3 }, 'invalid_input', 'out'],
      [{ in: -1, out: 3 }, 'invalid_input', 'in'],
      [{ in: 1, out: 30 }, 'rule_violated', 'out'],
      [{ in: 11, out: 12 }, 'rule_violated', 'in'],
      [{ in: 1, out: 2, trackId: 9 }, 'rule_violated', 'trackId'],
      [{ in: 1 }, 'invalid_input', 'out'],
      [{}, 'invalid_input', 'in'],
      [{ in: 1, out: 2, segments: [{ in: 1, out: 2 }] }, 'invalid_input', 'segments'],
      [{ segments: [] }, 'invalid_input', 'segments'],
      [{ segments: Array.from({ length: 21 }, () => ({ in: 1, out: 2 })) }, 'invalid_input', 'segments'],
      [
        {
          segments: [
            { in: 1, out: 2 },
            { in: 4, out: 3 },
          ],
        },
        'invalid_input',
        'segments.1.out',
      ],
      [
        {
          segments: [
            { in: 1, out: 2 },
            { in: 4, out: 30 },
          ],
        },
        'rule_violated',
        'segments.1.out',
      ],
      [{ in: 1, out: 2, filename: 'goal.mkv' }, 'invalid_input', 'filename'],
      [{ in: 1, out: 2, filename: '../goal.mp4' }, 'invalid_input', 'filename'],
    ];
    for (const [args, code, field] of refusals) {
      const error = await app.refused(code, 'createClip', { recordingId, ...args });
      assert.deepEqual(fieldsOf(error), [field], error.message);
    }
    assert.match(
      (await app.refused('rule_violated', 'createClip', { recordingId, in: 1, out: 30 })).message,
      /has 10(?:\.\d+)? s now/u,
    );
    await app.refused('not_found', 'createClip', { recordingId: 999, in: 1, out: 2 });
    const failed = await record({ status: 'failed', errorstatus: 'Its media is lost.' });
    assert.match(
      (await app.refused('wrong_state', 'createClip', { recordingId: failed, in: 1, out: 2 })).message,
      /has failed/u,
    );
    await app.data('createClip', { recordingId, in: 1, out: 2, mode: 'keyframe', filename: 'taken.mp4' });
    await app.refused('conflict', 'createClip', { recordingId, in: 1, out: 2, filename: 'taken.mp4' });
    assert.equal(((await clips()) as number[]).length, 1);
  });

  it('a createClip that is cancelled leaves nothing', async () => {
    const controller = new AbortController();
    const options = { signal: controller.signal, progress: () => controller.abort() };
    await app.refused('timeout', 'createClip', { recordingId, in: 0, out: 10 }, options);
    assert.deepEqual(await clips(), []);
    assert.deepEqual(readdirSync(join(app.dir, 'clips', '.incoming')), []);
  });
});

describe('exportClip', { skip: sftpMissing }, () => {
  let server: SftpServer;
  let targetFolderId: number;
  before(async () => {
    server = await startSftp('clips', PASSWORD);
    await open();
    const place = { type: 'SFTP', host: '127.0.0.1', port: server.port, folder: server.files };
    const account = { user: 'clips', password: PASSWORD };
    targetFolderId = (await app.data('addTargetFolder', { name: 'Partner', ...place, ...account })).id;
    await app.data('createClip', { recordingId, in: 1, out: 3, mode: 'keyframe', filename: 'goal.mp4' });
  });
  after(async () => {
    await app.close();
    await server.stop();
  });

  it('exportClip brings a clip to the Target Folder, reads it back and says where it lies', async () => {
    const folderId = targetFolderId;
    const unknown = await app.refused('rule_violated', 'exportClip', { filename: 'goal.mp4', targetFolderId });
    assert.match(unknown.message, /validateTargetFolder/u);
    await app.data('validateTargetFolder', { folderId });
    const messages: string[] = [];
    const progress = (_done: number, _total: number, message: string): void => void messages.push(message);
    const args = { filename: 'goal.mp4', targetFolderId, name: 'partner goal.mp4' };
    const reply = await app.call('exportClip', args, { user: 'operator', progress });
    assert.equal(reply.status, 200);
    const content = readFileSync(pathOf('goal.mp4'));
    assert.deepEqual(reply.body, {
      data: {
        filename: 'goal.mp4',
        targetFolderId,
        name: 'partner goal.mp4',
        location: `sftp://127.0.0.1:${server.port}${server.files}/partner%20goal.mp4`,
        size_bytes: content.length,
        sha256: createHash('sha256').update(content).digest('hex'),
      },
    });
    assert.ok(readFileSync(join(server.files, 'partner goal.mp4')).equals(content), 'it is whole');
    assert.ok(
      messages.some((message) => / sent$/u.test(message)) && messages.some((message) => / verified$/u.test(message)),
      messages.join(),
    );
    await app.refused('conflict', 'exportClip', args);
    // A name is taken as everywhere. Whose role lists no folders is told none in a refusal.
    await app.refused('conflict', 'exportClip', { ...args, targetFolderId: 'partner' });
    const near = { ...args, targetFolderId: 'Partners' };
    assert.match((await app.refused('not_found', 'exportClip', near)).message, /The nearest: "Partner"/u);
    const hidden = await app.refused('not_found', 'exportClip', near, { user: 'operator' });
    assert.ok(!hidden.message.includes('"Partner"') && /Administrator/u.test(hidden.message), hidden.message);
    await app.data('exportClip', { ...args, replace: true });
    const audit = await app.rows('getAuditLog', { operation: 'exportClip' });
    assert.ok(audit.length >= 2 && !JSON.stringify(audit).includes('canary'), 'in the audit, without the password');
  });

  it('exportClip refuses what is not there, and two at once to one name', async () => {
    await app.refused('not_found', 'exportClip', { filename: 'nowhere.mp4', targetFolderId });
    await app.refused('not_found', 'exportClip', { filename: 'goal.mp4', targetFolderId: 999 });
    await app.refused('invalid_input', 'exportClip', { filename: 'goal.mp4', targetFolderId, name: '../goal.mp4' });
    const args = { filename: 'goal.mp4', targetFolderId, name: 'at-once.mp4' };
    const both = await Promise.allSettled([app.data('exportClip', args), app.data('exportClip', args)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  });

  it('exportClip sends a logo too', async () => {
    await app.data('uploadAsset', { fileType: 'logos', filename: 'bug.png', content_base64: PNG_BASE64 });
    await app.data('exportClip', { filename: 'bug.png', fileType: 'logos', targetFolderId });
    assert.equal(execFileSync('cat', [join(server.files, 'bug.png')]).toString('base64'), PNG_BASE64);
  });
});
