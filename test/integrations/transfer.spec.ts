import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { AppError, type ErrorCode } from '../../domain/base/errors.ts';
import type { RemoteFolder, TargetFolder } from '../../domain/shapes/media/folder.ts';
import type { SentFile } from '../../domain/shapes/installation/integrations.ts';
import { nfs } from '../../integrations/folders/nfs.ts';
import { backUp } from '../../integrations/remote-folder.ts';
import { checkTargetFolder, exportTo } from '../../integrations/target-folder.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { itLong } from '../helpers/counts.ts';
import { openLine } from '../helpers/line.ts';
import { freePort } from '../helpers/ports.ts';
import { startCuttingProxy, type CuttingProxy } from '../helpers/servers/cutting-proxy.ts';
import { FTP_USER, ftpMissing, startFtp } from '../helpers/servers/ftp.ts';
import { nfsMissing, nfsOnDiskMissing, startNfs, startNfsOn } from '../helpers/servers/nfs.ts';
import { removeFolder, scratchFolder, startSilentServer, type Running } from '../helpers/servers/program.ts';
import { startS3 } from '../helpers/servers/s3.ts';
import { sftpMissing, startSftp } from '../helpers/servers/sftp.ts';
import { openSmallDisk, smallDiskMissing, type SmallDisk } from '../helpers/servers/small-disk.ts';
import { startWebdav, webdavMissing, type WebdavServer } from '../helpers/servers/webdav.ts';
import { assertInvalid, CANARY, remoteFolder, targetFolder, USER } from './folder-rows.ts';

const MIB = 1024 * 1024;
const SIZE = 24 * MIB + 12_345;
const RETRY = { max_attempts: 4, initial_delay_ms: 20, max_delay_ms: 100 };
const never = new AbortController().signal;

const scratch = scratchFolder('transfer');
const path = join(scratch, 'film.mp4');
const content = randomBytes(SIZE);
const sha256 = createHash('sha256').update(content).digest('hex');
/** As much as the NFS server keeps in memory. */
const NFS_BYTES = 2 * MIB;
const shortPath = join(scratch, 'short.mp4');
const short = content.subarray(0, NFS_BYTES - 1000);
before(() => {
  writeFileSync(path, content);
  writeFileSync(shortPath, short);
});
after(() => removeFolder(scratch));

interface Options {
  replace?: boolean;
  signal?: AbortSignal;
  stallMs?: number;
  onProgress?: (done: number, what: string) => void;
}

function send(folder: RemoteFolder | TargetFolder, name: string, options: Options = {}): Promise<SentFile> {
  const { replace = false, signal = never, stallMs, onProgress = () => undefined } = options;
  const progress = (done: number, total: number, what: string): void => {
    assert.ok(done <= total && total === SIZE, `${done} of ${total}`);
    onProgress(done, what);
  };
  const limits = { retry: RETRY, stallMs };
  if ('protocol' in folder) return backUp(folder, { name, path }, signal, progress, limits);
  return exportTo(folder, { name, path, replace }, signal, progress, limits);
}

