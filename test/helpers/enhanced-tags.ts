/**
 * Encodes with ffmpeg, which packs into Matroska, and wraps the packets into messages of Enhanced RTMP: Debian's ffmpeg sends none itself.
 * The reader of Matroska here is no part of the product, and neither are these tags.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { RtmpMessage } from '../../device/media/rtmp/rtmp-chunks.ts';
import { TRACKS } from './tracks.ts';

export interface EncodedTrack {
  kind: 'video' | 'audio';
  /** CodecID. */
  codec: string;
  configuration: Buffer | undefined;
  /** In the order of decoding. */
  frames: { ms: number; delayMs: number; isKey: boolean; body: Buffer }[];
}

type TagMessage = Pick<RtmpMessage, 'type' | 'time' | 'body'>;
const [SEGMENT, CLUSTER, BLOCK_GROUP, TRACK_LIST, TRACK_ENTRY] = [0x18538067, 0x1f43b675, 0xa0, 0x1654ae6b, 0xae];
const INSIDE = new Set([SEGMENT, CLUSTER, BLOCK_GROUP, TRACK_LIST, TRACK_ENTRY]);

function vint(bytes: Buffer, at: number, keepsMark: boolean): [value: number, end: number] {
  const size = Math.clz32(bytes[at]!) - 23;
  const whole = bytes.subarray(at, at + size).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  return [Number(keepsMark ? whole : whole - 2n ** BigInt(7 * size)), at + size];
}

function* elements(bytes: Buffer, from = 0, to = bytes.length): Generator<{ id: number; body: Buffer }> {
  for (let at = from; at < to;) {
    const [id, sizeAt] = vint(bytes, at, true);
    const [size, bodyAt] = vint(bytes, sizeAt, false);
    const end = Math.min(bodyAt + size, to);
    yield { id, body: bytes.subarray(bodyAt, end) };
    if (INSIDE.has(id)) yield* elements(bytes, bodyAt, end);
    at = end;
  }
}

/** The tracks of a Matroska file of ffmpeg. */
export function tracksOf(file: string): EncodedTrack[] {
  const tracks: EncodedTrack[] = [];
  let time = 0;
  for (const { id, body } of elements(readFileSync(file))) {
    const last = tracks.at(-1)!;
    if (id === TRACK_ENTRY) tracks.push({ kind: 'video', codec: '', configuration: undefined, frames: [] });
    else if (id === 0x83) last.kind = body[0] === 1 ? 'video' : 'audio';
    else if (id === 0x86) last.codec = body.toString('latin1');
    else if (id === 0x63a2) last.configuration = body;
    else if (id === 0xe7) time = body.readUIntBE(0, body.length);
    else if (id === 0xa3 || id === 0xa1) {
      const isKey = id === 0xa3 && (body[3]! & 0x80) !== 0;
      tracks[body[0]! - 129]!.frames.push({
        ms: time + body.readInt16BE(1),
        delayMs: 0,
        isKey,
        body: body.subarray(4),
      });
    }
  }
  for (const { kind, frames } of tracks) if (kind === 'video') decodingTimes(frames);
  const all = tracks.flatMap(({ frames }) => frames);
  const first = Math.min(0, ...all.map(({ ms }) => ms));
  for (const frame of all) frame.ms -= first;
  return tracks;
}

/** Matroska has the times of showing alone. */
function decodingTimes(frames: EncodedTrack['frames']): void {
  const shown = frames.map(({ ms }) => ms).sort((a, b) => a - b);
  const early = Math.max(0, ...frames.map(({ ms }, i) => shown[i]! - ms));
  for (const [i, frame] of frames.entries()) {
    const decoded = shown[i]! - early;
    Object.assign(frame, { ms: decoded, delayMs: frame.ms - decoded });
  }
}

export interface Recipe {
  video?: string[];
  /** Each is one track. */
  audio?: string[][];
  size?: string;
  pictures?: number;
  rate?: number;
  pixels?: string;
}

