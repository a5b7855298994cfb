/** Pure rules: back-off, ladder, cost, states, problems, the pairs of a Live stream. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { retryDelayMs } from '../../domain/time/back-off.ts';
import { costOf, USUAL_COST } from '../../domain/shapes/encodings/capacity.ts';
import { COLLECTIONS } from '../../domain/ports/collections.ts';
import { AppError, ERROR_CODES, inUse, invalidInput, notFound, toProblem } from '../../domain/base/errors.ts';
import { orderLadder, renditionOf } from '../../domain/rules/encodings/ladder.ts';
import { isTransition, TRANSITIONS, type Livestream } from '../../domain/shapes/broadcasts/livestream.ts';
import { clearOther, pairIssues } from '../../domain/rules/broadcasts/one-of-pair.ts';
import { encoding } from './encodings.ts';

type Pairs = Pick<Livestream, 'encodingId' | 'encodingGroupId' | 'publishingId' | 'publishingGroupId'>;

describe('back-off', () => {
  const budget = { max_attempts: 10, initial_delay_ms: 1000, max_delay_ms: 30_000 };

  it('the back-off doubles up to its ceiling, and ends with the budget', () => {
    const longest = [1, 2, 3, 4, 5, 6, 10].map((attempt) => retryDelayMs(budget, attempt, 0.999_999));
    assert.deepEqual(longest, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    assert.equal(retryDelayMs(budget, 11, 0), undefined);
    assert.equal(retryDelayMs({ ...budget, max_attempts: 0 }, 1, 0), undefined);
  });

  it('the back-off stays between half the ceiling and the ceiling', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, random) => {
          const delay = retryDelayMs({ ...budget, max_attempts: 1000 }, attempt, random) ?? -1;
          assert.ok(delay >= 500 && delay <= 30_000, String(delay));
          assert.ok(delay >= Math.min(30_000, 1000 * 2 ** Math.min(attempt - 1, 30)) / 2);
        },
      ),
      { seed: 1 },
    );
  });
});

describe('ladder', () => {
  it('a ladder is ordered by bitrate, ties by id', () => {
    const [low, high, twin] = [encoding({ bitrate: 500 }), encoding({ bitrate: 4000 }), encoding({ bitrate: 500 })];
    assert.deepEqual(orderLadder([twin, low, high], 'desc'), [high, low, twin]);
    assert.deepEqual(orderLadder([twin, high, low], 'asc'), [low, twin, high]);
  });

  it('a ladder resolves sizes to even pixels', () => {
    const size = (video: object, source?: object): unknown[] => {
      const rendition = renditionOf(encoding(video), source);
      return [rendition.video?.width, rendition.video?.height, rendition.video?.fps];
    };
    assert.deepEqual(size({ height: 720 }), [1280, 720, 30]);
    assert.deepEqual(size({ height: 480 }, { aspect: 4 / 3, fps: 25 }), [640, 480, 25]);
    assert.deepEqual(size({ height: 480, aspect_ratio: '16:9' }, { aspect: 4 / 3 }), [854, 480, 30]);
    assert.deepEqual(size({ width: 640, height: null }), [640, 360, 30]);
    assert.deepEqual(size({ width: null, height: null }), [1280, 720, 30]);
    assert.deepEqual(size({ fps: 50 }, { fps: 25 }), [1280, 720, 50]);
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 2160 }), fc.double({ min: 0.3, max: 4, noNaN: true }), (half, aspect) => {
        const { video } = renditionOf(encoding({ height: half * 2 }), { aspect });
        assert.equal((video?.width ?? 1) % 2, 0);
      }),
      { seed: 1 },
    );
  });

  it('a ladder leaves out what is not active', () => {
    assert.equal(renditionOf(encoding({ active: false })).video, null);
    assert.equal(renditionOf(encoding({}, { active: false })).audio, null);
  });
});

describe('cost', () => {
  const cost = (...videos: object[]): number => costOf(videos.map((video) => renditionOf(encoding(video))));

  it('the cost grows with renditions, pixels, codec and preset', () => {
    assert.ok(cost({ height: 360 }) < cost({ height: 720 }));
    assert.ok(cost({ height: 720 }) < cost({ height: 720 }, { height: 360 }));
    assert.ok(cost({ height: 720 }) < cost({ height: 720, codec: 'hevc' }));
    assert.ok(cost({ height: 720, preset: 'ultrafast' }) < cost({ height: 720 }));
    assert.ok(cost({ height: 720, fps: 60 }) > cost({ height: 720, fps: 30 }));
  });

  it('the cost is small for a copy and for sound alone, and near the usual one for a usual ladder', () => {
    assert.ok(cost({ codec: 'copy' }) > 0);
    assert.ok(cost({ codec: 'copy' }) < cost({ active: false }) / 3);
    assert.ok(cost({ active: false }) < cost({ height: 360 }));
    assert.ok(Math.abs(cost({ height: 720 }, { height: 480 }, { height: 360 }) - USUAL_COST) < 0.05);
  });
});

describe('states', () => {
  it('the status of a run changes only as the state table says', () => {
    assert.deepEqual(TRANSITIONS[0], [1]);
    for (const [from, to] of [
      [0, 1],
      [3, 1],
      [1, 2],
      [1, 3],
      [2, 3],
      [1, 0],
      [2, 0],
      [3, 0],
    ] as const)
      assert.ok(isTransition(from, to), `${from} → ${to}`);
    for (const [from, to] of [
      [0, 2],
      [0, 3],
      [3, 2],
    ] as const)
      assert.ok(!isTransition(from, to), `${from} → ${to}`);
  });
});

describe('a pair of fields of which one is set', () => {
  const row = {
    encodingId: 1 as number | null,
    encodingGroupId: null as number | null,
    publishingId: 1,
    publishingGroupId: null,
  };

  it('setting one field of a pair clears the other when that is only what was stored', () => {
    assert.deepEqual(clearOther<Pairs>({ ...row, encodingGroupId: 5 }, row, 'encodingId', 'encodingGroupId'), {
      ...row,
      encodingId: null,
      encodingGroupId: 5,
    });
    const group: Pairs = { ...row, encodingId: null, encodingGroupId: 5 };
    assert.deepEqual(clearOther<Pairs>({ ...group, encodingId: 1 }, group, 'encodingId', 'encodingGroupId'), row);
  });

  it('setting one field of a pair leaves alone what needs no clearing or cannot be decided', () => {
    const both: Pairs = { ...row, encodingId: 2, encodingGroupId: 5 };
    assert.deepEqual(clearOther(both, row, 'encodingId', 'encodingGroupId'), both);
    assert.deepEqual(clearOther(both, undefined, 'encodingId', 'encodingGroupId'), both);
    assert.deepEqual(clearOther<Pairs>({ ...row, encodingId: 2 }, row, 'encodingId', 'encodingGroupId'), {
      ...row,
      encodingId: 2,
    });
  });

  it('a pair of fields has exactly one that is set', () => {
    assert.deepEqual(pairIssues(row, 'encodingId', 'encodingGroupId'), []);
    for (const wrong of [
      { ...row, encodingId: null },
      { ...row, encodingGroupId: 2 },
    ]) {
      assert.equal(pairIssues(wrong, 'encodingId', 'encodingGroupId')[0]?.field, 'encodingId');
    }
  });
});

describe('problems', () => {
  it('problems are RFC 9457 details with status, remedy and facts', () => {
    const problem = toProblem(
      inUse('Channel', { id: 3, name: 'Desk' }, [{ resource: 'Live stream', id: 1, name: 'Show' }]),
      'r',
    );
    assert.deepEqual(problem, {
      type: 'urn:onair:error:in_use',
      title: 'In use',
      status: 409,
      detail: 'Channel 3 "Desk" is in use by Live stream 1 "Show". Unbind it there first.',
      code: 'in_use',
      request_id: 'r',
      remedy: ERROR_CODES.in_use.remedy,
      users: [{ resource: 'Live stream', id: 1, name: 'Show' }],
    });
  });

  it('problems carry fields, upstream text and the time to wait where there are some', () => {
    const issue = { field: 'a.0', code: 'too_long', message: 'must be at most 3 characters', max: 3 };
    assert.deepEqual(toProblem(invalidInput([issue]), 'r').errors, [issue]);
    const error = new AppError('rate_limited', 'Slow down.', { retryAfterSeconds: 4, upstream: 'text' });
    assert.deepEqual([toProblem(error, 'r').retry_after_seconds, toProblem(error, 'r').upstream], [4, 'text']);
    assert.equal(toProblem(notFound('Channel', 3), 'r').status, 404);
  });

  it('the facts of a problem never overwrite its own fields', () => {
    const error = new AppError('conflict', 'No.', {
      facts: { status: 200, code: 'ok', type: 'x', title: 'y', detail: 'z', request_id: 'q' },
    });
    const { status, code, type, title, detail, request_id } = toProblem(error, 'r');
    assert.deepEqual(
      [status, code, type, title, detail, request_id],
      [409, 'conflict', 'urn:onair:error:conflict', 'Conflict', 'No.', 'r'],
    );
  });
});

describe('collections', () => {
  it('collections index what is unique, so that it can be looked up', () => {
    for (const [name, { unique, indexed }] of Object.entries(COLLECTIONS)) {
      const missing = unique.flat().filter((field) => !(indexed as readonly string[]).includes(field));
      assert.deepEqual(missing, [], name);
    }
  });
});
