import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { tlsOf } from '../../domain/shapes/media/folder.ts';
import { validatedTargetFolder } from '../../domain/rules/media/target-folder.ts';
import { freePort } from '../helpers/ports.ts';
import { startNfs, nfsMissing } from '../helpers/servers/nfs.ts';
import { startSilentServer } from '../helpers/servers/program.ts';
import { startSftp, sftpMissing, newHostKey } from '../helpers/servers/sftp.ts';
import { startWebdav, webdavMissing } from '../helpers/servers/webdav.ts';
import { type Row, fieldsOf } from '../app/calls.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

const CANARY = 'canary-Zk4w9vQ2';
const NFS = { protocol: 'NFS', host: 'nas.example.com', folder: '/exports/media' };
const WEBDAV = {
  protocol: 'WEBDAV',
  host: 'https://nas.example.com',
  folder: '/media',
  user: 'onair',
  password: CANARY,
};
const FTP = { type: 'FTP', host: 'ftp.example.com', user: 'onair', password: CANARY };
const SFTP = { ...FTP, type: 'SFTP' };
const S3 = { type: 'S3', bucket: 'clips', access_key: 'AKIA1', secret_key: CANARY };
const FINGERPRINT = `SHA256:${'A'.repeat(43)}`;

let app: TestApp;
let count = 0;
before(async () => {
  app = await startTestApp();
});
after(() => app.close());

const named = (fields: object): object => ({ name: `Folder ${++count}`, ...fields });
const addRemote = (fields: object): Promise<Row> => app.data('addRemoteFolder', named(fields));
const addTarget = (fields: object): Promise<Row> => app.data('addTargetFolder', named(fields));

async function stored(): Promise<string> {
  const audit = await app.store.find('audit', { limit: 500 });
  const idempotency = await app.store.find('idempotency', { limit: 500 });
  return JSON.stringify([audit.rows, idempotency.rows]);
}

describe('Remote and Target Folders', () => {
  it('Remote and Target Folders are created, read, listed, changed and deleted; secrets only show as present', async () => {
    const share = await addRemote(WEBDAV);
    assert.equal(share['has_password'], true);
    assert.equal(share['validation_status'], 'UNKNOWN');
    const bucket = await addTarget(S3);
    assert.deepEqual(
      [bucket['has_secret_key'], bucket['has_password'], bucket['host_fingerprint']],
      [true, false, null],
    );
    assert.equal((await app.data('getRemoteFolderById', { folderId: share.id }))['user'], 'onair');
    assert.deepEqual(await app.ids('getAllRemoteFolders', { protocol: 'WEBDAV', search: String(share['name']) }), [
      share.id,
    ]);
    assert.deepEqual(await app.ids('getAllTargetFolders', { type: 'S3' }), [bucket.id]);
    const report = JSON.stringify([
      share,
      bucket,
      await app.rows('getAllRemoteFolders'),
      await app.rows('getAllTargetFolders'),
    ]);
    assert.ok(!report.includes(CANARY));
    assert.ok(!(await stored()).includes(CANARY));

    await app.data('updateRemoteFolder', { folderId: share.id, folder: '/other' });
    assert.equal((await app.store.get('remoteFolders', share.id))?.row.password, CANARY, 'left out keeps');
    const cleared = await app.data('updateRemoteFolder', { folderId: share.id, password: null });
    assert.equal(cleared['has_password'], false);

    await app.data('deleteTargetFolder', { folderId: bucket.id });
    await app.refused('not_found', 'getTargetFolderById', { folderId: bucket.id });
  });
});

