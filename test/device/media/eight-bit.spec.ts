/** Ladders of eight bits: what their ffmpegs are told does not change with anything that others need. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { encoderArgs } from '../../../device/media/arguments/encoder-args.ts';
import { videoFilter } from '../../../device/media/arguments/ingest-filters.ts';
import { stillArgs } from '../../../device/media/arguments/still-args.ts';
import { NO_FACTS } from '../../../device/media/ffmpeg-output/source-facts.ts';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { rendition } from '../runner/specs.ts';

/** All arguments of three hundred ladders. A change of them that is meant has another one. */
const ARGUMENTS = 'fb76bd2997da5163a50c7cdb53a2ba6f14bcd29f9df9cb3a4d80561ce7dd9f75';

test('arguments of ladders of eight bits are the same to the byte as before there were others', () => {
  let seed = 11;
  const below = (limit: number): number => Math.floor(((seed = (seed * 48_271) % 0x7fffffff) / 0x7fffffff) * limit);
  const one = <T>(...values: T[]): T => values[below(values.length)]!;
  const options = (...profiles: string[]): object => ({
    profile: one(null, ...profiles),
    level: one(null, '5.1'),
    keyframe_interval: one(1, 2, 4),
  });
  const hash = createHash('sha256');
  for (let n = 0; n < 300; n += 1) {
    const codecs = one(['h264', 'hevc'], ['av1', 'vp9']);
    const renditions = Array.from({ length: 1 + below(4) }, (_, i) =>
      rendition(11 + i, one(1280, 640, 426), one(720, 360, 240), 500 + below(4000), {
        codec: one(...codecs),
        fps: one(25, 50),
        aspect_ratio: one(null, null, '16:9', '4:3'),
        deinterlace: one<boolean | 'auto'>('auto', false),
        preset: one('ultrafast', 'veryfast', 'medium'),
        h264: options('baseline', 'main', 'high', 'high444'),
        hevc: options('main'),
      } as object),
    );
    const plan = planLadder(renditions);
    const size = { width: 1 + below(1920), height: 1 + below(1080), range: one(undefined, 'tv', 'pc') };
    const matrix = one(undefined, 'bt709', 'smpte170m', 'bt2020nc', 'gbr');
    const transfer = one(undefined, 'bt709', 'smpte2084', 'arib-std-b67');
    const facts = one(NO_FACTS, { ...NO_FACTS, video: { ...size, matrix, transfer } });
    const crop = one(null, { left: 5, right: 0, top: 10, bottom: 0 });
    const all = [
      encoderArgs(plan, below(1000) / 8, one(0, -0.25)),
      videoFilter(plan, crop, facts, one(true, false)),
      stillArgs(plan, { width: 320, height: 180 }),
    ];
    hash.update(JSON.stringify(all));
  }
  assert.equal(hash.digest('hex'), ARGUMENTS);
});
