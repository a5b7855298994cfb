/**
 * Fifty planned actions of every type on a broadcast on air: seen by a viewer in their order, told once by the manifests of HLS and DASH and
 * in their segments, and none before its time; how late they are is for figures. A manifest lists a segment once it is whole, so what counts there is where
 * the mark is on the time of the media (EXT-X-PROGRAM-DATE-TIME), not when it can be read. Keyframes are as far apart as they are where
 * nobody says so. In the middle of five that fall due at one instant the control plane is killed and started again: none is lost, none is
 * done twice.
 */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { after, before, describe, it, type TestContext } from 'node:test';
import { PACKET_BYTES, pidOf, readPts, startsUnit, TICKS_PER_SECOND } from '../../device/media/mpeg-ts/mpeg-ts.ts';
import type { LivestreamEvent } from '../../domain/shapes/installation/event.ts';
import type { PlannedAction } from '../../domain/shapes/schedules/planned-action.ts';
import { goOnAir } from '../helpers/broadcast.ts';
import { VIDEO } from '../helpers/counted-broadcast.ts';
import { marksOfCmaf, marksOfTs, type Mark } from '../helpers/cue-marks.ts';
import { letPass } from '../helpers/pass.ts';
import { freePort } from '../helpers/ports.ts';
import { startRtmp, type RtmpServer } from '../helpers/servers/rtmp.ts';
import { startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { endPlayer, PICTURES, twoSources, uploadLogo, type CalledSource } from '../helpers/two-sources.ts';
import { Viewer, type Seen } from '../helpers/viewer.ts';

const STREAM_KEY = 'canary-planned-key';
/** A break is at the keyframe nearest to its time. */
const EARLY_MS = 1000;
/** Between two steps that a viewer can tell. */
const STEP_SECONDS = 1.6;
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
  let marks: Record<string, Mark[]>;
  const sources: CalledSource[] = [];
  /** The port that the spare Destination sends to, and what came. */
  const receiver = createSocket('udp4');
  const received: Buffer[] = [];
  /** Those of them before the planned stop. */
  let ofTheRun: Buffer[];
  const commands: Command[] = [];
  const ids: number[] = [];
  let rows: PlannedAction[];

  before(async () => {
    service = await startService();
    rtmp = await startRtmp();
    livestreamId = await broadcast();
    await goOnAir(service, livestreamId);
    await until('published', async () => (await rtmp.publishing()).includes(STREAM_KEY));
    viewer = new Viewer(`${rtmp.url}/${STREAM_KEY}`);
    await viewer.first('a picture', 0, ({ number }) => number !== undefined);
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
    receiver.on('message', (datagram) => received.push(datagram)).bind(port, '127.0.0.1');
    await once(receiver, 'listening');
    receiver.setRecvBufferSize(8 << 20);
    return port;
  }

  const cue = (at: number, type: string, metadata: object): Command => {
    return { type: 'metadata', payload: { type, metadata }, at };
  };
  const mark = (at: number): Command =>
    cue(at, 'DateRange', { id: `mark-${commands.length}`, name: 'com.example.mark' });
  const logo = (filename: string): object => ({ logo: { filename, position: 'Bottom-Left' } });
  const spare = (primary: boolean): object => ({ publishings: [{ publishingId: spareId, primary }] });

  /** One of each type that shows, a step apart; then the source changes. */
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
      { type: 'sourceSwitch', payload: { channelId: sources[channel]!.channelId }, isSeen: isSource },
    ];
    for (const [at, step] of steps.entries()) commands.push({ ...step, at: from + at * STEP_SECONDS });
  }

  const instantOf = ({ at }: Command): number => firstAtMs + at * 1000;
  const actions = async (): Promise<PlannedAction[]> =>
    (await service.rest('GET', `/livestreams/${livestreamId}/actions?pageSize=500`)).body.rows as PlannedAction[];
  /** The instant that a command was planned for, as its row has it. */
  const plannedFor = (index: number): number => Date.parse(rows.find(({ id }) => id === ids[index])!.execute_at!);

  async function plan({ type, payload, at }: Command): Promise<number> {
    const execute_at = new Date(firstAtMs + at * 1000).toISOString();
    return service.create(`/livestreams/${livestreamId}/actions`, { type, payload, execute_at });
  }

  it('an Operator plans fifty actions', async () => {
    round(0, 20, 1, 1);
    const middle = 32;
    for (let at = 0; at < 5; at += 1) commands.push(mark(middle));
    for (let at = 1; at <= 7; at += 1) commands.push(mark(middle + at * 0.4));
    // The service is back before it; and other places between two keyframes than in the first round.
    const second = middle + 30.5;
    round(second, 30, 2, 0);
    // Behind the latest moment of a new source; and what lists them is read before the stop.
    const third = second + 30;
    commands.push(cue(third, 'ScteOut', { id: 3, duration: 20 }));
    commands.push(cue(third + 0.6, 'ID3Tag', { name: 'song', value: `tag-${commands.length}` }));
    commands.push(mark(third + 1.2));
    commands.push(cue(third + 2.8, 'ScteIn', { id: 3 }));
    commands.push({
      type: 'blackout',
      payload: { mode: 'Black Frame' },
      at: third + 5,
      isSeen: (seen) => seen.black,
    });
    commands.push({ type: 'blackout', payload: { mode: 'Live' }, at: third + 7 });
    commands.push({ type: 'stop', payload: {}, at: third + 37 });
    commands.push({ type: 'start', payload: {}, at: third + 47 });
    assert.equal(commands.length, 50);
    firstAtMs = Date.now() + 20_000;
    for (const command of commands) ids.push(await plan(command));
    assert.ok(
      (await actions()).every(({ status }) => status === 'pending'),
      'all before the first is due',
    );
  });

  it('the control plane is killed amid the planned actions, and starts again', async () => {
    const five = commands.findIndex(({ at }, index) => at === commands[index + 1]?.at);
    await letPass(instantOf(commands[five]!) + KILL_AFTER_MS - Date.now());
    await service.kill('SIGKILL');
    await service.restart();
  });

  it('all the planned actions are carried out', async () => {
    const isLeft = ({ status }: PlannedAction): boolean => status === 'pending';
    const isBeforeStop = async (): Promise<boolean> => (await actions()).filter(isLeft).length === 2;
    await until('stop and start are left', isBeforeStop, { everyMs: 200, boundMs: 300_000 });
    // The segment of the last mark is listed once it is whole.
    await letPass(8000);
    ofTheRun = [...received];
    const live = `${service.url}/live/${livestreamId}`;
    marks = {
      'HLS / TS': await marksOfTs(`${live}/${webId}`, service.scratch),
      CMAF: await marksOfCmaf(`${live}/${cmafId}`),
    };
    rows = await until('none is pending', async () => {
      const found = await actions();
      return !found.some(isLeft) && found;
    });
    const failed = rows.filter(({ status }) => status !== 'executed');
    assert.deepEqual(failed, []);
    assert.equal(rows.length, 50);
    await until('on air again', async () => {
      const { body } = await service.rest('GET', `/livestreams/${livestreamId}/status`);
      return body.data.status === 2;
    });
  });

  /** None is before its time; how late they are is told. */
  function assertNoneEarly(
    t: TestContext,
    what: string,
    found: readonly { afterMs: number; of: string }[],
    earlyMs: number,
  ): void {
    const sorted = found.map(({ afterMs }) => afterMs).sort((a, b) => a - b);
    const [first, middle, last] = [sorted[0], sorted[found.length >> 1], sorted.at(-1)];
    t.diagnostic(`${what}: ${found.length}, earliest ${first} ms, median ${middle} ms, latest ${last} ms`);
    for (const { afterMs, of } of found) assert.ok(afterMs >= -earlyMs, `${what}: ${of} ${afterMs} ms after its time`);
  }

  it('viewers see the planned actions in their order', () => {
    let from = 0;
    for (const [index, { type, payload, isSeen }] of commands.entries()) {
      if (isSeen === undefined) continue;
      assert.ok(!isSeen(viewer.seen[from]!), `${index} ${type} is seen with what comes before it`);
      const found = viewer.seen.findIndex((one, at) => at >= from && isSeen(one));
      assert.ok(found >= 0, `${index} ${type} ${JSON.stringify(payload)} was never seen after what comes before it`);
      from = found;
    }
  });

  it('a receiver gets nothing from its Destination once it is off, and all again once it is on', (t) => {
    const pictures = ofTheRun.flatMap((data) => {
      const starts: number[] = [];
      for (let at = 0; at + PACKET_BYTES <= data.length; at += PACKET_BYTES)
        if (pidOf(data, at) === 0x100 && startsUnit(data, at)) starts.push(readPts(data, at)! / TICKS_PER_SECOND);
      return starts;
    });
    const gaps = pictures
      .slice(1)
      .flatMap((time, at) => (Math.abs(time - pictures[at]!) > 2 ? [time - pictures[at]!] : []));
    t.diagnostic(`seconds of media that did not come: ${gaps.map((gap) => gap.toFixed(1)).join(', ')}`);
    assert.equal(gaps.length, commands.filter(({ type }) => type === 'publishings').length / 2);
  });

  it('manifests and segments have each cue once, none before its time, and breaks in their order', (t) => {
    const found = commands.flatMap((command, index) => {
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
        return { atMs: messages[0]!.atMs, afterMs: messages[0]!.atMs - plannedFor(index), of, what };
      });
    });
    for (const what of new Set(found.map((one) => one.what))) {
      const own = found.filter((one) => one.what === what);
      assertNoneEarly(t, what, own, EARLY_MS);
      // What fell due in the outage comes beside what falls due after it.
      if (what.startsWith('DateRange')) continue;
      const times = own.map(({ atMs }) => atMs);
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
        what,
      );
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
    const found = commands.map(({ type }, index) => {
      const event = executed.find(({ data }) => data['actionId'] === ids[index])!;
      return { afterMs: Date.parse(event.at) - plannedFor(index), of: `${index} ${type}` };
    });
    assertNoneEarly(t, 'committed', found, 100);
  });
});
