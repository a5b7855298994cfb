/**
 * Paces the captions of one rendition, a portion a frame. Pairs that came with frames of the source's rate leave with those of another:
 * they wait in a queue for each field, and go out as fast as a decoder may get them (CEA-708-E §4.3.6, CEA-608-E §8.4).
 */
import { CaptionChannels } from './cc-channels.ts';
import {
  FIELD_1,
  FIELD_2,
  isCommand,
  isEmptyPair,
  PACKET_DATA,
  PACKET_START,
  PAIR_BYTES,
  withParity,
} from './cc-data.ts';
import { TICKS_PER_SECOND } from '../mpeg-ts/mpeg-ts.ts';

/** 9600 bit/s in packets of 16 bits, those of line 21 included. */
const PAIRS_PER_SECOND = 600;
/** cc_count has five bits. */
const MAX_PAIRS = 31;
/** A field of line 21 has a pair a frame, at 29.97 or 30 frames a second. */
const FIELD_PAIRS_PER_SECOND = 30;
/** Pairs that wait longer are no captions of this frame; only a source that sends more than is allowed comes here. */
const MAX_WAITING_SECONDS = 5;
/** Frames that have not left the encoder: ten seconds of a fast source, of which an encoder that is replaced takes one. */
const MAX_ENTRIES = 600;
/** A source is without captions after so long: frames are left as they are until some come again. */
const QUIET_TICKS = 5 * TICKS_PER_SECOND;
/** The first of two equal commands waits so many frames for the second: two of a source at 15 a second, at 60. */
const MAX_WAIT = 8;

type Pair = readonly [number, number];

/** Erase Displayed Memory and Erase Non-displayed Memory are sent twice each (CEA-608-E table 52), by channel. */
const CHANNELS = { CC1: 0x14, CC2: 0x1c, CC3: 0x15, CC4: 0x1d };
const ERASURES = [0x2c, 0x2e];
/** Reset of a service (CEA-708-E §8.10.5.13) removes its windows. */
const RESET = 0x8f;

function erasure(channel: keyof typeof CHANNELS): Pair[] {
  return ERASURES.flatMap((command) => {
    const pair = [withParity(CHANNELS[channel]), withParity(command)] as const;
    return [pair, pair];
  });
}

/** Returns a packet that resets these services (CEA-708-E §5 and §6.2), as pairs that are sent. */
function resetPacket(services: readonly number[], sequence: number): number[] {
  const blocks = services.flatMap((service) =>
    service < 7 ? [(service << 5) | 1, RESET] : [(7 << 5) | 1, service, RESET],
  );
  const bytes = [0, ...blocks];
  // A null block fills the last pair.
  if (bytes.length % 2 === 1) bytes.push(0);
  bytes[0] = (sequence << 6) | (bytes.length / 2);
  const types = bytes.map((_, i) => 0xfc | (i === 0 ? PACKET_START : PACKET_DATA));
  return bytes.flatMap((byte, i) => (i % 2 === 0 ? [types[i]!, byte, bytes[i + 1]!] : []));
}

/** The pairs of one field, in order. */
class Field {
  private readonly type: number;
  private readonly perFrame: number;
  private queue: Pair[] = [];
  private credit: number;
  private last: Pair | undefined;
  private waits = 0;
  isUsed = false;

  constructor(type: number, perFrame: number) {
    this.type = type;
    this.perFrame = perFrame;
    // At 60 frames a second the fields take turns.
    this.credit = type === FIELD_1 ? 0.5 : 0;
  }

  push(a: number, b: number): void {
    this.isUsed = true;
    const previous = this.queue.at(-1);
    // Behind a command an empty pair tells that no second one follows; elsewhere it only takes time.
    if (isEmptyPair(a, b) && !(previous !== undefined && isCommand(previous[0]))) return;
    if (this.queue.length > MAX_WAITING_SECONDS * FIELD_PAIRS_PER_SECOND) this.queue = [];
    this.queue.push([a, b]);
  }

  /** Sends these pairs in place of those that wait. */
  replace(pairs: Pair[]): void {
    this.queue = pairs;
  }

  get isEmpty(): boolean {
    return this.queue.length === 0;
  }

  /**
   * Returns the pairs of the next frame, as they are sent. When it is the other field's turn there are none; field 1 says so with a pair
   * that is not valid, because readers such as ffmpeg's take the field that they meet first for the one they are to show.
   */
  take(): number[] {
    this.credit += this.perFrame;
    const bytes: number[] = [];
    // A credit of a little less than one was one before rounding.
    for (; this.credit > 0.999; this.credit -= 1) bytes.push((this.isUsed ? 0xfc : 0xf8) | this.type, ...this.next());
    return bytes.length === 0 && this.type === FIELD_1 ? [0xf8 | FIELD_1, 0x80, 0x80] : bytes;
  }

