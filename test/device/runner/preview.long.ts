/** A still of what viewers see, and what cannot be changed in copied video. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FramePool } from '../../../device/media/frames/frame-pool.ts';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { builtInReach } from '../../../device/network-rules.ts';
import { runFiles } from '../../../device/run-dir.ts';
import { EncodedStream } from '../../../device/runner/stream/encoded-stream.ts';
import { ChildProcesses } from '../../../device/runner/process/child-processes.ts';
import { Preview } from '../../../device/runner/playout/preview.ts';
import { AppError } from '../../../domain/base/errors.ts';
import type { PictureSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { cleanUp } from '../../helpers/clean-up.ts';
import { longestStep, makeCountedClip, timesIn } from '../../helpers/counted.ts';
import { change } from './changing.ts';
import { call, clip, folder, ffprobe, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { fileSource, LIVESTREAM_ID, output, rendition, runSpec } from './specs.ts';
import { rendered } from './viewing.ts';
import { broadcast, makeLogo, screens } from './screen.ts';

const HLS = [output(21, 'HLS / TS', { playlist_length: 60 })];

interface Still {
  jpeg?: string;
  code?: string;
  detail?: string;
}

async function preview(runner: TestRunner, width: number): Promise<Still> {
  return JSON.parse(await call(runner.files.socket, 'GET', `/preview?width=${width}`)) as Still;
}

function size(dir: string, { jpeg, detail }: Still): string {
  assert.ok(jpeg !== undefined, detail);
  const path = join(dir, 'still.jpg');
  writeFileSync(path, Buffer.from(jpeg, 'base64'));
  return ffprobe(path, '-show_entries', 'stream=codec_name,width,height').trim();
}

/** Red, green and blue at a point. */
function pixel(dir: string, x: number, y: number): number[] {
  const crop = `crop=4:4:${x}:${y},scale=1:1:flags=area,format=rgb24`;
  return [...execFileSync('ffmpeg', ['-v', 'error', '-i', join(dir, 'still.jpg'), '-vf', crop, '-f', 'rawvideo', '-'])];
}

test('a preview shows the logo, in any width up to the picture’s own, and takes no frame from viewers', async (t) => {
  const dir = folder(t);
  const source = makeCountedClip(join(dir, 'counted.mp4'), 900);
  const logo = {
    filename: 'red.png',
    path: makeLogo(join(dir, 'red.png'), 480, 240, [255, 0, 0]),
    position: 'Top-Left' as const,
  };
  const picture: PictureSpec = { logo, text: null, blackout: { mode: 'Live', file: null, keepAudio: false } };
  const spec = { renditions: [rendition(11, 320, 180, 800)], startTimeoutSeconds: 30, picture };
  const runner = startRunner(t, dir, runSpec('preview', fileSource(source), HLS, spec));
  await running(runner);
  assert.equal(size(dir, await preview(runner, 160)), 'codec_name=mjpeg|width=160|height=90');
  assert.equal(size(dir, await preview(runner, 1920)), 'codec_name=mjpeg|width=320|height=180');
  const [red, green, blue] = pixel(dir, 24, 16);
  assert.ok(red! > 235 && green! < 20 && blue! < 20, `pure red, not ${[red, green, blue].join()}`);
  await until('a segment', () => rendered(dir).length >= 1);
  const [luma] = screens(broadcast(dir))[0]!.colour(200, 160, 4, 4);
  const grey = ((luma - 16) * 255) / 219;
  assert.ok(
    pixel(dir, 200, 160).every((value) => Math.abs(value - grey) < 8),
    `${pixel(dir, 200, 160).join()} in full range is what viewers see as ${luma}`,
  );

  const many = await Promise.all([...Array.from({ length: 6 }, () => preview(runner, 64)), preview(runner, 96)]);
  assert.equal(new Set(many.map(({ jpeg }) => jpeg)).size, 2, 'calls at the same time share a rendering');
  for (const width of [0, 63, 1921, 100.5]) {
    const { code, detail } = await preview(runner, width);
    assert.equal(code, 'invalid_input', detail);
  }
  const length = rendered(dir).length;
  await until('two more segments', () => rendered(dir).length >= length + 2);
  assert.ok(longestStep(timesIn(broadcast(dir))) < 1.5 / 30);
  assert.equal(runner.children().length, 2, 'nothing is left of it');
});

test('copied video is seen in a preview, and cannot be changed', async (t) => {
  const dir = folder(t);
  const copied = rendition(11, 320, 180, 800, { codec: 'copy' });
  const renditions = [{ ...copied, audio: { ...copied.audio!, codec: 'copy' as const } }];
  const text = { text: 'x', position: 'Top', size: 36, color: '#ffffff' } as const;
  const picture: PictureSpec = { logo: null, text, blackout: { mode: 'Live', file: null, keepAudio: false } };
  const runner = startRunner(t, dir, runSpec('copied', fileSource(clip(dir)), HLS, { renditions, picture }));
  const report = await running(runner);
  assert.equal(report.runtime.text, null);
  const notice = runner.events().find(({ kind }) => kind === 'runtime_changed');
  assert.match(
    notice!.message,
    /Copied video cannot be changed, so a text cannot be shown; use an Encoding that encodes\./u,
  );
  assert.equal(size(dir, await preview(runner, 320)), 'codec_name=mjpeg|width=320|height=180');
  const refused = await change(runner, {
    type: 'picture',
    picture: { blackout: { mode: 'Black Frame', file: null, keepAudio: false } },
  });
  assert.deepEqual([refused.status, refused.code], [422, 'rule_violated']);
  assert.match(refused.detail!, /a blackout cannot be shown/u);
  assert.equal((await change(runner, { type: 'picture', picture: { text: null } })).status, 200);
});

test('a failed preview is reported in our words, and those of ffmpeg stand under upstream', async (t) => {
  const dir = folder(t);
  const files = runFiles(dir, 'still');
  mkdirSync(files.dir, { recursive: true });
  const network = { reach: builtInReach(), proxyUrl: '', rtspAddress: (source: string) => source };
  const log = { info: () => undefined, warn: () => undefined };
  const run = { runId: 'still', livestreamId: LIVESTREAM_ID };
  const children = new ChildProcesses({ files, run, sandbox: 'none', network, redact: (text) => text, log });
  cleanUp(t, () => children.close());
  const plan = planLadder([rendition(11, 320, 180, 800)]);
  const stills = new Preview({ children, plan, stream: new EncodedStream(plan) });
  // Half a frame: no picture can be made of it.
  const torn = FramePool.fixed(Buffer.alloc(320 * 90));
  await assert.rejects(
    stills.jpeg(160, () => torn),
    (error) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.code, 'unavailable');
      assert.match(error.message, /^The preview could not be made: ffmpeg ended with exit code \d+\. Try again\.$/u);
      assert.match(error.extras.upstream ?? '', /Invalid buffer size/u);
      return true;
    },
  );
});
