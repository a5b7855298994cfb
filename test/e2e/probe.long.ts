import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { SourceProbe } from '../../domain/shapes/sources/probe.ts';
import { sendMessages } from '../device/runner/paced-messages.ts';
import { encode, enhancedMessages, tracksOf } from '../helpers/enhanced-tags.ts';
import { freePort } from '../helpers/ports.ts';
import { rtmpEncoder } from '../helpers/rtmp-encoder.ts';
import { testFolder } from '../helpers/test-folder.ts';
import { startService, TOKEN, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const SECRET = 'pass-of-the-camera';

describe('sources that are looked at before the air', () => {
  let service: Service;
  const encoders: ChildProcess[] = [];
  /** It takes connections and says nothing. */
  const silent: Server = createServer();
  before(async () => {
    service = await startService();
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
  });
  after(async () => {
    for (const encoder of encoders) encoder.kill('SIGKILL');
    silent.close();
    await service.dispose();
  });

  /** 640×360 at 29.97 fps with a keyframe each second, and a tone with its peak at −12.04 dBFS on two channels. */
  function send(...output: string[]): void {
    const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=30000/1001'];
    const sine = '0.25*sin(2*PI*1000*t)';
    const tone = ['-f', 'lavfi', '-i', `aevalsrc=${sine}|${sine}:s=48000`];
    const video = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '30'];
    const args = ['-v', 'error', '-nostdin', '-re', ...picture, ...tone, ...video, '-c:a', 'aac', ...output];
    encoders.push(spawn('ffmpeg', args, { stdio: 'ignore' }));
  }
  const stream = (name: string, url: string): Promise<number> =>
    service.create('/channels', { name, type: 'Stream', settings: { url } });
  const probe = async (id: number): Promise<{ status: number; detail: string; data: SourceProbe }> => {
    const { status, body } = await service.rest('POST', `/channels/${id}/probe`);
    return { status, detail: String(body.detail), data: body.data };
  };
  const stateOf = async (id: number): Promise<string> =>
    (await service.rest('GET', `/channels/${id}`)).body.data.ingest.state;
  const preview = (id: number): Promise<Response> =>
    fetch(`${service.url}/svcapiv2/channels/${id}/preview?width=320`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
  async function sizeOf(answer: Response): Promise<string> {
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/jpeg']);
    const input = Buffer.from(await answer.arrayBuffer());
    const show = ['-v', 'error', '-show_entries', 'stream=codec_name,width,height', '-of', 'csv=p=0', 'pipe:0'];
    return execFileSync('ffprobe', show, { input }).toString().trim();
  }
  function assertFacts({ video, audio, captions, warnings, bitrate_kbps }: SourceProbe): void {
    assert.ok(video !== null && bitrate_kbps > 100);
    assert.deepEqual([video.codec, video.width, video.height, video.interlaced], ['h264', 640, 360, false]);
    assert.ok(Math.abs((video.fps ?? 0) - 29.97) < 0.02, `${video.fps} fps`);
    assert.ok(Math.abs((video.keyframe_interval_seconds ?? 0) - 1) < 0.1, `${video.keyframe_interval_seconds} s`);
    const [track] = audio;
    assert.deepEqual([audio.length, track?.codec, track?.channels, track?.sample_rate], [1, 'aac', 2, 48_000]);
    assert.ok(Math.abs((track?.rms_dbfs ?? 0) + 15.05) < 0.5, `RMS ${track?.rms_dbfs}`);
    assert.ok(Math.abs((track?.peak_dbfs ?? 0) + 12.04) < 0.5, `peak ${track?.peak_dbfs}`);
    assert.deepEqual([captions, warnings], [[], []]);
  }

  it('a source that is refused, silent or not pushed is said with its address, and no secret', async () => {
    const closed = await freePort();
    const dead = await stream('dead', `http://user:${SECRET}@127.0.0.1:${closed}/live.m3u8`);
    const mute = await stream('mute', `http://127.0.0.1:${(silent.address() as AddressInfo).port}/a.ts`);
    const settings = { app: 'live', port: await freePort() };
    const obs = await service.create('/channels', { name: 'OBS', type: 'RTMP-Push', settings });
    await until('its listener', async () => (await stateOf(obs)) === 'waiting');
    const [refused, late, unpushed] = await Promise.all([probe(dead), probe(mute), probe(obs)]);
    assert.equal(refused.status, 502);
    assert.match(
      refused.detail,
      new RegExp(`"dead" \\(http://\\*+@127.0.0.1:${closed}/live.m3u8\\).*refuses the connection`, 'u'),
    );
    assert.ok(!JSON.stringify(refused).includes(SECRET));
    assert.deepEqual([late.status, unpushed.status], [504, 504]);
    assert.match(late.detail, /"mute" .*does not answer in time/u);
    assert.match(unpushed.detail, /Nobody pushes to Channel "OBS": its ingest rtmp:.* is waiting/u);
    const none = await preview(dead);
    assert.equal(none.status, 404);
    assert.match(String(((await none.json()) as { detail: string }).detail), /Call probeChannel/u);
  });

  it('a pulled source is measured once for two callers, and its picture stays; a start would know of it', async () => {
    const port = await freePort();
    const id = await stream('feed', `udp://127.0.0.1:${port}`);
    send('-f', 'mpegts', `udp://127.0.0.1:${port}?pkt_size=1316`);
    const [one, two] = await Promise.all([probe(id), probe(id)]);
    assert.equal(one.status, 200, one.detail);
    assert.deepEqual(one, two);
    assertFacts(one.data);
    assert.ok(one.data.took_ms <= 10_000, `${one.data.took_ms} ms`);
    assert.equal(await sizeOf(await preview(id)), 'mjpeg,640,360');
    const encodingId = await service.create('/encodings', { name: '720p' });
    const publishingId = await service.create('/publishings', { name: 'Web', type: 'HLS / TS' });
    const show = await service.create('/livestreams', { name: 'Show', channelId: id, encodingId, publishingId });
    const { body } = await service.rest('GET', `/livestreams/${show}/startConfig`);
    assert.deepEqual(body.data.source, { channelId: id, ingest: null, probe: one.data });
  });

  it('what an encoder pushes is seen before any look, and is measured', async () => {
    const settings = { app: 'studio', port: await freePort(), stream_key: 'a-key-of-the-studio' };
    const id = await service.create('/channels', { name: 'studio', type: 'RTMP-Push', settings });
    await until('its listener', async () => (await stateOf(id)) === 'waiting');
    send('-f', 'flv', `rtmp://127.0.0.1:${settings.port}/studio/a-key-of-the-studio`);
    await until('the encoder', async () => (await stateOf(id)) === 'receiving');
    assert.equal(await sizeOf(await preview(id)), 'mjpeg,320,180');
    const { status, detail, data } = await probe(id);
    assert.equal(status, 200, detail);
    assertFacts(data);
  });

  it('what is pushed by Enhanced RTMP is seen and measured, too', async (t) => {
    const settings = { app: 'studio', port: await freePort(), stream_key: 'another-key-of-the-studio' };
    const id = await service.create('/channels', { name: 'truck', type: 'RTMP-Push', settings });
    await until('its listener', async () => (await stateOf(id)) === 'waiting');
    const x265 = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=error:bframes=3:keyint=25'];
    const audio = [0, 1].map(() => ['-c', 'libopus', '-b', '64k']);
    const file = encode(join(testFolder(t, 'probe'), 'hevc.mkv'), { video: x265, audio, size: '640x360' });
    const messages = enhancedMessages(tracksOf(file)).map((message) => ({ ...message, stream: 1 }));
    sendMessages(t, await rtmpEncoder({ port: settings.port, app: 'studio', key: settings.stream_key }), [messages], 2);
    await until('the encoder', async () => (await stateOf(id)) === 'receiving');
    await until('a picture', async () => (await preview(id)).status === 200);
    assert.equal(await sizeOf(await preview(id)), 'mjpeg,320,180');
    const { status, detail, data } = await probe(id);
    assert.equal(status, 200, detail);
    assert.deepEqual([data.video?.codec, data.video?.width, data.video?.fps], ['hevc', 640, 25]);
    assert.deepEqual(
      data.audio.map(({ codec }) => codec),
      ['opus', 'opus'],
    );
  });
});
