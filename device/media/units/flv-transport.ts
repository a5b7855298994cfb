/**
 * Turns the messages of one FLV stream into a transport stream, which begins with a keyframe. It reads H.264, HEVC, AAC and MP3; all else is for
 * ffmpeg.
 */
import { mp3Header } from '../codecs/sound-frames.ts';
import { TICKS_PER_SECOND } from '../mpeg-ts/mpeg-ts.ts';
import { LiveTimes } from './live-times.ts';
import { aacForm, asItIs, avcForm, hevcForm, type SampleForm } from './sample-form.ts';
import { inLanguage, NotRead, STREAM_IDS, TYPES } from './track.ts';
import { TsWriter } from './ts-writer.ts';
import { TakenPackets, type CodedPacket } from '../rtmp/coded-packets.ts';
import { FLV_AUDIO, FLV_VIDEO } from '../rtmp/enhanced-codecs.ts';
import { isEnhanced } from '../rtmp/flv-bodies.ts';
import type { RtmpMessage } from '../rtmp/rtmp-chunks.ts';

export interface FlvTracks {
  /** PID of the pictures; undefined where they are left out. */
  video: number | undefined;
  /** `track` is the number of the track in the source, `language` of ISO 639. */
  sounds: readonly { pid: number; track: number; language: string }[];
}

type MediaMessage = Pick<RtmpMessage, 'type' | 'time' | 'body'>;

interface Track {
  pid: number;
  kind: CodedPacket['kind'];
  number: number | undefined;
  language: string | undefined;
  codec: string | undefined;
  form: SampleForm | undefined;
}

interface Unit {
  track: Track;
  time: number;
  packet: CodedPacket;
}

const TICKS_PER_MS = 90;
/** Encoders send the first of sound and picture within this; sound that is later has a map of its own. */
const TOGETHER_MS = 300;
const MAX_HELD_UNITS = 64;
const TABLES_EVERY_TICKS = TICKS_PER_SECOND;
/** In which a source shows whether it has what is wanted of it. */
const LOOK_MS = 3000;
const VIDEO_COMMAND = 5;
/** MPEG audio of lower rates is that of MPEG-2 (ISO/IEC 13818-1 table 2-34). */
const MPEG2_AUDIO = 0x04;
const MIN_MPEG1_RATE = 32_000;
const MPEG1_SAMPLES = 1152;

export class FlvTransport {
  private readonly tracks: Track[];
  private readonly beginTicks: () => number;
  private readonly packets = new TakenPackets();
  private readonly seen = new Set<CodedPacket['kind']>();
  private held: Unit[] = [];
  private times: LiveTimes | undefined;
  private mapped: Track[] = [];
  private writer: TsWriter | undefined;
  private firstTime: number | undefined;
  private lastTime = 0;
  private tablesAt = -Infinity;

  /** `beginTicks` is asked once, with the first unit. */
  constructor({ video, sounds }: FlvTracks, beginTicks: () => number) {
    const unknown = { codec: undefined, form: undefined };
    this.tracks = [
      ...(video === undefined
        ? []
        : [{ pid: video, kind: 'video' as const, number: undefined, language: undefined, ...unknown }]),
      ...sounds.map(({ pid, track: number, language }) => ({
        pid,
        kind: 'audio' as const,
        number,
        language,
        ...unknown,
      })),
    ];
    this.beginTicks = beginTicks;
  }

  /** Returns the packets of what can leave; nothing of the message is kept. Throws NotRead. */
  take(message: MediaMessage): Buffer[] {
    assertKnown(message);
    const packets = this.packets.of(message);
    if (packets.length === 1) return this.takePacket(packets[0]!, message.time);
    return packets.flatMap((packet) => this.takePacket(packet, message.time));
  }

  /** Tells what a beginning waits for in vain, when media has come for a while. */
  get missing(): 'picture' | 'sound' | 'configuration' | undefined {
    const isEarly = this.firstTime === undefined || Math.abs((this.lastTime - this.firstTime) | 0) < LOOK_MS;
    if (this.writer !== undefined || isEarly) return undefined;
    const kind = this.tracks[0]?.kind ?? 'video';
    if (this.seen.has(kind)) return 'configuration';
    return kind === 'video' ? 'picture' : 'sound';
  }

  private takePacket(packet: CodedPacket, time: number): Buffer[] {
    const { kind, holds, body, delayMs } = packet;
    const track = this.tracks.find((one) => one.kind === kind && (one.number ?? packet.track) === packet.track);
    if (holds === 'frame') {
      this.seen.add(kind);
      this.firstTime ??= time;
      this.lastTime = time;
    }
    if (track === undefined || body.length === 0) return [];
    this.describe(track, packet);
    if (holds === 'configuration' || track.form === undefined) return [];
    if (delayMs < 0) throw new NotRead('its pictures are shown before they are decoded');
    const unit = { track, time, packet };
    return this.writer === undefined ? this.hold(unit) : this.write(unit);
  }

