import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clipFile, secondsOf, timeText } from '../../web/pages/on-air/clips/clip-times.ts';
import { arranged, moved, sizeFor, WALL_GAP, type WallSpace } from '../../web/pages/on-air/arrange.ts';
import { heardOf } from '../../web/pages/on-air/solo/heard.ts';
import { nextRows } from '../../web/pages/on-air/side/next-rows.ts';
import { FigureHistory } from '../../web/live/histories.ts';
import { unknownStatus } from '../../web/live/status.ts';
import { beforeIn } from '../../web/pages/on-air/acts/source-before.ts';

describe('the order of the tiles', () => {
  const streams = [
    { id: 1, name: 'Studio 10', device: 'enc2', slot: 1 },
    { id: 2, name: 'Studio 2', device: 'enc10', slot: 2 },
    { id: 3, name: 'Arena', device: 'enc10', slot: 1 },
  ];

  it('is by name with numbers as numbers, by Device and slot, or by hand with new ones behind', () => {
    assert.deepEqual(arranged(streams, 'name', []), [3, 2, 1]);
    assert.deepEqual(arranged(streams, 'device', []), [1, 3, 2]);
    assert.deepEqual(arranged(streams, 'hand', [1, 99]), [1, 3, 2]);
  });

  it('is changed by hand one place at a time, and not beyond the ends', () => {
    assert.deepEqual(moved([3, 2, 1], 2, 1), [3, 1, 2]);
    assert.deepEqual(moved([3, 2, 1], 2, -1), [2, 3, 1]);
    assert.deepEqual(moved([3, 2, 1], 3, -1), [3, 2, 1]);
  });
});

describe('the size of the tiles', () => {
  it('is the largest at which all are whole on the screen, and the least where they never are', () => {
    const screens = { small: { width: 832, height: 514, least: 190 }, large: { width: 1472, height: 790, least: 190 } };
    const columns = (count: number, { width, ...rest }: WallSpace): number =>
      Math.floor((width + WALL_GAP) / (sizeFor(count, { width, ...rest }).width + WALL_GAP));
    assert.deepEqual(
      [1, 2, 4, 6, 8, 9, 200].map((count) => columns(count, screens.small)),
      [2, 2, 4, 4, 4, 4, 4],
    );
    assert.deepEqual(
      [1, 4, 9, 200].map((count) => columns(count, screens.large)),
      [2, 4, 5, 7],
    );
    assert.equal(sizeFor(9, { ...screens.small, width: 100 }).width, 100);
  });
});

describe('times within a Recording', () => {
  it('are written and read as hours, minutes, seconds and hundredths', () => {
    for (const seconds of [0, 0.2, 59.99, 724.2, 3600, 36_061.5]) assert.equal(secondsOf(timeText(seconds)), seconds);
    assert.equal(timeText(724.2), '0:12:04.20');
    assert.equal(secondsOf('12:04'), 724);
    for (const text of ['', 'x', '1:2:3:4', '-1']) assert.equal(secondsOf(text), undefined, text);
  });
});

describe('the file of a clip', () => {
  it('ends in .mp4, whether the name says so or not', () => {
    assert.deepEqual([' goal ', 'goal.mp4', 'goal.MP4'].map(clipFile), ['goal.mp4', 'goal.mp4', 'goal.MP4']);
  });
});

describe('what is next', () => {
  it('has starts, ends and planned actions of six hours in the order of their time, and nothing that is over', () => {
    const now = Date.parse('2026-11-23T20:00:00Z');
    const at = (minutes: number): string => new Date(now + minutes * 60_000).toISOString();
    const occurrence = (state: 'planned' | 'on_air' | 'skipped', from: number, to: number) => {
      const local = { start_local: at(from), end_local: at(to), timezone: 'UTC' };
      return { scheduleId: 1, livestreamId: 1, start: at(from), end: at(to), ...local, state };
    };
    const action = (id: number, status: 'pending' | 'executed', minutes: number) => {
      const dates = { created_at: at(0), updated_at: at(0), execute_at: at(minutes) };
      return {
        id,
        livestreamId: 1,
        type: 'logo' as const,
        payload: {},
        scheduleId: null,
        at: null,
        status,
        error: null,
        created_by: 'ana',
        ...dates,
      };
    };
    const rows = nextRows(
      [
        occurrence('planned', 60, 90),
        occurrence('on_air', -30, 30),
        occurrence('skipped', 10, 20),
        occurrence('planned', 400, 500),
      ],
      [action(1, 'pending', 45), action(2, 'executed', 5)],
      now,
    );
    assert.deepEqual(
      rows.map(({ kind, at: instant }) => [kind, (instant - now) / 60_000]),
      [
        ['end', 30],
        ['action', 45],
        ['start', 60],
      ],
    );
  });
});

