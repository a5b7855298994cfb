/** Captions from each codec and rate that a source can have, at each that a rendition can have. Kinds of Destination are in captions-kinds.long.ts. */
import { describe, it } from 'node:test';
import { folder } from './runner-fixture.ts';
import { assertCaptions, broadcast, datagrams, made } from './captioned-run.ts';
import { rendition } from './specs.ts';

const SOURCES = [
  ['libx264', '24000/1001'],
  ['libx264', '25'],
  ['libx264', '30000/1001'],
  ['libx264', '50'],
  ['libx264', '60000/1001'],
  ['libx265', '30'],
  ['mpeg2video', '30000/1001'],
] as const;
const RATES = [15, 23.976, 25, 29.97, 30, 50, 60];

describe('captions', { concurrency: 2 }, () => {
  for (const [codec, rate] of SOURCES)
    for (const fps of RATES)
      for (const target of fps === 30 ? (['h264', 'hevc'] as const) : (['h264'] as const))
        it(`captions of ${codec} at ${rate} reach ${target} at ${fps}`, async (t) => {
          const dir = folder(t);
          const udp = await datagrams(t, dir);
          await broadcast(t, dir, {
            from: await made(dir, { codec, rate, services: true }),
            outputs: [udp.out],
            renditions: [rendition(11, 320, 180, 400, { fps, codec: target })],
          });
          await assertCaptions(t, udp.save(), `${codec} ${rate} ${target} ${fps}`);
        });
});