describe('a Remote Folder', () => {
  const wrong: [string, object, string[]][] = [
    ['WebDAV with a password of nobody', { ...WEBDAV, user: null }, ['user']],
    ['a host with a space', { ...NFS, host: 'nas example' }, ['host']],
    ['a host that would be an option of libnfs', { ...NFS, host: 'nas?uid=0' }, ['host']],
    ['a host with a path', { ...NFS, host: 'nas/exports' }, ['host']],
    ['a port that cannot be', { ...NFS, host: 'nas:70000' }, ['host']],
    ['a URL with credentials', { ...WEBDAV, host: `https://a:${CANARY}@nas.example.com` }, ['host']],
    ['a URL of another scheme', { ...WEBDAV, host: 'ftp://nas.example.com' }, ['host']],
    ['a folder that climbs up', { ...NFS, folder: '/exports/../etc' }, ['folder']],
    ['a folder with a line break', { ...WEBDAV, folder: '/media\r\nX: y' }, ['folder']],
    ['an export with options of libnfs', { ...NFS, folder: '/exports?uid=0' }, ['folder']],
    ['an export without a slash', { ...NFS, folder: 'exports' }, ['folder']],
    ['all at once', { ...NFS, host: 'a b', folder: '..' }, ['host', 'folder', 'folder']],
  ];
  for (const [what, fields, expected] of wrong) {
    it(`a Remote Folder refuses ${what}`, async () => {
      const error = await app.refused('invalid_input', 'addRemoteFolder', named(fields));
      assert.deepEqual(fieldsOf(error), expected);
      assert.ok(!JSON.stringify([error.message, error.extras]).includes(CANARY));
    });
  }

  it('a Remote Folder takes a host with a port, an address, a URL', async () => {
    for (const host of ['nas:2049', '192.0.2.1', '[2001:db8::1]:2049', 'nas_1.local.'])
      await addRemote({ ...NFS, host });
    for (const host of ['nas', 'nas:8443', 'http://nas:8080/dav/', 'https://[2001:db8::1]/'])
      await addRemote({ ...WEBDAV, host });
  });

  it('a Remote Folder keeps its credentials under NFS too, until they are cleared', async () => {
    const { id: folderId } = await addRemote({ ...NFS, user: 'backup', password: CANARY });
    const changed = await app.data('updateRemoteFolder', { folderId, protocol: 'WEBDAV' });
    assert.deepEqual([changed['user'], changed['has_password']], ['backup', true]);
    const cleared = await app.data('updateRemoteFolder', { folderId, protocol: 'NFS', user: null, password: null });
    assert.deepEqual([cleared['user'], cleared['has_password']], [null, false]);
  });

  it('a Remote Folder is kept while a Publishing of type Record backs up to it', async () => {
    const { id: folderId } = await addRemote(NFS);
    const record = { name: 'Archive', type: 'Record', settings: { remotefolder: folderId } };
    const { id: publishingId } = await app.data('addPublishing', record);
    const error = await app.refused('in_use', 'deleteRemoteFolder', { folderId });
    assert.deepEqual(error.extras.facts?.['users'], [{ resource: 'Publishing', id: publishingId, name: 'Archive' }]);
    await app.data('updatePublishing', { publishingId, settings: { remotefolder: null } });
    await app.data('deleteRemoteFolder', { folderId });
    const gone = await app.refused('rule_violated', 'updatePublishing', {
      publishingId,
      settings: { remotefolder: folderId },
    });
    assert.deepEqual(fieldsOf(gone), ['settings.remotefolder']);
  });

  it('a Remote Folder belongs to a Publishing of type Record alone', async () => {
    const { id: remotefolder } = await addRemote(NFS);
    const web = { name: 'Web', type: 'HLS / TS', settings: { remotefolder } };
    assert.deepEqual(fieldsOf(await app.refused('invalid_input', 'addPublishing', web)), ['settings.remotefolder']);
  });
});

