/** Copies of transport streams, by the reader of ours and by ffmpeg, and the frames in them. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MediaFragment, TrackInit } from '../../../device/media/fmp4/fmp4-parser.ts';
import { planLadder } from '../../../device/media/ladder/ladder-plan.ts';
import { PACKET_BYTES } from '../../../device/media/mpeg-ts/mpeg-ts.ts';
import { TsReader } from '../../../device/media/mpeg-ts/ts-reader.ts';
import type { WantedStreams } from '../../../device/media/mpeg-ts/stream-choice.ts';
import { EncodedStream } from '../../../device/runner/stream/encoded-stream.ts';
import { PacketFragments } from '../../../device/runner/stream/packet-fragments.ts';
import { rendition } from '../runner/specs.ts';
import { wordsOf } from '../../helpers/words.ts';

export const PICTURE = 0x100;
export const SOUND = 0x101;
export const FIRST_TICKS = 900_000;
const WANTED: WantedStreams = {
  program: undefined,
  picture: PICTURE,
  sounds: [{ pid: SOUND, number: 0, language: 'und' }],
};

export interface Copied {
  bytes: Buffer;
  holes: number;
  /** In order: what was told beside the packets. */
  notes: string[];
}

export interface CopyOptions extends Partial<WantedStreams> {
  /** Bytes of each read. */
  step?: number;
  /** Milliseconds between two reads. */
  everyMs?: number;
}

/** Gives the stream to a reader as a network would bring it. */
export function copyOf(stream: Buffer, { step = 1316, everyMs = 1, ...wanted }: CopyOptions = {}): Copied {
  const parts: Buffer[] = [];
  const notes: string[] = [];
  const reader = new TsReader(
    { ...WANTED, ...wanted },
    {
      nextTicks: () => FIRST_TICKS,
      onPackets: (packets) => void parts.push(packets),
      onRecoded: () => notes.push('recoded'),
      onChange: (kind, change) => notes.push(`${kind} ${change}`),
      onLacking: (numbers) => notes.push(`lacks ${numbers.join()}`),
      onCue: (section, { newest }) => notes.push(`cue of ${section.length} bytes at ${newest}`),
      onUnfit: (why) => notes.push(why),
    },
  );
  for (let at = 0, ms = 0; at < stream.length; at += step, ms += everyMs)
    reader.push(Buffer.from(stream.subarray(at, at + step)), ms);
  reader.finish();
  return { bytes: Buffer.concat(parts), holes: reader.holes, notes };
}

export function ffmpeg(...args: string[]): Buffer {
  return execFileSync('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args], { maxBuffer: 1 << 28 });
}

/** Makes a transport stream of these codecs. */
export function made(dir: string, name: string, coding: string, more = ''): Buffer {
  const path = join(dir, `${name}.ts`);
  const picture = wordsOf('-f lavfi -i testsrc2=s=160x90:r=25 -f lavfi -i sine=f=440:r=48000 -pix_fmt yuv420p');
  ffmpeg(...picture, ...wordsOf(`${coding} ${more}`.trim()), path);
  return readFileSync(path);
}

/** Hashes of the decoded pictures, or of the sound. */
export function framesOf(dir: string, stream: Buffer, kind: 'v' | 'a'): string[] {
  const path = join(dir, 'read.ts');
  writeFileSync(path, stream);
  const form = kind === 'v' ? wordsOf('-map 0:v:0 -fps_mode passthrough') : wordsOf('-map 0:a:0');
  // With several threads damaged pictures are mended by whatever another one has decoded by then.
  const text = ffmpeg(
    '-threads',
    '1',
    '-err_detect',
    'ignore_err',
    '-i',
    path,
    ...form,
    '-f',
    'framemd5',
    'pipe:1',
  ).toString();
  return text.split('\n').flatMap((line) => /, *([0-9a-f]{32})$/u.exec(line)?.[1] ?? []);
}

export interface Packed {
  /** Init and fragments of the picture and of the sound, as they came. */
  files: Map<number, Buffer>;
  fragments: Map<number, MediaFragment[]>;
  inits: Map<number, TrackInit>;
  /** Why nothing is packed any more. */
  unfit: string | undefined;
}

/** The stream of a copy, packed by this process; a fragment has so many seconds at most. */
export function packedOf(stream: Buffer, maxSeconds: number, step = 20 * PACKET_BYTES): Packed {
  const copied = { ...rendition(11, 160, 90, 300, { codec: 'copy' as const }) };
  const plan = planLadder([{ ...copied, audio: { ...copied.audio!, codec: 'copy' } }]);
  const packets = new EncodedStream(plan).media.packets!;
  const packed: Packed = { files: new Map(), fragments: new Map(), inits: new Map(), unfit: undefined };
  const append = (pid: number, bytes: Buffer): void =>
    void packed.files.set(pid, Buffer.concat([packed.files.get(pid) ?? Buffer.alloc(0), bytes]));
  const tracks = [PICTURE, SOUND].map((pid) => ({ pid, isVideo: pid === PICTURE }));
  const form = { videoSeconds: maxSeconds, audioSeconds: maxSeconds, toleratesDelay: true };
  const fragments = new PacketFragments(tracks, form, packets, {
    init(pid, init) {
      packed.inits.set(pid, init);
      append(pid, init.bytes);
    },
    fragment({ pid, fragment }) {
      packed.fragments.set(pid, [...(packed.fragments.get(pid) ?? []), fragment]);
      append(pid, fragment.bytes);
    },
    onUnfit: (why) => (packed.unfit = why),
  });
  fragments.start();
  for (let at = 0; at < stream.length; at += step) packets.push(stream.subarray(at, at + step));
  fragments.end();
  return packed;
}

/** The same stream as ffmpeg copies it. */
export function copyOfFfmpeg(dir: string, stream: Buffer, ...maps: string[]): Buffer {
  const [from, to] = [join(dir, 'from.ts'), join(dir, 'to.ts')];
  writeFileSync(from, stream);
  const streams = maps.length === 0 ? ['-map', '0:V:0', '-map', '0:a:0?'] : maps;
  ffmpeg('-i', from, ...streams, ...wordsOf('-c copy -muxdelay 0 -muxpreload 0 -output_ts_offset 10 -f mpegts'), to);
  return readFileSync(to);
}
