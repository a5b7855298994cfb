/** Health as a table: what holds, since when, and which state it makes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { attentionAfter, linesOf, type AttentionRow } from '../../web/live/attention-rows.ts';
import { conditionsAfter, type Conditions } from '../../web/live/conditions.ts';
import { healthOf, type Trouble } from '../../web/live/health.ts';
import { levelsOf, measuredNow } from '../../web/live/measured.ts';
import { stationZone } from '../../web/shown-zone.ts';
import { describe as wordsOf } from '../../web/pages/on-air/tile/describe.ts';
import { helpsAgainst } from '../../web/pages/on-air/side/helps.ts';
import type { LivestreamStatus, Path, Publishing, Rates } from '../../web/live/status.ts';

const NOW = Date.parse('2026-11-23T20:14:00Z');
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();

const path = (state: Path['state'], seconds: number, more: Partial<Path> = {}): Path => ({
  enabled: true,
  state,
  since: ago(seconds),
  down_since: state === 'up' || state === 'idle' ? null : ago(seconds),
  attempts: 0,
  next_retry_at: null,
  last_error: null,
  refused: false,
  ...more,
});
const destination = (primary: Path, backup: Path | null = null): Publishing => ({
  publishingId: 7,
  name: 'YouTube',
  type: 'RTMP',
  primary,
  backup,
  notes: [],
});

function status(more: Partial<LivestreamStatus> = {}): LivestreamStatus {
  return {
    livestreamId: 1,
    name: 'Studio 1',
    status: 2,
    errorstatus: null,
    since: ago(100),
    uptime_seconds: 100,
    deviceId: 1,
    slot: 1,
    source: { channelId: 1, state: 'up', fps: 25, bitrate_kbps: 1000, last_frame_at: ago(0), ingest: null },
    encodings: [],
    publishings: [destination(path('up', 90))],
    conditions: [],
    source_watched: true,
    lost_seconds: 5,
    runtime: { logo: null, blackout: 'Live', text: null, source: null },
    viewers: null,
    recordingId: null,
    recording_on_request: false,
    scheduleId: null,
    on_air: true,
    device_lost_since: null,
    ...more,
  };
}

const faulty = (kind: 'silence' | 'black' | 'frozen', seconds: number): LivestreamStatus['conditions'] => [
  { kind, since: ago(seconds) },
];

interface Row {
  says: string;
  status?: Partial<LivestreamStatus>;
  conditions?: Conditions;
  online?: boolean;
  warning?: { since: number; message: string };
  latePictureSince?: number;
  state: string;
  /** Reason and seconds since when. */
  troubles: [string, number | undefined][];
}

const source = (state: 'up' | 'lost', seconds: number): Partial<LivestreamStatus> => ({
  source: { channelId: 1, state, fps: 0, bitrate_kbps: 0, last_frame_at: ago(seconds), ingest: null },
});
const since = (seconds: number): number => NOW - seconds * 1000;

