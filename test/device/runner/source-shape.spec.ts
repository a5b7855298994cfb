/** Streams of a source that come, go, move or change while it is on air. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { RtmpMessage } from '../../../device/media/rtmp/rtmp-chunks.ts';
import type { RunEvent } from '../../../domain/shapes/broadcasts/run.ts';
import type { CopiedFormat } from '../../../device/runner/stream/copied-format.ts';
import { SourceShape } from '../../../device/runner/watch/source-shape.ts';
import { StreamWatch, type Misfit, type Taken } from '../../../device/runner/watch/stream-watch.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { itLong } from '../../helpers/counts.ts';
import { freePort } from '../../helpers/ports.ts';
import { until } from '../../helpers/until.ts';
import { rtmpEncoder } from '../../helpers/rtmp-encoder.ts';
import { rtmpOrder, startPush } from '../push/push-fixture.ts';
import { sendAtPace, sendParts } from './paced-datagrams.ts';
import { sendMessages } from './paced-messages.ts';
import { isTakenIn } from './receivers.ts';
import { flvMessages, rtmpSink } from './rtmp-sink.ts';
import { folder, running, startRtmpServer, startRunner, type TestRunner } from './runner-fixture.ts';
import { output, QUICK, rendition, runSpec, source } from './specs.ts';
import { lastBrightness, loudness, rendered } from './viewing.ts';

const SMALL = { renditions: [rendition(11, 160, 90, 200, QUICK.rendition)], startTimeoutSeconds: 30 };
const HLS = [output(21, 'HLS / TS', QUICK.output)];
const PART_SECONDS = 6;
const NEW = {
  picture: '[warning] New video stream 0:2 at pos:1 and DTS:8s',
  sound: '[warning] New audio stream 0:2 at',
};
const DESCRIBED = '[info]   Stream #0:1: Audio: aac (LC), 48000 Hz, mono, fltp';
const FAULT = '[error] Error while decoding stream #0:0: Invalid data found when processing input';

/** Runs a watch for four seconds: `comes` are the streams whose media come at each tenth, `lines` what ffmpeg writes at which tenth. */
function misfits(
  taken: string,
  comes: (tenth: number) => string,
  lines: (tenth: number) => string[] = () => [],
): Misfit[] {
  const found: Misfit[] = [];
  const of = (letter: string): Taken['sound'] => ({ isWanted: true, isTaken: taken.includes(letter), mayBeAny: true });
  const watch = new StreamWatch({ picture: of('p'), sound: of('s') }, (misfit) => found.push(misfit));
  for (let tenth = 0; tenth < 40; tenth += 1) {
    if (comes(tenth).includes('p')) watch.came('picture', tenth * 100);
    if (comes(tenth).includes('s')) watch.came('sound', tenth * 100);
    for (const line of lines(tenth)) watch.line(line, tenth * 100);
    watch.look(tenth * 100);
  }
  return found;
}

