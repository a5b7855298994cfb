/** A stream that goes through the injector of cues and timed metadata: whole packets come out, all that came in among them. */
import assert from 'node:assert/strict';
import { heartbeat } from '../../helpers/cue-messages.ts';
import { id3Tag } from '../../../device/media/mpeg-ts/id3.ts';
import { PACKET_BYTES } from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import { patPacket, pmtPackets } from '../../../device/media/mpeg-ts/psi.ts';
import { TransportInjector } from '../../helpers/transport-injector.ts';
import { id3Packets } from '../../../device/media/mpeg-ts/ts-metadata.ts';
import { pieces, type FuzzTarget } from '../target.ts';
import { mended } from '../transport.ts';

const STREAMS = [{ pid: 0x100, type: 0x1b, descriptors: Buffer.alloc(0) }];
const HEAD = [patPacket(0), pmtPackets(STREAMS, 0x100, 0)];
const picture = (pts: number): Buffer => id3Packets(0x100, Buffer.alloc(200, 1), pts, 0);

export const target: FuzzTarget = {
  seeds: [
    Buffer.concat([Buffer.from([0]), ...HEAD, picture(0), picture(3600), picture(200_000)]),
    Buffer.concat([
      Buffer.from([3]),
      ...HEAD,
      picture(2 ** 33 - 10),
      pmtPackets(STREAMS, 0x100, 1, Buffer.from('050443554549', 'hex')),
      picture(3000),
    ]),
  ],
  run(bytes) {
    inject(bytes.subarray(1), bytes[0] ?? 0);
    inject(mended(bytes.subarray(1)), bytes[0] ?? 0);
  },
};

function inject(bytes: Buffer, rule: number): void {
  const injector = new TransportInjector({ cues: true, id3: true });
  injector.insertCue(heartbeat());
  injector.insertCue(heartbeat(), 90_000);
  injector.insertId3(id3Tag([{ id: 'TXXX', description: 'a', value: 'b' }]), 3000);
  let written = 0;
  for (const part of pieces(bytes, rule)) {
    const out = injector.push(part);
    assert.equal(out.length % PACKET_BYTES, 0);
    written += out.length;
  }
  // A packet holds up to eleven program maps, of which each becomes two packets at most.
  assert.ok(written <= 22 * bytes.length + 4 * PACKET_BYTES, `${written} bytes of ${bytes.length}`);
  assert.ok(injector.waiting <= 3);
  const now = injector.nowTicks;
  assert.ok(now === undefined || (now >= 0 && now < 2 ** 33));
}
