/** One run that takes in four live sources, one after the other: which pictures its viewers see, and that all behind the source goes on. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { SourceSpec } from '../../../domain/run.ts';
import type { TestScope } from '../../helpers/clean-up.ts';
import { COUNTED_FPS, makeCountedClip, numbersIn } from '../../helpers/counted.ts';
import { freePort } from '../../helpers/ports.ts';
import { rtspServerMissing, startRtspServer } from '../../helpers/servers/rtsp-gstreamer.ts';
import { until } from '../../helpers/until.ts';
import { rtmpOrder, startPush } from '../push/push-fixture.ts';
import { change } from './changing.ts';
import { feed, keepFeeding } from './feeder.ts';
import { everyCommandLine, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { output, QUICK, rendition, runSpec, source } from './specs.ts';
import { rendered } from './viewing.ts';

const SMALL = { renditions: [rendition(11, 320, 180, 300, QUICK.rendition)], startTimeoutSeconds: 25 };
const HLS = [output(21, 'HLS / TS', QUICK.output)];
/** Pictures of each source: it counts on where the one before it ends. */
const OWN = 150;
const SECONDS = OWN / COUNTED_FPS;
const [PUSHED, SRT, UDP, RTSP] = [0, 1, 2, 3];
const SLATE = -1;
const CAMERA = { user: 'viewer', password: 'canary-camera' };
const KEY = 'canary-key';

function clips(dir: string): string[] {
  const whole = makeCountedClip(join(dir, 'counted.mp4'), 4 * OWN);
  return [PUSHED, SRT, UDP, RTSP].map((n) => {
    const path = join(dir, `clip-${n}.mp4`);
    execFileSync('ffmpeg', [
      '-v',
      'error',
      '-ss',
      String(n * SECONDS),
      '-i',
      whole,
      '-t',
      `${SECONDS}`,
      '-c',
      'copy',
      path,
    ]);
    return path;
  });
}

const whose = (picture: number | undefined): number => (picture === undefined ? SLATE : Math.floor(picture / OWN));

/** The source of the newest picture. */
function onAir(dir: string): number | undefined {
  const newest = rendered(dir).at(-1);
  return newest === undefined ? undefined : whose(numbersIn(newest).at(-1));
}

const shows = (dir: string, which: number): Promise<unknown> =>
  until(`source ${which} is on air`, () => onAir(dir) === which);

/** Switches; on a busy machine a source may need longer than the product waits for it, and is asked for again. */
async function switchTo(runner: TestRunner, to: SourceSpec): Promise<void> {
  await until(`a switch to ${to.name}`, async () => {
    const answer = await change(runner, { type: 'source', source: to });
    assert.ok([200, 502, 504].includes(answer.status), answer.detail);
    return answer.status === 200;
  });
  assert.equal((await runner.report()).source.channelId, to.channelId);
}

interface Fed {
  sources: SourceSpec[];
  /** Ends the sender of datagrams. */
  loseUdp(): void;
  returnUdp(): void;
}

/** Peers that send the four clips; the first waits until it is called. */
async function feeds(t: TestScope, dir: string): Promise<Fed & { push(): void }> {
  const [pushed, srt, udp, rtsp] = clips(dir) as [string, string, string, string];
  const [rtmpPort, srtPort, udpPort] = [await freePort(), await freePort(), await freePort()];
  await startPush(t, dir, rtmpOrder(40, rtmpPort, { stream_key: KEY }));
  keepFeeding(
    t,
    srt,
    '-f',
    'mpegts',
    '-passphrase',
    'canary-phrase',
    '-pbkeylen',
    '16',
    `srt://127.0.0.1:${srtPort}?mode=listener`,
  );
  const group = `udp://239.255.77.4:${udpPort}?localaddr=127.0.0.1`;
  const send = (): ReturnType<typeof feed> => feed(t, udp, '-f', 'mpegts', `${group}&pkt_size=1316`);
  let sender = send();
  const named = (channelId: number, name: string, of: SourceSpec): SourceSpec => ({ ...of, channelId, name });
  const caller = { host: '127.0.0.1', port: srtPort, mode: 'caller', latency_ms: 2000, encryption: 128 } as const;
  const sources = [
    named(40, 'Pushed', source('RTMP-Push', { app: 'live', stream_key: KEY, port: rtmpPort })),
    named(41, 'SRT', source('SRT', { ...caller, passphrase: 'canary-phrase' })),
    named(42, 'UDP', source('Stream', { url: group })),
  ];
  if (!rtspServerMissing) {
    const { port } = await startRtspServer(t, rtsp, CAMERA);
    const url = `rtsp://${CAMERA.user}:${CAMERA.password}@127.0.0.1:${port}/live`;
    sources.push(named(43, 'Camera', source('Stream', { url })));
  }
  return {
    sources,
    push: () => void feed(t, pushed, '-f', 'flv', `rtmp://127.0.0.1:${rtmpPort}/live/${KEY}`),
    loseUdp: () => sender.kill(),
    returnUdp: () => void (sender = send()),
  };
}

