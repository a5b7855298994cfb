/** What the ffmpeg of this machine can do, asked once: a start that needs what is missing is refused by name beforehand. */
import { execFile } from 'node:child_process';
import type { Capabilities } from '../domain/device.ts';
import type { Log } from './agent/log.ts';

/** What ffmpeg prints for -version, -encoders, -muxers, -protocols, -filters and -devices. */
export interface FfmpegTexts {
  version: string;
  encoders: string;
  muxers: string;
  protocols: string;
  filters: string;
  devices: string;
}

interface Feature {
  /** Wire name: a codec, a Channel type or a Publishing type. */
  name: string;
  /** Each group is met by any one of its words, as `encoder:libx264`. No groups: it needs nothing of ffmpeg. */
  requires: string[][];
  /** What would bring it, when this build or this ffmpeg cannot do it. */
  needs: string;
  /** This build of the product has no code for it, whatever ffmpeg can. */
  absent?: true;
}

export const INSTALL_FFMPEG = 'ffmpeg 5.1 or later on the Device: apt-get install ffmpeg';
const ffmpegWith = (what: string): string => `an ffmpeg built with ${what}`;

const VIDEO: Feature[] = [
  { name: 'h264', requires: [['encoder:libx264']], needs: ffmpegWith('libx264') },
  { name: 'hevc', requires: [['encoder:libx265']], needs: ffmpegWith('libx265') },
  {
    name: 'av1',
    requires: [['encoder:libsvtav1']],
    needs: 'a build of this product with an fMP4 bus, and ffmpeg with libsvtav1',
    absent: true,
  },
  {
    name: 'vp9',
    requires: [['encoder:libvpx-vp9']],
    needs: 'a build of this product with an fMP4 bus, and ffmpeg with libvpx',
    absent: true,
  },
  {
    name: 'mp4v',
    requires: [['encoder:mpeg4']],
    needs: 'a build of this product that encodes MPEG-4 Part 2; use h264',
    absent: true,
  },
  {
    name: 'mpgv',
    requires: [['encoder:mpeg2video']],
    needs: 'a build of this product that encodes MPEG-2; use h264',
    absent: true,
  },
  { name: 'copy', requires: [], needs: INSTALL_FFMPEG },
];
const AUDIO: Feature[] = [
  { name: 'mp4a', requires: [['encoder:aac']], needs: ffmpegWith('the aac encoder') },
  {
    name: 'aacp',
    requires: [['encoder:libfdk_aac']],
    needs: 'a build of this product that encodes HE-AAC; use mp4a',
    absent: true,
  },
  { name: 'opus', requires: [['encoder:libopus']], needs: ffmpegWith('libopus') },
  { name: 'mp3', requires: [['encoder:libmp3lame']], needs: ffmpegWith('libmp3lame') },
  { name: 'mpga', requires: [['encoder:mp2']], needs: ffmpegWith('the mp2 encoder') },
  { name: 'copy', requires: [], needs: INSTALL_FFMPEG },
];

/** Every source is brought to one frame rate, size and sample rate with these. */
const NORMALISING = [['filter:fps'], ['filter:scale'], ['filter:pad'], ['filter:aresample']];
const INPUTS: Feature[] = [
  {
    name: 'File',
    requires: [['input:file'], ...NORMALISING],
    needs: ffmpegWith('the filters fps, scale, pad and aresample'),
  },
  {
    name: 'Stream',
    requires: [['input:http'], ['input:udp'], ['input:rtmp'], ...NORMALISING],
    needs: ffmpegWith('the protocols http, udp and rtmp'),
  },
  {
    name: 'SRT',
    requires: [['input:srt']],
    needs: 'a build of this product with the SRT source, and ffmpeg with libsrt',
    absent: true,
  },
  { name: 'RTMP-Push', requires: [], needs: 'a build of this product with the RTMP listener', absent: true },
  { name: 'SDI', requires: [['device:decklink']], needs: 'a DeckLink card and ffmpeg with decklink', absent: true },
  { name: 'AES/EBU', requires: [['device:decklink']], needs: 'a DeckLink card and ffmpeg with decklink', absent: true },
  { name: 'NDI', requires: [['device:libndi_newtek']], needs: 'the NDI runtime and ffmpeg with libndi', absent: true },
  { name: 'UDP-R Cloud', requires: [], needs: 'a Cloud account with a gateway for UDP-R', absent: true },
  { name: 'SRT Cloud', requires: [['input:srt']], needs: 'a Cloud account with a gateway for SRT', absent: true },
  { name: 'VideoSite Live', requires: [], needs: 'a resolver for the video site on the Device', absent: true },
];
const OUTPUTS: Feature[] = [
  { name: 'HLS / TS', requires: [['muxer:mpegts']], needs: ffmpegWith('the mpegts muxer') },
  {
    name: 'RTMP',
    requires: [['muxer:flv'], ['output:rtmp']],
    needs: ffmpegWith('the flv muxer and the rtmp protocol'),
  },
  { name: 'Record', requires: [['muxer:mp4'], ['muxer:mpegts']], needs: ffmpegWith('the mp4 and mpegts muxers') },
  { name: 'CMAF', requires: [['muxer:mp4']], needs: 'a build of this product with the CMAF packager', absent: true },
  { name: 'DASH', requires: [['muxer:mp4']], needs: 'a build of this product with the DASH packager', absent: true },
  { name: 'Enhanced RTMP', requires: [], needs: 'a build of this product with FFmpeg 8 as an addon', absent: true },
  {
    name: 'SRT',
    requires: [['output:srt']],
    needs: 'a build of this product with the SRT Destination, and ffmpeg with libsrt',
    absent: true,
  },
  { name: 'STREAM', requires: [], needs: 'a build of this product with the UDP and RTP Destination', absent: true },
  {
    name: 'SDIOUT',
    requires: [['outdevice:decklink']],
    needs: 'a DeckLink card and ffmpeg with decklink',
    absent: true,
  },
];

/** Pure. `texts` undefined: there is no ffmpeg. */
export function capabilitiesOf(texts: FfmpegTexts | undefined): Capabilities {
  const words = texts === undefined ? undefined : wordsOf(texts);
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

/** Each question takes about 50 ms; a disk that hangs must not hold up the agent for ever. */
const QUESTION_MS = 5000;

/** Never rejects: no ffmpeg is an answer too. */
export async function probeCapabilities({
  log,
  ffmpeg = process.env.ONAIR_FFMPEG ?? 'ffmpeg',
}: {
  log: Log;
  ffmpeg?: string;
}): Promise<Capabilities> {
  const ask = (option: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const limits = { timeout: QUESTION_MS, killSignal: 'SIGKILL', maxBuffer: 4 << 20, windowsHide: true } as const;
      const child = execFile(ffmpeg, ['-hide_banner', `-${option}`], limits, (error, stdout) =>
        error === null ? resolve(stdout) : reject(error),
      );
      child.stdin?.end();
    });
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
    return capabilitiesOf(texts);
  } catch (error) {
    log.warn(
      { err: error, needs: INSTALL_FFMPEG },
      'ffmpeg does not answer on this Device: nothing can be encoded here.',
    );
    return capabilitiesOf(undefined);
  }
}
