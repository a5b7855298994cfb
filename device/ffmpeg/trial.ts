/** Finds out whether this machine confines ffmpeg by trying it: kernels, containers and builds of ffmpeg differ too much for a question. */
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readCached } from '../atomic-file.ts';
import { bootId } from '../process.ts';
import { PRLIMIT } from './bounds.ts';
import { PERL } from './landlock.ts';
import { launch, SETPRIV, type Sandbox } from './launch.ts';
import { findProgram, notFound, programOf } from './programs.ts';

export interface Trial {
  sandbox: Sandbox;
  /** The reason why there is no sandbox. */
  reason?: string;
  /** There was no ffmpeg to try the sandbox with. */
  isUntried?: true;
}

/** An ffmpeg starts in 50 ms, ten times that on a machine at its limits. */
const TRIAL_MS = 10_000;
/** A file that every user may read and no broadcast needs. */
const FORBIDDEN = '/etc/passwd';
const SILENCE = Buffer.alloc(1600);
const QUIET = ['-hide_banner', '-nostdin', '-loglevel', 'error'];
const TO_NOTHING = ['-f', 'null', '-'];

let lastTrial: Promise<Trial> | undefined;
const triedFiles = new Set<string>();

/**
 * Each process tries once, and again only when there was no ffmpeg to try with. `ofOurs` is a file of the data folder that no ffmpeg needs;
 * it is tried as well, and counts in all later answers. Never rejects.
 */
export function trySandbox(ofOurs?: string): Promise<Trial> {
  const program = programOf('ffmpeg');
  if (lastTrial === undefined && findProgram(program) === undefined)
    return Promise.resolve({ sandbox: 'none', reason: notFound(program), isUntried: true });
  lastTrial ??= tryLandlock();
  if (ofOurs === undefined || triedFiles.has(ofOurs) || !existsSync(ofOurs)) return lastTrial;
  triedFiles.add(ofOurs);
  lastTrial = lastTrial.then(async (trial) => (trial.sandbox === 'none' ? trial : ((await breachOf(ofOurs)) ?? trial)));
  return lastTrial;
}

/** Takes the result of an earlier process, which had tried the same; `ofOurs` was tried as well. */
export function assumeTrial(trial: Trial, ofOurs: string): void {
  lastTrial = Promise.resolve(trial);
  triedFiles.add(ofOurs);
}

/** Tools that confine and bound ffmpeg and that this Device lacks, each with its remedy. */
export function missingProtection(
  { sandbox, reason, isUntried }: Trial,
  find: (path: string) => string | undefined = findProgram,
): { feature: string; needs: string }[] {
  const tools = [
    { path: PRLIMIT, feature: 'bounds of memory and open files for ffmpeg', needs: 'util-linux' },
    { path: SETPRIV, feature: 'an ffmpeg that gains no rights and ends with its broadcast', needs: 'util-linux' },
    { path: PERL, feature: 'a sandbox for ffmpeg', needs: 'perl-base' },
  ].filter(({ path }) => find(path) === undefined);
  const missing = tools.map(({ path, feature, needs }) => ({ feature, needs: `${path}: apt-get install ${needs}` }));
  if (sandbox !== 'none' || isUntried === true || tools.some(({ path }) => path === PERL)) return missing;
  const needs = `Linux 5.13 or later with Landlock, and an ffmpeg that works in it (${reason ?? 'it was refused'}); until then ONAIR_DEVICE_USER gives the Device a user of its own`;
  return [...missing, { feature: 'a sandbox for ffmpeg', needs }];
}

/** One ffmpeg must work inside, and another must not read a file that it was not given. */
async function tryLandlock(): Promise<Trial> {
  if (findProgram(PERL) === undefined) return { sandbox: 'none', reason: `${PERL} is not there` };
  const [work, breach] = await Promise.all([
    outcome([...QUIET, '-f', 's16le', '-ar', '8000', '-ac', '1', '-i', 'pipe:0', ...TO_NOTHING]),
    breachOf(FORBIDDEN),
  ]);
  if (work.code !== 0) return { sandbox: 'none', reason: work.complaint || 'ffmpeg does not run in it' };
  return breach ?? { sandbox: 'landlock' };
}

/** Undefined when the file cannot be read inside. */
async function breachOf(path: string): Promise<Trial | undefined> {
  const { code, bytes } = await outcome([
    ...[...QUIET, '-protocol_whitelist', 'file', '-format_whitelist', 'data', '-f', 'data'],
    ...['-i', `file:${path}`, '-map', '0', '-c', 'copy', '-f', 'data', 'pipe:1'],
  ]);
  return code === 0 || bytes > 0 ? { sandbox: 'none', reason: `${path} could be read in it` } : undefined;
}

function outcome(args: string[]): Promise<{ code: number | null; bytes: number; complaint: string }> {
  return new Promise((resolve) => {
    const child: ChildProcess = launch('ffmpeg', args, { stdio: 'pipe', work: 'read', sandbox: 'landlock' });
    const timer = setTimeout(() => child.kill('SIGKILL'), TRIAL_MS);
    let bytes = 0;
    let complaint = '';
    child.stdout?.on('data', (chunk: Buffer) => (bytes += chunk.length));
    child.stderr?.on('data', (chunk: Buffer) => (complaint = `${complaint}${chunk.toString()}`.slice(-500)));
    // The exit event reports an ffmpeg that reads nothing.
    child.stdin?.on('error', () => undefined).end(SILENCE);
    child.once('error', ({ message }) => (complaint = message));
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, bytes, complaint: complaint.trim() });
    });
  });
}

/** The agent stores its result here for its runners, whose start has no time for a trial. */
export function sandboxFile(deviceDir: string): string {
  return join(deviceDir, 'sandbox.json');
}

export function sandboxRecord({ sandbox }: Trial): { sandbox: Sandbox; bootId: string } {
  return { sandbox, bootId: bootId() };
}

/** Reads the result of the last agent in this boot, since another boot may have another kernel; without one, tries the sandbox. */
export async function knownSandbox(deviceDir: string): Promise<Sandbox> {
  const known = readCached(sandboxFile(deviceDir)) as Partial<ReturnType<typeof sandboxRecord>> | null | undefined;
  if (known?.bootId === bootId() && (known.sandbox === 'landlock' || known.sandbox === 'none')) return known.sandbox;
  return (await trySandbox()).sandbox;
}