describe('the shape of a source', () => {
  it('a connection is not enough when ffmpeg names a stream that it does not take, or the one that it takes has moved', () => {
    const both = (): string => 'ps';
    const at =
      (tenth: number, ...lines: string[]) =>
      (now: number): string[] =>
        now === tenth ? lines : [];
    const until5 =
      (before: string, after: string) =>
      (tenth: number): string =>
        tenth < 5 ? before : after;
    const errors = (tenth: number): string[] => (tenth >= 5 ? [FAULT] : []);
    const rows: [string, Misfit[], Misfit[]][] = [
      ['late sound', misfits('p', () => 'p', at(5, NEW.sound)), [{ stream: 'sound', change: 'begun' }]],
      ['a late picture', misfits('s', () => 's', at(5, NEW.picture)), [{ stream: 'picture', change: 'begun' }]],
      ['sound of the analysis', misfits('p', () => 'p', at(0, DESCRIBED)), [{ stream: 'sound', change: 'begun' }]],
      ['another language', misfits('ps', both, at(5, NEW.sound)), []],
      ['sound that moves', misfits('ps', until5('ps', 'p'), at(6, NEW.sound)), [{ stream: 'sound', change: 'moved' }]],
      [
        'a picture that moves',
        misfits('ps', until5('ps', 's'), at(5, NEW.picture)),
        [{ stream: 'picture', change: 'moved' }],
      ],
      [
        'both that move',
        misfits('ps', until5('ps', ''), at(5, NEW.picture, NEW.sound)),
        [{ stream: 'picture', change: 'moved' }],
      ],
      ['sound that pauses', misfits('ps', until5('ps', 'p')), []],
      ['another codec', misfits('ps', until5('ps', 's'), errors), [{ stream: 'picture', change: 'coded' }]],
      ['damage on the line', misfits('ps', both, errors), []],
      ['a damaged end', misfits('ps', until5('ps', ''), at(5, FAULT)), []],
    ];
    for (const [name, found, wanted] of rows) assert.deepEqual(found, wanted, name);
  });

  it('streams that begin and end on air are events; those of the beginning, of a pause and of a loss are none', () => {
    const events: string[] = [];
    const log = {
      add: (...[, , , data]: [string, string, string, Record<string, unknown>]) =>
        events.push(`${data['stream'] as string} ${data['change'] as string}`),
    };
    const shape = new SourceShape({ events: log as never, feeds: undefined as never });
    const lastAt = new Map<number, number | undefined>([
      [-1, undefined],
      [0, undefined],
    ]);
    let [now, since] = [0, 0];
    const run = (seconds: number, ...comes: number[]): string[] => {
      events.length = 0;
      for (const end = now + seconds * 1000; now < end; now += 100) {
        for (const stream of comes) lastAt.set(stream, now);
        const watch = { arrivals: { since, lastAt, forms: new Map() } };
        shape.look({ source: source('SRT', {}), watch: watch as never }, now);
      }
      return [...events];
    };
    assert.deepEqual(run(8, -1), [], 'it has no sound');
    assert.deepEqual(run(3, -1, 0), ['sound begun']);
    assert.deepEqual(run(1.5, -1), [], 'a pause');
    assert.deepEqual(run(3, 0), ['picture ended']);
    assert.deepEqual(run(3, -1, 0), ['picture begun']);
    assert.deepEqual(run(10), [], 'it is lost');
    lastAt.clear();
    for (const stream of [-1, 0]) lastAt.set(stream, undefined);
    since = now;
    assert.deepEqual(run(1, -1), [], 'it is back, its picture first');
    assert.deepEqual(run(3, -1), ['sound ended']);
  });
});

/** A transport stream whose parts have these streams: `v` and `a`, the sound with another PID behind a colon, the picture as HEVC with `h`, the sound as MP2 with `m`. */
function parts(dir: string, ...shapes: string[]): Buffer {
  const made = shapes.map((shape, n) => {
    const path = join(dir, `part-${n}.ts`);
    const [streams, pid = '0x101'] = shape.split(':') as [string, string?];
    const has = (letter: string): boolean => streams.includes(letter);
    const picture = has('v') || has('h') ? ['-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=30'] : [];
    const sound = has('a') || has('m') ? ['-f', 'lavfi', '-i', 'sine=f=440:r=48000'] : [];
    const coding = [
      '-c:v',
      has('h') ? 'libx265' : 'libx264',
      '-preset',
      'ultrafast',
      '-g',
      '30',
      '-pix_fmt',
      'yuv420p',
      '-c:a',
      has('m') ? 'mp2' : 'aac',
    ];
    const pids = [...(picture.length > 0 ? ['0x100'] : []), pid].flatMap((one, i) => ['-streamid', `${i}:${one}`]);
    const times = ['-muxdelay', '0', '-muxpreload', '0', '-output_ts_offset', String(n * PART_SECONDS + 1)];
    const args = [...picture, ...sound, '-t', String(PART_SECONDS), ...coding, ...pids, ...times, path];
    execFileSync('ffmpeg', ['-v', 'error', '-y', ...args]);
    return readFileSync(path);
  });
  return Buffer.concat(made);
}