describe('what was measured', () => {
  it('keeps ten minutes, newest last, and a mean only once there is enough', () => {
    const history = new FigureHistory();
    const add = (value: number): void =>
      history.add(value * 1000, { fps: value, kbps: 0, outKbps: 0, speed: 1, dropped: 0 });
    for (let second = 1; second <= 9; second += 1) add(second);
    for (let second = 10; second <= 700; second += 1) add(second);
    assert.deepEqual(history.last('fps', 3), [698, 699, 700]);
    assert.deepEqual([history.instants(600)[0], history.last('fps', 1000).length], [101_000, 600]);
  });

  it('figures of before the page was opened come before its own, and none is there twice', () => {
    const figuresOf = (fps: number) => ({ fps, kbps: 0, outKbps: 0, speed: 1, dropped: 0 });
    const history = new FigureHistory();
    for (const second of [100, 101]) history.add(second * 1000, figuresOf(second));
    history.addEarlier([98, 99, 100, 101].map((second) => ({ at: second * 1000, figures: figuresOf(-second) })));
    assert.deepEqual(history.last('fps', 600), [-98, -99, 100, 101]);
    assert.deepEqual(history.instants(600), [98_000, 99_000, 100_000, 101_000]);
    history.addEarlier(Array.from({ length: 700 }, (_, at) => ({ at, figures: figuresOf(0) })));
    assert.deepEqual([history.last('fps', 1000).length, history.last('fps', 1)], [600, [101]]);
  });
});

describe('the source before', () => {
  const event = (id: number, kind: string, from: number, to: number, livestreamId = 1) => ({
    id,
    at: '2026-11-29T20:00:00Z',
    livestreamId,
    kind,
    severity: 'info' as const,
    message: '',
    data: { from, to },
  });
  const onAir = (source: number) => ({
    ...unknownStatus(1),
    runtime: { logo: null, blackout: 'Live' as const, text: null, source },
  });

  it('is that which the last switch has taken off, by whomever, or the backup, where it can be switched to', () => {
    const switchable = new Set([3, 4]);
    const before = (events: Parameters<typeof beforeIn>[0], present: number, left?: number) =>
      beforeIn(events, onAir(present), { left, switchable });
    const events = [
      event(1, 'source_switched', 4, 3),
      event(2, 'failover', 3, 4),
      event(3, 'source_switched', 9, 8, 2),
    ];
    assert.equal(before(events, 4), 3);
    assert.equal(before(events, 3), undefined, 'what is known is of another switch');
    assert.equal(before(events, 3, 4), 4, 'this window has ordered the last one');
    assert.equal(before([event(1, 'source_switched', 5, 3)], 3), undefined, 'a file cannot be switched to');
    assert.equal(before([], 3), undefined);
  });
});

describe('what is heard on the page', () => {
  const delivered = (publishingId: number, type: string, enabled = true) =>
    ({ publishingId, type, primary: { enabled } }) as never;
  const row = (id: number, settings: object, drm: object | null = null) => ({ id, drm, settings });

  it('is a Destination with low latency where there is one, and none that is encrypted, off or elsewhere', () => {
    const usual = delivered(1, 'HLS / TS');
    const quick = delivered(2, 'CMAF');
    const rows = [row(1, {}), row(2, { low_latency: true })];
    assert.equal(heardOf([usual, quick], rows), 2);
    assert.equal(heardOf([usual], rows), 1);
    assert.equal(heardOf([usual, quick], [row(1, {}), row(2, { low_latency: true }, {})]), 1);
    assert.equal(heardOf([usual, quick], [row(1, {}), row(2, { low_latency: true, url: 'https://a.example' })]), 1);
    assert.equal(heardOf([usual, delivered(2, 'CMAF', false)], rows), 1);
    assert.equal(heardOf([delivered(2, 'RTMP')], rows), undefined);
  });
});