  private next(): Pair {
    const [head, follower] = this.queue;
    const isFirst = head !== undefined && isCommand(head[0]) && !isSame(head, this.last);
    // Two equal commands must leave in frames that follow each other, or the second would count again.
    const isAlone = isFirst && follower === undefined && this.waits < MAX_WAIT;
    this.waits = isAlone ? this.waits + 1 : 0;
    const sent = isAlone ? undefined : this.queue.shift();
    // After the second of two a third one counts.
    this.last = sent !== undefined && isSame(sent, this.last) ? undefined : sent;
    return sent ?? [0x80, 0x80];
  }
}

function isSame(a: Pair, b: Pair | undefined): boolean {
  return a[0] === b?.[0] && a[1] === b[1];
}

interface Entry {
  ticks: number;
  /** Without pairs the captions on screen are erased. */
  pairs: Buffer | undefined;
}

export class CaptionPacer {
  private readonly count: number;
  private readonly fields: [Field, Field];
  private readonly halfFrame: number;
  private entries: Entry[] = [];
  private packets: number[] = [];
  private readonly channels = new CaptionChannels();
  /** Sequence number of the last packet. */
  private sequence = 0;
  private lastTicks = -Infinity;

  /** `fps` is the rate of the rendition. */
  constructor(fps: number) {
    this.count = Math.min(MAX_PAIRS, Math.round(PAIRS_PER_SECOND / fps));
    const perFrame = FIELD_PAIRS_PER_SECOND / fps;
    this.fields = [new Field(FIELD_1, perFrame), new Field(FIELD_2, perFrame)];
    this.halfFrame = TICKS_PER_SECOND / fps / 2;
  }

  /**
   * Takes the captions of the frame that is at `ticks` of the stream; without pairs, the captions on screen are erased. Times may go back a
   * little.
   */
  push(ticks: number, pairs: Buffer | undefined): void {
    this.entries.push({ ticks, pairs });
    if (this.entries.length > MAX_ENTRIES) this.entries.shift();
  }

  /** Returns cc_data_pkt for the frame at `ticks`, a fixed number of them; undefined when there are no captions to go with it. */
  frame(ticks: number): Buffer | undefined {
    while (this.entries.length > 0 && this.entries[0]!.ticks <= ticks + this.halfFrame) {
      const { pairs } = this.entries.shift()!;
      if (pairs === undefined) this.erase();
      else this.sort(pairs);
      this.lastTicks = ticks;
    }
    const isQuiet = this.packets.length === 0 && this.fields.every(({ isEmpty }) => isEmpty);
    if (isQuiet && ticks - this.lastTicks > QUIET_TICKS) return undefined;
    const sent = this.fields.flatMap((field) => field.take());
    const room = this.count * PAIR_BYTES;
    const packets = this.packets.splice(0, Math.max(0, room - sent.length));
    sent.push(...packets);
    // cc_valid is 0: no packet goes on here.
    while (sent.length < room) sent.push(0xf8 | PACKET_DATA, 0, 0);
    return Buffer.from(sent.slice(0, room));
  }

  private sort(pairs: Buffer): void {
    this.channels.note(pairs);
    if (this.packets.length > MAX_WAITING_SECONDS * PAIRS_PER_SECOND * PAIR_BYTES) this.packets = [];
    for (let at = 0; at < pairs.length; at += PAIR_BYTES) {
      const [type, a, b] = [pairs[at]!, pairs[at + 1]!, pairs[at + 2]!];
      if (type === FIELD_1 || type === FIELD_2) this.fields[type].push(a, b);
      else this.packets.push(0xfc | type, a, b);
      if (type === PACKET_START) this.sequence = a >> 6;
    }
  }

  private erase(): void {
    const { all } = this.channels;
    const erasures = (...channels: (keyof typeof CHANNELS)[]): Pair[] =>
      channels.filter((channel) => all.includes(channel)).flatMap(erasure);
    this.fields[FIELD_1].replace(erasures('CC1', 'CC2'));
    this.fields[FIELD_2].replace(erasures('CC3', 'CC4'));
    const services = all.filter((channel) => channel.startsWith('SERVICE')).map((name) => Number(name.slice(7)));
    this.sequence = (this.sequence + 1) & 3;
    this.packets = services.length === 0 ? [] : resetPacket(services.slice(0, 40), this.sequence);
  }
}
