import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  capacityOf,
  costOf,
  estimate,
  factorsNow,
  learn,
  NOTHING_LEARNED,
  settledCost,
  USUAL_COST,
  usualCost,
  workOf,
  type Factors,
} from '../../domain/shapes/encodings/capacity.ts';
import { encodingCreate } from '../../domain/shapes/encodings/encoding.ts';
import type { RenditionSpec } from '../../domain/shapes/broadcasts/run-spec.ts';

type Video = NonNullable<RenditionSpec['video']>;
const VIDEO = encodingCreate.settings_video.parse({});
const video = (height: number, more: Partial<Video> = {}): Pick<RenditionSpec, 'video' | 'audio'> => ({
  video: { ...VIDEO, width: (height * 16) / 9, height, fps: 30, ...more } as Video,
  audio: null,
});

function taught(work: ReturnType<typeof workOf>, measured: number, times: number, from: Factors = {}): Factors {
  let factors = from;
  for (let n = 0; n < times; n += 1) factors = learn(work, factors, measured);
  return factors;
}

it('a rendition in SDR of a ladder in HDR costs its tone map, once for all of them, and ten bits cost more than eight', () => {
  const hdr10 = { codec: 'hevc', hdr_mode: 'hdr10', fps: 25 } as const;
  const cost = (...renditions: Parameters<typeof workOf>[0]): number => costOf(renditions);
  const alone = cost(video(1080, hdr10));
  const more = cost(video(1080, hdr10), video(720, { codec: 'hevc', fps: 25 }));
  const sdr = cost(video(720, { codec: 'hevc', fps: 25 })) - cost();
  // The base cost of a Live stream is in both.
  const map = more - alone - sdr;
  assert.ok(map > 0.95 && map < 1.25, `${map} cores; 1.07 are measured at 720p25`);
  const third = cost(
    video(1080, hdr10),
    video(720, { codec: 'hevc', fps: 25 }),
    video(360, { codec: 'hevc', fps: 25 }),
  );
  const small = cost(video(360, { codec: 'hevc', fps: 25 })) - cost();
  assert.ok(Math.abs(third - more - small) < 1e-9, 'the smaller one is scaled from the larger');
  const eight = cost(video(1080, { codec: 'vp9', fps: 25 })) - cost();
  assert.ok(Math.abs((cost(video(1080, { ...hdr10, codec: 'vp9' })) - cost()) / eight - 1.5) < 1e-9);
});

