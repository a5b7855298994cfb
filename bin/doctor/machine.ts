/** The machine: its programs, its space, its clock. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { keptTrial } from '../../device/agent/encoding-trial.ts';
import { probeCapabilities } from '../../device/agent/capability-probe.ts';
import { INSTALL_FFMPEG } from '../../device/features.ts';
import { runMedia } from '../../device/ffmpeg/run.ts';
import { diskSpaceOf, megabytes } from '../../linux/disk-space.ts';
import { LOCK_PROGRAM } from '../../linux/file-lock.ts';
import { failure, ok, warning, type Finding } from './finding.ts';

const run = promisify(execFile);
const QUESTION_MS = 5000;
const OLDEST_NODE = [20, 19] as const;
/** The first version with everything that the encoder and the packagers ask for. */
const OLDEST_FFMPEG = [5, 1] as const;
/** Without them an encoder, a player or a Destination of nearly every broadcast is missing. */
const NEEDED = ['video h264', 'audio mp4a', 'Publishing HLS / TS', 'Publishing RTMP', 'Channel File', 'Channel Stream'];
/** One Recording of an hour at 6 Mbit/s takes 2.7 GB. */
const LOW_BYTES = 5e9;
/** The store refuses what creates something at about this. */
const FULL_BYTES = 2e8;
/** Before the first release there was no program to run: the clock is at its beginning, as after a flat battery. */
const FIRST_RELEASE = Date.parse('2026-01-01T00:00:00Z');
/** Files are written by this machine, whose clock counts. */
const AHEAD_MS = 60_000;

export function node(version = process.versions.node): Finding {
  const wanted = OLDEST_NODE.join('.');
  if (isOlder(version, OLDEST_NODE))
    return failure('node', `Node ${version} is older than ${wanted}.`, `Install Node ${wanted} or later.`);
  return ok('node', `Node ${version}.`);
}

export async function ffmpeg(): Promise<Finding[]> {
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const { ffmpeg_version: version, missing } = await probeCapabilities({ log });
  if (version === null)
    return [
      failure('ffmpeg', 'No ffmpeg is found that runs.', `Install ${INSTALL_FFMPEG}, or name one in ONAIR_FFMPEG.`),
    ];
  if (/^\d/u.test(version) && isOlder(version, OLDEST_FFMPEG))
    return [
      failure('ffmpeg', `ffmpeg ${version} is older than ${OLDEST_FFMPEG.join('.')}.`, `Install ${INSTALL_FFMPEG}.`),
    ];
  const lacking = missing.filter(({ needs }) => !needs.startsWith('a build of this product'));
  const needed = lacking.filter(({ feature }) => NEEDED.includes(feature));
  const listOf = (features: typeof missing): string => features.map(({ feature }) => feature).join(', ');
  const remedies = (features: typeof missing): string =>
    `Install ${[...new Set(features.map(({ needs }) => needs))].join('; ')}.`;
  const found = ok('ffmpeg', `ffmpeg ${version}.`);
  if (needed.length > 0) return [failure('ffmpeg', `ffmpeg ${version} lacks ${listOf(needed)}.`, remedies(needed))];
  const protection = lacking.filter(({ feature }) => feature.startsWith('protection') || feature.includes('sandbox'));
  const rest = lacking.filter((each) => !protection.includes(each));
  return [
    found,
    ...(rest.length > 0
      ? [warning('features', `Not on this machine: ${listOf(rest)}.`, `Only if you need them: ${remedies(rest)}`)]
      : [ok('features', 'Every type of source and Destination can be used.')]),
    ...(protection.length > 0
      ? [warning('sandbox', 'ffmpeg is not confined to the files of its broadcast.', remedies(protection))]
      : []),
  ];
}

