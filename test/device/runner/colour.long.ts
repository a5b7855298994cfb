/** Colours, fields and loudness of a source, measured in what leaves: by ffmpeg's own meters, and by formulas of the standards. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { encodingCreate } from '../../../domain/shapes/encodings/encoding.ts';
import type { RenditionSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { videoFilter } from '../../../device/media/arguments/ingest-filters.ts';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { NO_FACTS, type VideoFacts } from '../../../device/media/ffmpeg-output/source-facts.ts';
import { liveDir } from '../../../device/run-dir.ts';
import { itLong } from '../../helpers/counts.ts';
import { hlgNits, pqCode, sdrOf, type Rgb } from '../../helpers/hdr.ts';
import { ffprobe, folder, running, startRunner, type TestRunner } from './runner-fixture.ts';
import { until } from '../../helpers/until.ts';
import { fileSource, LIVESTREAM_ID, output, QUICK, rendition, runSpec } from './specs.ts';
import type { TestScope } from '../../helpers/clean-up.ts';
import { wordsOf } from '../../helpers/words.ts';

const HLS = [output(21, 'HLS / TS', QUICK.output)];
const QUIET = ['-v', 'error', '-nostdin', '-y'];

function ffmpeg(...args: string[]): Buffer {
  return execFileSync('ffmpeg', [...QUIET, ...args], { maxBuffer: 1 << 28 });
}

/** Samples of one colour, `planes` as Y, Cb, Cr. */
function patch(
  path: string,
  size: string,
  pixels: string,
  planes: readonly (number | string)[],
  ...coding: string[]
): string {
  const [y, u, v] = planes;
  const field = `nullsrc=size=${size}:rate=30,format=${pixels},geq=lum=${y}:cb=${u}:cr=${v}`;
  ffmpeg('-f', 'lavfi', '-i', field, '-frames:v', '1', '-c:v', 'rawvideo', '-f', 'nut', `${path}.nut`);
  const sound = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000'];
  ffmpeg(...['-stream_loop', '59', '-i', `${path}.nut`, ...sound, '-shortest', '-r', '30'], ...coding, path);
  return path;
}

const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '4', '-g', '30', '-c:a', 'aac'];

/** The second segment of a rendition, of what was made from the file. */
async function segmentsOf(t: TestScope, dir: string, path: string, renditions: RenditionSpec[]): Promise<string[]> {
  const runner = startRunner(t, dir, runSpec('colour', fileSource(path), HLS, { renditions }));
  return segments(dir, runner, renditions);
}

async function segments(dir: string, runner: TestRunner, renditions: RenditionSpec[]): Promise<string[]> {
  await running(runner);
  const paths = renditions.map(({ encodingId }) =>
    join(liveDir(dir, LIVESTREAM_ID, 21), String(encodingId), '2-colour.ts'),
  );
  await until('two segments', () => paths.every((path) => existsSync(path)));
  return paths;
}

/** The middle of the last picture in R'G'B', by what the stream says of itself. */
function rgbOf(path: string, left = 312): Rgb {
  const raw = ffmpeg(
    '-i',
    path,
    '-vf',
    `crop=16:16:${left},scale=in_color_matrix=auto:flags=accurate_rnd+full_chroma_int,format=gbrp`,
    '-f',
    'rawvideo',
    '-',
  );
  const last = raw.subarray(raw.length - 3 * 256);
  const mean = (plane: number): number => last.subarray(plane * 256, (plane + 1) * 256).reduce((a, b) => a + b) / 256;
  return [mean(2), mean(0), mean(1)];
}

function assertNear(rgb: Rgb, wanted: Rgb, tolerance: number, what: string): void {
  const off = Math.max(...rgb.map((value, at) => Math.abs(value - wanted[at]!)));
  assert.ok(off <= tolerance, `${what}: ${rgb.map(Math.round).join()} in place of ${wanted.map(Math.round).join()}`);
}

const TAGS = 'color_space=bt709|color_transfer=bt709|color_primaries=bt709';
function assertTagged(path: string): void {
  const shown = ffprobe(
    path,
    '-select_streams',
    'v',
    '-show_entries',
    'stream=color_range,color_space,color_transfer,color_primaries',
  );
  assert.ok(shown.includes(`color_range=tv|${TAGS}`), shown);
}

const BT709 = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-color_range', 'tv'];
const GREEN: Rgb = [32, 192, 64];
const LADDER = [rendition(11, 1280, 720, 3000, QUICK.rendition), rendition(12, 640, 360, 1500, QUICK.rendition)];

