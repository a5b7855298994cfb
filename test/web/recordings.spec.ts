import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { takeMessages } from '../../web/event-stream.ts';
import {
  clipFileName,
  flawIn,
  lastSeconds,
  markedIn,
  markedOut,
  spanOf,
} from '../../web/pages/recordings/cutting/marks.ts';
import { parseTimeCode, timeCode } from '../../web/pages/recordings/cutting/time-code.ts';
import { linesOf, scaleOf, ticksOf } from '../../web/pages/recordings/list/lines.ts';
import { partAt, partsOf } from '../../web/pages/recordings/player/media-parts.ts';
import { runMarks } from '../../web/pages/recordings/player/run-marks.ts';
import { nextSpeed } from '../../web/pages/recordings/player/shuttle.ts';

describe('time codes of the Recordings page', () => {
  it('a time is shown in hours, minutes, seconds and hundredths', () => {
    assert.deepEqual([0, 724.2, 3599.999, 36_000].map(timeCode), [
      '0:00:00.00',
      '0:12:04.20',
      '0:59:59.99',
      '10:00:00.00',
    ]);
  });

  it('hundredths never point behind the frame that is meant', () => {
    for (const fps of [24, 25, 30, 50, 60, 24_000 / 1001, 30_000 / 1001, 60_000 / 1001])
      for (let frame = 0; frame < 500; frame += 1) {
        const instant = Math.round((frame / fps) * 1e6) / 1e6;
        const typed = parseTimeCode(timeCode(instant))!;
        assert.ok(typed <= instant + 1e-5 && typed > instant - 1 / fps, `frame ${frame} at ${fps}: ${typed}`);
      }
  });

  it('what is typed is read in all usual forms', () => {
    const forms = ['0:12:04.20', '12:04.2', '724.2', '724,2', ' 00:12:04.200 '];
    assert.deepEqual(
      forms.map(parseTimeCode),
      forms.map(() => 724.2),
    );
    assert.deepEqual(['', 'soon', '1:60', '1:61:00', '-1', '1:2:3:4', '12:345'].map(parseTimeCode), [
      ...Array.from({ length: 7 }, () => undefined),
    ]);
  });

  it('every time that is shown is read as the same time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 360_000_00 }), (hundredths) => {
        assert.equal(timeCode(parseTimeCode(timeCode(hundredths / 100))!), timeCode(hundredths / 100));
      }),
      { seed: 1 },
    );
  });
});

describe('marks of a cut', () => {
  it('a mark in behind the mark out takes the mark out away, and the other way round', () => {
    assert.deepEqual(markedIn({ in: '', out: '0:00:04.00' }, 2), { in: '0:00:02.00', out: '0:00:04.00' });
    assert.deepEqual(markedIn({ in: '', out: '0:00:04.00' }, 4), { in: '0:00:04.00', out: '' });
    assert.deepEqual(markedOut({ in: '0:00:04.00', out: '' }, 3), { in: '', out: '0:00:03.00' });
  });

  it('what is missing or the wrong way round is told at its field', () => {
    assert.deepEqual(flawIn({ in: '', out: '4' }, 10), { field: 'in', kind: 'unreadable' });
    assert.deepEqual(flawIn({ in: '2', out: 'x' }, 10), { field: 'out', kind: 'unreadable' });
    assert.deepEqual(flawIn({ in: '2', out: '2' }, 10), { field: 'out', kind: 'order' });
    assert.deepEqual(flawIn({ in: '11', out: '12' }, 10), { field: 'in', kind: 'beyond' });
    assert.equal(flawIn({ in: '2', out: '3' }, undefined), undefined);
    assert.equal(spanOf({ in: '3', out: '2' }), undefined);
    assert.deepEqual(spanOf({ in: '2', out: '3.5' }), { in: 2, out: 3.5 });
  });

  it('the last seconds of a Recording that is still written end some seconds ago', () => {
    assert.deepEqual(lastSeconds(65, 30), { in: '0:00:30.00', out: '0:01:00.00' });
    assert.deepEqual(lastSeconds(3, 30), { in: '0:00:00.00', out: '0:00:00.00' });
  });

  it('a clip gets the ending of its format, and none where the server names it', () => {
    assert.deepEqual([' goal ', 'goal.MP4', ' '].map(clipFileName), ['goal.mp4', 'goal.MP4', undefined]);
  });
});

