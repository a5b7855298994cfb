import { createSocket } from 'node:dgram';
import { PACKET_BYTES, pidOf, readPts, startsUnit, TICKS_PER_SECOND } from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import { PMT_PID } from '../../../device/media/mpeg-ts/psi.ts';
import { cleanUp, type TestScope } from '../../helpers/clean-up.ts';

/** As an encoder in the field sends a transport stream that begins at this second of its clock: each picture, and each piece of sound, at its time. */
export function sendAtPace(t: TestScope, stream: Buffer, port: number, fromSeconds: number): void {
  const socket = createSocket('udp4');
  const begunAt = performance.now();
  let at = 0;
  const timer = setInterval(() => {
    const due = (performance.now() - begunAt) / 1000 + fromSeconds;
    for (let sent = 0; at < stream.length && sent < 200; sent += 1) {
      const isMedia = pidOf(stream, at) >= 0x100 && pidOf(stream, at) < PMT_PID;
      const pts = isMedia && startsUnit(stream, at) ? readPts(stream, at) : undefined;
      if (pts !== undefined && pts / TICKS_PER_SECOND > due) return;
      // A datagram ends before the next picture.
      let to = at + PACKET_BYTES;
      while (to < Math.min(stream.length, at + 7 * PACKET_BYTES) && !startsUnit(stream, to)) to += PACKET_BYTES;
      socket.send(stream.subarray(at, to), port, '127.0.0.1');
      at = to;
    }
  }, 5);
  cleanUp(t, () => {
    clearInterval(timer);
    socket.close();
  });
}