/** Ingests a file for a programme of 1280x720, as a file that says how it is coded. */
function taken(dir: string, path: string, facts: Partial<VideoFacts>): string {
  const picture = { width: 640, height: 360, range: undefined, matrix: undefined, transfer: undefined, ...facts };
  const filter = videoFilter(planLadder(LADDER), null, { ...NO_FACTS, video: picture }, true);
  const raw = join(dir, 'taken.yuv');
  ffmpeg('-i', path, '-an', '-vf', filter, '-frames:v', '10', '-f', 'rawvideo', raw);
  const shown = join(dir, 'taken.mp4');
  ffmpeg(
    ...wordsOf('-f rawvideo -pix_fmt yuv420p -s 1280x720 -i'),
    raw,
    '-c:v',
    'libx264',
    '-qp',
    '1',
    ...BT709,
    shown,
  );
  return shown;
}

const HDR = (transfer: string): string[] => [
  ...['-c:v', 'libx265', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p10le', '-c:a', 'aac', '-x265-params'],
  `log-level=error:qp=4:keyint=30:colorprim=bt2020:transfer=${transfer}:colormatrix=bt2020nc:range=limited`,
];
const code = (signal: number): number => Math.round(64 + 876 * signal);

/** BT.2020 light (cd/m²) as samples of ten bits in PQ. */
function pqSamples(nits: Rgb): number[] {
  const [r, g, b] = nits.map(pqCode) as Rgb;
  const luma = 0.2627 * r + 0.678 * g + 0.0593 * b;
  return [code(luma), Math.round(512 + (896 * (b - luma)) / 1.8814), Math.round(512 + (896 * (r - luma)) / 1.4746)];
}

const PATCHES: Record<string, Rgb> = {
  'grey of 26 cd/m²': [26, 26, 26],
  'diffuse white': [203, 203, 203],
  'a highlight of 800 cd/m²': [800, 800, 800],
  'a warm tone': [60, 40, 30],
};

describe('colours and fields of a source', { concurrency: 4 }, () => {
  it('one green is one colour on both renditions, which say how it is coded', async (t) => {
    const dir = folder(t);
    // BT.709-6 §3.2 in limited range.
    const path = patch(join(dir, 'green.mp4'), '1280x720', 'yuv420p', [144, 88, 63], ...X264, ...BT709);
    assertNear(rgbOf(path), GREEN, 2, 'the source');
    for (const segment of await segmentsOf(t, dir, path, LADDER)) {
      assertTagged(segment);
      assertNear(rgbOf(segment), GREEN, 2, segment);
    }
  });

  it('the same green is right in BT.601 from a small source that does not say so, and from one that does', (t) => {
    const dir = folder(t);
    const path = patch(join(dir, 'small.mp4'), '640x360', 'yuv420p', [127, 95, 67], ...X264);
    assertNear(rgbOf(path), GREEN, 2, 'the source');
    assertNear(rgbOf(taken(dir, path, {})), rgbOf(path), 2, 'by its size');
    const large = patch(
      join(dir, 'large.mp4'),
      '1280x720',
      'yuv420p',
      [127, 95, 67],
      ...X264,
      '-colorspace',
      'smpte170m',
    );
    assertNear(
      rgbOf(taken(dir, large, { width: 1280, height: 720, matrix: 'smpte170m' })),
      rgbOf(path),
      2,
      'by its word',
    );
  });

  it('four patches in PQ have the light in SDR that they had in HDR, and the conversion is reported', async (t) => {
    const dir = folder(t);
    const samples = Object.values(PATCHES).map(pqSamples);
    // A quarter of the width each.
    const planes = [0, 1, 2].map((plane) => {
      const [first, ...rest] = samples.map((sample) => sample[plane]!).reverse();
      return rest.reduce((others, value, at) => `if(lt(X/W,${(3 - at) / 4}),${value},${others})`, String(first));
    });
    const quarters = planes.map((text) => `'${text}'`);
    const path = patch(join(dir, 'pq.mp4'), '640x360', 'yuv420p10le', quarters, ...HDR('smpte2084'));
    const renditions = [LADDER[1]!];
    const runner = startRunner(t, dir, runSpec('colour', fileSource(path), HLS, { renditions }));
    const [segment] = await segments(dir, runner, renditions);
    assertTagged(segment!);
    for (const [at, [name, nits]] of Object.entries(PATCHES).entries())
      assertNear(rgbOf(segment!, 72 + 160 * at), sdrOf(nits), 6, name);
    const reply = runner.events().find(({ kind }) => kind === 'source_format_changed');
    assert.deepEqual([reply?.severity, reply?.data.range, reply?.data.toneMapped], ['info', 'PQ', true]);
  });

  itLong('grey in HLG at three quarters of the signal is diffuse white', (t) => {
    const dir = folder(t);
    const path = patch(join(dir, 'hlg.mp4'), '640x360', 'yuv420p10le', [code(0.75), 512, 512], ...HDR('arib-std-b67'));
    const nits = hlgNits(0.75);
    assertNear(rgbOf(taken(dir, path, { transfer: 'arib-std-b67' })), sdrOf([nits, nits, nits]), 3, 'white');
  });

  itLong('an ffmpeg that cannot wait for its filters, nor map tones, goes on air, and that is reported', async (t) => {
    const dir = folder(t);
    const path = patch(join(dir, 'hlg.mp4'), '640x360', 'yuv420p10le', [code(0.75), 512, 512], ...HDR('arib-std-b67'));
    // As ffmpeg 9 and a build without libzimg refuse.
    const lesser = join(dir, 'ffmpeg');
    const refuse = (word: string, reply: string): string =>
      `case "$*" in *${word}*) echo "[fatal] ${reply}" >&2; exit 1;; esac`;
    const lines = [
      '#!/bin/sh',
      refuse('filter_script', "Unrecognized option 'filter_script:v'."),
      refuse('zscale', "No such filter: 'zscale'"),
      'exec ffmpeg "$@"',
    ];
    writeFileSync(lesser, lines.join('\n'), { mode: 0o755 });
    process.env.ONAIR_FFMPEG = lesser;
    const renditions = [LADDER[1]!];
    const runner = startRunner(t, dir, runSpec('colour', fileSource(path), HLS, { renditions }));
    delete process.env.ONAIR_FFMPEG;
    const [segment] = await segments(dir, runner, renditions);
    assertNear(rgbOf(segment!), [191, 191, 191], 3, 'the signal as it was');
    const reply = runner.events().find(({ kind }) => kind === 'source_format_changed');
    assert.deepEqual([reply?.severity, reply?.data.range, reply?.data.toneMapped], ['warning', 'HLG', false]);
    assert.match(reply!.message, /zscale/u);
  });

  it('fields at 50 a second leave as whole pictures, without being asked for', (t) => {
    const dir = folder(t);
    const path = join(dir, 'fields.ts');
    const moving = wordsOf(
      '-f lavfi -i testsrc2=size=640x360:rate=50 -vf scroll=horizontal=0.01,interlace=lowpass=off',
    );
    ffmpeg(...moving, '-t', '4', '-c:v', 'mpeg2video', '-flags', '+ildct+ilme', '-q:v', '2', '-g', '12', path);
    const combed = (filter: string): number => {
      const { stderr } = spawnSync('ffmpeg', ['-hide_banner', '-i', path, '-vf', filter, '-f', 'null', '-'], {
        encoding: 'utf8',
      });
      const [, tff, bff] = /Multi frame detection: TFF:\s*(\d+) BFF:\s*(\d+)/u.exec(stderr)!;
      return Number(tff) + Number(bff);
    };
    assert.ok(combed('idet') > 90, 'the source');
    const { deinterlace } = encodingCreate.settings_video.parse({});
    for (const fps of [25, 50]) {
      const plan = planLadder([rendition(11, 640, 360, 800, { deinterlace, fps })]);
      const left = combed(`${videoFilter(plan, null, NO_FACTS, true)},idet`);
      assert.ok(left <= fps / 10, `${left} of ${4 * fps} at ${fps} a second: no more than idet sees in whole pictures`);
    }
  });

  itLong('progressive pictures are the same to the bit with and without the deinterlacer', (t) => {
    const dir = folder(t);
    const path = join(dir, 'whole.mp4');
    ffmpeg('-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=30', '-t', '2', ...X264, path);
    const [auto, off] = (['auto', false] as const).map((deinterlace) => {
      const filter = videoFilter(planLadder([rendition(11, 640, 360, 800, { deinterlace })]), null, NO_FACTS, true);
      return ffmpeg('-i', path, '-vf', filter, '-fps_mode', 'cfr', '-r', '30', '-f', 'framemd5', '-').toString();
    });
    assert.ok(auto!.split('\n').length > 60);
    assert.equal(auto, off);
  });
});