describe('playing a Recording', () => {
  it('J K L go faster with each press, and the other key slows down before it turns', () => {
    const press = (keys: string): number =>
      [...keys].reduce((speed, key) => nextSpeed(speed, key as 'J' | 'K' | 'L'), 0);
    assert.deepEqual(['L', 'LL', 'LLLLLL', 'LLJ', 'LLJJ', 'LLJJJ', 'JJ', 'JJK'].map(press), [1, 2, 8, 1, 0, -1, -2, 0]);
  });

  it('several files are one time line', () => {
    const parts = partsOf([10, 5.5, 20]);
    assert.deepEqual(
      parts.map(({ begins }) => begins),
      [0, 10, 15.5],
    );
    assert.deepEqual(
      [0, 9.99, 10, 15.5, 99].map((at) => partAt(parts, at)?.number),
      [1, 1, 2, 3, 3],
    );
  });

  it('events of the run are marks at their second; those outside, and those that say nothing of the picture, are none', () => {
    const at = (second: number): string => new Date(Date.parse('2026-01-01T00:00:00Z') + second * 1000).toISOString();
    const events = [
      { id: 5, at: at(70), kind: 'source_lost', message: 'beyond' },
      { id: 4, at: at(30), kind: 'runtime_changed', severity: 'info', message: 'break', data: { change: 'cue' } },
      { id: 3, at: at(20), kind: 'source_switched', severity: 'info', message: 'switched' },
      { id: 2, at: at(10), kind: 'source_lost', severity: 'warning', message: 'lost' },
      { id: 1, at: at(5), kind: 'destination_up', severity: 'info', message: 'up' },
      { id: 0, at: at(-3), kind: 'source_lost', message: 'before' },
    ];
    assert.deepEqual(
      runMarks(events, at(0), 60).map(({ seconds, shape, message }) => [seconds, shape, message]),
      [
        [10, 'fault', 'lost'],
        [20, 'switch', 'switched'],
        [30, 'cue', 'break'],
      ],
    );
  });
});

describe('Recordings as bars', () => {
  const row = (id: number, livestreamId: number, begin: string, end: string | null) => ({
    id,
    livestreamId,
    livestream_name: `Studio ${livestreamId}`,
    name: `${id}`,
    status: end === null ? 'recording' : 'finished',
    started_at: `2026-01-01T${begin}:00Z`,
    ended_at: end === null ? null : `2026-01-01T${end}:00Z`,
  });
  const now = Date.parse('2026-01-01T12:00:00Z');

  it('each stream has a line, in the order of people, and one that is still written ends now', () => {
    const rows = [row(1, 10, '08:00', '09:00'), row(2, 2, '10:00', null), row(3, 10, '10:00', '11:00')];
    const scale = scaleOf(rows, now)!;
    const lines = linesOf(rows, scale, now);
    assert.deepEqual(
      lines.map(({ name, bars }) => [name, bars.map(({ id }) => id)]),
      [
        ['Studio 2', [2]],
        ['Studio 10', [1, 3]],
      ],
    );
    const [open] = lines[0]!.bars;
    assert.ok(Math.abs(open!.from + open!.width - (now - scale.from) / (scale.to - scale.from)) < 1e-9);
    assert.equal(scaleOf([], now), undefined);
  });

  it('a bar is never too thin to be hit, and never leaves its line', () => {
    const rows = [row(1, 1, '00:00', '00:01'), row(2, 1, '11:59', '12:00')];
    for (const { from, width } of linesOf(rows, scaleOf(rows, now)!, now)[0]!.bars) {
      assert.ok(width >= 0.006);
      assert.ok(from >= 0 && from + width <= 1);
    }
  });

  it('the axis has whole steps of the zone, and few enough to be read', () => {
    const scale = { from: Date.parse('2026-01-01T00:10:00Z'), to: Date.parse('2026-01-02T00:10:00Z') };
    const ticks = ticksOf(scale, 8, 5.5 * 3_600_000);
    assert.ok(ticks.length <= 9 && ticks.length >= 4);
    for (const tick of ticks) assert.equal((tick + 5.5 * 3_600_000) % 3_600_000, 0);
  });
});

describe('events in pieces of a stream', () => {
  it('whole events are read, comments are passed over, and what is not whole waits', () => {
    const text = ': keepalive\n\nevent: progress\ndata: {"progress":1}\n\nevent: answer\ndata: {"da';
    assert.deepEqual(takeMessages('', text), {
      messages: [{ event: 'progress', data: '{"progress":1}' }],
      rest: 'event: answer\ndata: {"da',
    });
  });
});
