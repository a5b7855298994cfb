/** Encoders that send by SRT what a test gives them, and what a reader gets of it. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Writable } from 'node:stream';
import { PACKET_BYTES } from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import type { IngestOrder } from '../../../domain/shapes/sources/ingest-order.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';
import { until } from '../../helpers/until.ts';
import type { TestPush } from './push-fixture.ts';

/** Seven packets that belong to no stream. */
const PADDING = Buffer.alloc(7 * PACKET_BYTES, Buffer.alloc(PACKET_BYTES, 0xff).fill('471fff10', 0, 4, 'hex'));
const PIECE_BYTES = 32 * 1316;

export type SrtEncoder = ChildProcessByStdio<Writable, null, null>;

export function srtOrder(channelId: number, port: number, settings: IngestOrder['settings'] = {}): IngestOrder {
  const known = { mode: 'listener', port, latency_ms: 120 } as const;
  return { channelId, name: `Channel ${channelId}`, type: 'SRT', settings: { ...known, ...settings } };
}

/** A program that sends its stdin. */
export function encoder(t: TestScope, program: string, args: readonly string[]): SrtEncoder {
  const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'] });
  cleanUp(t, () => void child.kill('SIGKILL'));
  child.stdin.on('error', () => undefined);
  return child;
}

export function transportStreamOf(file: string): Buffer {
  const args = ['-v', 'error', '-i', file, '-c', 'copy', '-f', 'mpegts', 'pipe:1'];
  return execFileSync('ffmpeg', args, { maxBuffer: 1 << 26 });
}

/** Asserts that a reader of the Channel gets the bytes that the encoder is given, about as many as half of `bytes`, without a gap. */
export async function assertOwnBytes(
  push: TestPush,
  channelId: number,
  caller: SrtEncoder,
  bytes: Buffer,
): Promise<void> {
  // It connects once it has something to send.
  caller.stdin.write(PADDING);
  await until('it is connected', async () => (await push.report(channelId)).state === 'receiving');
  let media: Buffer | undefined;
  void push.read(channelId, bytes.length / 2).then((read) => (media = read.media));
  // A few at a time, again and again: a caller of libsrt aborts when it has to renew a key before the last one was answered.
  let at = 0;
  const own = await until(
    'it has read half of it',
    () => {
      caller.stdin.write(bytes.subarray(at, at + PIECE_BYTES));
      at = at + PIECE_BYTES < bytes.length ? at + PIECE_BYTES : 0;
      // Before the keyframe stand the tables, which the Device repeats there.
      return media?.subarray(2 * PACKET_BYTES);
    },
    { everyMs: 100 },
  );
  const sent = Buffer.concat([bytes, bytes]);
  assert.ok(own.length > 420 * 1316 && sent.includes(own), `Channel ${channelId}: ${own.length} bytes`);
  caller.kill();
}
