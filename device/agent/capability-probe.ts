/** Asks the ffmpeg of this machine for its capabilities, each ffmpeg once. */
import { join } from 'node:path';
import type { Capabilities } from '../../domain/shapes/devices/device.ts';
import type { Log } from '../../domain/base/log.ts';
import { readCached, writeJson } from '../atomic-file.ts';
import { capabilitiesOf, type FfmpegTexts } from './capabilities.ts';
import { environment, type Environment } from '../environment.ts';
import { HDR_ENCODERS, INSTALL_FFMPEG } from '../features.ts';
import { hasCard } from '../feeder/card-equipment.ts';
import { findNdi, hasKoffi } from '../feeder/ndi-library.ts';
import { ffmpegIdentity } from '../ffmpeg/identity.ts';
import { runMedia } from '../ffmpeg/run.ts';
import { missingProtection, trySandbox, type Trial } from '../ffmpeg/trial.ts';
import { resolverProgram } from '../media/arguments/videosite-input.ts';

/** The resolver counts when it is a file that this user may run, the NDI runtime when it is there and can be called. */
export function foundBeside({
  videositeResolver,
  variables,
}: Pick<Environment, 'videositeResolver' | 'variables'>): string[] {
  return [
    ...(resolverProgram(videositeResolver) === undefined ? [] : ['resolver:videosite']),
    ...(findNdi(variables) === undefined || !hasKoffi() ? [] : ['runtime:ndi']),
    ...(hasCard() ? ['card:decklink'] : []),
  ];
}

/** Each question takes about 70 ms, ten times that on a machine at its limits; a disk that hangs must not hold one up for ever. */
const QUESTION_MS = 10_000;
/** A missing ffmpeg is looked for again at the first question after this time, so that its installation needs no restart. */
const LOOK_AGAIN_MS = 5000;

export interface ProbeOptions {
  log: Log;
  /** A program that is asked in place of the ffmpeg of this machine. */
  ffmpeg?: string;
  /** Ends the question that is under way; the answer is then that of a missing ffmpeg. */
  signal?: AbortSignal;
  /** Folder where the answers are kept with the identity of the ffmpeg that gave them. */
  keptIn?: string;
}

/** `isProbing` means that the trial of the sandbox is under way; what it finds is missing from the capabilities until then. */
export interface Probed {
  capabilities: Capabilities;
  isProbing: boolean;
}

/** The agent's trial of the sandbox (sandbox-trial.ts). */
export interface SandboxTrial {
  /** The result of an earlier agent that holds for this one too. */
  kept(identity: string | undefined): Trial | undefined;
  /** Never rejects. */
  begin(identity: string | undefined): Promise<Trial>;
}

/**
 * Asks at once and answers from memory; only a missing ffmpeg is asked for again. The sandbox is tried once the lists are there: whoever
 * waits for this Device to answer waits for them, and not for a trial.
 */
export function capabilityProbe(options: ProbeOptions, sandbox: SandboxTrial): () => Promise<Probed> {
  let trial: Trial | undefined;
  let isTrying = false;
  const look = async (): Promise<Capabilities> => {
    const { able, identity } = await askLists(options);
    trial ??= sandbox.kept(identity);
    if (trial !== undefined || isTrying) return able;
    isTrying = true;
    void sandbox.begin(identity).then((found) => {
      // Without an ffmpeg there was nothing to try: the next look begins a trial.
      if (found.isUntried !== true) trial = found;
      isTrying = false;
    });
    return able;
  };
  let answer = look();
  let askedAt = performance.now();
  return async () => {
    let able = await answer;
    if (able.ffmpeg_version === null && performance.now() - askedAt >= LOOK_AGAIN_MS) {
      askedAt = performance.now();
      able = await (answer = look());
    }
    if (able.ffmpeg_version === null || trial === undefined) return { capabilities: able, isProbing: isTrying };
    return { capabilities: withProtection(able, trial), isProbing: false };
  };
}