const TABLE: Row[] = [
  { says: 'all is well', state: 'on-air', troubles: [] },
  { says: 'off is no trouble', status: { status: 0 }, state: 'off', troubles: [] },
  { says: 'a start is under way', status: { status: 1 }, state: 'starting', troubles: [] },
  {
    says: 'status 3 has failed',
    status: { status: 3, errorstatus: 'no source' },
    state: 'failed',
    troubles: [['failed', 100]],
  },
  {
    says: 'a source that is lost for 4 s comes back by itself',
    status: source('lost', 4),
    state: 'on-air',
    troubles: [],
  },
  {
    says: 'a source that is lost for 5 s is a fault',
    status: source('lost', 5),
    state: 'failing',
    troubles: [['source_lost', 5]],
  },
  {
    says: 'a Live stream has its own time until a loss is a fault',
    status: { ...source('lost', 59), lost_seconds: 60 },
    state: 'on-air',
    troubles: [],
  },
  {
    says: 'a loss that is not watched is no fault',
    status: { ...source('lost', 600), lost_seconds: 0 },
    state: 'on-air',
    troubles: [],
  },
  {
    says: 'an encoder that has never called is waited for',
    status: {
      source: { ...source('lost', 0).source!, last_frame_at: null, ingest: { url: 'rtmp://h/live' } as never },
    },
    state: 'warning',
    troubles: [['source_awaited', 100]],
  },
  {
    says: 'a source that is fetched and has never come is a fault, and not lost',
    status: { source: { ...source('lost', 0).source!, last_frame_at: null } },
    state: 'failing',
    troubles: [['source_awaited', 100]],
  },
  {
    says: 'a Device that is offline is a fault',
    online: false,
    state: 'failing',
    troubles: [['device_offline', undefined]],
  },
  {
    says: 'its only path retries for 4 s',
    status: { publishings: [destination(path('retrying', 4))] },
    state: 'on-air',
    troubles: [],
  },
  {
    says: 'no path is up for 5 s',
    status: { publishings: [destination(path('retrying', 5))] },
    state: 'failing',
    troubles: [['no_path', 5]],
  },
  {
    says: 'a path that tries again is down since it went, on each page',
    status: { publishings: [destination(path('connecting', 1, { down_since: ago(90), attempts: 2 }))] },
    state: 'failing',
    troubles: [['no_path', 90]],
  },
  {
    says: 'a Device of an earlier version tells an outage by the attempts alone',
    status: { publishings: [destination(path('connecting', 1, { down_since: null, attempts: 4 }))] },
    state: 'failing',
    troubles: [['no_path', 1]],
  },
  {
    says: 'neither path is up: the Destination is gone since the last one went',
    status: { publishings: [destination(path('retrying', 60), path('failed', 20))] },
    state: 'failing',
    troubles: [['no_path', 20]],
  },
  {
    says: 'a backup retries for 5 s beside a primary that is up',
    status: { publishings: [destination(path('up', 60), path('retrying', 5))] },
    state: 'warning',
    troubles: [['path_retrying', 5]],
  },
  {
    says: 'a failed backup is told at once',
    status: { publishings: [destination(path('up', 60), path('failed', 1))] },
    state: 'warning',
    troubles: [['path_failed', 1]],
  },
  {
    says: 'a path that is switched off is no trouble',
    status: { publishings: [destination(path('idle', 60, { enabled: false }))] },
    state: 'on-air',
    troubles: [],
  },
  { says: 'slow for 9 s', conditions: { slow: since(9) }, state: 'on-air', troubles: [] },
  { says: 'slow for 10 s', conditions: { slow: since(10) }, state: 'warning', troubles: [['slow', undefined]] },
  {
    says: 'a broadcast that falls behind, in one line',
    conditions: { slow: since(20), dropped: since(0) },
    status: { conditions: [{ kind: 'behind', since: ago(7), fps: 14, wanted_fps: 30, remedy: 'Stop another.' }] },
    state: 'warning',
    troubles: [['behind', 7]],
  },
  {
    says: 'a source that is short of pictures, since the instant of the server',
    status: { conditions: [{ kind: 'low_fps', since: ago(12), fps: 22, wanted_fps: 30 }] },
    state: 'warning',
    troubles: [['low_fps', 12]],
  },
  {
    says: 'dropped frames are told at once',
    conditions: { dropped: since(0) },
    state: 'warning',
    troubles: [['dropped', undefined]],
  },
  { says: 'a black picture', status: { conditions: faulty('black', 6) }, state: 'warning', troubles: [['black', 6]] },
  {
    says: 'a still picture, also under a blackout of ours',
    status: { conditions: faulty('frozen', 6), runtime: { ...status().runtime, blackout: 'Black Frame' } },
    state: 'warning',
    troubles: [['frozen', 6]],
  },
  { says: 'a late picture', latePictureSince: since(2), state: 'warning', troubles: [['late_picture', 2]] },
  {
    says: 'a start to come that would fail, of a stream that is off',
    status: { status: 0 },
    warning: { since: since(30), message: 'no slot' },
    state: 'off',
    troubles: [['schedule_warning', 30]],
  },
  {
    says: 'a fault stands before a warning',
    status: { ...source('lost', 8), conditions: faulty('silence', 12) },
    state: 'failing',
    troubles: [
      ['source_lost', 8],
      ['silent', 12],
    ],
  },
];

