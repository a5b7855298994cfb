/** A copied broadcast whose process is killed: receivers of its datagrams get no picture again, and their group of pictures goes on. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { capture } from '../device/runner/receivers.ts';
import { areOnAir, runners, start } from '../helpers/copies.ts';
import { flowOf, makeCountedClip, numbersIn } from '../helpers/counted.ts';
import { isSrt, startEncoder, type EncoderName } from '../helpers/encoders.ts';
import { freePort } from '../helpers/ports.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

/** One group of pictures: its only keyframe is long ago when the process is killed. */
const PICTURES = 900;
/** Datagrams of some seconds. */
const MANY = 150;
const COPY = { settings_video: { codec: 'copy' }, settings_audio: { codec: 'copy' } };

for (const name of ['ffmpeg RTMP', 'ffmpeg SRT'] satisfies EncoderName[])
  test(`${name}: a killed process gives no picture twice`, async (t) => {
    const service = await startService();
    t.after(() => service.dispose());
    const clip = makeCountedClip(join(service.scratch, 'counted.mp4'), PICTURES, PICTURES);
    const port = await freePort();
    const place = isSrt(name)
      ? { type: 'SRT', settings: { mode: 'listener', port } }
      : { type: 'RTMP-Push', settings: { app: 'live', stream_key: 'key-of-the-encoder', port } };
    const channelId = await service.create('/channels', { name: 'Encoder', ...place });
    const receiver = await capture(t);
    const settings = { url: `udp://127.0.0.1:${receiver.port}` };
    const publishingId = await service.create('/publishings', { name: 'Receiver', type: 'STREAM', settings });
    const encodingId = await service.create('/encodings', { name: 'Copy', ...COPY });
    const id = await service.create('/livestreams', { name: 'Show', channelId, encodingId, publishingId });
    await until(
      'its listener',
      async () => (await service.rest('GET', `/channels/${channelId}`)).body.data.ingest.state === 'waiting',
    );
    const rtmpUrl = `rtmp://127.0.0.1:${port}/live/key-of-the-encoder`;
    const encoder = startEncoder(name, clip, { rtmpUrl, srtPort: port, udpPort: await freePort() });
    t.after(() => encoder.kill());
    await start(service, [id]);
    await until('on air', () => areOnAir(service, [id]));
    const { datagrams } = receiver;
    const more = async (): Promise<unknown> => {
      const before = datagrams.length;
      return until('more of it', () => datagrams.length > before + MANY);
    };
    await more();
    const killed = runners(service).get(id)!.pid;
    process.kill(killed, 'SIGKILL');
    await until('another process', () => (runners(service).get(id)?.pid ?? killed) !== killed);
    await more();
    const file = join(service.scratch, 'seen.ts');
    writeFileSync(file, Buffer.concat(datagrams.map(({ data }) => data)));
    const numbers = numbersIn(file);
    const flow = flowOf(numbers, PICTURES);
    t.diagnostic(JSON.stringify({ ...flow, pictures: numbers.length }));
    assert.ok(numbers.length > 60, `${numbers.length} pictures`);
    const repeated = numbers.length - new Set(numbers).size;
    assert.ok(repeated <= 3, `${repeated} came again: ${numbers.join(' ')}`);
    // A busy machine may start its successor after the source has left the group.
    assert.equal(new Set(numbers).size, numbers.at(-1)! - numbers[0]! + 1, numbers.join(' '));
  });
