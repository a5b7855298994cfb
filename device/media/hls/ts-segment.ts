/** A segment of MPEG-TS as units (ISO/IEC 13818-1 §2.4.3): its packets are all there, in whatever order the PIDs take turns. */
import {
  hasPayload,
  isRandomAccess,
  PACKET_BYTES,
  PacketSplitter,
  payloadStart,
  pidOf,
  readTime,
  startsUnit,
  Unwrapper,
} from '../mpeg-ts/mpeg-ts.ts';
import { ProgramReader } from '../mpeg-ts/program-reader.ts';
import type { ElementaryStream } from '../mpeg-ts/psi.ts';
import { inOrder, type SegmentMedia, type Unit } from './units.ts';
import { NotRead, STREAM_IDS, TYPES, type Track, type TrackKind } from '../units/track.ts';

/** Apple's sample encryption gives its streams types of their own. */
const ENCRYPTED = new Set([0xdb, 0xcf, 0xc1, 0xc2]);
const VIDEO_TYPES = new Set([0x01, 0x02, 0x10, TYPES.avc, TYPES.hevc, 0x42, 0xd1, 0xea]);
const SOUND_TYPES = new Set([TYPES.mp3, 0x04, TYPES.adts, 0x11, TYPES.ac3, TYPES.eac3]);
/** registration_descriptor of AC-3, E-AC-3 and Opus; descriptors of DVB for AC-3, E-AC-3 and AAC. */
const SOUND_REGISTRATIONS = ['AC-3', 'EAC3', 'Opus', 'BSSD'];
const SOUND_DESCRIPTORS = new Set([0x6a, 0x7a, 0x7c]);

/** Throws NotRead for bytes without a program, and for encrypted samples. `program` is its place in the table, from 1. */
export function tsSegment(bytes: Buffer, program = 1): SegmentMedia {
  const data = new PacketSplitter().push(bytes);
  const streams = streamsOf(data, program);
  if (streams === undefined) throw new NotRead('A segment has no table of its programs.');
  if (streams.some(({ type }) => ENCRYPTED.has(type))) throw new NotRead('Its samples are encrypted.');
  const byPid = packetsByPid(data);
  const clock = new Unwrapper();
  const tracks: Track[] = [];
  const units: Unit[] = [];
  // The pictures give the clock, which all others are near.
  for (const stream of streams.toSorted((a, b) => Number(kindOf(b) === 'video') - Number(kindOf(a) === 'video'))) {
    const track = trackOf(stream);
    tracks.push(track);
    const packets = byPid.get(stream.pid) ?? [];
    const read =
      track.kind === 'section' ? sections(track, { data, packets }, units) : pesUnits(track, { data, packets }, clock);
    units.push(...read);
  }
  return inOrder(tracks, units);
}

/** The places at which the packets of each PID begin. */
function packetsByPid(data: Buffer): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (let at = 0; at < data.length; at += PACKET_BYTES) {
    const pid = pidOf(data, at);
    const packets = found.get(pid);
    if (packets === undefined) found.set(pid, [at]);
    else packets.push(at);
  }
  return found;
}

/** The first map of the program. It may stand before the table that names it, so the packets may be read twice. */
function streamsOf(data: Buffer, program: number): ElementaryStream[] | undefined {
  const reader = new ProgramReader();
  for (let pass = 0; pass < 2; pass += 1)
    for (let at = 0; at < data.length; at += PACKET_BYTES) {
      if (!reader.reads(pidOf(data, at))) continue;
      for (const { pid, streams } of reader.push(data, at)) {
        const { programs } = reader;
        if (streams !== undefined && pid === (programs[program - 1] ?? programs[0])?.pmtPid) return streams;
      }
    }
  return undefined;
}

function kindOf({ type, descriptors }: ElementaryStream): TrackKind {
  if (type === TYPES.cue) return 'section';
  if (VIDEO_TYPES.has(type)) return 'video';
  if (SOUND_TYPES.has(type)) return 'sound';
  const isSound =
    SOUND_REGISTRATIONS.some((name) => descriptors.includes(name, 0, 'latin1')) ||
    descriptorTags(descriptors).some((tag) => SOUND_DESCRIPTORS.has(tag));
  return type === 0x06 && isSound ? 'sound' : 'other';
}

