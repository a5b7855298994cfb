/** The formats, the sound and the connectors of SDIOUT, as the elements of GStreamer for the card take them. */
import assert from 'node:assert/strict';
import { spawnSync, type StdioOptions } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'node:test';
import {
  cardChannels,
  playerPipeline,
  sdiArgs,
  sdiIssue,
  type SdiFormat,
} from '../../../device/media/arguments/sdi-args.ts';
import { frameRate } from '../../../device/media/ladder/frame-rate.ts';
import type { AttemptHooks } from '../../../device/runner/outputs/attempt.ts';
import { firstThatTakes } from '../../../device/runner/outputs/sdi-output.ts';
import { channelsOf, tracksOf } from '../feeder/feeding.ts';
import { noGstreamer } from '../../helpers/gstreamer-card.ts';
import { folder } from './runner-fixture.ts';

/** All that a card carries, and slow pictures of 720 lines, which are repeated. */
const FORMATS: SdiFormat[] = [
  ...['1280x720', '1920x1080', '2048x1080', '3840x2160'].flatMap((size) =>
    [23.976, 24, 25, 29.97, 30, 50, 59.94, 60].map((fps) => formatOf(size, fps)),
  ),
  formatOf('720x576', 25),
  formatOf('720x486', 29.97),
];

function formatOf(size: string, fps: number): SdiFormat {
  const [width, height] = size.split('x').map(Number) as [number, number];
  return { width, height, rate: frameRate(fps) };
}

/** Without a card GStreamer ends when it opens one, and before that where its elements do not fit. */
function complaintOf(formats: readonly SdiFormat[], more = ''): string {
  const pipelines = formats.flatMap((format) => {
    const words = playerPipeline(format, 2, 0);
    const wordOf = (part: string): string => words.find((word) => word.startsWith(part))!;
    const rate = /fps=([\d/]+),/u.exec(sdiArgs(format, 2).join(' '))![1]!;
    const raw = `format=UYVY,width=${format.width}${more},height=${format.height},framerate=${rate.includes('/') ? rate : `${rate}/1`}`;
    return ['videotestsrc', '!', `${wordOf('caps=video').slice(5)},${raw}`, '!', 'decklinkvideosink', wordOf('mode=')];
  });
  return spawnSync('gst-launch-1.0', pipelines, { encoding: 'utf8' }).stderr;
}

it('every format that is taken has a mode of the card and pictures that fit it', { skip: noGstreamer }, () => {
  for (const format of FORMATS) assert.equal(sdiIssue(format), undefined, JSON.stringify(format));
  assert.doesNotMatch(complaintOf(FORMATS), /erroneous/u);
  assert.match(complaintOf(FORMATS.slice(0, 1), '1'), /erroneous pipeline: could not link/u);
});

it('a format that no card has is refused with those that it has', () => {
  for (const format of [formatOf('1000x500', 25), formatOf('720x576', 50), formatOf('1920x1080', 15)])
    assert.match(sdiIssue(format)!, /^SDI carries no \S+ with \d+ pictures a second; use 1920x1080 /u);
});

it('a stereo pair, and each channel of 5.1, have channels of their own', (t) => {
  const dir = folder(t);
  const levels = [1, 2, 3, 4, 5, 6].map((n) => `${n / 32}`).join('|');
  const heard = (channels: number): number[] => {
    const source = ['-f', 'lavfi', '-i', `aevalsrc=${levels.split('|').slice(0, channels).join('|')}:s=48000:d=2`];
    const coded = [
      '-f',
      'lavfi',
      '-i',
      'testsrc=s=320x180:r=25:d=2',
      '-c:v',
      'mpeg2video',
      '-c:a',
      's302m',
      '-strict',
      '-2',
    ];
    const ts = spawnSync('ffmpeg', ['-v', 'error', ...source, ...coded, '-f', 'mpegts', '-'], { maxBuffer: 1 << 28 });
    const file = join(dir, `${channels}.mkv`);
    const args = sdiArgs(formatOf('720x576', 25), channels).map((word) => (word === 'pipe:1' ? file : word));
    const stdio: StdioOptions = ['pipe', 'inherit', 'inherit', 'ignore'];
    assert.equal(spawnSync('ffmpeg', args, { input: ts.stdout, stdio }).status, 0);
    assert.match(tracksOf(file)[1]!, new RegExp(`^pcm_s16le,${cardChannels(channels)}$`, 'u'));
    return channelsOf(file, 0, cardChannels(channels));
  };
  assert.deepEqual(heard(2), [1, 2]);
  assert.deepEqual(heard(6), [1, 2, 3, 4, 5, 6, 0, 0]);
});

it('the first connector that takes the programme plays it out; when all refuse, or one stops, it is said', async () => {
  const heardOf: string[] = [];
  const begun: AttemptHooks[] = [];
  const ended: number[] = [];
  const attempt = firstThatTakes(
    3,
    (output, hooks) => {
      begun[output] = hooks;
      return { end: async () => void ended.push(output) };
    },
    {
      onUp: () => heardOf.push('up'),
      onDown: (reason, isFinal) => heardOf.push(`${reason}${isFinal === true ? ', final' : ''}`),
    },
  );
  begun[0]!.onDown('in use');
  begun[1]!.onUp();
  begun[1]!.onDown('the card has stopped');
  assert.deepEqual([heardOf, begun.length], [['up', 'the card has stopped'], 2]);
  await attempt.end();
  assert.deepEqual(ended, [0, 1]);
});
