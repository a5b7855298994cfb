/** Measures a runner beside one plain ffmpeg with the same ladder and the same targets: the difference is the price of control on air. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestContext } from 'node:test';
import { audioArgs } from '../../device/media/arguments/encoder-args.ts';
import { rateArgument } from '../../device/media/ladder/frame-rate.ts';
import { planLadder } from '../../device/media/ladder/ladder-plan.ts';
import { videoGraph } from '../../device/media/ladder/video-graph.ts';
import { ProgressReader } from '../../device/media/ffmpeg-output/progress.ts';
import { videoArgs } from '../../device/media/arguments/video-args.ts';
import { allTracks } from '../../domain/shapes/sources/audio-tracks.ts';
import type { RenditionSpec, RunSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import { running, startRunner } from '../../test/device/runner/runner-fixture.ts';
import { fileSource, output, rendition, runSpec } from '../../test/device/runner/specs.ts';
import { until } from '../../test/helpers/until.ts';
import { processorSeconds } from '../cpu.ts';
import { bounded, median, type Figure } from '../figures.ts';

const ROUNDS = 3;
const SETTLE_SECONDS = 4;
const MEASURED_SECONDS = 15;

const usual = { preset: 'veryfast' } as const;
const LADDER: RenditionSpec[] = [
  rendition(1, 1280, 720, 2500, usual),
  rendition(2, 854, 480, 1200, usual),
  rendition(3, 640, 360, 700, usual),
];

/** In HDR10, and in SDR of the same source, whose tone map is the dearest part. */
const hevc = { codec: 'hevc', preset: 'ultrafast', fps: 25 } as const;
const HDR_LADDER: RenditionSpec[] = [
  rendition(1, 960, 540, 2500, { ...hevc, hdr_mode: 'hdr10' }),
  rendition(2, 480, 270, 600, hevc),
];

/** The source of a measurement, and the most that a runner may cost beside one ffmpeg. */
interface Case {
  name: string;
  /** The language of each audio track. */
  languages: readonly string[];
  bar: number;
  ladder: readonly RenditionSpec[];
}

const CASES: Case[] = [
  {
    name: 'a 720/480/360 ladder to HLS and Record, levels and faults of the source detected',
    languages: ['eng'],
    bar: 1.25,
    ladder: LADDER,
  },
  { name: 'the same with four audio tracks', languages: ['eng', 'deu', 'fra', 'spa'], bar: 1.35, ladder: LADDER },
  { name: 'HDR10 at 540p and SDR at 270p of a source in PQ', languages: ['eng'], bar: 1.25, ladder: HDR_LADDER },
];

const CODED = ['-c:v', 'libx264', '-preset', 'fast', '-b:v', '5M', '-g', '60', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
const PQ = 'log-level=error:keyint=50:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:range=limited';
const CODED_PQ = ['-c:v', 'libx265', '-preset', 'ultrafast', '-b:v', '5M', '-pix_fmt', 'yuv420p10le', '-c:a', 'aac'];

function makeClip(path: string, { languages, ladder }: Case): void {
  const { width, height, fps } = ladder[0]!.video!;
  const video = ['-f', 'lavfi', '-i', `testsrc2=s=${width}x${height}:r=${fps},noise=alls=6:allf=t`];
  const audio = languages.flatMap((_, i) => ['-f', 'lavfi', '-i', `sine=frequency=${440 * (i + 1)}:sample_rate=48000`]);
  const maps = languages.flatMap((language, i) => ['-map', `${i + 1}:a`, `-metadata:s:a:${i}`, `language=${language}`]);
  const codecs = ladder === HDR_LADDER ? [...CODED_PQ, '-x265-params', PQ] : CODED;
  const inputs = [...video, ...audio, '-map', '0:v', ...maps];
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...inputs, '-t', '12', ...codecs, path]);
}

function children(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  );
}

/** The costs are processor seconds a second of media: a busy machine makes less media, and must not look cheap for that. */
interface Cost {
  all: number;
  /** The part of the first process alone. */
  own: number;
}

/** `mediaSeconds` answers the seconds of media so far. */
async function measure(pid: number, mediaSeconds: () => Promise<number>): Promise<Cost> {
  await sleep(SETTLE_SECONDS * 1000);
  const family = [pid, ...children(pid)];
  const [from, before] = [await mediaSeconds(), family.map(processorSeconds)];
  await sleep(MEASURED_SECONDS * 1000);
  const media = (await mediaSeconds()) - from;
  const cpuSeconds = family.map((one, i) => processorSeconds(one) - before[i]!);
  if (media < MEASURED_SECONDS * 0.9)
    process.stderr.write(`  the machine is too busy: ${media.toFixed(1)} s of media in ${MEASURED_SECONDS} s\n`);
  return { all: cpuSeconds.reduce((sum, one) => sum + one, 0) / media, own: cpuSeconds[0]! / media };
}