const changes = (runner: TestRunner): unknown[] =>
  runner
    .events()
    .flatMap(({ data }: RunEvent) =>
      data['stream'] === undefined ? [] : [`${data['stream'] as string} ${data['change'] as string}`],
    );
/** A machine that stands still for a moment may tell the same again. */
const firstChanges = (runner: TestRunner): unknown[] => [...new Set(changes(runner))];
/** On air: what has not come yet is not lost. */
const lost = (runner: TestRunner): RunEvent[] =>
  runner.events().filter(({ kind, data }) => kind === 'source_lost' && data['fallback'] !== undefined);
const isHeard = (dir: string): boolean => loudness(rendered(dir).at(-1)!) > -40;
const isSeen = (dir: string): boolean => lastBrightness(rendered(dir).at(-1)!) > 60;

it('sound that begins late by UDP is taken in, moves, and goes on beside the slate when its picture has gone', async (t) => {
  const dir = folder(t);
  const port = await freePort();
  const shapes = ['v', 'va', 'va:0x12c', 'a:0x12c', 'va:0x12c'];
  const runner = startRunner(
    t,
    dir,
    runSpec('shape', source('Stream', { url: `udp://127.0.0.1:${port}` }), HLS, SMALL),
  );
  await until('the ingest runs', () => runner.children().length > 1);
  const encoder = sendParts(
    t,
    shapes.map((shape) => parts(dir, shape)),
    PART_SECONDS,
    port,
  );
  await running(runner);
  encoder.next();
  await until('the sound', () => isHeard(dir) && isSeen(dir), { everyMs: 500 });
  await until('it is told', () => changes(runner).includes('sound begun'));
  encoder.next();
  await until('it has moved', () => changes(runner).includes('sound moved'));
  // A machine that stood still for a moment has lost datagrams, and the picture with them.
  await until('both', () => isSeen(dir) && isHeard(dir), { everyMs: 500 });
  const before = lost(runner).length;
  encoder.next();
  await until('the slate, with its sound', () => !isSeen(dir) && isHeard(dir), { everyMs: 500 });
  await until('the loss of the picture is told', () => changes(runner).includes('picture ended'));
  await until('the slate is told', () => lost(runner).length > before);
  encoder.next();
  await until('the picture is back', () => isSeen(dir) && isHeard(dir), { everyMs: 500 });
  await until('that is told', () => changes(runner).includes('picture begun'));
  assert.deepEqual(firstChanges(runner), ['sound begun', 'sound moved', 'picture ended', 'picture begun']);
});

/** FLV with these streams, as messages. */
function messagesOf(dir: string, shape: string, codec = 'aac'): RtmpMessage[] {
  const path = join(dir, `${shape}.flv`);
  const picture = shape.includes('v') ? ['-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=30'] : [];
  const sound = shape.includes('a') ? ['-f', 'lavfi', '-i', 'sine=f=440:r=44100'] : [];
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '30', '-pix_fmt', 'yuv420p', '-c:a', codec];
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...picture, ...sound, '-t', String(PART_SECONDS), ...coding, path]);
  return flvMessages(readFileSync(path)).filter(({ type }) => type !== 18);
}

