/** The port of RTMP-Push Channels: whatever comes, the connection ends, and the next publisher is let in. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { Intake } from '../../../device/push/intake.ts';
import { RtmpPort } from '../../../device/push/rtmp-port.ts';
import { freePort } from '../../helpers/ports.ts';
import { silentLog } from '../../helpers/silent-log.ts';
import type { FuzzTarget } from '../target.ts';
import { target as session } from './rtmp-session.ts';

const GREETING = Buffer.concat([Buffer.from([3]), Buffer.alloc(2 * 1536)]);
let opened: Promise<{ intake: Intake; port: number }> | undefined;

export const target: FuzzTarget = {
  seeds: session.seeds,
  async run(bytes) {
    const { intake, port } = await (opened ??= open());
    const reader = new PassThrough();
    reader.resume();
    intake.read(reader);
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined).resume();
    await once(socket, 'connect');
    socket.write(GREETING);
    socket.end(bytes.subarray(1));
    await once(socket, 'close');
    assert.ok(reader.readableLength < 1 << 20);
    reader.destroy();
    assert.equal(intake.isReceiving, false);
  },
};

async function open(): Promise<{ intake: Intake; port: number }> {
  const port = await freePort();
  const settings = { port, app: 'live', stream_key: 'key' };
  const hooks = { onChange: () => undefined, onEvent: () => undefined };
  const intake = new Intake({ channelId: 1, name: 'Fuzzed', type: 'RTMP-Push', settings }, hooks);
  new RtmpPort({ host: '127.0.0.1', port, log: silentLog }).setIntakes([intake]);
  return { intake, port };
}
