/**
 * Sources with captions, made without anything of the product: pictures by ffmpeg, line 21 and its SEI or user data from here
 * (CEA-608-E, ATSC A/53 Part 4), put into whole PES units that are cut into packets anew.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Not in step with the caller: datagrams that arrive meanwhile would be lost. */
const run = promisify(execFile);

export interface Caption {
  text: string;
  /** When it is shown, in seconds since the first picture. */
  at: number;
}

export interface CaptionedOptions {
  codec: 'libx264' | 'libx265' | 'mpeg2video';
  /** As ffmpeg reads it. */
  rate: string;
  seconds: number;
  captions: readonly Caption[];
  size?: string;
  /** Also as a packet of CEA-708, service 1. */
  services?: boolean;
  /** For ffmpeg, behind the codec. */
  more?: readonly string[];
  /** Seconds in which the picture is white; grey otherwise. */
  white?: readonly (readonly [number, number])[];
}

const PACKET = 188;
const TICKS = 90_000;
const FIRST_SECONDS = 100;

export function fpsOfRate(rate: string): number {
  const [num, den = '1'] = rate.split('/');
  return Number(num) / Number(den);
}

function odd(byte: number): number {
  const ones = [...byte.toString(2)].filter((bit) => bit === '1').length;
  return ones % 2 === 1 ? byte : byte | 0x80;
}

/** Pop-on captions on channel 1: loaded out of sight, then shown at once. Index: pictures of 29.97 or fewer a second. */
export function line21(captions: readonly Caption[], fps: number): Map<number, [number, number]> {
  const pairs = new Map<number, [number, number]>();
  const step = fps > 31 ? 2 : 1;
  for (const { text, at } of captions) {
    const twice = (a: number, b: number): [number, number][] => [
      [a, b],
      [a, b],
    ];
    const characters: [number, number][] = [];
    for (let i = 0; i < text.length; i += 2) characters.push([text.charCodeAt(i), text.charCodeAt(i + 1) || 0]);
    const load = [...twice(0x14, 0x20), ...twice(0x14, 0x2e), ...twice(0x14, 0x70), ...characters];
    const shown = Math.round((at * fps) / step) * step;
    load.forEach((pair, i) => pairs.set(shown - (load.length - i + 2) * step, pair));
    twice(0x14, 0x2f).forEach((pair, i) => pairs.set(shown + i * step, pair));
  }
  return pairs;
}

/** user_data_type_structure with cc_data: field 1, and an empty field 2; above 30 pictures a second they take turns. */
function userData(fields: string, pair: [number, number] | undefined, service: Buffer | undefined): Buffer {
  const packet = [...(service ?? [])];
  const triples: number[] = [];
  if (fields.includes('1')) triples.push(0xfc, ...(pair ?? [0, 0]).map(odd));
  if (fields.includes('2')) triples.push(0xfd, 0x80, 0x80);
  for (let i = 0; i < packet.length; i += 2) triples.push(i === 0 ? 0xff : 0xfe, packet[i]!, packet[i + 1]!);
  while (triples.length < 60) triples.push(0xfa, 0, 0);
  return Buffer.from([0x47, 0x41, 0x39, 0x34, 3, 0xc0 | (triples.length / 3), 0xff, ...triples, 0xff]);
}

/** Service 1 with two characters, CEA-708-E §5. */
function servicePacket(number: number): Buffer {
  return Buffer.from([((number & 3) << 6) | 2, (1 << 5) | 2, 0x48, 0x49]);
}

function unitOf(codec: CaptionedOptions['codec'], user: Buffer): Buffer {
  if (codec === 'mpeg2video') return Buffer.concat([Buffer.from([0, 0, 1, 0xb2]), user]);
  const message = [4, user.length + 3, 0xb5, 0, 0x31, ...user, 0x80];
  const safe: number[] = [];
  for (const byte of message) {
    if (byte <= 3 && safe.at(-1) === 0 && safe.at(-2) === 0) safe.push(3);
    safe.push(byte);
  }
  return Buffer.from([0, 0, 1, ...(codec === 'libx265' ? [0x4e, 1] : [6]), ...safe]);
}

/** The offset of the first slice's start code. */
function sliceAt(codec: CaptionedOptions['codec'], es: Buffer): number {
  for (let at = 0; at + 3 < es.length; at += 1) {
    if (es[at] !== 0 || es[at + 1] !== 0 || es[at + 2] !== 1) continue;
    const type = es[at + 3]!;
    const isSlice =
      codec === 'libx264' ? [1, 5].includes(type & 31) : codec === 'libx265' ? type >> 1 < 32 : type > 0 && type < 0xb0;
    if (isSlice) return at;
  }
  throw new Error('No slice in a picture.');
}

function ptsOf(pes: Buffer): number {
  return ((pes[9]! >> 1) & 7) * 2 ** 30 + (pes.readUInt16BE(10) >> 1) * 2 ** 15 + (pes.readUInt16BE(12) >> 1);
}

