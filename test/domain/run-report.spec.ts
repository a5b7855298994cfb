/** The spans that viewers missed, out of the events of a broadcast: each cause by its own events, with its seconds. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runOf, runReport, type ReportFacts } from '../../domain/rules/reports/run-report.ts';
import type { EventKind, LivestreamEvent } from '../../domain/shapes/installation/event.ts';
import type { Missed, WholeReport } from '../../domain/shapes/reports/run-report.ts';

/** The instant some seconds after 20:00. */
const at = (seconds: number): string => new Date(Date.UTC(2026, 10, 28, 20) + seconds * 1000).toISOString();
type Happened = [seconds: number, kind: EventKind, data?: LivestreamEvent['data'], message?: string];

const START: Happened[] = [
  [0, 'start_requested', { runId: 'a', user: 'anna' }, 'anna started "Show".'],
  [5, 'started', { runId: 'a' }],
];
const END: Happened[] = [
  [600, 'stop_requested', { runId: 'a', user: 'bob' }, 'bob stopped "Show".'],
  [602, 'stopped', { runId: 'a' }],
];
const path = { publishingId: 4, path: 'primary' };

function eventsOf(happened: readonly Happened[]): LivestreamEvent[] {
  return happened.map(([seconds, kind, data = {}, message = `${kind}.`], index) => {
    const severity = kind.endsWith('lost') ? 'warning' : 'info';
    return { id: index + 1, at: at(seconds), livestreamId: 1, kind, severity, message, data };
  });
}

function reportOf(
  happened: readonly Happened[],
  { events = eventsOf(happened), ...facts }: Partial<ReportFacts> = {},
): WholeReport {
  const run = runOf(events[0]!, events);
  const none = { orders: [], actions: [], occurrences: [], recordings: [], audience: [] };
  const time = { from: run.started_at, to: run.ended_at ?? at(700), run };
  const names = new Map([[4, 'Web']]);
  return runReport({ livestream: { id: 1, name: 'Show' }, zone: 'UTC', ...time, events, names, ...none, ...facts });
}

const during = (...happened: Happened[]): WholeReport => reportOf([...START, ...happened, ...END]);
const short = ({ what, from, to, seconds }: Missed): unknown[] => [
  what,
  ...[from, to].map((instant) => (Date.parse(instant) - Date.parse(at(0))) / 1000),
  seconds,
];

