/** Counting of those who watch: who is a viewer and for how long, how well it plays, and what of it survives the agent. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdirSync } from 'node:fs';
import { it, type TestContext } from 'node:test';
import { Audience } from '../../../device/agent/audience/audience.ts';
import type { TimedCmcd, Sighting } from '../../../device/delivery/audience/sightings.ts';
import { runFiles } from '../../../device/run-dir.ts';
import type { ReportedAudience } from '../../../domain/shapes/broadcasts/audience.ts';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { until } from '../../helpers/until.ts';
import { temporaryFolder } from '../../store/support.ts';

const VIDEO = { video: {} };
const hls = { publishingId: 3, type: 'HLS / TS', settings: { url: null, segment_duration: 2 } };
const cmaf = { publishingId: 4, type: 'CMAF', settings: { url: null, segment_duration: 6 } };
const rtmp = { publishingId: 5, type: 'RTMP', settings: { url: 'rtmp://cdn.example/live' } };

function specOf(runId: string, outputs: object[] = [hls, cmaf, rtmp]): RunSpec {
  const renditions = [
    { encodingId: 11, ...VIDEO },
    { encodingId: 12, ...VIDEO },
    { encodingId: 13, video: null },
  ];
  return { runId, livestreamId: 12, outputs, renditions } as unknown as RunSpec;
}

interface Scene {
  audience: Audience;
  /** Time passes, in seconds. */
  pass(seconds: number): void;
  see(by: Sighting['by'], key: string, more?: Partial<Sighting>): void;
  report(): ReportedAudience;
  deviceDir: string;
  /** A second agent in the same folder, which goes on by its clock. */
  again(): Audience;
}

async function scene(t: TestContext, spec = specOf('run-1'), startIso = '2026-01-01T12:00:00Z'): Promise<Scene> {
  const deviceDir = await temporaryFolder(t);
  mkdirSync(runFiles(deviceDir, spec.runId).dir, { recursive: true });
  let ms = 1000;
  const clock = { now: () => Date.parse(startIso) + ms };
  const passing = { now: () => ms };
  const audience = new Audience(deviceDir, clock, passing);
  const report = (): ReportedAudience => audience.report(spec, false)!;
  report();
  return {
    audience,
    deviceDir,
    pass: (seconds) => void (ms += seconds * 1000),
    see: (by, key, more = {}) =>
      audience.take([
        {
          livestreamId: 12,
          publishingId: 3,
          by,
          key,
          agent: 'VLC/3',
          folders: ['11'],
          isCached: false,
          hasAsked: true,
          cmcd: [],
          ...more,
        },
      ]),
    report,
    again: () => new Audience(deviceDir, clock, passing),
  };
}

it('a viewer counts while its last request is younger than three segments, 30 s at most, and one who reads playlists alone never does', async (t) => {
  const { pass, see, report } = await scene(t);
  see('session', 'a');
  see('session', 'b', { publishingId: 4, folders: ['257'] });
  see('token', 'c');
  see('address', '10.0.0.1\nVLC/3');
  see('address', '10.0.0.1\nVLC/3');
  see('address', '10.0.0.2\nVLC/3', { folders: [] });
  const { now, by, renditions } = report();
  assert.deepEqual([now, by], [4, { session: 2, token: 1, address: 1 }]);
  assert.deepEqual(
    renditions.map(({ encodingId, now: watching }) => [encodingId, watching]),
    [
      [11, 3],
      [12, 1],
    ],
  );
  pass(5);
  see('session', 'a');
  pass(2);
  assert.equal(report().now, 2, 'three segments of 2 s are over, of 6 s they are not');
  pass(12);
  assert.equal(
    report().now,
    1,
    'its own requests lie 5 s apart, as with segments that are longer than they were ordered',
  );
  pass(20);
  const { now: left, peak, seconds, sessions } = report();
  assert.deepEqual([left, peak, seconds, sessions], [0, 4, 5, 4]);
});

it('a run has its own peak and minutes, and one of which nothing is served has none', async (t) => {
  const { audience, see, pass, report } = await scene(t);
  see('session', 'a');
  pass(3);
  see('session', 'a');
  assert.equal(report().seconds, 3);
  assert.equal(audience.report(specOf('run-1'), true)?.seconds, 3, 'the last report has it all');
  see('session', 'late');
  const next = audience.report(specOf('run-2'), false);
  assert.deepEqual([next?.now, next?.peak, next?.seconds], [0, 0, 0]);
  assert.equal(audience.report({ ...specOf('run-3', [rtmp]), livestreamId: 13 }, false), undefined);
});