async function refused(code: ErrorCode, reason: RegExp, sending: Promise<unknown>): Promise<AppError> {
  const error = await sending.then(
    () => assert.fail('it was sent'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof AppError, String(error));
  assert.equal(error.code, code, error.message);
  assert.match(error.message, reason);
  assert.ok(!JSON.stringify([error.message, error.extras]).includes(CANARY), error.message);
  return error;
}

/** Sends a file while the connection is cut, and looks at what lies there. */
async function survives(
  folder: TargetFolder | RemoteFolder,
  proxy: CuttingProxy,
  { read, mostSent }: { read: (name: string) => Buffer; mostSent: number },
): Promise<void> {
  const progress: number[] = [];
  proxy.cutAfter = [10 * MIB, 5 * MIB];
  proxy.sent = 0;
  proxy.cuts = 0;
  const sent = await send(folder, 'cut.mp4', { onProgress: (done, what) => what === 'sent' && progress.push(done) });
  assert.deepEqual([sent.name, sent.size_bytes, sent.sha256], ['cut.mp4', SIZE, sha256]);
  assert.equal(proxy.cuts, 2, 'the connection was cut twice');
  assert.ok(read('cut.mp4').equals(content), 'what lies there is what was sent');
  assert.ok(proxy.sent < mostSent, `${proxy.sent} bytes went out for ${SIZE}`);
  assert.equal(progress.at(-1), SIZE, 'the progress ends at the size');
}

describe('an export by FTP', { skip: ftpMissing }, () => {
  let server: Awaited<ReturnType<typeof startFtp>>;
  let proxy: CuttingProxy;
  before(async () => {
    server = await startFtp(CANARY);
    proxy = await startCuttingProxy(server.port, { ftp: true });
  });
  after(async () => {
    await proxy.stop();
    await server.stop();
  });
  const folder = (port = server.port): TargetFolder =>
    targetFolder({ type: 'FTP', port, user: FTP_USER, password: CANARY });

  it('an export by FTP goes on where it was cut off', async () => {
    const read = (name: string): Buffer => readFileSync(join(server.files, name));
    await survives(folder(proxy.port), proxy, { read, mostSent: SIZE * 1.3 });
    assert.deepEqual(readdirSync(server.files), ['cut.mp4'], 'nothing else stays');
  });

  it('an export by FTP refuses a name that is taken, and replaces it when asked to', async () => {
    writeFileSync(join(server.files, 'taken.mp4'), 'older');
    const error = await refused(
      'conflict',
      /has a file "taken\.mp4" already.*replace: true/u,
      send(folder(), 'taken.mp4'),
    );
    assert.equal(error.extras.facts?.['value'], 'taken.mp4');
    assert.equal(readFileSync(join(server.files, 'taken.mp4'), 'utf8'), 'older');
    await send(folder(), 'taken.mp4', { replace: true });
    assert.ok(readFileSync(join(server.files, 'taken.mp4')).equals(content), 'it was replaced');
  });

  it('an export by FTP leaves nothing when it is given up', async () => {
    const controller = new AbortController();
    const onProgress = (done: number): void => void (done > MIB && controller.abort());
    const sending = send(folder(), 'given-up.mp4', { signal: controller.signal, onProgress });
    await refused('timeout', /given-up\.mp4 was given up/u, sending);
    assert.ok(
      !readdirSync(server.files).some((name) => /given-up|part/u.test(name)),
      String(readdirSync(server.files)),
    );
  });

  it('an export by FTP is refused at once where nothing could be begun', async (t) => {
    await refused('upstream_failed', /refuses the connection/u, send(folder(await freePort()), 'away.mp4'));
    const line = await openLine(server.port);
    cleanUp(t, () => line.close());
    await refused(
      'upstream_failed',
      /^The user name or password is wrong\.$/u,
      send({ ...folder(line.port), password: 'x' }, 'a.mp4'),
    );
    assert.equal(line.count(), 1, 'it was not tried again');
  });

  it('an export by FTP gives a server up that takes nothing any more', async () => {
    const silent = await startSilentServer();
    try {
      await refused(
        'upstream_failed',
        /took nothing for 0\.3 s/u,
        send(folder(silent.port), 'silent.mp4', { stallMs: 300 }),
      );
    } finally {
      await silent.stop();
    }
  });
});

describe('an export by SFTP', { skip: sftpMissing }, () => {
  let server: Awaited<ReturnType<typeof startSftp>>;
  let proxy: CuttingProxy;
  let host_fingerprint: string;
  before(async () => {
    server = await startSftp(USER, CANARY);
    proxy = await startCuttingProxy(server.port);
    host_fingerprint = (await checkTargetFolder({ ...folder(), host_fingerprint: null }, never)).hostFingerprint ?? '';
  });
  after(async () => {
    await proxy.stop();
    await server.stop();
  });
  const folder = (port = server.port): TargetFolder =>
    targetFolder({ type: 'SFTP', port, folder: server.files, user: USER, password: CANARY, host_fingerprint });

  it('an export by SFTP goes on where it was cut off', async () => {
    const read = (name: string): Buffer => readFileSync(join(server.files, name));
    await survives(folder(proxy.port), proxy, { read, mostSent: SIZE * 1.4 });
    assert.deepEqual(readdirSync(server.files), ['cut.mp4'], 'nothing else stays');
  });

  it('an export by SFTP says where the file lies, without credentials', async () => {
    const sent = await exportTo(folder(), { name: 'a b.mp4', path, replace: false }, never);
    assert.equal(sent.location, `sftp://127.0.0.1:${server.port}${server.files}/a%20b.mp4`);
    await send(folder(), 'a b.mp4', { replace: true });
  });

  it('an export by SFTP sends no password to a server whose host key is not known', async () => {
    const before = server.offered.length;
    const unknown = { ...folder(), host_fingerprint: null };
    await refused('rule_violated', /validateTargetFolder/u, send(unknown, 'unknown.mp4'));
    assert.equal(server.offered.length, before);
  });
});

/** Midway, before the first byte, and as a finding; then there is room. `upstream` is the server's own text. */
async function runsFull(disk: SmallDisk, folder: TargetFolder | RemoteFolder, upstream: string): Promise<void> {
  for (const left of [MIB, 0]) {
    disk.fill(left);
    const { extras } = await refused('upstream_failed', /^The storage is full\.$/u, send(folder, 'film.mp4'));
    assert.equal(extras.upstream, upstream);
    assert.deepEqual(readdirSync(disk.outside), ['.filler'], 'nothing stays');
  }
  await assertInvalid(folder, /^The storage is full\./u);
  disk.free();
  await send(folder, 'film.mp4');
  assert.ok(readFileSync(join(disk.outside, 'film.mp4')).equals(content), 'what lies there is what was sent');
}

describe('a disk that runs full', { skip: sftpMissing || nfsOnDiskMissing || smallDiskMissing() }, () => {
  let disk: SmallDisk;
  let server: Running;
  before(async () => void (disk = await openSmallDisk(SIZE + 4 * MIB)));
  afterEach(async () => {
    await server.stop();
    rmSync(join(disk.outside, 'film.mp4'), { force: true });
  });
  after(() => disk.stop());

  itLong('a disk that runs full is reported by SFTP, which has no word for it', async () => {
    server = await startSftp(USER, CANARY, { disk });
    const open = { type: 'SFTP', port: server.port, folder: disk.path, user: USER, password: CANARY } as const;
    const { hostFingerprint } = await checkTargetFolder(targetFolder(open), never);
    await runsFull(disk, targetFolder({ ...open, host_fingerprint: hostFingerprint ?? '' }), 'Failure');
  });

  it('a disk that runs full is reported by NFS', async () => {
    server = await startNfsOn(disk);
    await runsFull(disk, remoteFolder({ host: `127.0.0.1:${server.port}` }), 'NFS4ERR_NOSPC');
  });
});

describe('an export by S3', () => {
  let server: Running;
  let proxy: CuttingProxy;
  before(async () => {
    server = await startS3('AKIATEST', CANARY);
    proxy = await startCuttingProxy(server.port);
  });
  after(async () => {
    await proxy.stop();
    await server.stop();
  });
  const folder = (port = server.port): TargetFolder =>
    targetFolder({
      type: 'S3',
      host: null,
      endpoint: `http://127.0.0.1:${port}`,
      bucket: 'clips',
      folder: 'shows/live',
      access_key: 'AKIATEST',
      secret_key: CANARY,
    });

  it('an export by S3 sends the parts again that were cut off', async () => {
    // The parts that are under way together are lost together: three of 8 MiB at each cut at most.
    const read = (): Buffer => content;
    await survives(folder(proxy.port), proxy, { read, mostSent: SIZE * 2.7 });
  });

  it('an export by S3 refuses a key that is taken, and replaces it when asked to', async () => {
    const sent = await exportTo(folder(), { name: 'taken.txt', text: 'older', replace: false }, never);
    assert.deepEqual([sent.size_bytes, sent.location], [5, 's3://clips/shows/live/taken.txt']);
    await refused('conflict', /has a file "taken\.txt" already/u, send(folder(), 'taken.txt'));
    await send(folder(), 'taken.txt', { replace: true });
  });

  it('an export by S3 says why the server refuses', async () => {
    await refused(
      'upstream_failed',
      /^The bucket readonly is not writable\.$/u,
      send({ ...folder(), bucket: 'readonly' }, 'a'),
    );
  });
});

describe('a backup by WebDAV', { skip: webdavMissing }, () => {
  let server: WebdavServer;
  let proxy: CuttingProxy;
  before(async () => {
    server = await startWebdav(USER, CANARY);
    proxy = await startCuttingProxy(server.port);
  });
  after(async () => {
    await proxy.stop();
    await server.stop();
  });
  const folder = (port = server.port, at = '/rw'): RemoteFolder =>
    remoteFolder({ protocol: 'WEBDAV', host: `http://127.0.0.1:${port}`, folder: at, user: USER, password: CANARY });

  it('a backup by WebDAV begins anew when it was cut off', async () => {
    const read = (name: string): Buffer => readFileSync(join(server.files, name));
    await survives(folder(proxy.port), proxy, { read, mostSent: SIZE * 2 });
    assert.deepEqual(readdirSync(server.files), ['cut.mp4'], 'nothing else stays');
  });

  it('a backup by WebDAV takes the place of what an attempt before has left under its name', async () => {
    writeFileSync(join(server.files, 'again.mp4'), 'older');
    await send(folder(), 'again.mp4');
    assert.ok(readFileSync(join(server.files, 'again.mp4')).equals(content), 'it was replaced');
  });

  it('a backup by WebDAV says that the storage is full', async () => {
    await refused('upstream_failed', /^The storage is full\.$/u, send(folder(server.port, '/full'), 'full.mp4'));
  });
});

describe('a backup by NFS', { skip: nfsMissing }, () => {
  let server: Running;
  let proxy: CuttingProxy;
  before(async () => {
    server = await startNfs({ mostFileBytes: NFS_BYTES });
    proxy = await startCuttingProxy(server.port);
  });
  after(async () => {
    await proxy.stop();
    await server.stop();
  });
  const folder = (at = '/rw', port = server.port): RemoteFolder =>
    remoteFolder({ host: `127.0.0.1:${port}`, folder: at });
  const sendShort = (to: RemoteFolder, name: string): Promise<SentFile> =>
    backUp(to, { name, path: shortPath }, never, undefined, { retry: RETRY });
  /** Written by another implementation of the protocol. */
  const read = (name: string): Buffer => {
    const url = `nfs://127.0.0.1/rw/${name}?version=4&nfsport=${server.port}`;
    return execFileSync('nfs-cat', [url], { maxBuffer: SIZE });
  };

  it('a backup by NFS is read back and renamed, over what has its name', async () => {
    const sent = {
      name: 'film.mp4',
      size_bytes: short.length,
      sha256: createHash('sha256').update(short).digest('hex'),
    };
    assert.deepEqual(await sendShort(folder(), 'film.mp4'), sent);
    assert.deepEqual(await sendShort(folder(), 'film.mp4'), sent);
    assert.ok(read('film.mp4').equals(short), 'what lies there is what was sent');
  });

  it('a backup by NFS is whole after it was cut off', async () => {
    proxy.cutAfter = [1.6 * MIB];
    await sendShort(folder('/rw', proxy.port), 'cut.mp4');
    assert.equal(proxy.cuts, 1, 'the connection was cut');
    assert.ok(read('cut.mp4').equals(short), 'what lies there is what was sent');
  });

  it('a backup by NFS goes on behind the bytes that are there already, and writes the last of them once more', async () => {
    const from = 1.5 * MIB;
    const begun = join(scratch, 'begun.mp4');
    writeFileSync(begun, short.subarray(0, from));
    const opened = await nfs.open(folder(), never);
    const progress: number[] = [];
    try {
      await opened.send('on.mp4', { path: begun, size: from, from: 0, progress: () => undefined });
      await opened.send('on.mp4', {
        path: shortPath,
        size: short.length,
        from,
        progress: (sent) => progress.push(sent),
      });
    } finally {
      opened.close();
    }
    assert.ok(progress[0]! > from - 1.1 * MIB && progress[0]! < from, String(progress[0]));
    assert.ok(read('on.mp4').equals(short), 'what lies there is what was sent');
  });

  it('a backup by NFS says that the export is not writable', async () => {
    await refused('upstream_failed', /^The folder "\/ro" is not writable\.$/u, sendShort(folder('/ro'), 'film.mp4'));
  });

  it('a backup by NFS finds what the server does not keep', async () => {
    // It keeps the first 64 KiB of a file and answers the letter a for the rest: size and first bytes are right.
    const forgetful = await startNfs();
    try {
      const lossy = folder('/rw', forgetful.port);
      await refused('upstream_failed', /came back with other content/u, sendShort(lossy, 'film.mp4'));
    } finally {
      await forgetful.stop();
    }
  });
});
