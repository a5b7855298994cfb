/** Pictures for those who watch many broadcasts, and what a run says of its picture and sound. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import type { SentPicture } from '../../../domain/shapes/broadcasts/live-picture.ts';
import type { BlackoutSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { FramePool } from '../../../device/media/frames/frame-pool.ts';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { OutputMonitor, type MonitorDeps } from '../../../device/runner/playout/output-monitor.ts';
import { EncodedStream } from '../../../device/runner/stream/encoded-stream.ts';
import { letPass } from '../../helpers/pass.ts';
import { until } from '../../helpers/until.ts';
import { change } from './changing.ts';
import { call, clip, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { fileSource, output, rendition, runSpec } from './specs.ts';
import { wordsOf } from '../../helpers/words.ts';

const HLS = [output(21, 'HLS / TS', { playlist_length: 60 })];
const SMALL = { renditions: [rendition(11, 640, 360, 800)], startTimeoutSeconds: 30 };
const FLAGS = { black: 1, frozen: 2, silent: 4, blackout: 8, slate: 16 };
const LIVE: BlackoutSpec = { mode: 'Live', file: null, keepAudio: false };

type Answer = SentPicture & { code?: string; detail?: string };

async function picture(runner: TestRunner, width: number): Promise<Answer> {
  return JSON.parse(await call(runner.files.socket, 'GET', `/picture?width=${width}`)) as Answer;
}

/** Size, and mean of red, green and blue. */
function look({ jpeg, detail }: Answer): { size: string; mean: number[] } {
  assert.ok(jpeg !== undefined, detail);
  const input = Buffer.from(jpeg, 'base64');
  const probe = ['-v', 'error', '-f', 'mjpeg', '-show_entries', 'stream=width,height', '-of', 'csv=p=0:s=x', '-'];
  const size = execFileSync('ffprobe', probe, { input, encoding: 'utf8' }).trim();
  const mean = wordsOf('-v error -f mjpeg -i - -vf scale=1:1:flags=area,format=rgb24 -f rawvideo -');
  return { size, mean: [...execFileSync('ffmpeg', mean, { input })] };
}

function blackout(runner: TestRunner, what: BlackoutSpec): ReturnType<typeof change> {
  return change(runner, { type: 'picture', picture: { blackout: what } });
}

/** The report, once its flags are these. */
async function flagged(runner: TestRunner, flags: number): Promise<void> {
  await until(`flags ${flags}`, async () => (await runner.report()).flags === flags);
}

test('a picture is what viewers see now, in two sizes, and those who ask together share it', async (t) => {
  const dir = folder(t);
  const runner = startRunner(t, dir, runSpec('pictures', fileSource(clip(dir)), HLS, SMALL));
  await running(runner);
  const former = await picture(runner, 320);
  const small = await picture(runner, 320);
  assert.equal(look(small).size, '320x180');
  assert.equal(small.width, 320);
  assert.ok(small.taken_at >= former.taken_at);
  assert.equal(look(await picture(runner, 640)).size, '640x360');
  for (const width of [0, 160, 641, 1920, Number.NaN]) {
    const { code, detail } = await picture(runner, width);
    assert.equal(code, 'invalid_input', detail);
  }
  const many = await Promise.all(Array.from({ length: 8 }, () => picture(runner, 320)));
  assert.ok(new Set(many.map(({ taken_at }) => taken_at)).size <= 2);
  const later = await until('a later picture', async () => {
    const next = await picture(runner, 320);
    return next.taken_at > small.taken_at && next;
  });
  assert.notEqual(later.jpeg, small.jpeg);
  // The tone of the clip is an eighth of full scale.
  await until('its peaks', async () => {
    const { peaks, flags } = await runner.report();
    return flags === 0 && peaks?.every((peak) => Math.abs(peak + 18) < 2);
  });
  const { peaks } = await picture(runner, 320);
  assert.ok(
    peaks?.every((peak) => Math.abs(peak + 18) < 2),
    JSON.stringify(peaks),
  );
  assert.equal(runner.children().length, 2, 'no process was needed for it');
});

