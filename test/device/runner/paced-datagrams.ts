import { createSocket } from 'node:dgram';
import {
  PACKET_BYTES,
  payloadStart,
  pidOf,
  readPts,
  readTime,
  startsUnit,
  TICKS_PER_SECOND,
} from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import { readClock } from '../../../device/media/mpeg-ts/program-clock.ts';
import { PMT_PID } from '../../../device/media/mpeg-ts/psi.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';

/** As an encoder in the field sends a transport stream that begins at this second of its clock: each picture, and each piece of sound, at its time. */
export function sendAtPace(t: TestScope, stream: Buffer, port: number, fromSeconds: number): void {
  sendRounds(t, port, fromSeconds, (round) => (round === 0 ? stream : undefined));
}

/** Sends a part of so many seconds over and over, at times that go on, until it is told to send the next one. The parts begin at second 1 of their clock. */
export function sendParts(t: TestScope, parts: Buffer[], seconds: number, port: number): { next: () => void } {
  let index = 0;
  sendRounds(t, port, 1, (round) => {
    const part = Buffer.from(parts[index]!);
    for (let at = 0; at < part.length; at += PACKET_BYTES) delay(part, at, round * seconds * TICKS_PER_SECOND);
    return part;
  });
  return { next: () => void (index += 1) };
}

/** Sends what `streamOf` answers, and when that is sent, what it answers for the next round, until it answers none. */
function sendRounds(
  t: TestScope,
  port: number,
  fromSeconds: number,
  streamOf: (round: number) => Buffer | undefined,
): void {
  const socket = createSocket('udp4');
  const begunAt = performance.now();
  let round = 0;
  let stream = streamOf(round);
  let at = 0;
  const timer = setInterval(() => {
    const due = (performance.now() - begunAt) / 1000 + fromSeconds;
    for (let sent = 0; stream !== undefined && sent < 200; sent += 1) {
      const isMedia = pidOf(stream, at) >= 0x100 && pidOf(stream, at) < PMT_PID;
      const pts = isMedia && startsUnit(stream, at) ? readPts(stream, at) : undefined;
      if (pts !== undefined && pts / TICKS_PER_SECOND > due) return;
      // A datagram ends before the next picture.
      let to = at + PACKET_BYTES;
      while (to < Math.min(stream.length, at + 7 * PACKET_BYTES) && !startsUnit(stream, to)) to += PACKET_BYTES;
      socket.send(stream.subarray(at, to), port, '127.0.0.1');
      at = to;
      if (at < stream.length) continue;
      round += 1;
      [stream, at] = [streamOf(round), 0];
    }
  }, 5);
  cleanUp(t, () => {
    clearInterval(timer);
    socket.close();
  });
}

/** Makes all times of a packet later by so many ticks of 90 kHz. */
function delay(data: Buffer, at: number, ticks: number): void {
  const clock = readClock(data, at);
  if (clock !== undefined) data.writeUInt32BE(Math.floor((clock / 300 + ticks) / 2), at + 6);
  if (!startsUnit(data, at) || readPts(data, at) === undefined) return;
  const pes = payloadStart(data, at);
  const hasDts = (data[pes + 7]! & 0x40) !== 0;
  for (const field of hasDts ? [pes + 9, pes + 14] : [pes + 9]) {
    const time = readTime(data, field) + ticks;
    data[field] = (data[field]! & 0xf1) | ((Math.floor(time / 2 ** 30) & 7) << 1);
    data.writeUInt16BE(((Math.floor(time / 2 ** 15) & 0x7fff) << 1) | 1, field + 1);
    data.writeUInt16BE(((time & 0x7fff) << 1) | 1, field + 3);
  }
}
