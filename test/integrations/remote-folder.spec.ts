import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { AppError } from '../../domain/errors.ts';
import type { RemoteFolder } from '../../domain/folder.ts';
import { checkRemoteFolder } from '../../integrations/remote-folder.ts';
import { startNfs, nfsLacks } from '../helpers/servers/nfs.ts';
import { freePort, startSilentServer, type Running } from '../helpers/servers/program.ts';
import { startWebdav, webdavLacks, type WebdavServer } from '../helpers/servers/webdav.ts';
import { assertInvalid, CANARY, check, remoteFolder, USER } from './folder-rows.ts';

describe('a Remote Folder by WebDAV', { skip: webdavLacks }, () => {
  let server: WebdavServer;
  before(async () => {
    server = await startWebdav(USER, CANARY);
  });
  after(() => server.stop());
  const share = (fields: Partial<RemoteFolder> = {}): RemoteFolder => {
    const host = `http://127.0.0.1:${server.port}`;
    return remoteFolder({ protocol: 'WEBDAV', host, folder: '/rw', user: USER, password: CANARY, ...fields });
  };

  it('is valid when a file can be written, read back and deleted; nothing stays', async () => {
    assert.deepEqual(await check(share()), { valid: true });
    assert.deepEqual(await check(share({ folder: 'rw/' })), { valid: true });
    assert.deepEqual(await check(share({ host: `http://127.0.0.1:${server.port}/rw/`, folder: '/' })), { valid: true });
    assert.deepEqual(readdirSync(server.files), []);
  });

  it('says that the password or the user is wrong, or that none was given', async () => {
    await assertInvalid(share({ password: `${CANARY}-wrong` }), /^The user name or password is wrong\..* 401/u);
    await assertInvalid(share({ user: 'nobody' }), /user name or password is wrong/u);
    await assertInvalid(share({ user: null, password: null }), /user name or password is wrong/u);
  });

  it('says that there is no such folder', async () => {
    await assertInvalid(share({ folder: '/nowhere' }), /^There is no folder "\/nowhere"/u);
  });

  it('says that the folder is not writable, or the storage full', async () => {
    await assertInvalid(share({ folder: '/ro' }), /^The folder "\/ro" is not writable\./u);
    await assertInvalid(share({ folder: '/full' }), /^The storage is full\./u);
  });

  it('does not trust a certificate that nobody vouches for, until its authority is made known', async () => {
    const host = `127.0.0.1:${server.tlsPort}`;
    await assertInvalid(
      share({ host }),
      /cannot be trusted: TLS failure DEPTH_ZERO_SELF_SIGNED_CERT.*NODE_EXTRA_CA_CERTS/u,
    );
    const program = `import { checkRemoteFolder } from './integrations/remote-folder.ts';
      const folder = ${JSON.stringify(share({ host }))};
      console.log(JSON.stringify(await checkRemoteFolder(folder, new AbortController().signal)));`;
    const args = ['--import', 'tsx', '--input-type=module', '--eval', program];
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: server.certificate };
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    assert.deepEqual(JSON.parse(stdout), { valid: true });
  });

  it('says that what answers is no WebDAV server', async () => {
    const { createServer } = await import('node:http');
    const plain = createServer((_request, response) => response.writeHead(405, CANARY).end()).listen(0, '127.0.0.1');
    await new Promise((resolve) => plain.once('listening', resolve));
    const { port } = plain.address() as { port: number };
    try {
      // It repeats the password: other servers do so in longer words.
      await assertInvalid(share({ host: `http://127.0.0.1:${port}` }), /^It is no WebDAV server\. .* 405 \*\*\*\*/u);
    } finally {
      plain.close();
    }
  });

  itTellsNetworkFaults((host) => share({ host: host.startsWith('http') ? host : `http://${host}` }));
});

describe('a Remote Folder by NFS', { skip: nfsLacks }, () => {
  let server: Running;
  before(async () => {
    server = await startNfs();
  });
  after(() => server.stop());
  const share = (fields: Partial<RemoteFolder> = {}): RemoteFolder =>
    remoteFolder({ protocol: 'NFS', host: `127.0.0.1:${server.port}`, ...fields });
  const listed = async (folder: string): Promise<string> => {
    const url = `nfs://127.0.0.1${folder}?version=4&nfsport=${server.port}`;
    return (await promisify(execFile)('nfs-ls', [url])).stdout;
  };

  it('is valid when a file can be written, read back and deleted; nothing stays', async () => {
    assert.deepEqual(await check(share()), { valid: true });
    assert.deepEqual(await check(share({ folder: '/rw/' })), { valid: true });
    assert.equal(await listed('/rw'), '');
  });

  it('says that there is no such export', async () => {
    await assertInvalid(share({ folder: '/nowhere' }), /^There is no folder "\/nowhere"/u);
    await assertInvalid(share({ folder: '/rw/nowhere' }), /^There is no folder "\/rw\/nowhere"/u);
  });

  it('says that the export is not writable', async () => {
    await assertInvalid(share({ folder: '/ro' }), /^The folder "\/ro" is not writable\./u);
  });

  it('says which Debian package is missing', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = '/nowhere';
    try {
      await assertInvalid(share(), /no nfs-cp; install the Debian package libnfs-utils/u);
    } finally {
      process.env['PATH'] = path;
    }
  });

  itTellsNetworkFaults((host) => share({ host }));
});

function itTellsNetworkFaults(share: (host: string) => RemoteFolder): void {
  it('says that the server is away', async () => {
    const port = await freePort();
    await assertInvalid(share(`127.0.0.1:${port}`), /127\.0\.0\.1:\d+ cannot be reached: it refuses the connection/u);
  });

  it('says that the name does not resolve', async () => {
    await assertInvalid(share('nas.invalid'), /nas\.invalid cannot be reached: its name does not resolve/u);
  });

  it('gives a silent server up at the bound, and at the wish of the caller', async () => {
    const silent = await startSilentServer();
    try {
      const folder = share(`127.0.0.1:${silent.port}`);
      await assertInvalid(folder, /did not answer within 0\.4 s \(while .*\)\.$/u, 400);
      const caller = new AbortController();
      silent.server.once('connection', () => caller.abort());
      await assert.rejects(
        checkRemoteFolder(folder, caller.signal),
        (error: unknown) => error instanceof AppError && error.code === 'timeout',
      );
    } finally {
      await silent.stop();
    }
  });
}
