/** The built program reaches folders by every protocol: what a bundle leaves out shows here only. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { FTP_USER, ftpMissing, startFtp, type FtpServer } from '../helpers/servers/ftp.ts';
import { nfsMissing, startNfs } from '../helpers/servers/nfs.ts';
import { removeFolder, scratchFolder, type Running } from '../helpers/servers/program.ts';
import { startS3 } from '../helpers/servers/s3.ts';
import { sftpMissing, startSftp, type SftpServer } from '../helpers/servers/sftp.ts';
import { startWebdav, webdavMissing, type WebdavServer } from '../helpers/servers/webdav.ts';
import { startService, type Service } from '../helpers/service.ts';

const CANARY = 'canary-Zk4w9vQ2';
const USER = 'clips';

describe('folders of the built program', { skip: webdavMissing || nfsMissing || ftpMissing || sftpMissing }, () => {
  const dir = scratchFolder('authorities');
  let [nfs, s3]: Running[] = [];
  let webdav: WebdavServer;
  let ftp: FtpServer;
  let sftp: SftpServer;
  let service: Service;
  before(async () => {
    nfs = await startNfs();
    webdav = await startWebdav(USER, CANARY);
    ftp = await startFtp(CANARY, { tls: true });
    sftp = await startSftp(USER, CANARY);
    s3 = await startS3('AKIATEST', CANARY);
    const authorities = join(dir, 'authorities.pem');
    writeFileSync(authorities, [webdav, ftp].map(({ certificate }) => readFileSync(certificate, 'utf8')).join(''));
    service = await startService({ NODE_EXTRA_CA_CERTS: authorities });
  });
  after(async () => {
    await service.dispose();
    for (const server of [nfs, webdav, ftp, sftp, s3]) await server?.stop();
    removeFolder(dir);
  });

  async function validated(path: string, fields: object): Promise<Record<string, unknown>> {
    const folderId = await service.create(path, { name: 'Folder', ...fields });
    const reply = await service.rest('POST', `${path}/${folderId}/validate`);
    await service.rest('DELETE', `${path}/${folderId}`);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return (reply.body as { data: Record<string, unknown> }).data;
  }

  it('folders are validated by NFS, WebDAV and FTP over TLS, SFTP and S3; no log line shows a password', async () => {
    const account = { user: USER, password: CANARY };
    const host = '127.0.0.1';
    const share = { protocol: 'NFS', host: `${host}:${nfs?.port}`, folder: '/rw' };
    const dav = { protocol: 'WEBDAV', host: `${host}:${webdav.tlsPort}`, folder: '/rw', ...account };
    const encrypted = { type: 'FTP', host, port: ftp.port, folder: ftp.files, ...account, user: FTP_USER };
    const keyed = { type: 'SFTP', host, port: sftp.port, folder: sftp.files, ...account };
    const endpoint = `http://${host}:${s3?.port}`;
    const bucket = { type: 'S3', endpoint, bucket: 'clips', access_key: 'AKIATEST', secret_key: CANARY };
    const found = [
      await validated('/remotefolders', share),
      await validated('/remotefolders', dav),
      await validated('/targetfolders', encrypted),
      await validated('/targetfolders', keyed),
      await validated('/targetfolders', bucket),
      await validated('/targetfolders', { ...keyed, password: `${CANARY}-wrong` }),
    ];
    const states = found.map((folder) => [folder['validation_status'], folder['validation_error']]);
    const valid = ['VALID', null];
    const invalid = ['INVALID', 'The user name or password is wrong.'];
    assert.deepEqual(states, [valid, valid, valid, valid, valid, invalid]);
    assert.ok(!`${service.output()}${JSON.stringify(found)}`.includes(CANARY));
    assert.doesNotMatch(service.output(), /warning/iu);
  });
});
