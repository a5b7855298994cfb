/**
 * vsftpd as whoever runs the tests, for its anonymous user with one accepted password: other users would have to be accounts of the
 * system. With `tls` it takes nothing in the clear, and a data connection only with the TLS session of the control connection.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../ports.ts';
import { selfSigned } from './certificate.ts';
import { lacking, removeFolder, scratchFolder, startProgram, type Running } from './program.ts';

export const FTP_USER = 'anonymous';
export const ftpMissing = lacking({ vsftpd: 'vsftpd', openssl: 'openssl' });

export interface FtpServer extends Running {
  /** The folder at which the user arrives; absolute path, also on the server: without root it has no chroot. */
  files: string;
  /** File of the certificate that is shown with `tls`. */
  certificate: string;
}

export async function startFtp(password: string, { tls = false, readonly = false } = {}): Promise<FtpServer> {
  const dir = scratchFolder('ftp');
  const files = join(dir, 'files');
  mkdirSync(files);
  const { key, certificate } = selfSigned(dir);
  const port = await freePort();
  writeFileSync(join(dir, 'passwords'), `${password}\n`);
  const settings = {
    listen: true,
    listen_address: '127.0.0.1',
    listen_port: port,
    background: false,
    run_as_launching_user: true,
    // A container may not have the system calls that the sandbox allows.
    seccomp_sandbox: false,
    anonymous_enable: true,
    secure_email_list_enable: true,
    email_password_file: join(dir, 'passwords'),
    anon_root: files,
    anon_world_readable_only: false,
    write_enable: !readonly,
    anon_upload_enable: true,
    anon_other_write_enable: true,
    delay_failed_login: 0,
    xferlog_enable: false,
    ssl_enable: tls,
    allow_anon_ssl: true,
    force_anon_logins_ssl: tls,
    force_anon_data_ssl: tls,
    require_ssl_reuse: true,
    ssl_ciphers: 'HIGH',
    rsa_cert_file: certificate,
    rsa_private_key_file: key,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${inWords(value)}\n`);
  const config = join(dir, 'vsftpd.conf');
  writeFileSync(config, lines.join(''));
  const running = await startProgram('vsftpd', [config], port);
  return { ...running, files, certificate, stop: () => running.stop().then(() => removeFolder(dir)) };
}

function inWords(value: string | number | boolean): string {
  if (typeof value !== 'boolean') return String(value);
  return value ? 'YES' : 'NO';
}
