/** What the ffmpeg of this machine can do, asked once: a start that needs what is missing is refused by name beforehand. */
import type { Capabilities } from '../domain/device.ts';
import { AUDIO, ENCRYPTIONS, INPUTS, INSTALL_FFMPEG, OUTPUTS, VIDEO, type Feature } from './features.ts';
import type { Log } from './log.ts';
import { findProgram } from './ffmpeg/programs.ts';
import { runMedia } from './ffmpeg/run.ts';
import { missingProtection, trySandbox } from './ffmpeg/trial.ts';
import { parseSources } from './media/arguments/card-input.ts';
import { VIDEOSITE_RESOLVER } from './media/arguments/videosite-input.ts';

/** What ffmpeg prints for -version, -encoders, -muxers, -protocols, -filters and -devices. */
export interface FfmpegTexts {
  version: string;
  encoders: string;
  muxers: string;
  protocols: string;
  filters: string;
  devices: string;
  /** Of -sources decklink, when it has that device. */
  cards?: string;
}

/** Pure. `texts` undefined: there is no ffmpeg. `found`: further words of features.ts that hold on this machine. */
export function capabilitiesOf(texts: FfmpegTexts | undefined, found: readonly string[] = []): Capabilities {
  const words = texts === undefined ? undefined : new Set([...wordsOf(texts), ...found]);
  const missing: Capabilities['missing'] = [];
  const select = (features: Feature[], kind: string): string[] => {
    const able: string[] = [];
    for (const { name, requires, needs, absent } of features) {
      const met = words !== undefined && requires.every((group) => group.some((word) => words.has(word)));
      if (met && absent !== true) able.push(name);
      else
        missing.push({
          feature: `${kind} ${name}`,
          needs: absent === true || words !== undefined ? needs : INSTALL_FFMPEG,
        });
    }
    return able;
  };
  const protocols = [...(words ?? [])]
    .filter((word) => /^(?:input|output):/u.test(word))
    .map((word) => word.slice(word.indexOf(':') + 1));
  return {
    ffmpeg_version: texts === undefined ? null : parseVersion(texts.version),
    video_encoders: select(VIDEO, 'video'),
    audio_encoders: select(AUDIO, 'audio'),
    protocols: [...new Set(protocols)].sort(),
    inputs: select(INPUTS, 'Channel'),
    outputs: select(OUTPUTS, 'Publishing'),
    encryption: select(ENCRYPTIONS, 'encryption'),
    missing,
  };
}

function wordsOf(texts: FfmpegTexts): Set<string> {
  const { input, output } = parseProtocols(texts.protocols);
  const devices = parseFlagged(texts.devices, 2);
  return new Set([
    ...parseFlagged(texts.encoders, 6).map(({ name }) => `encoder:${name}`),
    ...parseFlagged(texts.muxers, 2).map(({ name }) => `muxer:${name}`),
    ...parseFlagged(texts.filters, 3).map(({ name }) => `filter:${name}`),
    ...devices.filter(({ flags }) => flags.includes('D')).map(({ name }) => `device:${name}`),
    ...devices.filter(({ flags }) => flags.includes('E')).map(({ name }) => `outdevice:${name}`),
    ...input.map((name) => `input:${name}`),
    ...output.map((name) => `output:${name}`),
    ...(parseSources(texts.cards ?? '').length === 0 ? [] : ['card:decklink']),
  ]);
}

/** `ffmpeg version 5.1.9-0+deb12u1 Copyright …`, `ffmpeg version n7.1 …`, `ffmpeg version N-112-gabc …` */
export function parseVersion(text: string): string | null {
  return /^ffmpeg version (\S+)/mu.exec(text)?.[1] ?? null;
}

/**
 * Lists of ffmpeg: a legend, in most of them a line of dashes, then ` FLAGS name  description`, the flags in `width` columns after one
 * space, unset ones as a dot or a space. Several names are separated by commas. In a legend the name is `=`.
 */
export function parseFlagged(text: string, width: number): { flags: string; name: string }[] {
  const line = new RegExp(`^ ([A-Z. |]{${width}}) +([A-Za-z0-9][A-Za-z0-9_,.-]*)(?: |$)`, 'u');
  return text.split('\n').flatMap((row) => {
    const [, flags = '', names] = line.exec(row) ?? [];
    return names === undefined ? [] : names.split(',').map((name) => ({ flags, name }));
  });
}

/** `Input:` and `Output:`, each followed by one name a line. */
export function parseProtocols(text: string): { input: string[]; output: string[] } {
  const [before = '', after = ''] = text.split(/^Output:$/mu);
  const names = (part: string): string[] => [...part.matchAll(/^ +(\S+)$/gmu)].map((match) => match[1] ?? '');
  return { input: names(before), output: names(after) };
}

/** The resolver counts when it is a file that this user may run. */
export function foundBeside(env: NodeJS.ProcessEnv): string[] {
  return findProgram(env[VIDEOSITE_RESOLVER] ?? '') === undefined ? [] : ['resolver:videosite'];
}

/** Each question takes about 50 ms, ten times that on a machine at its limits; a disk that hangs must not hold one up for ever. */
const QUESTION_MS = 10_000;
/** Without ffmpeg it is looked for again at the next question after this: who installs it need not restart anything. */
const LOOK_AGAIN_MS = 5000;

export interface ProbeOptions {
  log: Log;
  /** Another program in its place. */
  ffmpeg?: string;
  /** Ends the question being asked; the answer is then that of no ffmpeg. */
  signal?: AbortSignal;
}

/** Asks once, at once, and answers from memory; only a missing ffmpeg is asked for again. */
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

/** Never rejects: no ffmpeg is an answer too. */
export async function probeCapabilities(options: ProbeOptions): Promise<Capabilities> {
  const { log, ffmpeg, signal } = options;
  // It tells of drivers, which are not to be had in a sandbox.
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
  // It works or not whatever the answers are, so it need not wait for them.
  if (ffmpeg === undefined) void trySandbox();
  try {
    // One after the other: this runs beside the adoption of what is on air.
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
    const able = capabilitiesOf(texts, foundBeside(process.env));
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