describe('a Target Folder', () => {
  const wrong: [string, object, string[]][] = [
    ['FTP without host and user', { type: 'FTP' }, ['host', 'user']],
    ['SFTP with a bucket', { ...SFTP, bucket: 'clips' }, ['bucket']],
    ['S3 without its fields', { type: 'S3' }, ['bucket', 'access_key', 'secret_key']],
    ['S3 with host, user and password', { ...S3, host: 'a', user: 'b', password: 'c' }, ['host', 'user', 'password']],
    ['FTP with a host key', { ...FTP, host_fingerprint: FINGERPRINT }, ['host_fingerprint']],
    ['a host key that is none', { ...SFTP, host_fingerprint: 'MD5:aa' }, ['host_fingerprint']],
    ['a host that is a URL', { ...FTP, host: 'ftp://a' }, ['host']],
    ['an endpoint that is no web address', { ...S3, endpoint: 'file:///etc' }, ['endpoint']],
    ['an endpoint with credentials', { ...S3, endpoint: `http://a:${CANARY}@b` }, ['endpoint']],
    ['an endpoint with a query', { ...S3, endpoint: 'http://b/?x=1' }, ['endpoint']],
    ['a region that would be a host', { ...S3, region: 'x.evil.example/' }, ['region']],
    ['a bucket that would be a path', { ...S3, bucket: 'a/../b' }, ['bucket']],
    [
      'commands within a user, a password, a folder',
      { ...FTP, user: 'a\r\nDELE b', password: 'a\nb', folder: 'a\rb' },
      ['user', 'password', 'folder'],
    ],
  ];
  for (const [what, fields, expected] of wrong) {
    it(`a Target Folder refuses ${what}`, async () => {
      const error = await app.refused('invalid_input', 'addTargetFolder', named(fields));
      assert.deepEqual(fieldsOf(error), expected);
      assert.ok(!JSON.stringify([error.message, error.extras]).includes(CANARY));
    });
  }

  it('a Target Folder of another host has no host key of the former one, only one that is given', async () => {
    const { id: folderId } = await addTarget({ ...SFTP, host_fingerprint: FINGERPRINT });
    const renamed = await app.data('updateTargetFolder', { folderId, name: 'Vault' });
    assert.equal(renamed['host_fingerprint'], FINGERPRINT);
    const moved = await app.data('updateTargetFolder', { folderId, host: 'other.example.com' });
    assert.equal(moved['host_fingerprint'], null);
    const other = `SHA256:${'B'.repeat(43)}`;
    const pinned = await app.data('updateTargetFolder', { folderId, port: 2222, host_fingerprint: other });
    assert.equal(pinned['host_fingerprint'], other);
  });

  it('a Target Folder of type FTP requires TLS unless it is set otherwise, and other types have no such choice', async () => {
    const { id: folderId, tls, secure } = await addTarget(FTP);
    assert.deepEqual([tls, secure], ['required', null]);
    assert.equal((await app.data('updateTargetFolder', { folderId, tls: 'offered' }))['tls'], 'offered');
    assert.equal((await app.data('updateTargetFolder', { folderId, tls: null }))['tls'], 'required');
    assert.equal((await addTarget(SFTP))['tls'], null);
    await app.refused('invalid_input', 'addTargetFolder', { name: 'Clear', ...SFTP, tls: 'none' });
  });

  it('a Target Folder whose server once offered TLS never goes back to an unencrypted connection by itself', async () => {
    const { id } = await addTarget({ ...FTP, tls: 'offered' });
    const row = await app.store.get('targetFolders', Number(id));
    const present = row!.row;
    const now = '2026-01-02T00:00:00.000Z';
    const clear = validatedTargetFolder(present, present, { valid: true, secure: false }, now);
    assert.deepEqual([clear.tls, clear.secure], ['offered', false]);
    const encrypted = validatedTargetFolder(present, present, { valid: true, secure: true }, now);
    assert.deepEqual([encrypted.tls, encrypted.secure], ['required', true]);
    // A row of a version that had no such field goes on as it was.
    const { tls: _tls, secure: _secure, ...old } = present;
    assert.deepEqual([tlsOf(old), tlsOf({ type: 'SFTP' })], ['offered', null]);
  });
});

describe('validateRemoteFolder', { skip: webdavMissing || nfsMissing }, () => {
  it('validateRemoteFolder stores what it finds; a change of settings makes it unknown again, a new name does not', async () => {
    const server = await startNfs();
    try {
      const { id: folderId } = await addRemote({ ...NFS, host: `127.0.0.1:${server.port}`, folder: '/rw' });
      const valid = await app.data('validateRemoteFolder', { folderId });
      assert.deepEqual([valid['validation_status'], valid['validation_error']], ['VALID', null]);
      assert.equal(valid['validation_date'], new Date(app.clock.now()).toISOString());
      assert.deepEqual(await app.data('getRemoteFolderById', { folderId }), valid);
      const renamed = await app.data('updateRemoteFolder', { folderId, name: 'Vault' });
      assert.equal(renamed['validation_status'], 'VALID');
      const moved = await app.data('updateRemoteFolder', { folderId, folder: '/ro' });
      assert.deepEqual([moved['validation_status'], moved['validation_date']], ['UNKNOWN', null]);
      const reply = await app.call('validateRemoteFolder', { folderId });
      assert.equal(reply.status, 200, 'an INVALID folder is an answer');
      const { data } = reply.body as { data: Row };
      assert.equal(data['validation_status'], 'INVALID');
      assert.match(String(data['validation_error']), /not writable/u);
    } finally {
      await server.stop();
    }
  });

  it('validateRemoteFolder shows the password nowhere', async () => {
    const server = await startWebdav('onair', CANARY);
    const silent = await startSilentServer();
    try {
      const share = { ...WEBDAV, folder: '/rw', host: `http://127.0.0.1:${server.port}` };
      const { id: folderId } = await addRemote(share);
      const idempotencyKey = 'once';
      const answers = [await app.data('validateRemoteFolder', { folderId }, { idempotencyKey })];
      assert.equal(answers[0]?.['validation_status'], 'VALID');
      answers.push(await app.data('updateRemoteFolder', { folderId, password: `${CANARY}-wrong` }));
      answers.push(await app.data('validateRemoteFolder', { folderId }));
      assert.equal(answers.at(-1)?.['validation_status'], 'INVALID');
      assert.ok(!JSON.stringify([answers, await stored()]).includes(CANARY));

      const { id: waiting } = await addRemote({ ...share, host: `http://127.0.0.1:${silent.port}` });
      const caller = new AbortController();
      const refused = app.refused('timeout', 'validateRemoteFolder', { folderId: waiting }, { signal: caller.signal });
      await new Promise((resolve) => silent.server.once('connection', resolve));
      assert.ok(!commandLines().includes(CANARY));
      caller.abort();
      await refused;
      assert.equal((await app.data('getRemoteFolderById', { folderId: waiting }))['validation_status'], 'UNKNOWN');
    } finally {
      await server.stop();
      await silent.stop();
    }
  });

  it('validateRemoteFolder stores nothing when the settings change or the row goes while it tries', async () => {
    const silent = await startSilentServer();
    try {
      for (const meanwhile of ['updateRemoteFolder', 'deleteRemoteFolder']) {
        const { id: folderId } = await addRemote({ ...WEBDAV, host: `http://127.0.0.1:${silent.port}` });
        const connected = new Promise<void>((resolve) => {
          silent.server.once('connection', (socket) => {
            const change = meanwhile === 'updateRemoteFolder' ? { folderId, folder: '/other' } : { folderId };
            void app.data(meanwhile, change).then(() => resolve(void socket.destroy()));
          });
        });
        const code = meanwhile === 'updateRemoteFolder' ? 'conflict' : 'not_found';
        const [error] = await Promise.all([app.refused(code, 'validateRemoteFolder', { folderId }), connected]);
        if (code === 'not_found') continue;
        assert.match(error.message, /changed while it was being validated/u);
        assert.equal((await app.data('getRemoteFolderById', { folderId }))['validation_status'], 'UNKNOWN');
      }
    } finally {
      await silent.stop();
    }
  });

  it('validateRemoteFolder refuses an unknown id', async () => {
    await app.refused('not_found', 'validateRemoteFolder', { folderId: 9999 });
    await app.refused('not_found', 'validateTargetFolder', { folderId: 9999 });
  });
});

