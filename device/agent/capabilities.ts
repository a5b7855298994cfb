/**
 * The capabilities of a Device, read from the lists that its ffmpeg prints: a start that needs something else is refused by name
 * beforehand.
 */
import type { DeviceHello } from '../../domain/ports/device-link.ts';
import { DEVICE_FEATURES, DEVICE_PROTOCOL } from '../../domain/shapes/devices/device-features.ts';
import type { Capabilities } from '../../domain/shapes/devices/device.ts';
import {
  AUDIO,
  ENCRYPTIONS,
  HDR,
  INPUTS,
  INSTALL_FFMPEG,
  OUTPUTS,
  PROTOCOLS,
  VIDEO,
  type Feature,
} from '../features.ts';

/** The head of any output of ffmpeg, and what `ffmpeg -encoders`, `-formats`, `-protocols` and `-filters` print. */
export interface FfmpegTexts {
  version: string;
  encoders: string;
  /** Muxers, demuxers and devices. */
  formats: string;
  protocols: string;
  filters: string;
  /** Output of `ffmpeg -h encoder=…` for the encoders of HDR. */
  tenBits?: string;
}

/** `texts` is undefined where there is no ffmpeg. `found` adds words of features.ts that hold on this machine whatever ffmpeg prints. */
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
  select(PROTOCOLS, 'protocol');
  const protocols = [...(words ?? [])]
    .filter((word) => /^(?:input|output):/u.test(word))
    .map((word) => word.slice(word.indexOf(':') + 1));
  return {
    ffmpeg_version: texts === undefined ? null : parseVersion(texts.version),
    video_encoders: select(VIDEO, 'video'),
    hdr_encoders: select(HDR, 'HDR'),
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
  const formats = parseFormats(texts.formats);
  const demuxers = formats.filter(({ flags }) => flags.includes('D'));
  const muxers = formats.filter(({ flags }) => flags.includes('E'));
  return new Set([
    ...parseFlagged(texts.encoders, 6).map(({ name }) => `encoder:${name}`),
    ...muxers.map(({ name }) => `muxer:${name}`),
    ...parseFlagged(texts.filters, 3).map(({ name }) => `filter:${name}`),
    // A device that ffmpeg reads from is one of its demuxers.
    ...demuxers.map(({ name }) => `device:${name}`),
    ...parseTenBit(texts.tenBits ?? '').map((name) => `tenbit:${name}`),
    ...input.map((name) => `input:${name}`),
    ...output.map((name) => `output:${name}`),
  ]);
}

/** Reads `ffmpeg version 5.1.9-0+deb12u1 Copyright …`, `ffmpeg version n7.1 …` and `ffmpeg version N-112-gabc …`. */
export function parseVersion(text: string): string | null {
  return /^ffmpeg version (\S+)/mu.exec(text)?.[1] ?? null;
}

/** Reads `Encoder libx265 [libx265 H.265 / HEVC]:` and, some lines below, `Supported pixel formats: yuv420p yuv420p10le …`. */
function parseTenBit(text: string): string[] {
  return text.split(/^(?=Encoder )/mu).flatMap((part) => {
    const name = /^Encoder (\S+) \[/u.exec(part)?.[1];
    const formats = /Supported pixel formats: (.*)$/mu.exec(part)?.[1] ?? '';
    return name !== undefined && formats.split(' ').includes('yuv420p10le') ? [name] : [];
  });
}

/**
 * Reads a list of ffmpeg. It begins with a legend, in most lists followed by a line of dashes; each row is ` FLAGS name description`. The
 * flags fill `width` columns after one space, unset ones as a dot or a space. Commas separate several names. The name of a row in the
 * legend is `=`.
 */
export function parseFlagged(text: string, width: number): { flags: string; name: string }[] {
  const line = new RegExp(`^ ([A-Zd. |]{${width}}) +([A-Za-z0-9][A-Za-z0-9_,.-]*)(?: |$)`, 'u');
  return text.split('\n').flatMap((row) => {
    const [, flags = '', names] = line.exec(row) ?? [];
    return names === undefined ? [] : names.split(',').map((name) => ({ flags, name }));
  });
}

/** Reads the list of formats, whose flags fill two columns, and three from ffmpeg 7 on, where the third tells devices from files. */
export function parseFormats(text: string): { flags: string; name: string }[] {
  const isThree = /^ \.\.d = /mu.test(text);
  return parseFlagged(text, isThree ? 3 : 2);
}

/** Reads `Input:` and `Output:`, each followed by one name a line. */
export function parseProtocols(text: string): { input: string[]; output: string[] } {
  const [before = '', after = ''] = text.split(/^Output:$/mu);
  const names = (part: string): string[] => [...part.matchAll(/^ +(\S+)$/gmu)].map((match) => match[1] ?? '');
  return { input: names(before), output: names(after) };
}

/** With what the agent can do, and the protocol that it speaks. */
export function helloOf(facts: Omit<DeviceHello, 'protocol'>): DeviceHello {
  const capabilities = { ...facts.capabilities, features: [...DEVICE_FEATURES] };
  return { ...facts, capabilities, protocol: DEVICE_PROTOCOL };
}