function packetsOf(head: Buffer, payload: Buffer, count: { value: number }): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < payload.length;) {
    const packet = Buffer.alloc(PACKET, 0xff);
    let adaptation = at === 0 ? head.subarray(4) : Buffer.alloc(0);
    const room = PACKET - 4 - adaptation.length;
    const size = Math.min(room, payload.length - at);
    if (size < room) {
      const field = Buffer.alloc(PACKET - 4 - size, 0xff);
      field[0] = field.length - 1;
      if (field.length > 1) field[1] = 0;
      if (adaptation.length > 1) adaptation.copy(field, 1, 1);
      adaptation = field;
    }
    packet.set([0x47, (at === 0 ? 0x40 : 0) | 1, 0, (adaptation.length > 0 ? 0x30 : 0x10) | (count.value & 15)]);
    packet.set(adaptation, 4);
    payload.copy(packet, PACKET - size, at, at + size);
    count.value += 1;
    at += size;
    parts.push(packet);
  }
  return Buffer.concat(parts);
}

/** A transport stream, with sound. Pictures are reordered where the codec does so by itself. */
export async function captioned(options: CaptionedOptions): Promise<Buffer> {
  const { codec, rate, seconds, size = '320x180', more = [], white = [] } = options;
  const fps = fpsOfRate(rate);
  const flashes = white.map(([from, to]) => `between(t,${from - 0.5 / fps},${to - 0.5 / fps})`).join('+') || '0';
  const picture = `color=gray:s=${size}:r=${rate},drawbox=color=white:t=fill:enable='${flashes}'`;
  const quick = codec === 'mpeg2video' ? ['-bf', '2', '-b:v', '1M'] : ['-preset', 'ultrafast', '-bf', '2'];
  const x265 = codec === 'libx265' ? ['-x265-params', 'log-level=none:bframes=2'] : [];
  const { stdout } = await run(
    'ffmpeg',
    [
      ...['-v', 'error', '-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', 'sine=r=48000', '-t', String(seconds)],
      ...['-c:v', codec, ...quick, ...x265, '-g', String(Math.round(fps)), '-pix_fmt', 'yuv420p', ...more],
      ...['-c:a', 'aac', '-b:a', '64k', '-output_ts_offset', String(FIRST_SECONDS)],
      ...['-muxdelay', '0', '-muxpreload', '0', '-mpegts_flags', '+resend_headers', '-f', 'mpegts', 'pipe:1'],
    ],
    { maxBuffer: 256 << 20, encoding: 'buffer' },
  );
  return withCaptionUnits(stdout, options);
}

function withCaptionUnits(plain: Buffer, { codec, rate, captions, services = false }: CaptionedOptions): Buffer {
  const fps = fpsOfRate(rate);
  const pairs = line21(captions, fps);
  const out: Buffer[] = [];
  const count = { value: 0 };
  let head: Buffer | undefined;
  let parts: Buffer[] = [];
  let firstPts: number | undefined;
  const close = (): void => {
    if (head === undefined) return;
    const pes = Buffer.concat(parts);
    const pts = ptsOf(pes);
    firstPts ??= pts;
    const index = Math.round(((pts - firstPts) / TICKS) * fps);
    const from = 9 + pes[8]!;
    const at = from + sliceAt(codec, pes.subarray(from));
    const service = services ? servicePacket(index) : undefined;
    const fields = fps < 31 ? '12' : index % 2 === 0 ? '1' : '2';
    const unit = unitOf(codec, userData(fields, pairs.get(index), service));
    const payload = Buffer.concat([pes.subarray(0, at), unit, pes.subarray(at)]);
    payload.writeUInt16BE(0, 4);
    out.push(packetsOf(head, payload, count));
  };
  for (let at = 0; at < plain.length; at += PACKET) {
    const packet = plain.subarray(at, at + PACKET);
    if ((((packet[1]! & 0x1f) << 8) | packet[2]!) !== 0x100) {
      out.push(packet);
      continue;
    }
    const payloadAt = (packet[3]! & 0x20) === 0 ? 4 : 5 + packet[4]!;
    if ((packet[1]! & 0x40) !== 0) {
      close();
      parts = [];
      // Without its stuffing, so that what is added finds room.
      const flags = packet[5]!;
      const field = payloadAt === 4 ? 0 : 2 + ((flags & 0x10) === 0 ? 0 : 6);
      head = Buffer.from(packet.subarray(0, 4 + field));
      if (field > 0) head[4] = field - 1;
    }
    parts.push(packet.subarray(payloadAt));
  }
  close();
  return Buffer.concat(out);
}

export interface ReadCaption {
  text: string;
  /** When it is shown and when it goes, on the stream's own time. */
  seconds: number;
  until: number;
}

function secondsOf(time: string): number {
  const [hours, minutes, seconds] = time.replace(',', '.').split(':').map(Number) as [number, number, number];
  return hours * 3600 + minutes * 60 + seconds;
}

/** The captions that ffmpeg reads in it. */
export async function readCaptions(path: string): Promise<ReadCaption[]> {
  const graph = `movie=${path.replaceAll(/[:\\']/gu, '\\$&')}[out0+subcc]`;
  const args = ['-v', 'error', '-f', 'lavfi', '-i', graph, '-map', '0:1', '-copyts', '-f', 'srt', '-'];
  const { stdout } = await run('ffmpeg', args, { maxBuffer: 16 << 20 });
  const blocks = stdout.trim().split(/\n\s*\n/u);
  return blocks.flatMap((block) => {
    const [, time = '', ...lines] = block.trim().split('\n');
    const [from, to] = time.trim().split(' --> ');
    if (to === undefined) return [];
    const text = lines
      .join(' ')
      .replaceAll(/<[^>]*>|\{[^}]*\}|\\h/gu, '')
      .trim();
    return [{ text, seconds: secondsOf(from!), until: secondsOf(to) }];
  });
}