describe('health of a Live stream', () => {
  for (const row of TABLE)
    it(row.says, () => {
      const health = healthOf({
        stream: { status: status(row.status) },
        conditions: row.conditions ?? {},
        device: { name: 'enc1', online: row.online ?? true },
        now: NOW,
        warning: row.warning,
        latePictureSince: row.latePictureSince,
      });
      assert.equal(health.state, row.state);
      assert.deepEqual(
        health.troubles.map((trouble) => [
          trouble.reason,
          trouble.since === undefined ? undefined : (NOW - trouble.since) / 1000,
        ]),
        row.troubles,
      );
    });

  it('speed below 0.97 holds since it began', () => {
    const sample = { at: 1000, speed: 0.96, dropped: 0 };
    const first = conditionsAfter({}, sample);
    const later = conditionsAfter(first, { ...sample, at: 5000 });
    assert.equal(later.slow, 1000);
    assert.equal(conditionsAfter(later, { ...sample, at: 6000, speed: 0.97 }).slow, undefined);
  });

  it('a broadcast is on air since its own beginning, and a trouble has one of its own', () => {
    const lost = { ...source('lost', 8), since: ago(3600) };
    const health = healthOf({ stream: { status: status(lost) }, conditions: {}, device: undefined, now: NOW });
    assert.deepEqual([health.state, health.since, health.troubles[0]?.since], ['failing', since(3600), since(8)]);
  });

  it('its words tell both beginnings, and one where they are the same', () => {
    stationZone.value = 'UTC';
    const lost = { ...source('lost', 8), since: ago(3600) };
    const parts = { conditions: {}, device: undefined, now: NOW };
    const text = (more: Partial<LivestreamStatus>, unknownSince?: number): string =>
      wordsOf(healthOf({ stream: { status: status(more) }, ...parts, unknownSince }));
    assert.equal(text({}), 'On air since 20:12:20');
    assert.equal(text(lost), 'Failing, on air since 19:14:00: source lost since 20:13:52');
    assert.equal(text({ status: 3, errorstatus: 'x' }), 'Failed since 20:12:20: the broadcast has failed (x)');
    assert.equal(text(lost, since(4)), 'Not known since 20:13:56');
  });

  it('nothing is known of any state while nothing is heard', () => {
    for (const number of [0, 1, 2, 3] as const) {
      const stream = { status: status({ status: number, ...source('lost', 60) }) };
      const parts = { stream, conditions: {}, device: { name: 'enc1', online: false }, now: NOW };
      const health = healthOf({ ...parts, unknownSince: since(4) });
      assert.deepEqual(health, { state: 'unknown', since: since(4), troubles: [] }, `status ${number}`);
      assert.notEqual(healthOf(parts).state, 'unknown');
    }
  });
});

describe('what is measured', () => {
  const rates = (seconds: number, peak: number | null): Rates => {
    const peaks = { peakLeft: peak, peakRight: peak };
    return { at: since(seconds), fps: 25, kbps: 1000, sinceFrameMs: 0, ...peaks, flags: 0, encodings: [] };
  };

  it('figures of a run that is over, and old ones, are none', () => {
    const measured = (number: 0 | 1 | 2 | 3, seconds: number): boolean =>
      measuredNow({ status: status({ status: number }), rates: rates(seconds, -20) }, NOW) !== undefined;
    assert.deepEqual(
      ([0, 1, 2, 3] as const).map((number) => measured(number, 1)),
      [false, true, true, false],
    );
    assert.deepEqual([measured(2, 5), measured(2, 6)], [true, false]);
  });

  it('a copy has no levels, and silence is one', () => {
    const picture = { left: null, right: null, at: NOW };
    assert.equal(levelsOf(rates(0, null), picture), 'not-measured');
    assert.equal(levelsOf(undefined, picture), undefined);
    assert.deepEqual(levelsOf(rates(0, -100), undefined), { left: null, right: null });
    assert.deepEqual(levelsOf(rates(0, -20), undefined), { left: -20, right: -20 });
    const heard = { left: -6, right: -9, at: since(1) };
    assert.deepEqual(levelsOf(rates(0, -20), heard), { left: -6, right: -9 });
    assert.deepEqual(levelsOf(rates(0, -20), { ...heard, at: since(3) }), { left: -20, right: -20 });
  });
});

