/**
 * Fifty planned actions of every type on a broadcast on air, seen by a viewer and in the manifest at their times. In the middle of five
 * that fall due at one instant the control plane is killed and started again: none is lost, none is done twice.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LivestreamEvent } from '../../domain/event.ts';
import type { PlannedAction } from '../../domain/planned-action.ts';
import { goOnAir, mediaPlaylist } from '../helpers/broadcast.ts';
import { VIDEO } from '../helpers/counted-broadcast.ts';
import { COUNTED_FPS, makeCountedClip } from '../helpers/counted.ts';
import { freePort } from '../helpers/ports.ts';
import { startRtmp, type RtmpServer } from '../helpers/servers/rtmp.ts';
import { startService, TOKEN, until, type Service } from '../helpers/service.ts';
import { Viewer, type Seen } from '../helpers/viewer.ts';

/** Of each of the two sources; the second counts on where the first ends. */
const PICTURES = 1800;
const STREAM_KEY = 'canary-planned-key';
const LIMIT_SECONDS = 1;
/** A break is announced ahead, and begins and ends at a keyframe. */
const BREAK_SECONDS = 2.2;
/** The kill comes so long after the instant of the five: some of them are under way. */
const KILL_AFTER_MS = 12;

interface Command {
  type: string;
  payload: object;
  /** Seconds from the first. */
  at: number;
  /** What a viewer sees of it. */
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
  let spareId: number;
  let firstAtMs: number;
  let killedAtMs: number;
  let readyAtMs: number;
  let playlist = '';
  const channels: number[] = [];
  const players: ChildProcess[] = [];
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
    for (const player of players) if (player.exitCode === null) process.kill(-player.pid!, 'SIGKILL');
    await service?.dispose();
    await rtmp?.dispose();
  });

  async function broadcast(): Promise<number> {
    const whole = makeCountedClip(join(service.scratch, 'whole.mp4'), 2 * PICTURES);
    const [rtmpPort, srtPort] = [await freePort(), await freePort()];
    const push = { app: 'live', stream_key: 'canary-push-key', port: rtmpPort };
    const listen = { mode: 'listener', host: '127.0.0.1', port: srtPort, latency_ms: 60 };
    await source(whole, 'RTMP-Push', push, 'flv', `rtmp://127.0.0.1:${rtmpPort}/live/canary-push-key`);
    await source(whole, 'SRT', listen, 'mpegts', `srt://127.0.0.1:${srtPort}?mode=caller&latency=60000`);
    const video = { ...VIDEO, height: 180, bitrate: 500, h264: { keyframe_interval: 1 } };
    const encodingId = await service.create('/encodings', { name: '180 lines', settings_video: video });
    const web = { segment_duration: 1, playlist_length: 100 };
    webId = await service.create('/publishings', { name: 'web', type: 'HLS / TS', settings: web });
    spareId = await service.create('/publishings', { name: 'spare', type: 'HLS / TS', settings: {} });
    const settings = { url: rtmp.url, stream_key: STREAM_KEY };
    const platform = await service.create('/publishings', { name: 'platform', type: 'RTMP', settings });
    const elements = [webId, spareId, platform];
    const publishingGroupId = await service.create('/publishings/groups', { name: 'outputs', elements });
    await uploadLogo();
    const bound = { channelId: channels[0]!, encodingId, publishingGroupId };
    return service.create('/livestreams', { name: 'Planned show', ...bound });
  }

  /** A Channel and its peer, which calls again and again: encoders in the field do. */
  async function source(whole: string, type: string, settings: object, format: string, url: string): Promise<void> {
    const at = channels.length;
    const clip = join(service.scratch, `half-${at}.mp4`);
    const half = ['-ss', String((at * PICTURES) / COUNTED_FPS), '-i', whole, '-t', String(PICTURES / COUNTED_FPS)];
    execFileSync('ffmpeg', ['-v', 'error', ...half, '-c', 'copy', clip]);
    channels.push(await service.create('/channels', { name: type, type, settings }));
    const input = `ffmpeg -nostdin -v quiet -re -stream_loop -1 -i ${clip} -t 300 -c copy -f ${format} '${url}'`;
    // The shell and what it runs are one group, and end together; it does not outlive this process.
    const loop = `while kill -0 $PPID; do ${input}; sleep 0.2; done`;
    players.push(spawn('sh', ['-c', loop], { stdio: 'ignore', detached: true }));
  }

  async function uploadLogo(): Promise<void> {
    const path = join(service.scratch, 'bug.png');
    execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'color=yellow:s=384x216', '-frames:v', '1', path]);
    const form = new FormData();
    form.set('fileType', 'logos');
    form.set('file', new Blob([readFileSync(path)], { type: 'image/png' }), 'bug.png');
    const headers = { authorization: `Bearer ${TOKEN}` };
    const response = await fetch(`${service.url}/svcapiv2/assets`, { method: 'POST', headers, body: form });
    assert.equal(response.status, 201, await response.text());
  }

  const mark = (at: number): Command => {
    const metadata = { id: `mark-${commands.length}`, name: 'com.example.mark' };
    return { type: 'metadata', payload: { type: 'DateRange', metadata }, at };
  };
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
      { type: 'sourceSwitch', payload: { channelId: channels[channel] }, isSeen: isSource, limit: 5 },
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

  it('fifty are planned', { timeout: 60_000 }, async () => {
    round(0, 20, 1, 1);
    const middle = 18;
    for (let at = 0; at < 5; at += 1) commands.push(mark(middle));
    for (let at = 1; at <= 8; at += 1) commands.push(mark(middle + at * 0.4));
    round(middle + 8, 30, 2, 0);
    for (const at of [0, 0.8, 1.6]) commands.push(mark(middle + 26 + at));
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

  it('the control plane is killed in the middle, and starts again', { timeout: 60_000 }, async (t) => {
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

  it('all of them are carried out', { timeout: 120_000 }, async () => {
    const stop = commands.findIndex(({ type }) => type === 'stop');
    await sleep(instantOf(commands[stop]!) - 500 - Date.now());
    const master = `${service.url}/live/${livestreamId}/${webId}/index.m3u8`;
    playlist = (await mediaPlaylist(master)).text;
    const rows = await until('none is pending', async () => {
      const { body } = await service.rest('GET', `/livestreams/${livestreamId}/actions?pageSize=500`);
      const found = body.rows as PlannedAction[];
      return found.every(({ status }) => status !== 'pending') && found;
    }, 60_000); // prettier-ignore
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

  function assertTimely(
    t: TestContext,
    what: string,
    late: readonly { seconds: number; limit: number; of: string }[],
  ): void {
    const sorted = late.map(({ seconds }) => seconds).sort((a, b) => a - b);
    t.diagnostic(`${what}: ${late.length}, median ${sorted[late.length >> 1]} s, latest ${sorted.at(-1)} s`);
    for (const { seconds, limit, of } of late)
      assert.ok(seconds > -0.1 && seconds < limit, `${what}: ${of} ${seconds} s after its time`);
  }

  it('viewers see them at their times', (t) => {
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
    const [quick, switches] = [late.filter(({ limit }) => limit === LIMIT_SECONDS), late.filter(({ limit }) => limit > LIMIT_SECONDS)]; // prettier-ignore
    assertTimely(t, 'seen', quick);
    assertTimely(t, 'sources seen', switches);
  });

  it('the manifest tells the cues at their times, each once', (t) => {
    const ranges = playlist.split('\n').filter((line) => line.startsWith('#EXT-X-DATERANGE'));
    const late = commands.flatMap((command) => {
      if (command.type !== 'metadata') return [];
      const { type, metadata } = command.payload as { type: string; metadata: { id: string | number } };
      const isRange = type === 'DateRange';
      const name = type === 'CueIn' ? 'END-DATE' : 'START-DATE';
      const told = ranges
        .filter((line) => line.includes(`ID="${isRange ? '' : 'cue-'}${metadata.id}"`) && line.includes(name))
        .map((line) => new RegExp(`${name}="([^"]+)"`, 'u').exec(line)![1]!);
      if (isRange || type === 'CueIn') assert.equal(told.length, 1, `${type} ${metadata.id} is told once`);
      assert.equal(new Set(told).size, 1, `${type} ${metadata.id} has one time`);
      const seconds = lateness(command, Date.parse(told[0]!));
      return [{ seconds, limit: isRange ? LIMIT_SECONDS : BREAK_SECONDS, of: `${type} ${metadata.id}` }];
    });
    assertTimely(t, 'told', late);
  });

  it('each was done once, and told so', async (t) => {
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
