/** RTMPS: ffmpeg pushes over TLS; who speaks none, or nothing, keeps nobody out; certificates that are missing, renewed or too old. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { freePort } from '../../helpers/ports.ts';
import { until } from '../../helpers/until.ts';
import { authority } from '../runner/certificates.ts';
import { clip, folder } from '../runner/runner-fixture.ts';
import { publish, rtmpOrder, startPush } from './push-fixture.ts';

function writePair(dir: string): { tls: { certificate: string; key: string }; ca: string; cert: string } {
  const { ca, key, cert } = authority(dir, 'DNS:localhost');
  const tls = { certificate: join(dir, 'cert.pem'), key: join(dir, 'key.pem') };
  writeFileSync(tls.certificate, cert);
  writeFileSync(tls.key, key);
  return { tls, ca, cert };
}

/** The connection once its handshake is over. */
async function handshake(t: TestScope, port: number, more: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connectTls({ port, host: 'localhost', rejectUnauthorized: false, ...more });
  cleanUp(t, () => void socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

test('ffmpeg pushes by rtmps while 200 strangers say nothing; RTMP without TLS and TLS 1.1 are not let in', async (t) => {
  const dir = folder(t);
  const [port, plain] = [await freePort(), await freePort()];
  const { tls } = writePair(dir);
  const orders = [rtmpOrder(1, port, { tls: true }), rtmpOrder(2, plain)];
  const push = await startPush(t, dir, ...orders);
  const failed = await push.report(1);
  assert.equal(failed.state, 'failed');
  assert.match(failed.error!, /no certificate: set ONAIR_TLS_CERT and ONAIR_TLS_KEY/u);
  assert.equal((await push.report(2)).state, 'waiting');
  await push.orderWith({ tls }, ...orders);
  await until('it listens', async () => (await push.report(1)).state === 'waiting');

  for (let i = 0; i < 200; i += 1) {
    const stranger = connect(port, '127.0.0.1');
    stranger.on('error', () => undefined);
    cleanUp(t, () => void stranger.destroy());
  }
  const url = `rtmps://localhost:${port}/live/canary-key-1`;
  const args = [
    '-v',
    'error',
    '-nostdin',
    '-re',
    '-stream_loop',
    '-1',
    '-i',
    clip(dir),
    '-c',
    'copy',
    '-f',
    'flv',
    url,
  ];
  const encoder = spawn('ffmpeg', args, { stdio: 'inherit' });
  cleanUp(t, () => void encoder.kill('SIGKILL'));
  await until('pictures', async () => (await push.report(1)).video?.fps === 30);

  const old = connectTls({
    port,
    host: 'localhost',
    rejectUnauthorized: false,
    minVersion: 'TLSv1.1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  });
  const [refusal] = (await once(old, 'error')) as [Error];
  assert.match(refusal.message, /alert|version|reset/iu);
  const words = await Promise.race([publish(port, 'live', 'canary-key-1'), closed(port)]);
  assert.equal(words, 'closed');
  assert.equal((await push.report(1)).state, 'receiving');
});

/** Resolves when the port has ended a connection that greets as RTMP does without TLS. */
async function closed(port: number): Promise<'closed'> {
  const socket = connect(
    port,
    '127.0.0.1',
    () => void socket.write(Buffer.concat([Buffer.from([3]), Buffer.alloc(1536)])),
  );
  socket.on('error', () => undefined).resume();
  await once(socket, 'close');
  return 'closed';
}

test('a certificate that is renewed is that of the next connection', async (t) => {
  const dir = folder(t);
  const port = await freePort();
  const { tls, cert } = writePair(dir);
  const order = rtmpOrder(1, port, { tls: true });
  const push = await startPush(t, dir, order);
  await push.orderWith({ tls }, order);
  await until('it listens', async () => (await push.report(1)).state === 'waiting');
  const shown = async (): Promise<string> => {
    const socket = await handshake(t, port);
    const { raw } = socket.getPeerCertificate();
    socket.destroy();
    return raw.toString('base64');
  };
  const base64 = (pem: string): string => pem.replaceAll(/-----[^-]+-----|\s/gu, '');
  assert.equal(await shown(), base64(cert));
  const renewed = writePair(dir);
  await until('the renewed one', async () => (await shown()) === base64(renewed.cert));
  assert.equal((await handshake(t, port, { maxVersion: 'TLSv1.2' })).getProtocol(), 'TLSv1.2');
});