/** One ffmpeg makes the same encodes by the same arguments, and writes a playlist a stream and one file by `tee`. */
async function plain(dir: string, clip: string, { languages, ladder }: Case): Promise<Cost> {
  mkdirSync(dir, { recursive: true });
  const plan = planLadder(ladder, allTracks(languages));
  const graph = [`[0:v]fps=${rateArgument(plan.rate)}[in]`, ...videoGraph(plan)]
    .join(';')
    .replace('[0:v]set', '[in]set');
  // Several languages have playlists of their own.
  const selections =
    plan.audios.length === 1
      ? plan.videos.map((_, i) => `v:${i},a:0`)
      : [...plan.videos.map((_, i) => `v:${i}`), ...plan.audios.map((_, i) => `a:${i}`)];
  const list = (selection: string, i: number): string =>
    `[select=\\'${selection}\\':f=hls:hls_time=6:hls_list_size=6:hls_flags=delete_segments]${join(dir, `${i}.m3u8`)}`;
  const record = `[f=mp4:movflags=+frag_keyframe+delay_moov+default_base_moof]${join(dir, 'record.mp4')}`;
  const args = [
    ...['-v', 'error', '-nostdin', '-re', '-stream_loop', '-1', '-i', clip, '-filter_complex', graph],
    ...plan.videos.flatMap((_, i) => ['-map', `[v${i}]`]),
    ...plan.audios.flatMap((_, i) => ['-map', `0:a:${i}`]),
    ...[...plan.videos.flatMap((stream, i) => videoArgs(stream, i)), ...plan.audios.flatMap(audioArgs)],
    ...['-progress', 'pipe:1', '-flags', '+global_header', '-f', 'tee', [...selections.map(list), record].join('|')],
  ];
  const child = spawn('ffmpeg', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let mediaSeconds = 0;
  const progress = new ProgressReader(({ outSeconds }) => (mediaSeconds = outSeconds));
  child.stdout.on('data', (chunk: Buffer) => progress.push(chunk));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  try {
    const cost = await measure(child.pid!, async () => mediaSeconds);
    if (child.exitCode !== null) throw new Error(`The plain ffmpeg ended with ${child.exitCode}.`);
    return cost;
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

async function run(dir: string, clip: string, { languages, ladder }: Case, round: number): Promise<Cost> {
  const outputs = [output(21, 'HLS / TS', { segment_duration: 6 }), output(22, 'Record')];
  const spec: RunSpec = runSpec(`bench-${round}`, fileSource(clip), outputs, {
    renditions: [...ladder],
    audio: allTracks(languages),
  });
  const ends: (() => Promise<void> | void)[] = [];
  const context = { after: (end: () => Promise<void> | void) => void ends.push(end) } as unknown as TestContext;
  const runner = startRunner(context, dir, spec);
  try {
    await running(runner);
    await until('both Destinations are up', async () =>
      (await runner.report()).publishings.every(({ primary }) => primary.state === 'up'),
    );
    const levels = (await runner.report()).source.levels;
    if (levels?.length !== languages.length) throw new Error(`Levels of ${levels?.length} tracks are measured.`);
    const startedMs = performance.now();
    const mediaSeconds = async (): Promise<number> => {
      const [encoding] = (await runner.report()).encodings;
      return (performance.now() - startedMs) / 1000 - (encoding?.dropped ?? 0) / ladder[0]!.video!.fps;
    };
    const cost = await measure(runner.pid, mediaSeconds);
    await runner.stop();
    await runner.exited;
    return cost;
  } finally {
    for (const end of ends) await end();
  }
}

export async function benchRunner(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const one of CASES) figures.push(await figureOf(one));
  return figures;
}

async function figureOf(one: Case): Promise<Figure> {
  const dir = mkdtempSync(join(tmpdir(), 'onair-bench-'));
  try {
    const clip = join(dir, 'clip.mp4');
    makeClip(clip, one);
    const rounds: { ours: Cost; bare: Cost }[] = [];
    // The two run one after the other, or they would take the cores from each other.
    for (let round = 1; round <= ROUNDS; round += 1)
      rounds.push({
        bare: await plain(join(dir, `plain-${round}`), clip, one),
        ours: await run(dir, clip, one, round),
      });
    const of = (value: (round: (typeof rounds)[number]) => number): number => median(rounds.map(value));
    const cores = `${of(({ ours }) => ours.all).toFixed(2)} and ${of(({ bare }) => bare.all).toFixed(2)} cores`;
    const note = `${cores}; the runner's own process ${of(({ ours }) => ours.own).toFixed(2)}`;
    const ratio = of(({ ours, bare }) => ours.all / bare.all);
    return bounded(`${one.name}: runner against one ffmpeg, processor time`, ratio, one.bar, '×', note);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
