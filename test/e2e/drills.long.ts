/**
 * One broadcast to seven Destinations while things around it break and are changed. The receivers of SRT and STREAM write down every
 * picture, so that what a drill costs the others is counted, not guessed. A server that stands still is drilled with a runner alone: at
 * the low rate of these pictures its kernel takes them for another 20 s.
 */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { after, before, beforeEach, describe, it, type TestContext } from 'node:test';
import { droppedIn, goOnAir, statusOf } from '../helpers/broadcast.ts';
import { countedBroadcast, STREAM_KEY, type CountedBroadcast, type PathNow } from '../helpers/counted-broadcast.ts';
import { flowOf, longestStep, numbersIn, timesIn, type Flow } from '../helpers/counted.ts';
import { agentPid, pidsOf, PROGRAM, startService, TOKEN, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const HEALTHY_STEP_SECONDS = 0.05;
/** The receivers write no more than this; the counted pictures are plain. */
const BYTES_PER_SECOND = 16_000;
const FRESH_KEY = 'canary-fresh-key-8';
const WRONG_KEY = 'canary-wrong-key-9';
const run = promisify(execFile);

describe('a broadcast to seven Destinations, drilled', () => {
  let service: Service;
  let show: CountedBroadcast;
  /** Bytes of the receivers' files at the start of a drill. */
  let mark: Record<'SRT' | 'STREAM', number>;

  before(async () => {
    service = await startService();
    show = await countedBroadcast(service);
    await goOnAir(service, show.livestreamId);
    await until('all Destinations up', async () => (await show.paths()).every(({ state }) => state === 'up'));
    await until('the receivers write', () => sizes().SRT > 35_000 && sizes().STREAM > 35_000);
  });
  beforeEach(() => {
    mark = sizes();
  });
  after(async () => {
    await show?.dispose();
    await service?.dispose();
  });

  const sizes = (): typeof mark => ({
    SRT: statSync(show.received.SRT, { throwIfNoEntry: false })?.size ?? 0,
    STREAM: statSync(show.received.STREAM, { throwIfNoEntry: false })?.size ?? 0,
  });
  const path = async (type: 'RTMP' | 'SRT' | 'HLS / TS' | 'CMAF'): Promise<PathNow> =>
    (await show.paths()).find(({ publishingId }) => publishingId === show.ids[type])!;
  const pids = (pattern: RegExp): number[] => pidsOf(service.scratch, pattern);
  const toggle = async (primary: boolean): Promise<void> => {
    const publishings = [{ publishingId: show.ids.RTMP, primary }];
    const operation = `/livestreams/${show.livestreamId}/runtimeOptions/publishings`;
    const reply = await service.rest('POST', operation, { publishings });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
  };

  /** Answers the bytes that a receiver wrote since the last look, from a packet boundary on; they begin with the first picture that decodes. */
  async function sinceMark(t: TestContext, which: 'SRT' | 'STREAM', seconds = 3): Promise<string> {
    const from = mark[which];
    await until(`${seconds} s more at ${which}`, () => sizes()[which] > from + seconds * BYTES_PER_SECOND);
    const copy = join(service.scratch, `part-${which}-${from}.ts`);
    const data = readFileSync(show.received[which]);
    // The tables come with each keyframe; what precedes them is of no use to a decoder.
    writeFileSync(copy, data.subarray(Math.floor(from / 188) * 188));
    t.diagnostic(`${which}: ${data.length - from} bytes`);
    return copy;
  }

  /** Pictures that an encoder took with it, by its events. */
  async function lostByEncoders(): Promise<number> {
    const { body } = await service.rest('GET', `/livestreams/${show.livestreamId}/events?pageSize=500`);
    const rows = body.rows as { kind: string; data: { lostPictures?: number } }[];
    return rows.reduce((sum, { kind, data }) => sum + (kind === 'encoder_restarted' ? (data.lostPictures ?? 0) : 0), 0);
  }

  /** A machine that runs much else may leave pictures out, which the encoder says; no other is missing. */
  async function assertNothingLost(flow: Flow, which: string): Promise<void> {
    const reported = (await droppedIn(service, show.livestreamId)) + (await lostByEncoders());
    assert.ok(
      flow.missing <= reported,
      `${which}: ${reported} are reported to be left out or lost, ${JSON.stringify(flow)}`,
    );
  }

  /** Nothing of the programme was lost at the receivers since the last look. */
  async function assertWhole(t: TestContext): Promise<void> {
    for (const which of ['SRT', 'STREAM'] as const) {
      const copy = await sinceMark(t, which);
      const flow = flowOf(numbersIn(copy), show.pictures);
      t.diagnostic(`${which}: ${JSON.stringify(flow)}`);
      assert.ok(flow.pictures > 30, `${which}: only ${flow.pictures} pictures`);
      await assertNothingLost(flow, which);
      const step = longestStep(timesIn(copy));
      assert.ok(step < HEALTHY_STEP_SECONDS + flow.missing / 30, `${which}: a step of ${step} s`);
    }
  }

  async function assertOthersUp(...except: number[]): Promise<void> {
    const others = (await show.paths()).filter(({ publishingId }) => !except.includes(publishingId));
    assert.deepEqual(
      others.filter(({ state }) => state !== 'up'),
      [],
    );
  }

  it('a killed RTMP server is down, tried again by itself, and back; the others lose nothing', async (t) => {
    await show.rtmp.crash();
    const { last_error } = await until('retrying', async () =>
      ((p) => p.state === 'retrying' && p)(await path('RTMP')),
    );
    assert.ok(last_error !== null && !last_error.includes(STREAM_KEY), String(last_error));
    await assertOthersUp(show.ids.RTMP);
    await show.rtmp.start();
    await until('up again', async () => (await path('RTMP')).state === 'up');
    await assertWhole(t);
  });

  it('a Destination that is turned off and on is so when the call is answered; the others lose nothing', async (t) => {
    await toggle(false);
    assert.equal((await path('RTMP')).state, 'idle');
    assert.deepEqual(await show.rtmp.publishing(), []);
    await assertOthersUp(show.ids.RTMP);
    await toggle(true);
    await until('published again', async () => (await show.rtmp.publishing()).length === 1);
    await assertWhole(t);
  });

  /** As an operator does it, on air. Not in this process: the server asks it for the keys. */
  async function renewKey(key: string): Promise<void> {
    const where = ['--livestream', String(show.livestreamId), '--destination', String(show.ids.RTMP)];
    const { stdout, stderr } = await run(
      process.execPath,
      [PROGRAM, 'call', 'update_destination_stream_key', ...where, '--stream_key', key],
      { env: { ...service.env, ONAIR_URL: service.url, ONAIR_TOKEN: TOKEN } },
    );
    assert.ok(!`${stdout}${stderr}`.includes('canary'), 'no answer shows a key');
  }

  it('a stream key that the server refuses is reported and tried again; the other Destinations lose nothing', async (t) => {
    await renewKey(WRONG_KEY);
    const { last_error } = await until('refused twice', async () =>
      ((p) => p.state === 'retrying' && p.attempts >= 2 && p)(await path('RTMP')),
    );
    t.diagnostic(String(last_error));
    assert.match(last_error ?? '', /hung up before it took the stream\. Check the application and the stream key/u);
    assert.ok(!last_error!.includes('canary'));
    assert.deepEqual(await show.rtmp.publishing(), []);
    await assertOthersUp(show.ids.RTMP);
    await assertWhole(t);
  });

  it('a new stream key is published under at once, and no other any more; the others lose nothing', async (t) => {
    show.rtmp.keys.add(FRESH_KEY);
    await renewKey(FRESH_KEY);
    await until('up', async () => (await path('RTMP')).state === 'up');
    assert.deepEqual(await show.rtmp.publishing(), [FRESH_KEY]);
    await assertOthersUp();
    await assertWhole(t);
  });

  it('a kill of agent and control plane costs the receivers nothing', async (t) => {
    process.kill(agentPid(service), 'SIGKILL');
    await service.kill('SIGKILL');
    await service.restart();
    await until('status 2', async () => (await statusOf(service, show.livestreamId)).status === 2);
    const flow = flowOf(numbersIn(await sinceMark(t, 'STREAM', 5)), show.pictures);
    await assertNothingLost(flow, 'STREAM');
  });

  it('a SIGKILL of the encoder costs no more pictures than its event tells', async (t) => {
    process.kill(pids(/^\S*ffmpeg.* -i pipe:3 /u)[0]!, 'SIGKILL');
    const flow = flowOf(numbersIn(await sinceMark(t, 'STREAM', 5)), show.pictures);
    t.diagnostic(JSON.stringify(flow));
    await assertNothingLost(flow, 'STREAM');
    await assertOthersUp();
  });

  it('a SIGSTOP of the encoder costs no more pictures than its event tells', async (t) => {
    const [old] = pids(/^\S*ffmpeg.* -i pipe:3 /u);
    process.kill(old!, 'SIGSTOP');
    await until('another encoder', () => pids(/^\S*ffmpeg.* -i pipe:3 /u).some((pid) => pid !== old));
    const flow = flowOf(numbersIn(await sinceMark(t, 'STREAM', 5)), show.pictures);
    t.diagnostic(JSON.stringify(flow));
    await assertNothingLost(flow, 'STREAM');
  });

  it('a kill of the SRT receiver puts only SRT down', async (t) => {
    // What the drills before have harmed is back.
    const isUp = async (): Promise<boolean> => (await show.paths()).every(({ state }) => state === 'up');
    await until('all up', isUp);
    // Of the two receivers the other one goes on counting.
    show.receivers.SRT.kill('SIGKILL');
    await until('SRT down', async () => (await path('SRT')).state !== 'up');
    await assertOthersUp(show.ids.SRT);
    const flow = flowOf(numbersIn(await sinceMark(t, 'STREAM')), show.pictures);
    await assertNothingLost(flow, 'STREAM');
  });

  it('a killed runner is succeeded, and the run goes on with what was changed', async () => {
    process.kill(pids(/onair\S* runner/u)[0]!, 'SIGKILL');
    await until('published under the changed key, and received for two seconds', async () => {
      if (sizes().STREAM < mark.STREAM + 2 * BYTES_PER_SECOND) return false;
      return (await show.rtmp.publishing()).includes(FRESH_KEY);
    });
    assert.deepEqual(await show.rtmp.publishing(), [FRESH_KEY]);
    assert.equal((await statusOf(service, show.livestreamId)).status, 2);
  });

  it('no secret is written down anywhere', () => {
    const where = ['--include=*.log', '--include=events*', '--include=final.json', service.dataDir];
    const { stdout } = spawnSync('grep', ['-rlE', 'canary-(stream|fresh|wrong)-key', ...where], { encoding: 'utf8' });
    assert.equal(stdout, '');
    assert.doesNotMatch(service.output(), /canary-(?:stream|fresh|wrong)-key/u);
  });

  it('onair device stop leaves nothing of the Device', async () => {
    await run(process.execPath, [PROGRAM, 'device', 'stop'], { env: service.env });
    await until(
      'no process of the Device',
      () => pids(/onair\S* (?:device|runner|spare)|ffmpeg.* -i pipe/u).length === 0,
    );
    await until('status 3 or 0', async () => [0, 3].includes((await statusOf(service, show.livestreamId)).status));
  });
});
