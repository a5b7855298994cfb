import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import type { TargetFolder } from '../../domain/shapes/media/folder.ts';
import { freePort } from '../helpers/ports.ts';
import { FTP_USER, ftpMissing, startFtp, type FtpServer } from '../helpers/servers/ftp.ts';
import { startSilentServer, type Running } from '../helpers/servers/program.ts';
import { startS3 } from '../helpers/servers/s3.ts';
import { newHostKey, sftpMissing, startSftp, type SftpServer } from '../helpers/servers/sftp.ts';
import { assertInvalid, CANARY, check, targetFolder, USER } from './folder-rows.ts';

describe('a Target Folder by FTP', { skip: ftpMissing }, () => {
  let server: FtpServer;
  before(async () => {
    server = await startFtp(CANARY);
  });
  after(() => server.stop());
  const target = (fields: Partial<TargetFolder> = {}): TargetFolder =>
    targetFolder({ type: 'FTP', port: server.port, folder: server.files, user: FTP_USER, password: CANARY, ...fields });

  it('a Target Folder by FTP is valid when a file can be written, read back and deleted; nothing stays', async () => {
    assert.deepEqual(await check(target()), { valid: true, secure: false });
    assert.deepEqual(await check(target({ folder: null, tls: 'none' })), { valid: true, secure: false });
    assert.deepEqual(readdirSync(server.files), []);
  });

  it('a Target Folder by FTP says that the password is wrong', async () => {
    await assertInvalid(target({ password: `${CANARY}-wrong` }), /^The user name or password is wrong\./u);
    await assertInvalid(target({ password: null }), /user name or password is wrong/u);
  });

  it('a Target Folder by FTP says that there is no such folder, or that it is not writable', async () => {
    await assertInvalid(target({ folder: '/nowhere' }), /^There is no folder "\/nowhere"\. .*550/u);
    const readonly = await startFtp(CANARY, { readonly: true });
    try {
      const { port, files } = readonly;
      await assertInvalid(target({ port, folder: files }), /^The folder ".*" is not writable\. .*550/u);
      await assertInvalid(target({ port, folder: null }), /^The folder of the user is not writable/u);
    } finally {
      await readonly.stop();
    }
  });

  it('a Target Folder by FTP encrypts where the server offers it, and trusts no certificate that nobody vouches for', async () => {
    const secure = await startFtp(CANARY, { tls: true });
    try {
      await assertInvalid(target({ port: secure.port }), /cannot be trusted: TLS failure DEPTH_ZERO_SELF_SIGNED_CERT/u);
    } finally {
      await secure.stop();
    }
  });

  it('a Target Folder by FTP that requires TLS gives neither user nor password to a server that refuses it', async () => {
    const heard: string[] = [];
    const refusing = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.write('220 hello\r\n');
      socket.on('data', (text) => {
        heard.push(text.toString());
        socket.write(/^(?:USER|PASS)/u.test(text.toString()) ? '230 welcome\r\n' : '502 not implemented\r\n');
      });
    }).listen(0, '127.0.0.1');
    await once(refusing, 'listening');
    try {
      const { port } = refusing.address() as AddressInfo;
      await assertInvalid(
        target({ port, tls: 'required' }),
        /^The server offers no TLS, which this folder requires.*502/u,
      );
      assert.ok(heard.length > 0 && heard.every((line) => !/USER|PASS/u.test(line)), heard.join(''));
    } finally {
      refusing.close();
    }
  });

  it('a Target Folder by FTP repeats at most a line of what the server says, and no password', async () => {
    const chatty = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.write('220 hello\r\n');
      socket.on('data', (text) => {
        const [, password] = /^PASS (.*)\r\n/u.exec(text.toString()) ?? [];
        if (password === undefined) socket.write(text.toString().startsWith('USER') ? '331 go on\r\n' : '500 no\r\n');
        else socket.write(`530-No ${password}\r\n530 ${'x'.repeat(1000)}\r\n`);
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => chatty.once('listening', resolve));
    try {
      const { port } = chatty.address() as { port: number };
      const finding = await assertInvalid(target({ port }), /The other side said: .*\*\*\*\*/u);
      assert.ok(!finding.valid && finding.reason.length < 280, JSON.stringify(finding));
    } finally {
      chatty.close();
    }
  });

  itTellsNetworkFaults('FTP', (host, port) => target({ host, port }));
});

