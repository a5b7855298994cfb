/** Asks the ffmpeg of this machine for its capabilities, once. */
import type { Capabilities } from '../../domain/device.ts';
import type { Log } from '../../domain/log.ts';
import { capabilitiesOf, type FfmpegTexts } from './capabilities.ts';
import { environment, type Environment } from '../environment.ts';
import { INSTALL_FFMPEG } from '../features.ts';
import { findProgram } from '../ffmpeg/programs.ts';
import { runMedia } from '../ffmpeg/run.ts';
import { missingProtection, trySandbox } from '../ffmpeg/trial.ts';

/** The resolver counts when it is a file that this user may run. */
export function foundBeside({ videositeResolver = '' }: Pick<Environment, 'videositeResolver'>): string[] {
  return findProgram(videositeResolver) === undefined ? [] : ['resolver:videosite'];
}

/** Each question takes about 50 ms, ten times that on a machine at its limits; a disk that hangs must not hold one up for ever. */
const QUESTION_MS = 10_000;
/** A missing ffmpeg is looked for again at the first question after this time, so that its installation needs no restart. */
const LOOK_AGAIN_MS = 5000;

export interface ProbeOptions {
  log: Log;
  /** A program that is asked in place of the ffmpeg of this machine. */
  ffmpeg?: string;
  /** Ends the question that is under way; the answer is then that of a missing ffmpeg. */
  signal?: AbortSignal;
}

/** Asks at once and answers from memory; only a missing ffmpeg is asked for again. */
export function capabilityProbe(options: ProbeOptions): () => Promise<Capabilities> {
  let answer = probeCapabilities(options);
  let askedAt = performance.now();
  return async () => {
    const known = await answer;
    if (known.ffmpeg_version !== null || performance.now() - askedAt < LOOK_AGAIN_MS) return known;
    askedAt = performance.now();
    return (answer = probeCapabilities(options));
  };
}

/** Never rejects: a missing ffmpeg is an answer too. */
export async function probeCapabilities(options: ProbeOptions): Promise<Capabilities> {
  const { log, ffmpeg, signal } = options;
  // The lists depend on drivers, which a sandbox hides.
  const limits = {
    limitMs: QUESTION_MS,
    usesDrivers: true,
    ...(signal && { signal }),
    ...(ffmpeg && { program: ffmpeg }),
  };
  const ask = async (option: string, ...more: string[]): Promise<string> => {
    const { code, stdout, stderr, failure } = await runMedia('ffmpeg', ['-hide_banner', `-${option}`, ...more], limits);
    if (code !== 0) throw failure ?? new Error(`ffmpeg -${option} ended with ${code ?? 'a signal'}: ${stderr.trim()}`);
    return stdout;
  };
  // The sandbox works or fails whatever the answers are, so its trial runs beside the questions.
  if (ffmpeg === undefined) void trySandbox();
  try {
    // The questions are asked one after the other: they run beside the adoption of broadcasts that are on air.
    const version = await ask('version');
    const texts: FfmpegTexts = {
      version,
      encoders: await ask('encoders'),
      muxers: await ask('muxers'),
      protocols: await ask('protocols'),
      filters: await ask('filters'),
      devices: await ask('devices'),
    };
    if (/^ D\S* +decklink /mu.test(texts.devices)) texts.cards = await ask('sources', 'decklink');
    const able = capabilitiesOf(texts, foundBeside(environment()));
    if (ffmpeg !== undefined) return able;
    const trial = await trySandbox();
    return { ...able, sandbox: trial.sandbox, missing: [...able.missing, ...missingProtection(trial)] };
  } catch (error) {
    if (signal?.aborted !== true) {
      log.warn(
        { err: error, needs: INSTALL_FFMPEG },
        'ffmpeg does not answer on this Device: nothing can be encoded here.',
      );
    }
    return capabilitiesOf(undefined);
  }
}
