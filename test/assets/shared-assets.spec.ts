/** Two servers, each with a folder of its own, and one bucket on a real S3 server. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { openAssetFiles } from '../../assets/asset-files.ts';
import { dropDeletedCopies, sharedAssets, type SharedAssetDeps } from '../../assets/shared-assets.ts';
import type { AssetFiles } from '../../domain/ports/control.ts';
import { AppError } from '../../domain/base/errors.ts';
import { parseBucketAddress } from '../../domain/network/bucket-address.ts';
import type { MediaBucket } from '../../domain/ports/media-bucket.ts';
import { s3Client } from '../../integrations/folders/s3.ts';
import { openMediaBucket } from '../../integrations/media-bucket.ts';
import { startCuttingProxy } from '../helpers/servers/cutting-proxy.ts';
import type { Running } from '../helpers/servers/program.ts';
import { startS3 } from '../helpers/servers/s3.ts';
import { silentLog } from '../helpers/silent-log.ts';

const CREDENTIALS = { accessKey: 'media-access-key', secretKey: 'media-secret-key' };
const never = new AbortController().signal;

interface Server {
  root: string;
  deps: SharedAssetDeps;
  files: AssetFiles & Required<Pick<AssetFiles, 'bring'>>;
  /** How often an object was fetched. */
  fetched: number;
}