describe('validateTargetFolder', { skip: sftpMissing }, () => {
  it('validateTargetFolder trusts the first host key, holds on to it, and takes another only when it is given', async () => {
    let server = await startSftp('onair', CANARY);
    try {
      const { port } = server;
      const { id: folderId } = await addTarget({ ...SFTP, host: '127.0.0.1', port });
      const wrong = await app.data('updateTargetFolder', { folderId, password: 'wrong' });
      assert.equal(wrong['host_fingerprint'], null);
      const refused = await app.data('validateTargetFolder', { folderId });
      assert.deepEqual(
        [refused['validation_status'], refused['host_fingerprint']],
        ['INVALID', null],
        'trust needs a success',
      );
      await app.data('updateTargetFolder', { folderId, password: CANARY, folder: server.files });
      const [first, second] = await Promise.all([
        app.data('validateTargetFolder', { folderId }),
        app.data('validateTargetFolder', { folderId }),
      ]);
      assert.equal(first['validation_status'], 'VALID');
      assert.match(String(first['host_fingerprint']), /^SHA256:/u);
      assert.equal(second['host_fingerprint'], first['host_fingerprint']);

      await server.stop();
      server = await startSftp('onair', CANARY, { port, hostKey: newHostKey() });
      await app.data('updateTargetFolder', { folderId, folder: server.files });
      const changed = await app.data('validateTargetFolder', { folderId });
      assert.match(String(changed['validation_error']), /host key has changed/u);
      assert.equal(changed['host_fingerprint'], first['host_fingerprint']);
      await app.data('updateTargetFolder', { folderId, host_fingerprint: null });
      const renewed = await app.data('validateTargetFolder', { folderId });
      assert.equal(renewed['validation_status'], 'VALID');
      assert.notEqual(renewed['host_fingerprint'], first['host_fingerprint']);
      assert.ok(!(await stored()).includes(CANARY));
    } finally {
      await server.stop();
    }
  });

  it('validateTargetFolder finds a server that is away', async () => {
    const endpoint = `http://127.0.0.1:${await freePort()}`;
    const { id: folderId } = await addTarget({ ...S3, endpoint });
    const found = await app.data('validateTargetFolder', { folderId });
    assert.match(String(found['validation_error']), /refuses the connection/u);
  });
});

/** Arguments of every process but this one, as ps shows them. */
function commandLines(): string {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/u.test(name) && Number(name) !== process.pid);
  return ids.map((id) => readProc(`/proc/${id}/cmdline`)).join('\n');
}

function readProc(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