describe('the acts against a trouble of a Destination', () => {
  it('a new key comes first where the peer says no, and last where nothing listens; a Destination without a key has none', () => {
    const down = (type: string, refused: boolean): Publishing => ({
      ...destination(path('retrying', 9, { refused })),
      type,
    });
    for (const type of ['RTMP', 'Enhanced RTMP', 'SRT']) {
      assert.deepEqual(helpsAgainst({ reason: 'no_path' }, down(type, true)), ['newKey', 'destination'], type);
      assert.deepEqual(helpsAgainst({ reason: 'no_path' }, down(type, false)), ['destination', 'newKey'], type);
    }
    assert.deepEqual(helpsAgainst({ reason: 'path_failed' }, down('HLS / TS', true)), ['switchOff', 'destination']);
    assert.deepEqual(helpsAgainst({ reason: 'frozen' }, undefined), ['switchSource']);
    assert.deepEqual(helpsAgainst({ reason: 'failed' }, undefined), ['startAgain']);
  });
});

describe('what needs attention', () => {
  const trouble = (reason: Trouble['reason'], severity: Trouble['severity'], cause?: string): Trouble => {
    return { reason, severity, since: NOW, about: '', cause };
  };
  const row = (id: number, one: Trouble) => ({ key: `${id} ${one.reason}`, id, name: `S${id}`, trouble: one });
  const none: ReadonlyMap<string, string> = new Map();
  const keys = (rows: readonly AttentionRow[]): string[] => rows.map(({ key }) => key);

  it('faults come first; what has healed stays for five minutes, last', () => {
    const both = [row(1, trouble('slow', 'warning')), row(2, trouble('source_lost', 'fault'))];
    const first = attentionAfter([], both, { now: NOW, acknowledged: none });
    assert.deepEqual(keys(first), ['2 source_lost', '1 slow']);
    const healed = attentionAfter(first, both.slice(0, 1), { now: NOW + 1000, acknowledged: none });
    assert.deepEqual(keys(healed), ['1 slow', '2 source_lost']);
    assert.equal(healed[1]?.healedAt, NOW + 1000);
    const kept = attentionAfter(healed, [], { now: NOW + 300_000, acknowledged: none });
    assert.deepEqual(keys(kept), ['2 source_lost', '1 slow'].sort());
    assert.deepEqual(attentionAfter(kept, [], { now: NOW + 600_001, acknowledged: none }), []);
  });

  it('a stream has one line, with the worst of it first, in the order of the rows', () => {
    const all = [
      row(1, trouble('slow', 'warning')),
      row(2, trouble('source_lost', 'fault')),
      row(1, trouble('no_path', 'fault')),
    ];
    const lines = linesOf(attentionAfter([], all, { now: NOW, acknowledged: none }));
    assert.deepEqual(lines.map(keys), [['2 source_lost'], ['1 no_path', '1 slow']]);
  });

  it('what is acknowledged stands behind the others until it changes', () => {
    const known = new Map([['2 no_path', 'fault no_path refused']]);
    const rows = [row(1, trouble('slow', 'warning')), row(2, trouble('no_path', 'fault', 'refused'))];
    assert.deepEqual(keys(attentionAfter([], rows, { now: NOW, acknowledged: known })), ['1 slow', '2 no_path']);
    const changed = [rows[0]!, row(2, trouble('no_path', 'fault', 'bad key'))];
    assert.deepEqual(keys(attentionAfter([], changed, { now: NOW, acknowledged: known })), ['2 no_path', '1 slow']);
  });
});
