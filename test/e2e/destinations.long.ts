/** One Live stream, a ladder of three, seven Destinations at once: each is taken by a real peer, and its pictures are counted. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { droppedIn, goOnAir, statusOf } from '../helpers/broadcast.ts';
import { COUNTED_FPS, flowOf, longestStep, soundOffsets, timelineOf, timesIn } from '../helpers/counted.ts';
import { countedBroadcast, type CountedBroadcast } from '../helpers/counted-broadcast.ts';
import { startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const run = promisify(execFile);
const SECONDS = 8;

describe('a ladder of three to seven Destinations at once', () => {
  let service: Service;
  let show: CountedBroadcast;

  before(async () => {
    service = await startService();
    show = await countedBroadcast(service);
    await goOnAir(service, show.livestreamId);
    await until('all Destinations up', async () => (await show.paths()).every(({ state }) => state === 'up'));
  });
  after(async () => {
    await show?.dispose();
    await service?.dispose();
  });

  /** Plays `url`, copied to a transport stream. */
  async function record(name: string, url: string): Promise<string> {
    const path = join(service.scratch, `${name}.mkv`);
    const args = [
      '-nostdin',
      '-v',
      'error',
      '-y',
      '-i',
      url,
      '-t',
      String(SECONDS),
      '-map',
      '0:v:0',
      '-map',
      '0:a:0',
      '-c',
      'copy',
    ];
    const { stderr } = await run('ffmpeg', [...args, path], { timeout: 600_000 });
    assert.equal(stderr, '', name);
    return path;
  }

  function assertWhole(name: string, path: string, seconds: number, dropped: number): void {
    const timeline = timelineOf(path);
    const flow = flowOf(timeline.pictures, show.pictures);
    assert.ok(flow.pictures >= seconds * COUNTED_FPS, `${name}: ${JSON.stringify(flow)}`);
    // A machine that is busy with something else may have to show pictures twice and to leave some out, which the encoder says; no other is
    // missing.
    assert.ok(flow.missing <= dropped, `${name}: ${dropped} left out by the encoder, ${JSON.stringify(flow)}`);
    const step = longestStep(timesIn(path));
    assert.ok(step < 1.5 / COUNTED_FPS, `${name}: a step of ${step} s`);
    const offsets = soundOffsets(timeline);
    // A flash beside a picture that is held is not compared.
    const compared = flow.repeated + flow.missing === 0 ? seconds - 3 : 1;
    assert.ok(offsets.length >= compared, `${name}: ${offsets.length} beeps`);
    for (const offset of offsets) assert.ok(Math.abs(offset) <= 0.045, `${name}: sound off by ${offset} s`);
  }

  for (const [name, file] of [
    ['HLS / TS', 'index.m3u8'],
    ['DASH', 'manifest.mpd'],
    ['CMAF', 'index.m3u8'],
    ['CMAF', 'manifest.mpd'],
  ] as const)
    it(`the pictures that a player gets of ${name}, ${file} are whole`, async () => {
      const url = `${show.base}/${show.ids[name]}/${file}`;
      await until(`${SECONDS} s of it`, async () =>
        (await (await fetch(url)).text()).includes(name === 'HLS / TS' ? 'm3u8' : ''),
      );
      const path = await record(`${name.replaceAll(/\W/gu, '')}-${file}`, url);
      assertWhole(name, path, SECONDS - 2, await droppedIn(service, show.livestreamId));
    });

  it('the pictures of the server that RTMP is published to are whole', async () => {
    const path = await record('rtmp', show.rtmpUrl);
    assertWhole('RTMP', path, SECONDS - 2, await droppedIn(service, show.livestreamId));
  });

  for (const name of ['SRT', 'STREAM'] as const)
    it(`the pictures that a receiver of ${name} wrote down are whole`, async () => {
      const path = show.received[name];
      await until(`${SECONDS} s at the receiver`, () => statSync(path).size > SECONDS * 14_000);
      const copy = join(service.scratch, `${name}-part.ts`);
      await run('cp', [path, copy]);
      assertWhole(name, copy, 5, await droppedIn(service, show.livestreamId));
    });

  it('the manifests have all renditions', async () => {
    const { encodings } = (await statusOf(service, show.livestreamId)) as unknown as {
      encodings: { fps: number; speed: number; dropped: number }[];
    };
    assert.equal(encodings.length, 3);
    for (const { speed, dropped } of encodings) {
      assert.ok(speed > 0 && dropped >= 0, JSON.stringify(encodings));
    }
    const master = await (await fetch(`${show.base}/${show.ids.CMAF}/index.m3u8`)).text();
    assert.equal(master.match(/#EXT-X-STREAM-INF/gu)?.length, 3, master);
    const mpd = await (await fetch(`${show.base}/${show.ids.DASH}/manifest.mpd`)).text();
    assert.equal(mpd.match(/<Representation[^>]*height=/gu)?.length, 3, mpd);
  });

  it('a Record Destination is whole, first picture to last, once it is closed', async () => {
    const before = await droppedIn(service, show.livestreamId);
    // The count is up to two seconds old: an encoder that leaves out pictures may have left out one in twenty since.
    const dropped = before === 0 ? 0 : before + (2 * COUNTED_FPS) / 20;
    await service.rest('POST', `/livestreams/${show.livestreamId}/stop`, {});
    await until('stopped', async () => (await statusOf(service, show.livestreamId)).status === 0);
    await until('the Recording is finished', async () => {
      const { rows } = (await service.rest('GET', `/recordings?livestreamId=${show.livestreamId}`)).body;
      return rows.length > 0 && rows.every(({ status }: { status: string }) => status === 'finished');
    });
    const dir = join(service.dataDir, 'device', 'recordings', String(show.livestreamId));
    const [file] = readdirSync(dir).filter((name) => name.endsWith('.mp4'));
    assert.ok(file, readdirSync(dir).join());
    assert.ok(readFileSync(join(dir, file)).length > 0);
    assertWhole('Record', join(dir, file), 10, dropped);
    const probe = spawn('ffprobe', [
      '-v',
      'error',
      '-show_entries',
      'stream=codec_type',
      '-of',
      'csv=p=0',
      join(dir, file),
    ]);
    let kinds = '';
    probe.stdout.on('data', (chunk: Buffer) => (kinds += chunk.toString()));
    await once(probe, 'close');
    assert.equal(kinds.match(/video/gu)?.length, 3, kinds);
  });
});