it('sums survive the agent, and nothing in the file says who has watched', async (t) => {
  const { deviceDir, see, pass, report, again } = await scene(t);
  for (let second = 0; second < 12; second += 1) {
    see('session', 'secret-session', { cmcd: [{ agoMs: 0, bl: 1000, ot: 'v' }] });
    see('address', '10.1.2.3\nVLC/3');
    pass(1);
    report();
  }
  const file = runFiles(deviceDir, 'run-1').dir;
  const text = await until('it is written', () => {
    try {
      return readFileSync(`${file}/audience.json`, 'utf8');
    } catch {
      return undefined;
    }
  });
  assert.doesNotMatch(text, /secret|10\.1\.2\.3/u);
  const kept = again().report(specOf('run-1'), false);
  assert.deepEqual([kept?.now, kept?.peak, kept?.sessions], [0, 2, 2]);
  assert.ok(kept!.seconds >= 18, `${kept?.seconds}`);
});

it('who watches over midnight stays one viewer, although addresses are hashed with the salt of the new day', async (t) => {
  const { pass, see, report } = await scene(t, specOf('run-1'), '2026-01-01T23:59:57Z');
  see('address', '10.0.0.1\nVLC/3');
  pass(4);
  see('address', '10.0.0.1\nVLC/3');
  assert.deepEqual([report().now, report().sessions], [1, 1]);
});

it('the time to the first picture and stalls are made out from requests, or taken as the player measured them', async (t) => {
  const { pass, see, report } = await scene(t);
  const say = (key: string, cmcd: Omit<TimedCmcd, 'agoMs'>): void =>
    see('session', key, { cmcd: [{ agoMs: 0, ...cmcd }] });
  say('a', { ot: 'v', su: true, bl: 0 });
  pass(1.5);
  say('a', { ot: 'v', bl: 2000 });
  assert.deepEqual([report().sums.starts, report().sums.start_ms], [1, 1500]);
  pass(5);
  say('a', { ot: 'v', bs: true, su: true, bl: 0 });
  say('a', { ot: 'a', bs: true, bl: 0 });
  const { stalls, stalled_ms, watched_ms, sessions } = report().sums;
  assert.deepEqual([stalls, stalled_ms, watched_ms, sessions], [1, 3000, 6500, 1], 'sound and pictures are one stall');
  say('a', { ot: 'v', bs: true, bsd: 700 });
  say('a', { ot: 'v', msd: 900 });
  const measured = report().sums;
  assert.deepEqual([measured.stalls, measured.stalled_ms, measured.starts, measured.start_ms], [2, 3700, 1, 900]);

  say('b', { e: 'ps', sta: 's', ts: 10_000 });
  say('b', { e: 'ps', sta: 'p', ts: 10_800 });
  say('b', { e: 'ps', sta: 'r', ts: 20_000 });
  say('b', { e: 'ps', sta: 'p', ts: 21_000 });
  say('b', { ot: 'v', bs: true, bl: 0 });
  const events = report().sums;
  assert.deepEqual([events.stalls, events.stalled_ms, events.starts, events.start_ms], [3, 4700, 2, 1700]);
});

it('reports without requests make nobody a viewer and keep nobody one, and what they say counts once the player gets media', async (t) => {
  const { pass, see, report } = await scene(t);
  const say = (key: string, sta: string, ts: number): void =>
    see('session', key, { hasAsked: false, folders: [], cmcd: [{ agoMs: 0, e: 'ps', sta, ts }] });
  for (const key of ['a', 'stranger']) {
    say(key, 's', 10_000);
    say(key, 'p', 10_900);
  }
  assert.deepEqual([report().now, report().sums.sessions, report().sums.starts], [0, 0, 0]);
  see('session', 'a');
  say('a', 'r', 20_000);
  say('a', 'p', 20_400);
  const { now, seconds, sums } = report();
  assert.deepEqual([now, seconds], [1, 0]);
  assert.deepEqual([sums.sessions, sums.starts, sums.start_ms, sums.stalls, sums.stalled_ms], [1, 1, 900, 1, 400]);
  for (let second = 0; second < 10; second += 1) {
    pass(1);
    say('a', 'a', 30_000 + second);
  }
  assert.deepEqual([report().now, report().seconds], [0, 0], 'it has stopped, and reports on');
});