/** The agent of this machine tries it. */
export function encodingCost(deviceDir: string): Finding {
  const trial = keptTrial(deviceDir);
  if (trial === undefined)
    return ok(
      'encoding',
      'It was not tried yet; the Device does so half a minute after its start, while nothing is on air.',
    );
  const { cores, factor, tried_at } = trial;
  return ok('encoding', `720p and 360p take ${cores} cores, ${factor} of what is expected (tried at ${tried_at}).`);
}

export async function ffprobe(): Promise<Finding> {
  const { code, stdout } = await runMedia('ffprobe', ['-version'], { limitMs: QUESTION_MS });
  if (code === 0) return ok('ffprobe', `ffprobe ${/version (\S+)/u.exec(stdout)?.[1] ?? ''}.`);
  return failure(
    'ffprobe',
    'No ffprobe is found that runs.',
    `Install ${INSTALL_FFMPEG}, or name one in ONAIR_FFPROBE.`,
  );
}

export async function utilities(): Promise<Finding> {
  const missing: string[] = [];
  for (const name of [LOCK_PROGRAM, 'fallocate'])
    if ((await textOf(name, ['--version'])) === undefined) missing.push(name);
  if (missing.length === 0) return ok('util-linux', 'flock and fallocate are there.');
  return failure('util-linux', `There is no ${missing.join(' and no ')}.`, 'Install util-linux, which has them.');
}

/** The disk of the folder, or of the nearest one above it that is there. */
export async function disk(data: string): Promise<Finding> {
  let dir = data;
  while (dirname(dir) !== dir && (await stat(dir).catch(() => undefined)) === undefined) dir = dirname(dir);
  const { free_bytes, size_bytes } = await diskSpaceOf(dir);
  const detail = `${megabytes(free_bytes)} of ${megabytes(size_bytes)} are free on the disk of ${data}.`;
  const remedy = 'Delete Assets or Recordings that are not needed, or give the data folder a larger disk.';
  if (free_bytes < FULL_BYTES) return failure('disk', detail, remedy);
  if (free_bytes < LOW_BYTES || free_bytes < size_bytes / 20) return warning('disk', detail, remedy);
  return ok('disk', detail);
}

/** `data` is the folder whose newest file says until when the clock has been. */
export async function clock(data: string, timezone: string, nowMs = Date.now()): Promise<Finding> {
  const now = new Date(nowMs).toISOString();
  const remedy = 'Set the clock, and let a time service keep it: apt-get install chrony, or timedatectl set-ntp true.';
  if (nowMs < FIRST_RELEASE) return failure('clock', `It says ${now}, which is over.`, remedy);
  const newest = await newestMs(join(data, 'store'));
  if (newest > nowMs + AHEAD_MS)
    return warning('clock', `It says ${now}, but the store was written at ${new Date(newest).toISOString()}.`, remedy);
  const synchronised = await textOf('timedatectl', ['show', '--property=NTPSynchronized', '--value']);
  if (synchronised?.trim() === 'no')
    return warning('clock', `It says ${now}, zone ${timezone}; no time service keeps it.`, remedy);
  const kept =
    synchronised?.trim() === 'yes' ? 'a time service keeps it' : 'nothing here tells whether a time service keeps it';
  return ok('clock', `It says ${now}, zone ${timezone}; ${kept}.`);
}

async function newestMs(dir: string): Promise<number> {
  const names = await readdir(dir).catch(() => []);
  const times = await Promise.all(
    names.map(async (name) => (await stat(join(dir, name)).catch(() => undefined))?.mtimeMs ?? 0),
  );
  return Math.max(0, ...times);
}

function isOlder(version: string, [major, minor]: readonly [number, number]): boolean {
  const [its = 0, itsMinor = 0] = version.split('.').map(Number);
  return its < major || (its === major && itsMinor < minor);
}

/** undefined for a program that is not there or fails. */
async function textOf(program: string, words: readonly string[]): Promise<string | undefined> {
  try {
    return (await run(program, words, { timeout: QUESTION_MS, encoding: 'utf8' })).stdout;
  } catch {
    // The caller says which program it is about.
    return undefined;
  }
}
