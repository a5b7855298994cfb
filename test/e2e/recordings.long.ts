/** A Recording through the death of everything that makes it: what is missing of it, and that the list tells the truth. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { isFastStart } from '../../device/agent/recordings/part-end.ts';
import { goOnAir, statusOf } from '../helpers/broadcast.ts';
import { COUNTED_FPS, makeCountedClip, numbersIn, timesIn } from '../helpers/counted.ts';
import { letPass } from '../helpers/pass.ts';
import { freePort } from '../helpers/ports.ts';
import { pidsOf, processesOf, startService, type RestReply, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const PICTURES = 4080;
/** Half a second: a successor of a runner joins the source anew, and begins with its next keyframe. */
const KEYFRAME_EACH = 15;
/** Between two kills: each is over before the next one. */
const CALM_MS = 7000;
/** Names of encoder, agent, runner and control plane. */
const KILLS = 4;
/** A live source tells what is missing of time itself: nobody can play it again. */
const FEED = ['-nostdin', '-v', 'error', '-re', '-stream_loop', '-1'];

describe('a Recording of a run in which everything was killed once', () => {
  let service: Service;
  let feeder: ChildProcess;
  let livestreamId: number;
  let recordingId: number;

  before(async () => {
    service = await startService();
    const port = await freePort();
    const clip = makeCountedClip(join(service.scratch, 'counted.mp4'), PICTURES, KEYFRAME_EACH);
    const udp = `udp://127.0.0.1:${port}?pkt_size=1316`;
    feeder = spawn('ffmpeg', [...FEED, '-i', clip, '-c', 'copy', '-f', 'mpegts', udp], { stdio: 'ignore' });
    const settings = { url: `udp://127.0.0.1:${port}` };
    const channelId = await service.create('/channels', { name: 'Camera', type: 'Stream', settings });
    const video = {
      codec: 'h264',
      fps: 30,
      height: 180,
      bitrate: 400,
      preset: 'ultrafast',
      h264: { keyframe_interval: 2 },
    };
    const encodingId = await service.create('/encodings', { name: '180p', settings_video: video });
    const retry = { max_attempts: 50, initial_delay_ms: 100, max_delay_ms: 500 };
    const publishingId = await service.create('/publishings', { name: 'Archive', type: 'Record', retry });
    livestreamId = await service.create('/livestreams', { name: 'Show', channelId, encodingId, publishingId });
    await goOnAir(service, livestreamId);
  });
  after(async () => {
    feeder.kill('SIGKILL');
    await service.dispose();
  });

  const pids = (pattern: RegExp): number[] => pidsOf(service.scratch, pattern);
  const folder = (): string => join(service.dataDir, 'device', 'recordings', String(livestreamId));
  const parts = (): string[] =>
    readdirSync(folder())
      .filter((name) => /-\d+\.mp4$/u.test(name))
      .sort();
  const row = async (): Promise<RestReply['body']> =>
    (await service.rest('GET', `/recordings/${recordingId}`)).body.data;
  async function isWritten(): Promise<void> {
    const last = join(folder(), parts().at(-1)!);
    const before = readFileSync(last).length;
    await until('the last part grows', () => readFileSync(last).length > before);
  }

  async function kill(what: string, pattern: RegExp): Promise<void> {
    const [pid] = pids(pattern);
    assert.ok(pid, `no ${what} among ${JSON.stringify(processesOf(service.scratch))}`);
    process.kill(pid, 'SIGKILL');
    await until(`another ${what}`, () => pids(pattern).some((other) => other !== pid));
    await letPass(CALM_MS);
    await isWritten();
  }

  it('a Recording is there from the first on, and grows', async () => {
    const [first] = await until('a row', async () => {
      const { rows } = (await service.rest('GET', `/recordings?livestreamId=${livestreamId}`)).body;
      return rows.length > 0 && rows;
    });
    recordingId = first.id;
    assert.deepEqual([first.status, first.ended_at, first.qualities], ['recording', null, ['180p']]);
    const { body } = await service.rest('GET', `/livestreams/${livestreamId}/status`);
    assert.equal(body.data.recordingId, recordingId);
    await until('it grows', async () => (await row()).duration_seconds > first.duration_seconds + 1);
    assert.equal((await service.rest('DELETE', `/recordings/${recordingId}`)).status, 409);
    assert.equal((await service.rest('POST', `/recordings/${recordingId}/downloads`, {})).status, 409);
  });

  it('a Recording survives SIGKILL of encoder, agent, runner and control plane', async () => {
    await kill('encoder', /^\S*ffmpeg.* -i pipe:3 /u);
    await kill('agent', /onair\S* device/u);
    const [spare] = await until('a runner in waiting', () => {
      const found = pids(/onair\S* spare/u);
      return found.length > 0 && found;
    });
    await kill('runner', /onair\S* runner/u);
    assert.deepEqual(pids(/onair\S* runner/u), [spare], 'who waited has succeeded it');
    await service.kill('SIGKILL');
    await letPass(CALM_MS);
    await service.restart();
    await until('status 2', async () => (await statusOf(service, livestreamId)).status === 2);
    assert.equal((await row()).status, 'recording');
    await isWritten();
    assert.equal((await service.rest('GET', `/recordings?livestreamId=${livestreamId}`)).body.rows.length, 1);
  });

  it('every part of a Recording can be played before the end', () => {
    assert.equal(parts().length, 2, 'the runner that was killed has left one, its successor writes the other');
    for (const name of parts()) assert.ok(numbersIn(join(folder(), name)).length > 5 * COUNTED_FPS, name);
  });

  it('a Recording is one file when the run is over, whole but for a moment a kill', async (t) => {
    await service.rest('POST', `/livestreams/${livestreamId}/stop`, {});
    await until('stopped', async () => (await statusOf(service, livestreamId)).status === 0);
    const done = await until('finished', async () => {
      const now = await row();
      return now.status === 'finished' && now;
    });
    assert.deepEqual([done.files, done.errorstatus], [1, null]);
    const path = await download(t);
    assert.equal(readFileSync(path).length, done.size_bytes);
    assert.ok(await isFastStart(path), 'moov comes before mdat');
    const times = timesIn(path);
    const length = times.at(-1)! - times[0]! + 1 / COUNTED_FPS;
    assert.ok(
      Math.abs(done.duration_seconds - length) < 0.1,
      `${done.duration_seconds} s told, ${length} s of pictures`,
    );
    tellGaps(t, path);
  });

  async function download(t: TestContext): Promise<string> {
    const { body } = await service.rest('POST', `/recordings/${recordingId}/downloads`, {});
    const reply = await fetch(body.data.url);
    assert.equal(reply.status, 200);
    const path = join(service.scratch, 'downloaded.mp4');
    writeFileSync(path, Buffer.from(await reply.arrayBuffer()));
    t.diagnostic(`${reply.headers.get('content-disposition')}`);
    return path;
  }

  function tellGaps(t: TestContext, path: string): void {
    const numbers = numbersIn(path).filter((number) => number !== undefined);
    const gaps = numbers
      .slice(1)
      .map((number, at) => ((number - numbers[at]! - 1 + PICTURES) % PICTURES) / COUNTED_FPS)
      .filter((seconds) => seconds > 0.5 / COUNTED_FPS && seconds < (PICTURES - 100) / COUNTED_FPS);
    t.diagnostic(
      `seconds of media missing, one figure a gap: ${gaps.map((gap) => gap.toFixed(2)).join(', ') || 'none'}`,
    );
    // What was on its way, the join, at most half a second to the next keyframe; a machine that runs much else leaves out single pictures.
    const moments = gaps.filter((seconds) => seconds > 0.5);
    assert.ok(moments.length <= KILLS, `${moments.length} moments are missing`);
  }
});