/** Asks, and tries the sandbox. Never rejects: a missing ffmpeg is an answer too. */
export async function probeCapabilities(options: ProbeOptions): Promise<Capabilities> {
  const { able } = await askLists(options);
  if (able.ffmpeg_version === null || options.ffmpeg !== undefined) return able;
  return withProtection(able, await trySandbox());
}

function withProtection(able: Capabilities, trial: Trial): Capabilities {
  return { ...able, sandbox: trial.sandbox, missing: [...able.missing, ...missingProtection(trial)] };
}

/** `identity` is that of the ffmpeg which gave the answers; undefined where it cannot be told, or nothing is kept. */
async function askLists(options: ProbeOptions): Promise<{ able: Capabilities; identity?: string | undefined }> {
  const { log, ffmpeg, signal, keptIn } = options;
  try {
    const identity = keptIn === undefined || ffmpeg !== undefined ? undefined : await ffmpegIdentity();
    const kept = identity && keptIn && keptTexts(keptIn, identity);
    const texts = kept || (await askTexts(options));
    if (identity && keptIn && !kept) keepTexts(keptIn, { identity, texts }, log);
    return { able: capabilitiesOf(texts, foundBeside(environment())), identity };
  } catch (error) {
    if (signal?.aborted !== true) {
      log.warn(
        { err: error, needs: INSTALL_FFMPEG },
        'ffmpeg does not answer on this Device: nothing can be encoded here.',
      );
    }
    return { able: capabilitiesOf(undefined) };
  }
}

async function askTexts(options: ProbeOptions): Promise<FfmpegTexts> {
  const [encoders, formats, protocols, filters, ...tenBits] = await Promise.all([
    ask(options, 'encoders'),
    ask(options, 'formats'),
    ask(options, 'protocols'),
    ask(options, 'filters'),
    // It is asked of encoders that are not there, too: ffmpeg says so, and ends well.
    ...HDR_ENCODERS.map((name) => ask(options, 'h', `encoder=${name}`)),
  ]);
  return {
    version: encoders.head,
    encoders: encoders.stdout,
    formats: formats.stdout,
    protocols: protocols.stdout,
    filters: filters.stdout,
    tenBits: tenBits.map(({ stdout }) => stdout).join('\n'),
  };
}

/** Answers the list, and the head that ffmpeg prints before any. */
async function ask(
  { ffmpeg, signal }: ProbeOptions,
  option: string,
  ...more: string[]
): Promise<{ stdout: string; head: string }> {
  // The lists depend on drivers, which a sandbox hides.
  const limits = { limitMs: QUESTION_MS, usesDrivers: true };
  const { code, stdout, stderr, head, failure } = await runMedia('ffmpeg', [`-${option}`, ...more], {
    ...limits,
    ...(signal && { signal }),
    ...(ffmpeg && { program: ffmpeg }),
  });
  if (code !== 0) throw failure ?? new Error(`ffmpeg -${option} ended with ${code ?? 'a signal'}: ${stderr.trim()}`);
  return { stdout, head };
}

interface KeptTexts {
  identity: string;
  texts: FfmpegTexts;
}

const keptFile = (folder: string): string => join(folder, 'ffmpeg.json');

/** Undefined for another ffmpeg, and for answers to other questions than those of today. */
function keptTexts(folder: string, identity: string): FfmpegTexts | undefined {
  const kept = readCached(keptFile(folder)) as Partial<KeptTexts> | null | undefined;
  if (kept?.identity !== identity) return undefined;
  const { version, encoders, formats, protocols, filters, tenBits } = (kept.texts ?? {}) as Partial<FfmpegTexts>;
  const all = [version, encoders, formats, protocols, filters, tenBits];
  return all.every((text) => typeof text === 'string' && text !== '') ? (kept.texts as FfmpegTexts) : undefined;
}

function keepTexts(folder: string, kept: KeptTexts, log: Log): void {
  writeJson(keptFile(folder), kept).catch((error: unknown) =>
    log.warn({ err: error }, 'The answers of ffmpeg could not be kept; the next agent asks again.'),
  );
}