  /** A configuration that is sent again may be another one: the fan-out sees by the sets of a picture, and the headers of sound, whether it is. */
  private describe(track: Track, packet: CodedPacket): void {
    if (track.form !== undefined && track.codec !== packet.codec) throw new NotRead('it goes on with another codec');
    const form = formOf(packet, track.form !== undefined);
    if (form === undefined) return;
    track.codec = packet.codec;
    track.form = form;
  }

  /** Sound is in the first map when it comes together with the picture. */
  private hold(unit: Unit): Buffer[] {
    const { held, tracks } = this;
    const leads = unit.track === tracks[0] && unit.packet.isKey;
    if (held.length === 0 && !leads) return [];
    // Whoever reads has its memory for the next read.
    held.push({ ...unit, packet: { ...unit.packet, body: Buffer.from(unit.packet.body) } });
    const isWhole = tracks.every(({ form }) => form !== undefined);
    const isLate = Math.abs((unit.time - held[0]!.time) | 0) >= TOGETHER_MS || held.length >= MAX_HELD_UNITS;
    if (!isWhole && !isLate) return [];
    this.held = [];
    this.map();
    return held.flatMap((one) => this.write(one));
  }

  /** All tracks that have come so far are in the tables from now on. */
  private map(): void {
    this.mapped = this.tracks.filter(({ form }) => form !== undefined);
    const tracks = this.mapped.map(({ form, language }) => inLanguage(form!.track, language));
    // The clock of ffmpeg's muxer without a delay is the decoding time itself.
    this.writer = new TsWriter(tracks, { pids: this.mapped.map(({ pid }) => pid), clockAheadTicks: 0 });
  }

  private write({ track, time, packet: { body, isKey, delayMs } }: Unit): Buffer[] {
    const parts = payloadOf(track.form!, body, isKey);
    if (parts === undefined) return [];
    this.times ??= new LiveTimes(this.beginTicks());
    const dts = this.times.place(track.pid, time, track.form!.frameTicks);
    const at = { dts, pts: dts + delayMs * TICKS_PER_MS };
    const tables = this.tablesBefore(track, isKey, dts);
    const unit = this.writer!.unit(this.mapped.indexOf(track), at, isKey, parts);
    return tables === undefined ? [unit] : [tables, unit];
  }

  /** They are there again where somebody may begin, and anew with a track that comes late. */
  private tablesBefore(track: Track, isKey: boolean, dts: number): Buffer | undefined {
    const isNew = !this.mapped.includes(track);
    const isStart = track === this.tracks[0] && isKey && dts - this.tablesAt >= TABLES_EVERY_TICKS;
    if (!isNew && !isStart) return undefined;
    this.tablesAt = dts;
    if (isNew) this.map();
    return this.writer!.tables();
  }
}

/** A damaged unit is left out, as ffmpeg does. */
function payloadOf(form: SampleForm, body: Buffer, isKey: boolean): readonly Buffer[] | undefined {
  try {
    return form.payload(body, isKey);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

/** Returns undefined where the packet tells nothing new of its track, and for a damaged configuration. */
function formOf({ codec, holds, body }: CodedPacket, isKnown: boolean): SampleForm | undefined {
  if (codec === '.mp3') return isKnown ? undefined : mp3Form(body);
  const read = CONFIGURED[codec];
  if (read === undefined) throw new NotRead(`its codec (${codec}) is not read here`);
  if (holds === 'frame') return undefined;
  try {
    return read(body);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

/** Codecs whose frames are behind a record. */
const CONFIGURED: Readonly<Record<string, (record: Buffer) => SampleForm>> = {
  avc1: avcForm,
  hvc1: hevcForm,
  mp4a: aacForm,
};

function mp3Form(frame: Buffer): SampleForm | undefined {
  const header = mp3Header(frame);
  if (header === undefined) return undefined;
  const isMpeg1 = header.rate >= MIN_MPEG1_RATE;
  const samples = isMpeg1 ? MPEG1_SAMPLES : MPEG1_SAMPLES / 2;
  const form = asItIs(isMpeg1 ? TYPES.mp3 : MPEG2_AUDIO, Buffer.alloc(0), STREAM_IDS.sound);
  return { ...form, frameTicks: (samples * TICKS_PER_SECOND) / header.rate };
}

/** Enhanced RTMP names its codecs, and a packet of such a name comes through. */
function assertKnown(message: MediaMessage): void {
  const { type, body } = message;
  if ((type !== 8 && type !== 9) || body.length === 0 || isEnhanced(message)) return;
  const first = body[0]!;
  const isKnown =
    type === 8
      ? FLV_AUDIO[first >> 4] !== undefined
      : first >> 4 === VIDEO_COMMAND || FLV_VIDEO[first & 15] !== undefined;
  if (!isKnown) throw new NotRead(`its ${type === 8 ? 'sound' : 'video'} is of an old codec`);
}