describe('files of Assets in a bucket', () => {
  const dir = mkdtempSync(join(tmpdir(), 'onair-shared-assets-'));
  /** The keys of the rows: the part of the database that both servers see. */
  const rows = new Map<string, string>();
  let s3: Running;
  let bucket: MediaBucket;
  let one: Server;
  let other: Server;
  let clip: Buffer;
  let longer: Buffer;

  const address = (port: number, rest = ''): string =>
    `s3://clips/station?endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}${rest}`;
  const open = (port: number, silenceMs?: number): Promise<MediaBucket> =>
    openMediaBucket(parseBucketAddress(address(port)), CREDENTIALS, silenceMs);

  async function server(name: string, media: MediaBucket): Promise<Server> {
    const root = join(dir, name);
    const local = await openAssetFiles(root, { maxBytes: 50_000_000, log: silentLog });
    const objectOf = async (kind: string, filename: string): Promise<{ key: string; bytes: number } | undefined> => {
      const key = rows.get(`${kind}/${filename}`);
      return key === undefined ? undefined : { key, bytes: clip.length };
    };
    const counted: MediaBucket = {
      ...media,
      fetch(key, path, take) {
        made.fetched += 1;
        return media.fetch(key, path, take);
      },
    };
    const parts = { local, bucket: counted, objectOf, log: silentLog };
    const made: Server = { root, deps: parts, files: sharedAssets(parts) as Server['files'], fetched: 0 };
    return made;
  }

  function content(...chunks: Uint8Array[]): ReadableStream<Uint8Array> {
    return new Blob(chunks as Uint8Array<ArrayBuffer>[]).stream();
  }

  async function upload({ files }: Server, name: string, bytes: Uint8Array): Promise<boolean> {
    const received = await files.receive('files', name, content(bytes), never);
    if (!(await received.keep())) return false;
    rows.set(`files/${name}`, received.media_key!);
    return true;
  }

  /** As deleteAsset does. */
  async function remove({ files }: Server, name: string): Promise<void> {
    const key = rows.get(`files/${name}`);
    rows.delete(`files/${name}`);
    await files.remove('files', name, key);
  }

  const readAt = async ({ files }: Server, name: string): Promise<Buffer> => {
    await files.bring('files', name);
    return readFileSync(files.path('files', name));
  };

  async function objects(): Promise<string[]> {
    const client = s3Client({
      region: null,
      endpoint: `http://127.0.0.1:${s3.port}`,
      access_key: CREDENTIALS.accessKey,
      secret_key: CREDENTIALS.secretKey,
      isInPath: true,
    });
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: 'clips' }));
    client.destroy();
    return Contents.map(({ Key }) => Key!);
  }

  const leftIn = ({ root }: Server): string[] => readdirSync(join(root, 'files', '.incoming'));

  before(async () => {
    const path = join(dir, 'made.mp4');
    const make = (seconds: number): Buffer => {
      const source = `testsrc=size=64x36:rate=10:duration=${seconds}`;
      execFileSync('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', source, '-pix_fmt', 'yuv420p', path]);
      return readFileSync(path);
    };
    clip = make(1);
    longer = make(2);
    s3 = await startS3(CREDENTIALS.accessKey, CREDENTIALS.secretKey);
    bucket = await open(s3.port);
    one = await server('one', bucket);
    other = await server('other', bucket);
  });
  after(async () => {
    await s3.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('what was uploaded at the one is used at the other, and fetched once', async () => {
    assert.equal(await upload(one, 'clip.mp4', clip), true);
    assert.deepEqual(await objects(), [`station/${rows.get('files/clip.mp4')}`]);
    assert.ok(!existsSync(other.files.path('files', 'clip.mp4')), 'nothing is copied before it is used');
    assert.deepEqual(await readAt(other, 'clip.mp4'), clip);
    await other.files.bring('files', 'clip.mp4');
    await one.files.bring('files', 'clip.mp4');
    assert.deepEqual([one.fetched, other.fetched], [0, 1]);
    assert.deepEqual(leftIn(other), []);
  });

  it('a Device fetches it by an address that is signed, and good for an hour', async () => {
    assert.ok(await upload(one, 'signed.mp4', clip));
    const file = (await other.files.fetchable!('files', 'signed.mp4'))!;
    assert.equal(file.bytes, clip.length);
    const response = await fetch(file.url);
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), clip);
    const { searchParams } = new URL(file.url);
    assert.equal(searchParams.get('X-Amz-Expires'), '3600');
    assert.match(searchParams.get('X-Amz-Signature') ?? '', /^[0-9a-f]{64}$/u);
    assert.doesNotMatch(file.url, new RegExp(CREDENTIALS.secretKey, 'u'));
    assert.equal(await other.files.fetchable!('files', 'nobody.mp4'), undefined);
    assert.ok(!existsSync(other.files.path('files', 'signed.mp4')), 'no server has a copy of it');
  });

  it('two callers at once share one transfer', async () => {
    await upload(one, 'both.mp4', clip);
    other.fetched = 0;
    await Promise.all(Array.from({ length: 5 }, () => other.files.bring('files', 'both.mp4')));
    assert.equal(other.fetched, 1);
  });

  it('a file of several parts is the same at the other', async () => {
    // Bytes behind the last box of an MP4 are ignored by players.
    const large = Buffer.concat([clip, Buffer.alloc(20_000_000, 'onair')]);
    await upload(one, 'large.mp4', large);
    assert.ok((await readAt(other, 'large.mp4')).equals(large));
  });

  it('a name that comes back with another content is fetched anew, and can be given at each server', async () => {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      const former = await readAt(from, 'clip.mp4');
      await readAt(to, 'clip.mp4');
      await remove(from, 'clip.mp4');
      assert.ok(existsSync(to.files.path('files', 'clip.mp4')), 'a copy that the other server knows nothing of');
      const next = former.equals(clip) ? longer : clip;
      // The server with the old copy takes the new upload.
      assert.equal(await upload(to, 'clip.mp4', next), true);
      for (const server of [one, other]) assert.deepEqual(await readAt(server, 'clip.mp4'), next);
    }
  });

  it('a name that is taken is refused, and its file stays', async () => {
    const before = await readAt(one, 'clip.mp4');
    const kept = await objects();
    assert.equal(await upload(one, 'clip.mp4', longer.equals(before) ? clip : longer), false);
    assert.deepEqual(await readAt(one, 'clip.mp4'), before);
    assert.deepEqual(await objects(), kept);
    assert.deepEqual(leftIn(one), []);
  });

  it('of two uploads at once at one server, one counts', async () => {
    const names = [clip, longer];
    const received = await Promise.all(
      names.map((bytes) => one.files.receive('files', 'twice.mp4', content(bytes), never)),
    );
    assert.deepEqual(await Promise.all(received.map(({ keep }) => keep())), [true, false]);
    rows.set('files/twice.mp4', received[0]!.media_key!);
    for (const server of [one, other]) assert.deepEqual(await readAt(server, 'twice.mp4'), clip);
    assert.deepEqual(leftIn(one), []);
  });

  it('a file that is gone from the bucket is not found; a copy of it goes on', async () => {
    await upload(one, 'lost.mp4', clip);
    await bucket.remove(rows.get('files/lost.mp4')!);
    await assert.rejects(other.files.bring('files', 'lost.mp4'), {
      code: 'not_found',
      message: /in the bucket clips/u,
    });
    assert.deepEqual(await readAt(one, 'lost.mp4'), clip);
    assert.deepEqual(leftIn(other), []);
  });

  it('a file that was uploaded without a bucket is used where it lies, and not found elsewhere', async () => {
    const received = await one.deps.local.receive('files', 'old.mp4', content(clip), never);
    await received.keep();
    assert.deepEqual(await readAt(one, 'old.mp4'), clip);
    await assert.rejects(other.files.bring('files', 'old.mp4'), {
      code: 'not_found',
      message: /neither on this server/u,
    });
  });

  it('a deleted Asset leaves nothing in the bucket, and its copies go at the next start of the other server', async () => {
    await upload(one, 'gone.mp4', clip);
    await readAt(other, 'gone.mp4');
    const key = `station/${rows.get('files/gone.mp4')}`;
    await remove(one, 'gone.mp4');
    assert.ok(!(await objects()).includes(key));
    assert.ok(!existsSync(one.files.path('files', 'gone.mp4')));
    await dropDeletedCopies(other.deps);
    assert.ok(!existsSync(other.files.path('files', 'gone.mp4')));
    assert.ok(existsSync(other.files.path('files', 'twice.mp4')), 'copies of Assets that are there stay');
  });

  it('an upload that breaks off leaves nothing, in the bucket and here', async (t) => {
    const proxy = await startCuttingProxy(s3.port);
    t.after(() => proxy.stop());
    const cut = await server('cut', await open(proxy.port));
    const before = await objects();
    proxy.cutAfter = [10_000];
    const large = Buffer.concat([clip, Buffer.alloc(200_000)]);
    await assert.rejects(upload(cut, 'broken.mp4', large), (error: AppError) => {
      assert.equal(error.code, 'unavailable');
      assert.match(error.message, /^The bucket clips at 127\.0\.0\.1:\d+ does not take a file: \w+/u);
      return true;
    });
    assert.equal(proxy.cuts, 1);
    assert.deepEqual(await objects(), before);
    assert.ok(!existsSync(cut.files.path('files', 'broken.mp4')));
    assert.deepEqual(leftIn(cut), []);
    assert.equal(await upload(cut, 'broken.mp4', large), true, 'the same name can be sent again');
    assert.ok((await readAt(other, 'broken.mp4')).equals(large));
  });

  it('an upload whose answer is lost leaves nothing either', async () => {
    const lossy = await server('lossy', {
      ...bucket,
      async send(key, path) {
        await bucket.send(key, path);
        throw new AppError('unavailable', 'The answer is lost.');
      },
    });
    const before = await objects();
    await assert.rejects(upload(lossy, 'lossy.mp4', clip), { message: 'The answer is lost.' });
    assert.deepEqual(await objects(), before);
    assert.ok(!existsSync(lossy.files.path('files', 'lossy.mp4')));
  });

  it('a file that took the name of a copy beside its note is replaced by the one of the bucket', async () => {
    const path = other.files.path('files', 'twice.mp4');
    writeFileSync(`${path}.new`, longer);
    renameSync(`${path}.new`, path);
    assert.deepEqual(await readAt(other, 'twice.mp4'), clip);
  });

  it('a bucket that is away or silent is named, and a copy goes on without it', async (t) => {
    const proxy = await startCuttingProxy(s3.port);
    const far = await server('far', await open(proxy.port, 300));
    await readAt(far, 'twice.mp4');
    await proxy.stop();
    const away = { code: 'unavailable', message: /^The bucket clips at \S+ does not send a file: ECONNREFUSED/u };
    await assert.rejects(far.files.bring('files', 'both.mp4'), away);
    assert.deepEqual(await readAt(far, 'twice.mp4'), clip);

    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
    silent.listen(proxy.port, '127.0.0.1');
    t.after(() => {
      for (const socket of sockets) socket.destroy();
      silent.close();
    });
    await once(silent, 'listening');
    const mute = { code: 'unavailable', message: /does not send a file: no byte has moved for 0\.3 s/u };
    await assert.rejects(far.files.bring('files', 'both.mp4'), mute);
    assert.deepEqual(leftIn(far), []);
  });

  it('a bucket that stops in the middle of a file leaves no part of it', async (t) => {
    const proxy = await startCuttingProxy(s3.port);
    const half = await server('half', await open(proxy.port));
    await proxy.stop();
    const broken = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n');
        socket.end(Buffer.alloc(5000));
      });
    }).listen(proxy.port, '127.0.0.1');
    t.after(() => broken.close());
    await once(broken, 'listening');
    const cut = { code: 'unavailable', message: /does not send a file/u };
    await assert.rejects(half.files.bring('files', 'both.mp4'), cut);
    assert.deepEqual(leftIn(half), []);
    assert.ok(!existsSync(half.files.path('files', 'both.mp4')));
  });

  it('a file that the disk cannot take is not the fault of the bucket', async () => {
    const full = await server('full', bucket);
    writeFileSync(join(full.root, 'files', 'both.mp4'), '');
    rmSync(join(full.root, 'files', '.incoming'), { recursive: true });
    await assert.rejects(full.files.bring('files', 'both.mp4'), {
      code: 'unavailable',
      message: 'both.mp4 could not be stored on this server; see its log.',
    });
  });
});
