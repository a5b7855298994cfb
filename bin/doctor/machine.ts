/** The programs of this machine. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { keptTrial } from '../../device/agent/trials/encoding-trial.ts';
import { probeCapabilities } from '../../device/agent/capability-probe.ts';
import { INSTALL_FFMPEG } from '../../device/features.ts';
import { runMedia } from '../../device/ffmpeg/run.ts';
import { failure, ok, type Finding } from '../../domain/shapes/installation/finding.ts';
import { LOCK_PROGRAM } from '../../linux/file-lock.ts';
import { isOlder, programs } from '../../system/health/programs.ts';

const run = promisify(execFile);
const QUESTION_MS = 5000;
const OLDEST_NODE = [20, 19] as const;

export function node(version = process.versions.node): Finding {
  const wanted = OLDEST_NODE.join('.');
  if (isOlder(version, OLDEST_NODE))
    return failure('node', `Node ${version} is older than ${wanted}.`, `Install Node ${wanted} or later.`);
  return ok('node', `Node ${version}.`);
}

export async function ffmpeg(): Promise<Finding[]> {
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  return programs(await probeCapabilities({ log }), INSTALL_FFMPEG);
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
  for (const name of [LOCK_PROGRAM, 'fallocate']) if (!(await isThere(name))) missing.push(name);
  if (missing.length === 0) return ok('util-linux', 'flock and fallocate are there.');
  return failure('util-linux', `There is no ${missing.join(' and no ')}.`, 'Install util-linux, which has them.');
}

function isThere(program: string): Promise<boolean> {
  return run(program, ['--version'], { timeout: QUESTION_MS }).then(
    () => true,
    () => false,
  );
}
