import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { AppError } from '../../domain/base/errors.ts';
import type { RemoteFolder } from '../../domain/shapes/media/folder.ts';
import { checkRemoteFolder } from '../../integrations/remote-folder.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { freePort } from '../helpers/ports.ts';
import { programArguments } from '../helpers/program.ts';
import { startNfs, nfsMissing } from '../helpers/servers/nfs.ts';
import { startSilentServer, type Running } from '../helpers/servers/program.ts';
import { startWebdav, webdavMissing, type WebdavServer } from '../helpers/servers/webdav.ts';
import { assertInvalid, CANARY, check, remoteFolder, USER } from './folder-rows.ts';

describe('a Remote Folder by WebDAV', { skip: webdavMissing }, () => {
  let server: WebdavServer;
  before(async () => {
    server = await startWebdav(USER, CANARY);
  });
  after(() => server.stop());
  const share = (fields: Partial<RemoteFolder> = {}): RemoteFolder => {
    const host = `http://127.0.0.1:${server.port}`;
    return remoteFolder({ protocol: 'WEBDAV', host, folder: '/rw', user: USER, password: CANARY, ...fields });
  };

  it('a Remote Folder by WebDAV is valid when a file can be written, read back and deleted; nothing stays', async () => {
    assert.deepEqual(await check(share()), { valid: true });
    assert.deepEqual(await check(share({ folder: 'rw/' })), { valid: true });
    assert.deepEqual(await check(share({ host: `http://127.0.0.1:${server.port}/rw/`, folder: '/' })), { valid: true });
    assert.deepEqual(readdirSync(server.files), []);
  });

  it('a Remote Folder by WebDAV says that the password or the user is wrong, or that none was given', async () => {
    await assertInvalid(share({ password: `${CANARY}-wrong` }), /^The user name or password is wrong\..* 401/u);
    await assertInvalid(share({ user: 'nobody' }), /user name or password is wrong/u);
    await assertInvalid(share({ user: null, password: null }), /user name or password is wrong/u);
  });

  it('a Remote Folder by WebDAV says that there is no such folder', async () => {
    await assertInvalid(share({ folder: '/nowhere' }), /^There is no folder "\/nowhere"/u);
  });

  it('a Remote Folder by WebDAV says that the folder is not writable, or the storage full', async () => {
    await assertInvalid(share({ folder: '/ro' }), /^The folder "\/ro" is not writable\./u);
    await assertInvalid(share({ folder: '/full' }), /^The storage is full\./u);
  });

  it('a Remote Folder by WebDAV does not trust a certificate until its authority is made known', async () => {
    const host = `127.0.0.1:${server.tlsPort}`;
    await assertInvalid(
      share({ host }),
      /cannot be trusted: TLS failure DEPTH_ZERO_SELF_SIGNED_CERT.*NODE_EXTRA_CA_CERTS/u,
    );
    const program = programArguments(new URL('fixtures/check-remote-folder.ts', import.meta.url));
    const args = [...program, JSON.stringify(share({ host }))];
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: server.certificate };
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    assert.deepEqual(JSON.parse(stdout), { valid: true });
  });

  it('a Remote Folder by WebDAV says that what answers is no WebDAV server', async () => {
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

  it('a Remote Folder by WebDAV sends a user and a password that Latin-1 cannot write', async () => {
    const other = await startWebdav('zoë', 'пароль-€');
    try {
      const host = `http://127.0.0.1:${other.port}`;
      assert.deepEqual(await check(share({ host, user: 'zoë', password: 'пароль-€' })), { valid: true });
    } finally {
      await other.stop();
    }
  });

  itTellsNetworkFaults('WebDAV', (host) => share({ host: host.startsWith('http') ? host : `http://${host}` }));
});

describe('a hostile WebDAV server behind a Remote Folder', () => {
  async function against(answer: RequestListener, reason: RegExp): Promise<void> {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      await assertInvalid(
        remoteFolder({ protocol: 'WEBDAV', host, folder: '/rw', user: USER, password: CANARY }),
        reason,
      );
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  it('a redirect of a harmful WebDAV server to another server is not followed, and the other is asked nothing', async () => {
    let requests = 0;
    const other = createServer((_request, response) => {
      requests += 1;
      response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    try {
      const redirect: RequestListener = (_request, response) =>
        void response.writeHead(307, { Location: `http://127.0.0.1:${port}/inner` }).end();
      await against(redirect, new RegExp(`^The server redirects to 127\\.0\\.0\\.1:${port}; `, 'u'));
      assert.equal(requests, 0);
    } finally {
      other.close();
    }
  });

  it('a harmful WebDAV server cannot fill the memory with an answer without end', async () => {
    const endless: RequestListener = (_request, response) => {
      response.writeHead(207, { 'Content-Type': 'application/xml' });
      Readable.from(forever())
        .on('error', () => undefined)
        .pipe(response);
    };
    await against(endless, /^What answers is no WebDAV server: its answer is far too long\.$/u);
  });

  it('a harmful WebDAV server does not bring the credentials into the reason by repeating them', async () => {
    const word = Buffer.from(`${USER}:${CANARY}`).toString('base64');
    const repeat: RequestListener = ({ headers }, response) =>
      void response.writeHead(418, `not ${headers.authorization}`).end();
    await against(repeat, new RegExp(`^(?!.*${word.slice(4, 12)}).* 418 not Basic \\*{4}$`, 'u'));
  });
});

function* forever(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(65_536, 32);
}

describe('a Remote Folder by NFS', { skip: nfsMissing }, () => {
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

  it('a Remote Folder by NFS is valid when a file can be written, read back and deleted; nothing stays', async () => {
    assert.deepEqual(await check(share()), { valid: true });
    assert.deepEqual(await check(share({ folder: '/rw/' })), { valid: true });
    assert.equal(await listed('/rw'), '');
  });

  it('a Remote Folder by NFS says that there is no such export', async () => {
    await assertInvalid(share({ folder: '/nowhere' }), /^There is no folder "\/nowhere"/u);
    await assertInvalid(share({ folder: '/rw/nowhere' }), /^There is no folder "\/rw\/nowhere"/u);
  });

  it('a Remote Folder by NFS says that the export is not writable', async () => {
    await assertInvalid(share({ folder: '/ro' }), /^The folder "\/ro" is not writable\./u);
  });

  it('a Remote Folder by NFS says that what answers does not speak NFS', async () => {
    const web = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
    await once(web, 'listening');
    try {
      const host = `127.0.0.1:${(web.address() as AddressInfo).port}`;
      await assertInvalid(
        share({ host }),
        /^The server does not speak NFS version 4, or does not serve this machine\.$/u,
      );
    } finally {
      web.closeAllConnections();
      web.close();
    }
  });

  itTellsNetworkFaults('NFS', (host) => share({ host }));
});

for (const [what, fragment] of [
  ['in pieces', Buffer.concat([Buffer.from([0, 0, 4, 0]), Buffer.alloc(1024)])],
  ['in pieces of nothing', Buffer.alloc(4)],
] as const)
  it(`a Remote Folder by NFS whose server answers ${what} without an end is given up`, async (t) => {
    const flood = Buffer.concat(Array.from({ length: 1000 }, () => fragment));
    const sockets: Socket[] = [];
    const server = createTcpServer((socket) => {
      sockets.push(socket.on('error', () => undefined).resume());
      const go = (): void => void (socket.writable && socket.write(flood, go));
      go();
    }).listen(0, '127.0.0.1');
    cleanUp(t, () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
    await once(server, 'listening');
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    await assertInvalid(remoteFolder({ protocol: 'NFS', host }), /^The server does not speak NFS version 4/u);
  });

function itTellsNetworkFaults(protocol: string, share: (host: string) => RemoteFolder): void {
  it(`a Remote Folder by ${protocol} says that the server is away`, async () => {
    const port = await freePort();
    await assertInvalid(share(`127.0.0.1:${port}`), /127\.0\.0\.1:\d+ cannot be reached: it refuses the connection/u);
  });

  it(`a Remote Folder by ${protocol} says that the name does not resolve`, async () => {
    await assertInvalid(share('nas.invalid'), /nas\.invalid cannot be reached: its name does not resolve/u);
  });

  it(`a Remote Folder by ${protocol} gives a silent server up at the bound, and at the wish of the caller`, async () => {
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