it('sound and a picture that begin late within one RTMP push are taken in, each beside what is on air', async (t) => {
  const dir = folder(t);
  const port = await freePort();
  const key = 'canary-key-shape';
  const from = source('RTMP-Push', { app: 'live', stream_key: key, port });
  const push = await startPush(t, dir, rtmpOrder(from.channelId, port, { stream_key: key }));
  const connected = await rtmpEncoder({ port, app: 'live', key });
  cleanUp(t, () => void connected.socket.destroy());
  const shapes = ['v', 'va', 'a', 'va'];
  const encoder = sendMessages(
    t,
    connected,
    shapes.map((shape) => messagesOf(dir, shape)),
    PART_SECONDS,
  );
  await until('receiving', async () => (await push.report(from.channelId)).video !== null);
  const runner = startRunner(t, dir, runSpec('late', from, HLS, SMALL));
  await running(runner);
  encoder.next();
  await until('the sound', () => isHeard(dir) && isSeen(dir), { everyMs: 500 });
  await until('it is told', () => changes(runner).includes('sound begun'));
  encoder.next();
  await until('the slate, with its sound', () => !isSeen(dir) && isHeard(dir), { everyMs: 500 });
  await until('the loss of the picture is told', () => changes(runner).includes('picture ended'));
  encoder.next();
  await until('the picture is back', () => isSeen(dir) && isHeard(dir), { everyMs: 500 });
  await until('that is told', () => changes(runner).includes('picture begun'));
  assert.deepEqual(firstChanges(runner), ['sound begun', 'picture ended', 'picture begun']);
});

const COPY = (() => {
  const copied = rendition(11, 160, 90, 200, { ...QUICK.rendition, codec: 'copy' });
  return [{ ...copied, audio: { ...copied.audio!, codec: 'copy' as const } }];
})();

itLong(
  'streams of a copied source by UDP that begin late or move are carried on, and no output begins without them',
  async (t) => {
    const dir = folder(t);
    const port = await freePort();
    const spec = runSpec('copied', source('Stream', { url: `udp://127.0.0.1:${port}` }), HLS, {
      ...SMALL,
      renditions: COPY,
    });
    const runner = startRunner(t, dir, spec);
    await until('its port is open', () => isTakenIn(port));
    const shapes = ['v', 'va', 'va:0x12c'];
    const encoder = sendParts(
      t,
      shapes.map((shape) => parts(dir, shape)),
      PART_SECONDS,
      port,
    );
    await running(runner);
    encoder.next();
    await until('the sound', () => isHeard(dir), { everyMs: 500 });
    encoder.next();
    await until('it has moved', () => changes(runner).includes('sound moved'));
    const known = rendered(dir).length;
    await until('it is heard again', () => rendered(dir).length > known && isHeard(dir) && isSeen(dir));
    assert.deepEqual(changes(runner).slice(0, 2), ['sound begun', 'sound moved']);
  },
);

itLong(
  'another codec on the same PID begins every output of a copy anew, and is refused by name where it cannot go',
  async (t) => {
    const dir = folder(t);
    const port = await freePort();
    const sink = await rtmpSink(t);
    const outputs = [...HLS, output(31, 'RTMP', { url: `rtmp://127.0.0.1:${sink.port}/live`, stream_key: 'k' })];
    const from = source('Stream', { url: `udp://127.0.0.1:${port}` });
    const runner = startRunner(t, dir, runSpec('recoded', from, outputs, { ...SMALL, renditions: COPY }));
    await until('its port is open', () => isTakenIn(port));
    const shapes = ['va', 'ha', 'vm'];
    const encoder = sendParts(
      t,
      shapes.map((shape) => parts(dir, shape)),
      PART_SECONDS,
      port,
    );
    await running(runner);
    const codecs = (): unknown[] =>
      runner.events().flatMap(({ kind, data }) => {
        const to = data['to'] as CopiedFormat | undefined;
        return kind === 'source_format_changed' && to !== undefined
          ? [[to.codec, ...to.audio.map(({ codec }) => codec)]]
          : [];
      });
    const playlist = (): string => readFileSync(join(rendered(dir).at(-1)!, '../index.m3u8'), 'utf8');
    encoder.next();
    await until('the picture is HEVC', () => codecs().length > 0);
    await until('the RTMP Destination says why', () =>
      runner.events().some(({ message }) => /carries h264 only, not hevc/u.test(message)),
    );
    await until('it is shown', () =>
      /hvc1|hev1/u.test(readFileSync(join(rendered(dir).at(-1)!, '../../index.m3u8'), 'utf8')),
    );
    const known = rendered(dir).length;
    await until('another segment', () => rendered(dir).length > known);
    assert.ok(isSeen(dir));
    encoder.next();
    await until('the old picture and other sound', () => codecs().length > 1);
    const then = rendered(dir).length;
    await until('more segments', () => rendered(dir).length > then + 1);
    assert.ok(isSeen(dir) && isHeard(dir));
    assert.match(playlist(), /EXT-X-DISCONTINUITY/u);
    assert.deepEqual(codecs().slice(0, 1), [['hevc', 'aac']]);
    assert.deepEqual(codecs().at(-1), ['h264', 'mp2']);
  },
);

