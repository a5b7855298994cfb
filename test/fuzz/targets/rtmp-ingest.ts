/** The listening socket of an RTMP Channel: whatever comes, the connection ends, and the next publisher is let in. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { RtmpListener } from '../../../device/runner/input/rtmp-listener.ts';
import type { ChannelSettings } from '../../../domain/channel.ts';
import { freePort } from '../../helpers/ports.ts';
import type { FuzzTarget } from '../target.ts';
import { target as session } from './rtmp-session.ts';

const GREETING = Buffer.concat([Buffer.from([3]), Buffer.alloc(2 * 1536)]);
let opened: Promise<{ ingest: RtmpListener; port: number }> | undefined;

export const target: FuzzTarget = {
  seeds: session.seeds,
  async run(bytes) {
    const { ingest, port } = await (opened ??= open());
    const sink = new PassThrough();
    sink.resume();
    ingest.attach(sink);
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined).resume();
    await once(socket, 'connect');
    socket.write(GREETING);
    socket.end(bytes.subarray(1));
    await once(socket, 'close');
    assert.ok(sink.readableLength < 1 << 20);
  },
};

async function open(): Promise<{ ingest: RtmpListener; port: number }> {
  const port = await freePort();
  const ingest = new RtmpListener({ port, app: 'live', stream_key: 'key' } as ChannelSettings);
  await ingest.open();
  return { ingest, port };
}