test('a blackout is flagged as ours and is no fault of the source, whose picture goes on behind it', async (t) => {
  const dir = folder(t);
  const seconds = { seconds: 1 };
  const detect = { silence: { level_db: -60, ...seconds }, black: seconds, frozen: seconds };
  const runner = startRunner(t, dir, runSpec('flags', fileSource(clip(dir)), HLS, { ...SMALL, detect }));
  await running(runner);
  await flagged(runner, 0);
  assert.equal((await blackout(runner, { mode: 'Black Frame', file: null, keepAudio: false })).status, 200);
  const black = await until('a black picture', async () => {
    const next = await picture(runner, 320);
    return (next.flags & FLAGS.blackout) !== 0 && next;
  });
  assert.ok(
    look(black).mean.every((value) => value < 4),
    look(black).mean.join(),
  );
  await until('silence goes out', async () => (await runner.report()).peaks?.every((peak) => peak === -100));
  await letPass(1500);
  assert.equal((await runner.report()).flags, FLAGS.blackout);
  assert.equal((await blackout(runner, LIVE)).status, 200);
  await flagged(runner, 0);
});

test('the slate in place of a lost source is flagged', async (t) => {
  const dir = folder(t);
  const runner = startRunner(t, dir, runSpec('slate', fileSource(clip(dir, { seconds: 3 }), false), HLS, SMALL));
  await running(runner);
  await until('the slate', async () => (((await runner.report()).flags ?? 0) & FLAGS.slate) !== 0);
  assert.equal((await picture(runner, 320)).flags & FLAGS.slate, FLAGS.slate);
  const final = runner.exited.then(() => true);
  await runner.stop();
  await final;
});

test('a run without video has peaks and no picture', async (t) => {
  const dir = folder(t);
  const sound = { ...rendition(11, 640, 360, 800), video: null };
  const runner = startRunner(t, dir, runSpec('sound', fileSource(clip(dir)), HLS, { ...SMALL, renditions: [sound] }));
  await running(runner);
  await until('its peaks', async () => (await runner.report()).peaks?.every((peak) => Math.abs(peak + 18) < 2));
  const { code, detail } = await picture(runner, 320);
  assert.equal(code, 'rule_violated', detail);
});

test('pictures of copied video are its keyframes, each decoded once', async (t) => {
  const dir = folder(t);
  const copied = rendition(11, 640, 360, 800, { codec: 'copy' });
  const renditions = [{ ...copied, audio: { ...copied.audio!, codec: 'copy' as const } }];
  const runner = startRunner(t, dir, runSpec('copied', fileSource(clip(dir)), HLS, { ...SMALL, renditions }));
  await running(runner);
  const first = await until('a picture', async () => {
    const answer = await picture(runner, 320);
    return answer.jpeg !== undefined && answer;
  });
  assert.deepEqual([look(first).size, first.width, first.flags], ['320x180', 320, 0]);
  assert.equal(first.peaks, undefined);
  await until('the next keyframe', async () => (await picture(runner, 320)).taken_at > first.taken_at);
  const report = await runner.report();
  assert.deepEqual([report.peaks, report.flags], [undefined, 0]);
});

test('a picture a second with peaks and flags costs a 1080p run about 0.5 % of a core, three times that beside other tests', async (t) => {
  const plan = planLadder([rendition(11, 1920, 1080, 4000)]);
  const noise = execFileSync(
    'ffmpeg',
    wordsOf('-v error -f lavfi -i testsrc2=s=1920x1080 -frames:v 2 -pix_fmt yuv420p -f rawvideo -'),
    { maxBuffer: 1 << 26 },
  );
  const frames = [noise.subarray(0, noise.length / 2), noise.subarray(noise.length / 2)].map((bytes) =>
    FramePool.fixed(bytes),
  );
  const sound = Buffer.alloc(192_000 / 30, 7);
  const parts = { plan, stream: new EncodedStream(plan), clock: { now: () => performance.now() } };
  const monitor = new OutputMonitor(parts as MonitorDeps);
  const second = async (n: number): Promise<void> => {
    for (let tick = 0; tick < 30; tick += 1) {
      monitor.take(frames[(n + tick) % 2], sound, 0);
      if (tick % 3 === 0) monitor.advance();
    }
    await monitor.picture(320);
    // Others would share it.
    await letPass(85);
  };
  for (let n = 0; n < 10; n += 1) await second(n);
  const before = process.cpuUsage();
  for (let n = 0; n < 20; n += 1) await second(n);
  const { user, system } = process.cpuUsage(before);
  const share = (user + system) / 1e6 / 20;
  t.diagnostic(`${(100 * share).toFixed(2)} % of a core`);
  assert.ok(share <= 0.015, `${(100 * share).toFixed(2)} % of a core`);
  monitor.stop();
});