describe('learned costs', () => {
  const ladder = workOf([video(720), video(360)]);

  it('learned costs come to what is measured, from below within a minute of looks and from above within ten', () => {
    const dear = estimate(ladder, NOTHING_LEARNED) * 1.8;
    assert.ok(Math.abs(estimate(ladder, taught(ladder, dear, 12)) / dear - 1) < 0.1);
    const cheap = estimate(ladder, NOTHING_LEARNED) * 0.6;
    assert.ok(estimate(ladder, taught(ladder, cheap, 3)) > cheap * 1.3, 'a quiet scene is no rule');
    assert.ok(Math.abs(estimate(ladder, taught(ladder, cheap, 90)) / cheap - 1) < 0.1);
  });

  it('learned costs are kept apart for kinds of work that run beside each other', () => {
    const small = workOf([video(360)]);
    const slow = workOf([video(720, { preset: 'medium' })]);
    let factors: Factors = {};
    for (let n = 0; n < 60; n += 1) {
      factors = learn(small, factors, estimate(small, NOTHING_LEARNED));
      factors = learn(slow, factors, estimate(slow, NOTHING_LEARNED) * 2);
    }
    assert.ok(Math.abs(estimate(slow, factors) / estimate(slow, NOTHING_LEARNED) - 2) < 0.3);
    assert.ok(Math.abs(estimate(small, factors) / estimate(small, NOTHING_LEARNED) - 1) < 0.3);
  });

  it('learned costs are bounded, and ignore a measurement that is no number', () => {
    assert.ok(Object.values(taught(ladder, 1000, 200)).every((factor) => factor <= 5));
    assert.ok(Object.values(taught(ladder, 1e-6, 2000)).every((factor) => factor >= 0.2));
    for (const nonsense of [0, -1, Number.NaN]) assert.equal(learn(ladder, NOTHING_LEARNED, nonsense), NOTHING_LEARNED);
    assert.equal(learn([], NOTHING_LEARNED, 1), NOTHING_LEARNED);
  });

  it('learned costs count as much more as a trial finds the machine dearer than at their time', () => {
    const factors = { 'h264/veryfast/25': 1.4 };
    assert.deepEqual(factorsNow(undefined), {});
    assert.deepEqual(factorsNow({ factors, machine: 1 }), factors, 'no trial by an agent of an earlier version');
    assert.deepEqual(factorsNow({ factors }, 2), { ...factors, machine: 2 }, 'learned before there were trials');
    assert.deepEqual(factorsNow({ factors, machine: 1 }, 0.5), { 'h264/veryfast/25': 0.7, machine: 0.5 });
    assert.equal(estimate(workOf([video(360)]), factorsNow(undefined, 2)), 2 * costOf([video(360)]));
  });

  it('a source of more than 1080p30 costs, and what it costs is not learned as that of its encodings', () => {
    const sizes = [undefined, [1280, 720, 30], [1920, 1080, 30], [3840, 2160, 30]] as const;
    const of = (size: (typeof sizes)[number]): ReturnType<typeof workOf> =>
      workOf([video(720)], size && { width: size[0], height: size[1], fps: size[2] });
    const costs = sizes.map((size) => estimate(of(size), NOTHING_LEARNED));
    assert.ok(costs[0] === costs[1] && costs[1] === costs[2] && costs[3]! > costs[2]! + 0.5, costs.join());
    const factors = taught(of(sizes[3]), costs[3]! * 1.5, 40);
    assert.ok(factors['source/28']! > factors['h264/veryfast/25']!);
  });

  it('learned costs are used for the nearest size of the same codec and preset, and for no other', () => {
    const factors = taught(workOf([video(720)]), 3, 40);
    assert.ok(costOf([video(1080)], factors) > 1.5 * costOf([video(1080)]));
    const other = [video(1080, { preset: 'medium' })];
    const stream = estimate([{ kind: 'stream', cores: 1 }], factors);
    assert.ok(costOf(other, factors) - costOf(other) < 0.1 * stream);
  });

  it('learned costs make the slots of a Device', () => {
    assert.equal(usualCost(NOTHING_LEARNED), USUAL_COST);
    const dear = taught(workOf([video(720), video(480), video(360)]), 1.2, 40);
    assert.ok(usualCost(dear) > 1 && usualCost(dear) < 1.4);
    const free = capacityOf({ cores: 8 }, [{ cost: 0.5 }], NOTHING_LEARNED);
    assert.deepEqual(
      [free.slots, free.promised, free.free, free.load],
      [{ used: 1, free: 9, total: 10 }, 0.5, 5.5, 0.08],
    );
    assert.ok(capacityOf({ cores: 8 }, [], dear).slots.total < 6);
    assert.deepEqual(capacityOf({ cores: 2 }, [{ cost: 9 }], dear), {
      cores: 2,
      promised: 9,
      others: 0,
      free: 0,
      whole: 9,
      load: 1,
      slots: { used: 1, free: 0, total: 1 },
    });
    assert.equal(capacityOf({ cores: 0 }, [], NOTHING_LEARNED).load, 0);
  });

  it('fifty Live streams that copy fit on two cores, and what they really take is learned apart from others', () => {
    const copy = workOf([video(0, { codec: 'copy' })]);
    const taken = Array.from({ length: 50 }, () => ({ cost: estimate(copy, NOTHING_LEARNED) }));
    assert.ok(capacityOf({ cores: 2 }, taken, NOTHING_LEARNED).free > 50 * estimate(copy, NOTHING_LEARNED) * 0.9);
    const factors = taught(copy, 0.006, 60);
    assert.ok(Math.abs(estimate(copy, factors) - 0.006) < 0.001);
    assert.equal(estimate(ladder, factors), estimate(ladder, NOTHING_LEARNED));
  });

  it('the slots of a Device add up and stay as many, whatever runs', () => {
    const slotsOf = (cores: number, ...costs: number[]): object =>
      capacityOf(
        { cores },
        costs.map((cost) => ({ cost })),
        NOTHING_LEARNED,
      ).slots;
    assert.deepEqual(slotsOf(2), { used: 0, free: 2, total: 2 });
    assert.deepEqual(slotsOf(2, USUAL_COST), { used: 1, free: 1, total: 2 });
    assert.deepEqual(slotsOf(2, 0.1), { used: 1, free: 1, total: 2 }, 'a cheap one takes one');
    assert.deepEqual(slotsOf(2, 1.3), { used: 2, free: 0, total: 2 }, 'beside a dear one none has room');
    assert.deepEqual(slotsOf(2, USUAL_COST, USUAL_COST), { used: 2, free: 0, total: 2 });
    assert.deepEqual(slotsOf(2, 0.1, 0.1, 0.1), { used: 3, free: 0, total: 3 }, 'what runs is counted');
    assert.deepEqual(slotsOf(2, 9), { used: 2, free: 0, total: 2 });
  });

  it('what other programs take leaves less for a second start, and nothing less for the first one', () => {
    const freeBeside = (other_load: number, ...costs: number[]): number => {
      const runs = costs.map((cost) => ({ cost, measured: true as const }));
      return Number(capacityOf({ cores: 2, other_load }, runs, NOTHING_LEARNED).free.toFixed(2));
    };
    assert.deepEqual(
      [0, 0.5, 1, 2, 9].map((others) => freeBeside(others, 0.3)),
      [1.2, 1.2, 0.7, 0, 0],
    );
    assert.equal(freeBeside(2), 1.5, 'what is the only broadcast may always be tried');
    const { load, others } = capacityOf({ cores: 2, other_load: 1.5 }, [{ cost: 0.5 }], NOTHING_LEARNED);
    assert.deepEqual([load, others], [1, 1.5]);
  });

  it('learned costs raise a reservation fast and lower it slowly', () => {
    assert.equal(settledCost(1, 2), 1.5);
    assert.ok(settledCost(1, 0.5) > 0.98 && settledCost(1, 0.5) < 1);
  });
});