/** FLV of a picture, alone and then with sound of this codec. */
function lateSound(dir: string, codec: string): RtmpMessage[][] {
  return ['v', 'va'].map((shape) => messagesOf(dir, shape, codec));
}

for (const [name, codec] of [
  ['pulled by RTMP', 'aac'],
  ['pulled by RTMP, of MP3', 'libmp3lame'],
  ['pushed by RTMP, of MP3', 'libmp3lame'],
] as const)
  itLong(
    `late sound of a copied source that is ${name}, is carried on from the connection that is there`,
    async (t) => {
      const dir = folder(t);
      const port = await freePort();
      const isPulled = name.startsWith('pulled');
      const key = 'canary-key-late';
      const settings = { app: 'live', stream_key: key, port };
      const from = isPulled
        ? source('Stream', { url: `rtmp://127.0.0.1:${port}/live/${key}` })
        : source('RTMP-Push', settings);
      if (isPulled) await startRtmpServer(t, dir, port);
      else await startPush(t, dir, rtmpOrder(from.channelId, port, settings));
      const connected = await rtmpEncoder({ port, app: 'live', key });
      cleanUp(t, () => void connected.socket.destroy());
      const encoder = sendMessages(t, connected, lateSound(dir, codec), PART_SECONDS);
      const runner = startRunner(t, dir, runSpec('late', from, HLS, { ...SMALL, renditions: COPY }));
      await running(runner);
      await until('a segment without sound', () => rendered(dir).length > 0);
      encoder.next();
      await until('the sound', () => isHeard(dir) && isSeen(dir), { everyMs: 500 });
      const kinds = runner.events().map(({ kind }) => kind);
      assert.ok(!kinds.includes('source_lost'), kinds.join());
    },
  );

const PUSHED = [
  ['late sound that moves', ['v', 'va', 'va:0x12c'], ['sound begun', 'sound moved']],
  ['a late picture', ['a', 'va'], ['picture begun']],
  ['another codec', ['va', 'ha'], ['picture coded']],
] as const;
for (const [name, shapes, wanted] of PUSHED)
  itLong(`${name} of an SRT push is read beside what is on air, which no viewer notices`, async (t) => {
    const dir = folder(t);
    const [port, local] = [await freePort(), await freePort()];
    const from = source('SRT', { host: '127.0.0.1', port, mode: 'listener', latency_ms: 120, encryption: 0 });
    const push = await startPush(t, dir, {
      channelId: from.channelId,
      name: from.name,
      type: 'SRT',
      settings: from.settings,
    });
    const gateway = spawn('srt-live-transmit', [`udp://127.0.0.1:${local}`, `srt://127.0.0.1:${port}?mode=caller`]);
    cleanUp(t, () => void gateway.kill('SIGKILL'));
    const runner = startRunner(t, dir, runSpec('pushed', from, HLS, SMALL));
    const stream = parts(dir, ...shapes);
    await until('the ingest runs', () => runner.children().length > 1);
    await until('the encoder is connected', async () => (await push.report(from.channelId)).state === 'receiving');
    sendAtPace(t, stream, local, 1);
    await running(runner);
    // On a busy machine the sound of the beginning may be on air before its picture.
    const isTold = (): boolean => changes(runner).slice(-wanted.length).join() === wanted.join();
    await until('all of it', () => isTold() && isSeen(dir) && isHeard(dir));
    if (name !== 'another codec') assert.deepEqual(lost(runner), []);
  });