describe('what viewers missed', () => {
  const cases: [title: string, happened: Happened[], missed: unknown[][]][] = [
    [
      'a lost source, until it is back',
      [
        [60, 'source_lost'],
        [94, 'source_restored'],
      ],
      [['fallback', 60, 94, 34]],
    ],
    [
      'a lost source, from its last picture on',
      [
        [61, 'source_lost', { since: at(60) }],
        [70, 'source_restored'],
      ],
      [['fallback', 60, 70, 10]],
    ],
    [
      'a lost source that is copied',
      [
        [60, 'source_lost', { copied: true }],
        [70, 'source_restored'],
      ],
      [['nothing', 60, 70, 10]],
    ],
    [
      'a lost source, until another one is on air',
      [
        [60, 'source_lost'],
        [63, 'source_switched'],
      ],
      [['fallback', 60, 63, 3]],
    ],
    [
      'a lost source, until the backup is on air',
      [
        [60, 'source_lost'],
        [62, 'failover', { from: 1, to: 2 }],
      ],
      [['fallback', 60, 62, 2]],
    ],
    ['a lost source that stays so', [[590, 'source_lost']], [['fallback', 590, 602, 12]]],
    [
      'a black picture, from before it was happened',
      [
        [65, 'black', { seconds: 5 }],
        [80, 'black_ended', { seconds: 20 }],
      ],
      [['black', 60, 80, 20]],
    ],
    [
      'silence that a lost source ends',
      [
        [65, 'silence', { seconds: 5 }],
        [70, 'source_lost'],
        [75, 'source_restored'],
      ],
      [
        ['silence', 60, 70, 10],
        ['fallback', 70, 75, 5],
      ],
    ],
    [
      'a killed encoder',
      [
        [60, 'encoder_stalled', { silentMs: 900 }],
        [61, 'encoder_restarted', { gapSeconds: 1.2, lostPictures: 30 }],
      ],
      [['nothing', 59.8, 61, 1.2]],
    ],
    [
      'an encoder whose successor had to catch up',
      [[63, 'encoder_restarted', { gapSeconds: 1.2, lostPictures: 30, since: at(60) }]],
      [['nothing', 60, 61.2, 1.2]],
    ],
    [
      'a source that broke for a moment',
      [
        [61, 'source_gap', { breaks: 1, since: at(60), seconds: 0.6 }],
        [80, 'source_gap', { breaks: 1, since: at(78), seconds: 0.5, soundOnly: true }],
        [90, 'source_gap', { segments: 1 }],
      ],
      [
        ['frozen', 60, 60.6, 0.6],
        ['silence', 78, 78.5, 0.5],
      ],
    ],
    ['a killed runner', [[60, 'encoder_restarted', { runner: true, onAirSeconds: 2.5 }]], [['nothing', 57.5, 60, 2.5]]],
    ['a machine that stood still', [[60, 'encoder_stalled', { standstillSeconds: 7 }]], [['nothing', 53, 60, 7]]],
    [
      'a Device that was silent',
      [
        [75, 'device_lost', { away_since: at(60) }],
        [90, 'device_returned'],
      ],
      [['not_known', 60, 90, 30]],
    ],
    [
      'a Device that lost the run',
      [
        [60, 'encoder_restarted', { runId: 'a' }],
        [64, 'destination_up', path],
      ],
      [['nothing', 60, 64, 4]],
    ],
    [
      'a Destination that is down',
      [
        [60, 'destination_down', path],
        [61, 'destination_retrying', path],
        [72, 'destination_up', path],
      ],
      [['nothing', 60, 72, 12]],
    ],
    [
      'a Destination that stayed up for some seconds before that was told',
      [
        [60, 'destination_down', path],
        [77, 'destination_up', { ...path, since: at(72) }],
      ],
      [['nothing', 60, 72, 12]],
    ],
    [
      'a Destination that is switched off',
      [
        [60, 'destination_down', path],
        [62, 'runtime_changed', { paths: [{ publishingId: 4, primary: false }] }],
      ],
      [['nothing', 60, 62, 2]],
    ],
    [
      'a blackout that was ordered',
      [
        [60, 'runtime_changed', { blackout: 'Black Frame' }],
        [75, 'runtime_changed', { blackout: 'Live' }],
      ],
      [['ordered_black', 60, 75, 15]],
    ],
    ['a source that gave nothing before the broadcast was on air', [], []],
  ];
  for (const [title, happened, missed] of cases)
    it(`${title} is a span from its beginning to its end`, () => {
      assert.deepEqual(during(...happened).missed.map(short), missed);
    });

  it('a source that is missing at the start is missed from the first picture on', () => {
    const happened: Happened[] = [START[0]!, [2, 'source_lost'], START[1]!, [15, 'source_restored'], ...END];
    assert.deepEqual(reportOf(happened).missed.map(short), [['fallback', 5, 15, 10]]);
  });

  it('two faults at once count once for all viewers, and what some had or was ordered does not count', () => {
    const report = during(
      [30, 'runtime_changed', { blackout: 'Black Frame' }],
      [40, 'runtime_changed', { blackout: 'Live' }],
      [60, 'destination_down', path],
      [60, 'source_lost'],
      [65, 'encoder_restarted', { gapSeconds: 2, lostPictures: 50 }],
      [70, 'source_restored'],
      [80, 'destination_up', path],
    );
    assert.equal(report.missed_seconds, 10);
    assert.deepEqual(report.destinations, [{ publishingId: 4, name: 'Web', outages: 1, down_seconds: 20 }]);
  });

  it('a Destination with two paths is down while neither takes the stream', () => {
    const backup = { ...path, path: 'backup' };
    const happened: Happened[] = [
      [10, 'destination_up', path],
      [10, 'destination_up', backup],
      [60, 'destination_down', path],
      [70, 'destination_down', backup],
      [75, 'destination_up', backup],
      [90, 'destination_up', path],
    ];
    assert.equal(during(...happened).destinations[0]?.down_seconds, 5);
  });

  it('an encoder that stood still is the cause of the gap before its successor, and not of the next one', () => {
    const { missed } = during(
      [60, 'encoder_stalled', { silentMs: 900 }, 'It gave nothing.'],
      [61, 'encoder_restarted', { gapSeconds: 1.2, lostPictures: 30 }, 'It was replaced.'],
      [90, 'encoder_restarted', { gapSeconds: 0.5, lostPictures: 4 }, 'It ended.'],
    );
    assert.deepEqual(
      missed.map(({ cause, message, pictures }) => [cause, message, pictures]),
      [
        ['encoder_stalled', 'It gave nothing. It was replaced.', 30],
        ['encoder_restarted', 'It ended.', 4],
      ],
    );
  });

  it('pictures that were dropped while the encoder was behind are happened with the end', () => {
    const [span] = during([60, 'behind', { since: at(50) }], [80, 'behind_ended', { dropped: 120 }]).missed;
    assert.deepEqual([span?.what, span?.pictures, span?.seconds], ['few_pictures', 120, 30]);
  });

  it('the events say when they began where they were listed later', () => {
    const { timeline } = during([62, 'adopted', { since: at(60), seconds: 2 }], [63, 'source_gap', { since: 'then' }]);
    const listed = timeline.filter(({ kind }) => kind === 'adopted' || kind === 'source_gap');
    assert.deepEqual(
      listed.map((event) => [event.at, event.since]),
      [
        [at(62), at(60)],
        [at(63), null],
      ],
    );
  });

  it('a report of a part of a run counts what is in it, and says what goes on', () => {
    const events = eventsOf([...START, [60, 'source_lost']]);
    const run = runOf(events[0]!, events);
    const report = reportOf([...START, [60, 'source_lost']], { events, run, from: at(100), to: at(130) });
    assert.deepEqual([report.missed_seconds, report.missed[0]?.from, report.missed[0]?.is_over], [30, at(60), false]);
    assert.deepEqual(report.timeline, []);
  });
});

