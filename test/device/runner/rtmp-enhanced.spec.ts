/**
 * Enhanced RTMP: HEVC to a server that keeps every tag. nginx's module takes the stream as well, but passes on its sound only: it knows no
 * extended headers.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { clip, folder, running, startRtmpServer, startRunner, type TestRunner } from './runner-fixture.ts';
import { itLong } from '../../helpers/counts.ts';
import { until } from '../../helpers/until.ts';
import { picturesIn, rtmpSink } from './rtmp-sink.ts';
import { fileSource, output, rendition, runSpec } from './specs.ts';
import { freePort } from '../../helpers/ports.ts';

const HEVC = { renditions: [rendition(11, 160, 90, 200, { codec: 'hevc' })] };

async function stateOf(runner: TestRunner, publishingId: number) {
  const { publishings } = await runner.report();
  return publishings.find((one) => one.publishingId === publishingId)!.primary;
}

/** A decoder's report on an elementary stream: its pictures, and its complaints. */
function decode(annexB: Buffer, codec: string): { pictures: number; complaints: string } {
  const args = ['-v', 'warning', '-nostdin', '-f', codec, '-i', 'pipe:0', '-f', 'framehash', '-'];
  const text = execFileSync('sh', ['-c', `ffmpeg ${args.join(' ')} 2>&1`], { input: annexB, maxBuffer: 1 << 24 });
  const lines = text
    .toString()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const frames = lines.filter((line) => /^0, /u.test(line));
  return { pictures: frames.length, complaints: lines.filter((line) => !frames.includes(line)).join('\n') };
}

test('HEVC reaches two RTMP servers whole, and one that drops out is found again', async (t) => {
  const dir = folder(t);
  const port = await freePort();
  const [own, nginx] = [await rtmpSink(t), await startRtmpServer(t, dir, port)];
  const urls = (to: number, stream_key: string) => ({ url: `rtmp://127.0.0.1:${to}/live`, stream_key });
  const outputs = [
    output(41, 'Enhanced RTMP', urls(own.port, 'canary-own')),
    output(42, 'Enhanced RTMP', urls(nginx.port, 'relayed')),
  ];
  const runner = startRunner(t, dir, runSpec('enhanced', fileSource(clip(dir)), outputs, HEVC));
  await running(runner);
  await until('both are up', async () =>
    [await stateOf(runner, 41), await stateOf(runner, 42)].every(({ state }) => state === 'up'),
  );
  await until('90 pictures', () => own.messages.filter(({ type }) => type === 9).length > 90);
  const first = picturesIn(own.messages);
  assert.deepEqual(
    own.admitted.map(({ app, key }) => `${app}/${key}`),
    ['live/canary-own'],
  );
  assert.equal(own.messages[0]!.type, 18, 'metadata first');
  assert.equal(first.configurations, 1);
  assert.equal(first.frames[0]!.key, true);
  const { pictures, complaints } = decode(first.annexB, 'hevc');
  assert.deepEqual([pictures, complaints], [first.frames.length, '']);
  const gaps = first.frames.slice(1).map(({ ms }, i) => ms - first.frames[i]!.ms);
  // A picture that a busy machine dropped leaves a gap of whole pictures.
  const isWhole = (ms: number): boolean => ms > 0 && Math.abs(ms - (Math.round((ms * 30) / 1000) * 1000) / 30) < 2;
  assert.ok(gaps.every(isWhole), `each picture at its time: ${gaps.join()}`);
  const sounds = own.messages.filter(({ type }) => type === 8).slice(1);
  assert.ok(sounds.length > 100, `${sounds.length} frames of sound`);

  own.messages.length = 0;
  own.drop();
  await until(
    'it is given pictures again',
    () => own.messages.some(({ type }) => type === 9) && own.admitted.length > 1,
  );
  await until('40 pictures', () => own.messages.filter(({ type }) => type === 9).length > 40);
  const again = picturesIn(own.messages);
  const second = decode(again.annexB, 'hevc');
  assert.deepEqual([second.pictures, second.complaints], [again.frames.length, '']);
  assert.equal(
    runner.events().some(({ kind, data }) => kind === 'destination_down' && data.publishingId === 42),
    false,
  );

  await runner.stop();
  assert.equal(await runner.exited, 0);
  assert.deepEqual(runner.left(), []);
});

itLong('h264 goes as ordinary FLV, and a codec that FLV cannot hold is refused by name', async (t) => {
  const dir = folder(t);
  const sink = await rtmpSink(t);
  const url = `rtmp://127.0.0.1:${sink.port}/live`;
  const h264 = runSpec('plain', fileSource(clip(dir)), [output(41, 'Enhanced RTMP', { url, stream_key: 'k' })], {
    renditions: [rendition(11, 320, 180, 300)],
  });
  const runner = startRunner(t, dir, h264);
  await running(runner);
  await until('pictures', () => sink.messages.filter(({ type }) => type === 9).length > 10);
  const bodies = sink.messages.filter(({ type }) => type === 9).map(({ body }) => body[0]! & 0x8f);
  assert.deepEqual([...new Set(bodies)], [7], 'codec 7, AVC, without the extension');
  await runner.stop();
  await runner.exited;

  const refused = runSpec('refused', fileSource(clip(dir)), [output(42, 'RTMP', { url, stream_key: 'k' })], HEVC);
  const other = startRunner(t, dir, refused);
  await other.exited;
  const final = JSON.parse(readFileSync(other.files.final, 'utf8')) as { error: string };
  assert.match(final.error, /RTMP: carries h264 only, not hevc; use Enhanced RTMP/u);
});
