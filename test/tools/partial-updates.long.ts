/** A partial update is validated as the whole row that it makes: what a create refuses, no update leaves behind. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppError } from '../../domain/base/errors.ts';
import type { ResidentName } from '../../domain/ports/collections.ts';
import { channelResource } from '../../domain/rules/sources/channel.ts';
import { drmProviderResource } from '../../domain/rules/destinations/drm-provider.ts';
import { encodingResource } from '../../domain/rules/encodings/encoding.ts';
import { publishingResource } from '../../domain/rules/destinations/publishing.ts';
import { ownSettings } from '../../domain/rules/destinations/publishing-settings.ts';
import { remoteFolderResource } from '../../domain/rules/media/remote-folder.ts';
import { targetFolderResource } from '../../domain/rules/media/target-folder.ts';
import type { Publishing } from '../../domain/shapes/destinations/publishing.ts';
import { isPlain } from '../../domain/base/schema.ts';
import { startTestApp, type TestApp } from '../app/test-app.ts';

type Body = Record<string, unknown>;
const of = (type: string, settings: object, more: object = {}): Body => ({ type, settings, ...more });
const SECRET = 'ten letters';

type Known = { collection: ResidentName; idParam: string; shape: object };
const CASES: Record<string, { resource: Known; bodies: Body[] }> = {
  Channel: {
    resource: channelResource,
    bodies: [
      of('Stream', { url: 'rtsp://h/a', transport: 'udp', program: 1 }),
      of('Stream', { url: 'udp://h:1' }),
      of('SRT', { host: 'h', port: 9000, passphrase: SECRET, encryption: 128 }),
      of('SRT', { mode: 'listener', port: 9000, streamid: 'a', allowed_senders: ['10.0.0.0/8'] }),
      of('RTMP-Push', { app: 'live', stream_key: 'key-1', port: 1936 }),
      of('NDI', { source_name: 'A (b)', discovery: 'typed' }),
      of('VideoSite Live', { video_id: 'abcdefghijk' }),
    ],
  },
  Publishing: {
    resource: publishingResource,
    bodies: [
      of('SRT', { url: 'srt://h:1', srt: { passphrase: SECRET, encryption: 256 } }, { backup_enabled: false }),
      of('SRT', { url: 'srt://h:1?passphrase=abcdefghij', backup_url: 'srt://h:2' }, { backup_enabled: true }),
      of('RTMP', { url: 'rtmp://h/a', stream_key: 'k' }),
      of(
        'CMAF',
        { low_latency: true },
        { access: 'token', drm: { provider_id: 1, contentid: 'c', systems: ['Fairplay'] } },
      ),
      of('DASH', { url: 'https://h/a', username: 'u', password: 'p' }),
      of('STREAM', { url: 'udp://239.0.0.1:5000' }),
      of('Record', { container: 'ts', delete_after: 3 }),
    ],
  },
  DrmProvider: {
    resource: drmProviderResource,
    bodies: [
      { provider_type: 'SPEKE', speke_url: 'https://k/', credentials: { username: 'u', password: 'p' } },
      { provider_type: 'SPEKE', speke_url: 'https://k/', credentials: { api_key: 'token' }, tenant_id: 't' },
      { provider_type: 'STATIC', credentials: { keys: [{ kid: 'a'.repeat(32), key: 'b'.repeat(32) }] } },
    ],
  },
  RemoteFolder: {
    resource: remoteFolderResource,
    bodies: [
      { protocol: 'WEBDAV', host: 'https://h', folder: '/a', user: 'u', password: 'p' },
      { protocol: 'NFS', host: 'h', folder: '/a' },
    ],
  },
  TargetFolder: {
    resource: targetFolderResource,
    bodies: [
      { type: 'FTP', host: 'h', user: 'u', password: 'p', tls: 'required' },
      { type: 'SFTP', host: 'h', user: 'u', host_fingerprint: `SHA256:${'a'.repeat(43)}` },
      { type: 'S3', bucket: 'abc', access_key: 'a', secret_key: 's', endpoint: 'https://h' },
    ],
  },
  Encoding: {
    resource: encodingResource,
    bodies: [
      { settings_video: { codec: 'h264', h264: { level: '4.1', profile: 'high' }, height: 1080, width: 1920 } },
      { settings_video: { codec: 'av1', height: 64, width: 64, aspect_ratio: '4:3', fps: 120, bitrate: 50 } },
      { settings_video: { codec: 'copy', hdr_mode: 'hlg' }, settings_audio: { codec: 'copy', channels: 8 } },
      { settings_video: { active: false }, settings_audio: { codec: 'opus', bitrate: 512 } },
      { settings_video: { codec: 'hevc', height: 16, width: 16 }, settings_audio: { codec: 'mp3', channels: 1 } },
    ],
  },
};

/** Every leaf of the body with its path as a patch of its own, cleared and as it is. */
function leavesOf(body: Body): Body[] {
  return Object.entries(body).flatMap(([key, value]) =>
    isPlain(value) ? leavesOf(value).map((inner) => ({ [key]: inner })) : [{ [key]: value }, { [key]: null }],
  );
}

describe('partial updates', () => {
  let app: TestApp;
  let number = 0;
  before(async () => {
    app = await startTestApp();
    await app.data('addDrmProvider', { name: 'keys', ...CASES['DrmProvider']!.bodies[0] });
  });
  after(() => app.close());
  const refusal = async (operation: string, args: Body): Promise<string | undefined> =>
    app.call(operation, args).then(
      () => undefined,
      (error: unknown) => (assert.ok(error instanceof AppError), error.message),
    );

  /** The row as a caller would create it; 0 is the key length of one who sends none. */
  const whole = async ({ collection, shape }: Known, id: number): Promise<Body> => {
    const { row } = (await app.store.get(collection, id))!;
    const own = collection === 'publishings' ? { settings: ownSettings(row as Publishing) } : {};
    const body = Object.fromEntries(Object.entries({ ...row, ...own }).filter(([key]) => key in shape));
    return JSON.parse(JSON.stringify(body, (key, value) => (key === 'encryption' && value === 0 ? undefined : value)));
  };

  for (const [noun, { resource, bodies }] of Object.entries(CASES))
    it(`no partial update leaves a ${noun} that could not be created`, async () => {
      let taken = 0;
      for (const body of bodies)
        for (const patch of [...bodies, ...bodies.flatMap(leavesOf)]) {
          const { id } = await app.data(`add${noun}`, { ...body, name: `n${(number += 1)}` });
          const isRefused = (await refusal(`update${noun}`, { [resource.idParam]: id, ...patch })) !== undefined;
          const created = { ...(await whole(resource, id)), name: `n${(number += 1)}` };
          // Two listeners would meet at one port.
          await app.call(`delete${noun}`, { [resource.idParam]: id });
          if (isRefused) continue;
          taken += 1;
          assert.equal(await refusal(`add${noun}`, created), undefined, JSON.stringify({ body, patch, created }));
          const { rows } = await app.store.find(resource.collection, {});
          await app.call(`delete${noun}`, { [resource.idParam]: Math.max(...rows.map((row) => row.id)) });
        }
      assert.ok(taken > bodies.length);
    });
});