describe('the verdict', () => {
  it('the verdict says when it was on air, who ordered it by which API, and the longest faults with their reasons', () => {
    const call = { id: 1, at: at(0), user: 'anna', token_kid: 'k', via: 'mcp', operation: 'startLivestream' } as const;
    const rest = { resource: 'Live streams', resource_id: 1, outcome: 'ok', request_id: 'r', changed: [] };
    const events = eventsOf([
      ...START,
      [60, 'source_lost', {}, 'Channel "Cam" gives no more pictures.'],
      [94, 'source_restored'],
      ...END,
    ]);
    const { verdict } = reportOf([], { events, zone: 'Europe/Zurich', orders: [{ ...call, ...rest }] });
    assert.equal(
      verdict,
      '"Show" was on air from 2026-11-28 21:00:05 to 21:10:02 (Europe/Zurich), 9 min 57 s. ' +
        '21:00:00: anna started "Show" (by MCP). 21:10:00: bob stopped "Show". ' +
        'All viewers missed the programme once, 34 s together. ' +
        'From 21:01:00 to 21:01:34 (34 s) viewers had the fallback in place of the source: Channel "Cam" gives no more pictures.',
    );
  });

  it('the verdict of a run without a fault says so, and that of one that never was on air says why', () => {
    assert.match(during().verdict, /Viewers missed nothing that the log knows of\.$/u);
    const failed = reportOf([START[0]!, [9, 'start_failed', { runId: 'a' }, 'The start failed: no route.']]);
    assert.match(failed.verdict, /did not come on air.*The start failed: no route\. There was nothing to miss\.$/u);
  });
});