function descriptorTags(descriptors: Buffer): number[] {
  const tags: number[] = [];
  for (let at = 0; at + 2 <= descriptors.length; at += 2 + descriptors[at + 1]!) tags.push(descriptors[at]!);
  return tags;
}

function trackOf(stream: ElementaryStream): Track {
  const kind = kindOf(stream);
  const streamId = kind === 'video' ? STREAM_IDS.video : STREAM_IDS.private;
  return { kind, type: stream.type, descriptors: stream.descriptors, streamId };
}

/** Offsets at which units begin in their segment. */
const PLACES = new WeakMap<Unit, number>();

/** The packets of one PID, by the places at which they begin. */
interface Packets {
  data: Buffer;
  packets: readonly number[];
}

/** Half a unit before the first beginning is left out: its beginning was in the segment before, which is whole. */
function pesUnits(track: Track, { data, packets }: Packets, clock: Unwrapper): Unit[] {
  const units: Unit[] = [];
  let dts: number | undefined;
  for (let first = packets.findIndex((at) => startsUnit(data, at)); first >= 0 && first < packets.length;) {
    let end = first + 1;
    while (end < packets.length && !startsUnit(data, packets[end]!)) end += 1;
    const pes = joined(data, packets, first, end);
    const unit = pes.length === 0 ? undefined : pesUnit(track, pes, isRandomAccess(data, packets[first]!), clock, dts);
    if (unit !== undefined) {
      PLACES.set(unit, packets[first]!);
      units.push(unit);
    }
    dts = unit?.dts ?? dts;
    first = end;
  }
  const isMarked = units.some((unit) => unit.key);
  // Some servers mark no keyframe; a segment begins with one as a rule.
  if (!isMarked && units[0] !== undefined) units[0].key = true;
  return units;
}

/** The payload of the packets from `first` on, before `end`. */
function joined(data: Buffer, packets: readonly number[], first: number, end: number): Buffer {
  const payload = Buffer.allocUnsafe((end - first) * (PACKET_BYTES - 4));
  let bytes = 0;
  for (let n = first; n < end; n += 1) {
    const at = packets[n]!;
    bytes += data.copy(payload, bytes, payloadStart(data, at), at + PACKET_BYTES);
  }
  return payload.subarray(0, bytes);
}

/** Bytes 00 00 01, stream id, length, two bytes of flags, and the length of the rest of the header. */
const FIXED_HEADER = 9;

/** A unit without a time goes on where the one before it ended, and follows it. */
function pesUnit(
  track: Track,
  pes: Buffer,
  key: boolean,
  clock: Unwrapper,
  before: number | undefined,
): Unit | undefined {
  if (pes.length < FIXED_HEADER || pes.readUIntBE(0, 3) !== 1) return undefined;
  track.streamId = pes[3]!;
  const [flags, length] = [pes[7]! >> 6, pes.readUInt16BE(4)];
  const end = length === 0 ? pes.length : Math.min(pes.length, 6 + length);
  const hasTimes = pes.length >= (flags === 3 ? 19 : 14);
  const pts = flags >= 2 && hasTimes ? clock.unwrap(readTime(pes, 9)) : undefined;
  const dts = pts !== undefined && flags === 3 ? clock.unwrap(readTime(pes, 14)) : (pts ?? before);
  if (dts === undefined) return undefined;
  return { track, pts, dts, key, data: pes.subarray(Math.min(end, FIXED_HEADER + pes[8]!), end), duration: 0 };
}

/** A section has no time of its own: it has that of the unit before it. */
function sections(track: Track, { data, packets }: Packets, timed: readonly Unit[]): Unit[] {
  const units: Unit[] = [];
  for (const [n, at] of packets.entries()) {
    if (!startsUnit(data, at) || !hasPayload(data, at)) continue;
    let end = n + 1;
    while (end < packets.length && !startsUnit(data, packets[end]!)) end += 1;
    const payload = joined(data, packets, n, end);
    const section = payload.subarray(Math.min(payload.length, 1 + payload[0]!));
    const length = section.length < 3 ? Infinity : 3 + (section.readUInt16BE(1) & 0x0fff);
    const before = timed.findLast((unit) => (PLACES.get(unit) ?? 0) < at) ?? timed[0];
    if (length <= section.length && before !== undefined)
      units.push({
        track,
        pts: undefined,
        dts: before.dts,
        key: false,
        data: section.subarray(0, length),
        duration: 0,
      });
  }
  return units;
}