test('a run that starts on the slate takes in RTMP pushes, SRT, UDP and RTSP in turn, loses one to the slate and gets it back, and its encoder goes on', async (t) => {
  const dir = folder(t);
  const { sources, push, loseUdp, returnUdp } = await feeds(t, dir);
  const spec = runSpec('live', sources[PUSHED]!, HLS, { ...SMALL, startWithoutSource: 'fallback' });
  const runner = startRunner(t, dir, spec);
  const of = (kind: string): number => runner.events().filter((event) => event.kind === kind).length;
  assert.notEqual((await running(runner)).source.state, 'up');
  await shows(dir, SLATE);
  push();
  await shows(dir, PUSHED);
  const encoder = runner.childNamed('pipe:5');

  await switchTo(runner, sources[SRT]!);
  await shows(dir, SRT);
  await switchTo(runner, sources[UDP]!);
  await shows(dir, UDP);

  const lost = of('source_lost');
  loseUdp();
  await until('source_lost', () => of('source_lost') > lost);
  await shows(dir, SLATE);
  assert.equal((await runner.report()).phase, 'running');
  const restored = of('source_restored');
  returnUdp();
  await until('source_restored', () => of('source_restored') > restored);
  await shows(dir, UDP);

  // Half of the picture is cut off, and with it the higher digits of its number or all of them.
  const options = { crop: { left: 0, right: 0, top: 50, bottom: 0 } };
  const cropped = await change(runner, { type: 'options', options });
  assert.equal(cropped.status, 200, cropped.detail);
  await until('the cropped picture', () => onAir(dir) !== UDP);
  assert.equal((await change(runner, { type: 'options', options: { crop: null } })).status, 200);
  await shows(dir, UDP);

  if (sources[RTSP] === undefined) t.diagnostic(`without a camera: ${rtspServerMissing}`);
  else {
    // A source that cannot be taken in leaves the one on air alone.
    const address = sources[RTSP].settings.url!.replace(CAMERA.password, 'canary-wrong');
    const stranger = { ...sources[RTSP], settings: { ...sources[RTSP].settings, url: address }, channelId: 44 };
    const refused = await change(runner, { type: 'source', source: stranger });
    assert.equal(refused.status, 502);
    assert.match(refused.detail!, /"Camera" gives no pictures: .*"UDP" stays/u);
    assert.equal((await runner.report()).source.channelId, 42);
    await switchTo(runner, sources[RTSP]);
    await shows(dir, RTSP);
  }
  assert.equal(runner.childNamed('pipe:5'), encoder);
  assert.ok(
    !everyCommandLine()
      .split('\n')
      .some((line) => line.includes('canary-camera')),
  );
  const own = runner.children().map(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  assert.ok(!own.some((line) => line.includes('canary')), own.join('\n'));
  await runner.stop();
  assert.equal(await runner.exited, 0);
  assert.deepEqual(runner.left(), []);
  for (const path of [runner.files.events, runner.files.log, runner.files.final])
    assert.ok(!readFileSync(path, 'utf8').includes('canary'), path);

  // Each source in its turn, and nothing of it after the next has begun; the slate only where one had gone.
  const all = join(dir, 'all.ts');
  writeFileSync(all, Buffer.concat(rendered(dir).map((segment) => readFileSync(segment))));
  const order = numbersIn(all)
    .map(whose)
    .filter((one) => one >= 0);
  const turns = order.filter((one, i) => one !== order[i - 1]);
  t.diagnostic(`${order.length} pictures, in turns ${turns.join(' ')}`);
  assert.deepEqual([turns[0], turns[1], turns[2]], [PUSHED, SRT, UDP]);
  const switches = runner
    .events()
    .flatMap(({ kind, data }) => (kind === 'source_switched' ? [[data.from, data.to]] : []));
  assert.deepEqual(
    switches,
    sources.slice(1).map(({ channelId }) => [channelId - 1, channelId]),
  );
});
