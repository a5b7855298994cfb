/**
 * Fifty planned actions of every type on a broadcast on air, seen by a viewer within a second of their times, and told within a second of
 * them by the manifests of HLS and DASH and in their segments. A manifest lists a segment once it is whole, so what counts there is where
 * the mark is on the time of the media (EXT-X-PROGRAM-DATE-TIME), not when it can be read. Keyframes are as far apart as they are where
 * nobody says so. In the middle of five that fall due at one instant the control plane is killed and started again: none is lost, none is
 * done twice.
 */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LivestreamEvent } from '../../domain/event.ts';
import type { PlannedAction } from '../../domain/planned-action.ts';
import { goOnAir } from '../helpers/broadcast.ts';
import { VIDEO } from '../helpers/counted-broadcast.ts';
import { marksOfCmaf, marksOfTs, type Mark } from '../helpers/cue-marks.ts';
import { freePort } from '../helpers/ports.ts';
import { startRtmp, type RtmpServer } from '../helpers/servers/rtmp.ts';
import { startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { endPlayer, PICTURES, twoSources, uploadLogo, type CalledSource } from '../helpers/two-sources.ts';
import { Viewer, type Seen } from '../helpers/viewer.ts';

const STREAM_KEY = 'canary-planned-key';
const LIMIT_SECONDS = 1;
/** The kill comes so long after the instant of the five: some of them are under way. */
const KILL_AFTER_MS = 12;

const RANGE = 'EXT-X-DATERANGE';
const RANGES = [
  ['HLS / TS', RANGE],
  ['CMAF', RANGE],
] as const;
const BREAK = [...RANGES, ['HLS / TS', 'splice_info_section'], ['CMAF', 'EventStream']] as const;
/** Each cue with the evidence of it. */
const CUES = {
  CueOut: ['out', [...BREAK, ['HLS / TS', 'EXT-X-CUE-OUT'], ['CMAF', 'EXT-X-CUE-OUT']]],
  CueIn: ['in', [...BREAK, ['HLS / TS', 'EXT-X-CUE-IN'], ['CMAF', 'EXT-X-CUE-IN']]],
  ScteOut: ['out', BREAK],
  ScteIn: ['in', BREAK],
  DateRange: ['range', RANGES],
  ID3Tag: [
    'tag',
    [
      ['HLS / TS', 'PES of ID3'],
      ['CMAF', 'emsg'],
    ],
  ],
} as const;
type CueType = keyof typeof CUES;

interface Command {
  type: string;
  payload: object;
  /** Seconds from the first. */
  at: number;
  /** The view that a viewer has of it. */
  isSeen?: (seen: Seen) => boolean;
  /** A new source has five seconds for its first picture. */
  limit?: number;
}

describe('planned actions', () => {
  let service: Service;
  let rtmp: RtmpServer;
  let viewer: Viewer;
  let livestreamId: number;
  let webId: number;
  let cmafId: number;
  let spareId: number;
  let firstAtMs: number;
  let killedAtMs: number;
  let readyAtMs: number;
  let marks: Record<string, Mark[]>;
  const sources: CalledSource[] = [];
  /** The port that the spare Destination sends to, and at which moments of this process something came. */
  const receiver = createSocket('udp4');
  const received: number[] = [];
  const commands: Command[] = [];
  const ids: number[] = [];

  before(async () => {
    service = await startService();
    rtmp = await startRtmp();
    livestreamId = await broadcast();
    await goOnAir(service, livestreamId);
    await until('published', async () => (await rtmp.publishing()).includes(STREAM_KEY));
    viewer = new Viewer(`${rtmp.url}/${STREAM_KEY}`);
    await viewer.first('a picture', 0, ({ number }) => number !== undefined, 20_000);
  });
  after(async () => {
    await viewer?.close();
    receiver.close();
    for (const { player } of sources) await endPlayer(player);
    await service?.dispose();
    await rtmp?.dispose();
  });

  async function broadcast(): Promise<number> {
    sources.push(...(await twoSources(service)));
    const video = { ...VIDEO, height: 180, bitrate: 500 };
    const encodingId = await service.create('/encodings', { name: '180 lines', settings_video: video });
    const web = { segment_duration: 2, playlist_length: 100 };
    webId = await service.create('/publishings', { name: 'web', type: 'HLS / TS', settings: web });
    cmafId = await service.create('/publishings', { name: 'cmaf', type: 'CMAF', settings: web });
    const udp = { url: `udp://127.0.0.1:${await listen()}` };
    spareId = await service.create('/publishings', { name: 'spare', type: 'STREAM', settings: udp });
    const settings = { url: rtmp.url, stream_key: STREAM_KEY };
    const platform = await service.create('/publishings', { name: 'platform', type: 'RTMP', settings });
    const elements = [webId, cmafId, spareId, platform];
    const publishingGroupId = await service.create('/publishings/groups', { name: 'outputs', elements });
    await uploadLogo(service);
    const bound = { channelId: sources[0]!.channelId, encodingId, publishingGroupId };
    return service.create('/livestreams', { name: 'Planned show', ...bound });
  }

  async function listen(): Promise<number> {
    const port = await freePort();
    receiver.on('message', () => received.push(performance.now())).bind(port, '127.0.0.1');
    await once(receiver, 'listening');
    return port;
  }

  const cue = (at: number, type: string, metadata: object): Command => {
    return { type: 'metadata', payload: { type, metadata }, at };
  };
  const mark = (at: number): Command =>
    cue(at, 'DateRange', { id: `mark-${commands.length}`, name: 'com.example.mark' });
  const logo = (filename: string): object => ({ logo: { filename, position: 'Bottom-Left' } });
  const spare = (primary: boolean): object => ({ publishings: [{ publishingId: spareId, primary }] });

  /** One of each type that shows, 0.8 s apart; then the source changes. */
  function round(from: number, seconds: number, eventId: number, channel: number): void {
    const isSource = ({ number }: Seen): boolean => number !== undefined && number >= PICTURES === (channel === 1);
    const steps: Omit<Command, 'at'>[] = [
      { type: 'adValues', payload: { default_ad_duration: seconds } },
      { type: 'logo', payload: logo('bug.png'), isSeen: (seen) => seen.logo },
      { type: 'text', payload: { action: 'show', text: 'LIVE', size: 120 }, isSeen: (seen) => seen.text },
      { type: 'metadata', payload: { type: 'CueOut', metadata: { id: eventId } } },
      { type: 'logo', payload: logo(''), isSeen: (seen) => !seen.logo },
      { type: 'text', payload: { action: 'hide' }, isSeen: (seen) => !seen.text },
      { type: 'blackout', payload: { mode: 'Black Frame' }, isSeen: (seen) => seen.black },
      { type: 'publishings', payload: spare(false) },
      { type: 'blackout', payload: { mode: 'Live' }, isSeen: ({ number }) => number !== undefined },
      { type: 'metadata', payload: { type: 'CueIn', metadata: { id: eventId } } },
      { type: 'text', payload: { action: 'show' }, isSeen: (seen) => seen.text },
      { type: 'publishings', payload: spare(true) },
      { type: 'text', payload: { action: 'hide' }, isSeen: (seen) => !seen.text },
      { type: 'start', payload: {} },
      { type: 'sourceSwitch', payload: { channelId: sources[channel]!.channelId }, isSeen: isSource, limit: 5 },
    ];
    for (const [at, step] of steps.entries()) commands.push({ ...step, at: from + at * 0.8 });
  }

  const instantOf = ({ at }: Command): number => firstAtMs + at * 1000;
  /** Wall clock as performance.now(). */
  const moment = (wallMs: number): number => wallMs - (Date.now() - performance.now());

  async function plan({ type, payload, at }: Command): Promise<number> {
    const execute_at = new Date(firstAtMs + at * 1000).toISOString();
    return service.create(`/livestreams/${livestreamId}/actions`, { type, payload, execute_at });
  }

  it('an Operator plans fifty actions', async () => {
    round(0, 20, 1, 1);
    const middle = 18;
    for (let at = 0; at < 5; at += 1) commands.push(mark(middle));
    for (let at = 1; at <= 7; at += 1) commands.push(mark(middle + at * 0.4));
    // Other places between two keyframes than in the first round.
    round(middle + 7.5, 30, 2, 0);
    // Behind the latest moment of a new source; and a second of it, a segment and its listing are over before the stop.
    commands.push(cue(middle + 24.3, 'ScteOut', { id: 3, duration: 20 }));
    commands.push(cue(middle + 24.9, 'ID3Tag', { name: 'song', value: `tag-${commands.length}` }));
    commands.push(mark(middle + 25.5));
    commands.push(cue(middle + 27.1, 'ScteIn', { id: 3 }));
    commands.push({
      type: 'blackout',
      payload: { mode: 'Black Frame' },
      at: middle + 29,
      isSeen: (seen) => seen.black,
    });
    commands.push({ type: 'blackout', payload: { mode: 'Live' }, at: middle + 30 });
    commands.push({ type: 'stop', payload: {}, at: middle + 32 });
    commands.push({ type: 'start', payload: {}, at: middle + 37 });
    assert.equal(commands.length, 50);
    firstAtMs = Date.now() + 3000;
    for (const command of commands) ids.push(await plan(command));
    assert.ok(Date.now() < firstAtMs, 'all before the first is due');
  });

  it('the control plane is killed amid the planned actions, and starts again', async (t) => {
    const five = commands.findIndex(({ at }, index) => at === commands[index + 1]?.at);
    await sleep(instantOf(commands[five]!) + KILL_AFTER_MS - Date.now());
    await service.kill('SIGKILL');
    killedAtMs = Date.now();
    await service.restart();
    readyAtMs = Date.now();
    t.diagnostic(
      `killed ${killedAtMs - instantOf(commands[five]!)} ms after the instant of five, ready ${readyAtMs - killedAtMs} ms later`,
    );
    assert.ok(readyAtMs - killedAtMs < 6000, 'before the pictures change again');
  });

  it('all the planned actions are carried out', async () => {
    const stop = commands.findIndex(({ type }) => type === 'stop');
    await sleep(instantOf(commands[stop]!) - 500 - Date.now());
    const live = `${service.url}/live/${livestreamId}`;
    marks = {
      'HLS / TS': await marksOfTs(`${live}/${webId}`, service.scratch),
      CMAF: await marksOfCmaf(`${live}/${cmafId}`),
    };
    const rows = await until('none is pending', async () => {
      const { body } = await service.rest('GET', `/livestreams/${livestreamId}/actions?pageSize=500`);
      const found = body.rows as PlannedAction[];
      return found.every(({ status }) => status !== 'pending') && found;
    });
    const failed = rows.filter(({ status }) => status !== 'executed');
    assert.deepEqual(failed, []);
    assert.equal(rows.length, 50);
    await until('on air again', async () => {
      const { body } = await service.rest('GET', `/livestreams/${livestreamId}/status`);
      return body.data.status === 2;
    });
  });

  const fellIntoOutage = (command: Command): boolean =>
    instantOf(command) >= killedAtMs - 500 && instantOf(command) < readyAtMs;

  /** Seconds after its time, or after the end of the outage that it fell into; negative: too early. */
  function lateness(command: Command, atMs: number): number {
    const afterMs = atMs - instantOf(command);
    if (afterMs < 0 || !fellIntoOutage(command)) return afterMs / 1000;
    return Math.max(0, atMs - readyAtMs) / 1000;
  }

  /** Half of them within their limit, all within three times of it, since much else may run. `early`: seconds that one may be before its time. */
  function assertTimely(
    t: TestContext,
    what: string,
    late: readonly { seconds: number; limit: number; of: string }[],
    early = 0.1,
  ): void {
    const sorted = late.map(({ seconds }) => Number(seconds.toFixed(3))).sort((a, b) => a - b);
    const [first, middle, last] = [sorted[0], sorted[late.length >> 1], sorted.at(-1)];
    t.diagnostic(`${what}: ${late.length}, earliest ${first} s, median ${middle} s, latest ${last} s`);
    for (const { seconds, limit, of } of late)
      assert.ok(seconds >= -early && seconds <= 3 * limit, `${what}: ${of} ${seconds} s after its time`);
    const within = late.filter(({ seconds, limit }) => seconds <= limit).length;
    assert.ok(within * 2 >= late.length, `${what}: ${within} of ${late.length} within their limit`);
  }

  it('viewers see the planned actions at their times', (t) => {
    const late = commands.flatMap((command, index) => {
      const { isSeen, limit = LIMIT_SECONDS } = command;
      if (isSeen === undefined) return [];
      const from = moment(instantOf(command));
      const before_ = viewer.seen.findLast(({ at }) => at < from);
      assert.ok(before_ !== undefined && !isSeen(before_), `${index} ${command.type} is seen before its time`);
      const seen = viewer.seen.find((one) => one.at >= from && isSeen(one));
      assert.ok(seen !== undefined, `${index} ${command.type} ${JSON.stringify(command.payload)} was never seen`);
      return [{ seconds: Number(((seen.at - from) / 1000).toFixed(3)), limit, of: `${index} ${command.type}` }];
    });
    const [quick, switches] = [
      late.filter(({ limit }) => limit === LIMIT_SECONDS),
      late.filter(({ limit }) => limit > LIMIT_SECONDS),
    ];
    assertTimely(t, 'seen', quick);
    assertTimely(t, 'sources seen', switches);
  });

  it('a receiver gets nothing from its Destination once it is off, and all again once it is on', (t) => {
    const steps = commands.filter(({ type }) => type === 'publishings').map((command) => moment(instantOf(command)));
    const late = steps.map((from, at) => {
      const isOff = at % 2 === 0;
      const first = received.findIndex((one) => one >= from + (isOff ? LIMIT_SECONDS * 1000 : 0));
      assert.ok(first > 0, 'something has come before and after');
      const turned = isOff ? received[first - 1]! : received[first]!;
      return { seconds: (turned - from) / 1000, limit: LIMIT_SECONDS, of: isOff ? 'off' : 'on' };
    });
    for (const [at, from] of steps.entries())
      if (at % 2 === 0) {
        const between = received.filter((one) => one > from + LIMIT_SECONDS * 1000 && one < steps[at + 1]!);
        assert.equal(between.length, 0, 'nothing while it is off');
      }
    assertTimely(t, 'Destination off and on', late);
  });

  it('manifests and segments have the cues within a second of their times, each once', (t) => {
    const late = commands.flatMap((command) => {
      if (command.type !== 'metadata') return [];
      const { type, metadata } = command.payload as { type: CueType; metadata: { id?: number; value?: string } };
      const [kind, where] = CUES[type];
      const of = String(metadata.id ?? metadata.value);
      return where.map(([format, name]) => {
        const what = `${type}, ${name} of ${format}`;
        const messages = marks[format]!.filter((one) => one.in === name && one.of === of && one.kind === kind);
        // The range of a break tells its beginning again with its end.
        const isAgain = name === RANGE && kind === 'out';
        assert.ok(
          messages.length === 1 || (isAgain && messages.length === 2),
          `${what} ${of}: ${JSON.stringify(messages)}`,
        );
        assert.equal(messages.at(-1)!.atMs, messages[0]!.atMs, `${what} ${of} has one time`);
        return { seconds: lateness(command, messages[0]!.atMs), limit: LIMIT_SECONDS, of, what };
      });
    });
    // A break is at the keyframe nearest to its time, a tag at the newest frame, which a busy machine encodes late.
    for (const what of new Set(late.map((one) => one.what))) {
      const own = late.filter((one) => one.what === what);
      assertTimely(t, what, own, LIMIT_SECONDS);
    }
  });

  it('each planned action was carried out once, with one event', async (t) => {
    const { body } = await service.rest('GET', `/livestreams/${livestreamId}/events?pageSize=500`);
    const events = body.rows as LivestreamEvent[];
    const executed = events.filter(({ kind }) => kind === 'action_executed');
    assert.deepEqual(
      executed.map(({ data }) => data['actionId'] as number).sort((a, b) => a - b),
      ids,
    );
    const cues = events.filter(({ kind, data }) => kind === 'runtime_changed' && data['change'] === 'cue');
    assert.equal(cues.length, commands.filter(({ type }) => type === 'metadata').length, 'at the encoder');
    assert.deepEqual(
      events.filter(({ kind }) => kind === 'source_switched').length,
      commands.filter(({ type }) => type === 'sourceSwitch').length,
    );
    const late = commands.map((command, index) => {
      const event = executed.find(({ data }) => data['actionId'] === ids[index])!;
      const seconds = lateness(command, Date.parse(event.at));
      return { seconds, limit: command.limit ?? LIMIT_SECONDS, of: `${index} ${command.type}` };
    });
    assertTimely(
      t,
      'committed',
      late.filter(({ limit }) => limit === LIMIT_SECONDS),
    );
    t.diagnostic(`${commands.filter(fellIntoOutage).length} fell into the outage`);
  });
});