/** Writes a picture that moves, and a tone a track. */
export function encode(path: string, { video, audio = [], ...form }: Recipe): string {
  const { size = '128x96', pictures = 50, rate = 25, pixels = 'yuv420p' } = form;
  const tones = audio.map((_, i) => ['-f', 'lavfi', '-i', `sine=frequency=${TRACKS[i]!.pitch}:sample_rate=48000`]);
  const picture = video === undefined ? [] : ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}`];
  const first = video === undefined ? 0 : 1;
  const codecs = video === undefined ? [] : ['-map', '0:v', '-pix_fmt', pixels, ...video];
  const sounds = audio.flatMap((args, i) => {
    const own = args.map((arg) => (arg.startsWith('-') ? `${arg}:a:${i}` : arg));
    return ['-map', `${first + i}:a`, ...own];
  });
  const args = ['-v', 'error', '-y', ...picture, ...tones.flat(), ...codecs, ...sounds];
  const length = ['-t', String(pictures / rate), '-max_interleave_delta', '0', '-cluster_time_limit', '500'];
  // SVT-AV1 writes what it is set to, whatever ffmpeg's log level.
  const env = { ...process.env, SVT_LOG: '1' };
  execFileSync('ffmpeg', [...args, ...length, '-f', 'matroska', path], { env });
  return path;
}

const FOUR_CC: Record<string, string> = {
  'V_MPEG4/ISO/AVC': 'avc1',
  'V_MPEGH/ISO/HEVC': 'hvc1',
  V_AV1: 'av01',
  V_VP9: 'vp09',
  V_VP8: 'vp08',
  A_AAC: 'mp4a',
  A_OPUS: 'Opus',
  A_FLAC: 'fLaC',
  A_AC3: 'ac-3',
  A_EAC3: 'ec-3',
  'A_MPEG/L3': '.mp3',
};
/** VPCodecConfigurationRecord behind its version and flags: profile 0, level 1.0, 8 bits of 4:2:0. */
const VPCC = Buffer.from('01000000000a82010101 0000'.replace(' ', ''), 'hex');

export type Packing = 'plain' | 'one track' | 'many tracks' | 'many codecs' | 'modified';

/** One packet as a message: of a single track, or among several. `number` is that of the track. */
export function enhancedMessage(
  { kind, codec }: Pick<EncodedTrack, 'kind' | 'codec'>,
  packet: { type: number; isKey?: boolean; time: number; body: Buffer },
  packing: Packing = 'plain',
  number = 0,
): TagMessage {
  const fourCc = Buffer.from(FOUR_CC[codec] ?? codec, 'latin1');
  const first = kind === 'video' ? 0x80 | (packet.isKey === false ? 0x20 : 0x10) : 0x90;
  const { type, time, body } = packet;
  const message = (...parts: (Buffer | number[])[]): TagMessage => ({
    type: kind === 'video' ? 9 : 8,
    time,
    body: Buffer.concat(parts.map((part) => Buffer.from(part))),
  });
  const multitrack = first | (kind === 'video' ? 6 : 5);
  const size = Buffer.alloc(3);
  size.writeUIntBE(body.length, 0, 3);
  switch (packing) {
    case 'plain':
      return message([first | type], fourCc, body);
    case 'modified':
      // A finer time of three bytes, then a modifier that nobody knows, of 300 bytes.
      return message([first | 7, 2, 0, 0, 9, 0x07, 255, 1, 43], Buffer.alloc(300), [0xf0 | type], fourCc, body);
    case 'one track':
      return message([multitrack, type], fourCc, [number], body);
    case 'many tracks':
      return message([multitrack, 0x10 | type], fourCc, [number], size, body);
    case 'many codecs':
      return message([multitrack, 0x20 | type], fourCc, [number], size, body);
  }
}

/** All messages of a file, in the order of their times. A further track comes by multitrack in any packing. */
export function enhancedMessages(tracks: readonly EncodedTrack[], packing: Packing = 'plain'): TagMessage[] {
  const messages = tracks.flatMap((track) => {
    const number = tracks.filter(({ kind }) => kind === track.kind).indexOf(track);
    const own = number > 0 && (packing === 'plain' || packing === 'modified') ? 'one track' : packing;
    const fourCc = FOUR_CC[track.codec]!;
    const record = fourCc === 'vp09' ? VPCC : track.configuration;
    const start = record && enhancedMessage(track, { type: 0, time: 0, body: record }, own, number);
    const frames = track.frames.map(({ ms, delayMs, isKey, body }) => {
      const hasDelay = ['avc1', 'hvc1'].includes(fourCc) && delayMs > 0;
      const delay = Buffer.alloc(hasDelay ? 3 : 0);
      if (hasDelay) delay.writeIntBE(delayMs, 0, 3);
      const type = track.kind === 'audio' || hasDelay || !['avc1', 'hvc1'].includes(fourCc) ? 1 : 3;
      return enhancedMessage(track, { type, isKey, time: ms, body: Buffer.concat([delay, body]) }, own, number);
    });
    return start === undefined ? frames : [start, ...frames];
  });
  return messages
    .map((message, at) => ({ message, at }))
    .sort((a, b) => a.message.time - b.message.time || a.at - b.at)
    .map(({ message }) => message);
}

/** AAC in the tags of FLV, as OBS sends it beside HEVC. */
export function plainAac({ configuration, frames }: EncodedTrack): TagMessage[] {
  const tag = (time: number, kind: number, body: Buffer): TagMessage => ({
    type: 8,
    time,
    body: Buffer.concat([Buffer.from([0xaf, kind]), body]),
  });
  return [tag(0, 0, configuration!), ...frames.map(({ ms, body }) => tag(ms, 1, body))];
}

/** Hashes of each picture as it is decoded, or of each packet with `copies`, in the order in which ffmpeg gives them. */
export function frameHashes(input: string | Buffer, stream: string, copies = false): string[] {
  const from = typeof input === 'string' ? ['-i', input] : ['-f', 'matroska', '-i', 'pipe:0'];
  const args = [
    '-v',
    'error',
    ...from,
    '-map',
    `0:${stream}`,
    ...(copies ? ['-c', 'copy'] : ['-fps_mode', 'passthrough']),
  ];
  const options = {
    input: typeof input === 'string' ? undefined : input,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  } as const;
  const text = execFileSync('ffmpeg', [...args, '-f', 'framemd5', 'pipe:1'], options);
  return text
    .split('\n')
    .filter((line) => /^\d/u.test(line))
    .map((line) => line.split(',').at(-1)!.trim());
}