describe('a Target Folder by SFTP', { skip: sftpMissing }, () => {
  let server: SftpServer;
  before(async () => {
    server = await startSftp(USER, CANARY);
  });
  after(() => server.stop());
  const target = (fields: Partial<TargetFolder> = {}): TargetFolder =>
    targetFolder({ type: 'SFTP', port: server.port, folder: server.files, user: USER, password: CANARY, ...fields });

  it('a Target Folder by SFTP is valid when a file can be written, read back and deleted; it names the host key', async () => {
    const finding = await check(target());
    assert.equal(finding.valid, true);
    assert.match(finding.hostFingerprint ?? '', /^SHA256:[A-Za-z0-9+/]{43}$/u);
    assert.deepEqual(readdirSync(server.files), []);
    assert.deepEqual(await check(target({ host_fingerprint: finding.hostFingerprint ?? null })), finding);
  });

  it('a Target Folder by SFTP says that the password is wrong', async () => {
    await assertInvalid(target({ password: `${CANARY}-wrong` }), /^The user name or password is wrong\.$/u);
  });

  it('a Target Folder by SFTP says that there is no such folder, or that it is not writable', async () => {
    await assertInvalid(target({ folder: `${server.files}/nowhere` }), /^There is no folder ".*nowhere"/u);
    const readonly = await startSftp(USER, CANARY, { readonly: true });
    try {
      await assertInvalid(
        target({ port: readonly.port, folder: readonly.files }),
        /^The folder ".*" is not writable\./u,
      );
    } finally {
      await readonly.stop();
    }
  });

  it('a Target Folder by SFTP answers a server that asks for the password', async () => {
    const asking = await startSftp(USER, CANARY, { asks: true });
    try {
      const fields = { port: asking.port, folder: asking.files };
      assert.equal((await check(target(fields))).valid, true);
      await assertInvalid(target({ ...fields, password: 'wrong' }), /^The user name or password is wrong\.$/u);
    } finally {
      await asking.stop();
    }
  });

  it('a Target Folder by SFTP sends no password to a server whose host key has changed', async () => {
    const { hostFingerprint } = await check(target());
    const { port } = server;
    await server.stop();
    server = await startSftp(USER, CANARY, { port, hostKey: newHostKey() });
    const trusting = target({ host_fingerprint: hostFingerprint ?? null });
    await assertInvalid(trusting, /^The host key has changed: SHA256:\S+ was trusted, SHA256:\S+ was found/u);
    assert.deepEqual(server.offered, []);
    assert.equal((await check(target())).valid, true, 'without a trusted key the new one is taken');
  });

  itTellsNetworkFaults('SFTP', (host, port) => target({ host, port }));
});

describe('a Target Folder by S3', () => {
  let server: Running;
  before(async () => {
    server = await startS3('AKIATEST', CANARY);
  });
  after(() => server.stop());
  const target = (fields: Partial<TargetFolder> = {}): TargetFolder => {
    const keys = { access_key: 'AKIATEST', secret_key: CANARY };
    const endpoint = `http://127.0.0.1:${server.port}`;
    return targetFolder({
      type: 'S3',
      host: null,
      endpoint,
      bucket: 'clips',
      folder: 'shows/live',
      ...keys,
      ...fields,
    });
  };

  it('a Target Folder by S3 is valid when an object can be written, read back and deleted', async () => {
    assert.deepEqual(await check(target()), { valid: true, secure: false });
    assert.deepEqual(await check(target({ folder: null })), { valid: true, secure: false });
  });

  it('a Target Folder by S3 says that the keys are wrong', async () => {
    await assertInvalid(target({ secret_key: `${CANARY}-wrong` }), /^The access key or the secret key is wrong\./u);
    await assertInvalid(target({ access_key: 'AKIANOBODY' }), /^The access key or the secret key is wrong\./u);
  });

  it('a Target Folder by S3 says that there is no such bucket, or that it is not writable', async () => {
    await assertInvalid(target({ bucket: 'nowhere' }), /^There is no bucket nowhere\./u);
    await assertInvalid(target({ bucket: 'readonly' }), /^The bucket readonly is not writable\. .*AccessDenied/u);
  });

  it('a Target Folder by S3 keeps an answer without end out of the memory, a refusal as well', async () => {
    for (const status of [200, 500]) {
      const endless = createHttpServer((_request, response) => {
        response.writeHead(status, { 'Content-Type': 'application/xml' });
        Readable.from(forever())
          .on('error', () => undefined)
          .pipe(response);
      }).listen(0, '127.0.0.1');
      await once(endless, 'listening');
      const endpoint = `http://127.0.0.1:${(endless.address() as AddressInfo).port}`;
      try {
        await assertInvalid(target({ endpoint }), /^What answers is no S3 server: its answer is far too long\.$/u);
      } finally {
        endless.closeAllConnections();
        endless.close();
      }
    }
  });

  itTellsNetworkFaults('S3', (host, port) => target({ endpoint: `http://${host}:${port}` }));
});

function* forever(): Generator<Buffer> {
  for (;;) yield Buffer.alloc(65_536, 32);
}

function itTellsNetworkFaults(type: string, target: (host: string, port: number) => TargetFolder): void {
  it(`a Target Folder by ${type} says that the server is away, or that its name does not resolve`, async () => {
    await assertInvalid(target('127.0.0.1', await freePort()), /cannot be reached: it refuses the connection/u);
    await assertInvalid(target('storage.invalid', 2121), /storage\.invalid:2121 cannot be reached: its name does not/u);
  });

  it(`a Target Folder by ${type} gives a silent server up at the bound`, async () => {
    const silent = await startSilentServer();
    try {
      await assertInvalid(target('127.0.0.1', silent.port), /did not answer within 0\.4 s \(while .*\)\.$/u, 400);
    } finally {
      await silent.stop();
    }
  });
}
