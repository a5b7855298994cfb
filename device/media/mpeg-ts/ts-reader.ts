/**
 * Reads the transport stream of a source for a copy: it chooses the streams, and gives their units on as they came, under the PIDs of the
 * copy and with times behind what it has sent, as ffmpeg's demuxer and muxer would.
 */
import { PACKET_BYTES, pidOf, TICKS_PER_SECOND } from './mpeg-ts.ts';
import { PacketSync } from './packet-sync.ts';
import { writePesTimes } from './pes-header.ts';
import { ProgramReader, SectionAssembler, type ProgramTable } from './program-reader.ts';
import { ProgramTables } from './psi.ts';
import { SourceTimes } from './source-times.ts';
import { SourceTrack, type TrackUnit } from './source-track.ts';
import { chooseStreams, type ChosenStream, type StreamChoice, type WantedStreams } from './stream-choice.ts';
import { modulo } from './ts-metadata.ts';
import { unitPackets } from './unit-packets.ts';

export interface TsReaderHooks {
  /** Time at which the stream goes on, in ticks; asked once, with the first unit. */
  nextTicks(): number;
  /** Whole packets, which belong to whoever takes them. */
  onPackets(packets: Buffer): void;
  /** A stream is coded in another way from the next packets on, which are its tables. */
  onRecoded(): void;
  onChange(stream: 'picture' | 'sound', change: 'begun' | 'moved'): void;
  /** Takes the numbers of sounds that are wanted and are not there. */
  onLacking(numbers: number[]): void;
  onCue(section: Buffer, times: Pick<SourceTimes, 'ticksAt' | 'newest'>): void;
  /** It cannot be read here, for this reason (half a sentence); nothing more is given. */
  onUnfit(why: string): void;
}

/** Tables come every half a second at least (ETSI TR 101 290 §5.2.1). */
const SETTLE_MS = 3000;
/** The streams of a source begin within this, or do not begin together. */
const TOGETHER_MS = 500;
/** As often as ffmpeg's muxer writes them here. */
const TABLES_TICKS = 0.2 * TICKS_PER_SECOND;
const MAX_WAITING_BYTES = 4 << 20;
const MAX_STRANGE_BYTES = 65_536;
const MAX_WAITING_CUES = 64;

export class TsReader {
  private readonly wanted: WantedStreams;
  private readonly hooks: TsReaderHooks;
  private readonly leader: number | undefined;
  private readonly sync = new PacketSync();
  private readonly programs = new ProgramReader();
  private readonly tables = new ProgramTables();
  private tablesTicks = 0;
  /** Keys are the PIDs of the source. */
  private readonly tracks = new Map<number, SourceTrack>();
  private cues: { pid: number; sections: SectionAssembler } | undefined;
  private section: Buffer | undefined;
  private choice: StreamChoice | undefined;
  private times: SourceTimes | undefined;
  /** Units and cues from before the first time of the stream is known. */
  private waiting: TrackUnit[] = [];
  private waitingBytes = 0;
  private readonly waitingCues: Buffer[] = [];
  private isPictureOpen = false;
  private isUnfit = false;
  private nowMs = 0;
  private firstMs: number | undefined;
  private firstUnitMs: number | undefined;
  private readonly out: Buffer[] = [];
  private formerHoles = 0;

  constructor(wanted: WantedStreams, hooks: TsReaderHooks) {
    this.wanted = wanted;
    this.hooks = hooks;
    this.leader = wanted.picture ?? wanted.sounds[0]?.pid;
  }

  /** Places where packets of its streams were missing. */
  get holes(): number {
    return [...this.tracks.values()].reduce((sum, { holes }) => sum + holes, this.formerHoles);
  }

  /** `nowMs` counts from anywhere. */
  push(chunk: Buffer, nowMs: number): void {
    if (this.isUnfit) return;
    this.nowMs = nowMs;
    this.firstMs ??= nowMs;
    for (const packets of this.sync.push(chunk))
      for (let at = 0; at < packets.length && !this.isUnfit; at += PACKET_BYTES) this.take(packets, at);
    this.check();
    this.flush();
    if (this.isOpen) for (const section of this.waitingCues.splice(0)) this.hooks.onCue(section, this.times!);
  }

  /** Gives what has come of the last units. */
  finish(): void {
    if (this.isUnfit) return;
    for (const track of this.tracks.values()) track.finish();
    if (this.times === undefined && this.waiting.length > 0) this.begin();
    this.flush();
  }

  private take(data: Buffer, at: number): void {
    const pid = pidOf(data, at);
    const track = this.tracks.get(pid);
    if (track !== undefined) track.push(data, at);
    else if (this.programs.reads(pid)) for (const table of this.programs.push(data, at)) this.takeTable(table);
    else if (pid === this.cues?.pid) for (const section of this.cues.sections.push(data, at)) this.takeCue(section);
  }

  private check(): void {
    const { otherSize, skipped } = this.sync;
    const isLate = this.nowMs - this.firstMs! > SETTLE_MS;
    if (otherSize !== undefined) this.refuse(`its packets have ${otherSize} bytes`);
    else if (this.choice === undefined && skipped > MAX_STRANGE_BYTES) this.refuse('it is no transport stream');
    else if (this.choice === undefined && isLate) this.refuse('its tables do not come');
    else if (isLate && this.times === undefined && !this.isComplete) this.refuse('it lacks a stream that is wanted');
  }

  /** All streams but sounds of a number are there. */
  private get isComplete(): boolean {
    const { picture } = this.wanted;
    const streams = this.choice?.streams ?? [];
    return picture === undefined ? streams.length > 0 : streams.some(({ isPicture }) => isPicture);
  }

  private refuse(why: string): void {
    if (this.isUnfit) return;
    this.flush();
    this.isUnfit = true;
    this.hooks.onUnfit(why);
  }

  private takeTable({ program, section, streams }: ProgramTable): void {
    const { programs } = this.programs;
    const { program: number = programs[0]?.number } = this.wanted;
    if (this.wanted.program === undefined && programs.length > 1) return this.refuse('it carries several programmes');
    if (streams === undefined || program !== number || this.section?.equals(section) === true) return;
    this.section = section;
    const choice = chooseStreams(streams, this.wanted);
    if (choice.unfit !== undefined) return this.refuse(choice.unfit);
    const isFirst = this.choice === undefined;
    this.choice = choice;
    if (choice.cues !== this.cues?.pid)
      this.cues = choice.cues === undefined ? undefined : { pid: choice.cues, sections: new SectionAssembler() };
    this.follow(choice.streams);
    if (isFirst && choice.lacking.length > 0) this.hooks.onLacking(choice.lacking);
  }

  /** Goes on with these streams; those that are what they were keep their place. */
  private follow(streams: readonly ChosenStream[]): void {
    const former = new Map([...this.tracks.values()].map((track) => [track.chosen.to.pid, track]));
    const isKept = ({ from, to }: ChosenStream): boolean => {
      const { chosen } = former.get(to.pid) ?? {};
      return chosen?.from === from && chosen.to.type === to.type;
    };
    for (const track of former.values()) {
      if (streams.some((stream) => isKept(stream) && stream.to.pid === track.chosen.to.pid)) continue;
      track.finish();
      this.formerHoles += track.holes;
      this.tracks.delete(track.chosen.from);
    }
    const isAway = [...former.values()].some(
      ({ chosen: { isPicture, to } }) => isPicture && !streams.some((one) => one.to.pid === to.pid),
    );
    if (isAway) this.isPictureOpen = false;
    const changed = streams.filter((stream) => !isKept(stream));
    for (const stream of changed) this.tracks.set(stream.from, this.open(stream));
    if (this.times === undefined) return;
    for (const { isPicture, to } of changed) {
      const type = former.get(to.pid)?.chosen.to.type;
      if (type === to.type || type === undefined)
        this.hooks.onChange(isPicture ? 'picture' : 'sound', type === undefined ? 'begun' : 'moved');
    }
    if (changed.length > 0) this.announce(former);
  }

  /** Sends the tables; what is coded in another way begins anew. */
  private announce(former: ReadonlyMap<number, SourceTrack> = new Map()): void {
    const recoded = this.choice!.streams.filter(({ to }) => {
      const { chosen } = former.get(to.pid) ?? {};
      return chosen !== undefined && chosen.to.type !== to.type;
    });
    this.flush();
    if (recoded.length > 0) this.hooks.onRecoded();
    if (recoded.some(({ isPicture }) => isPicture)) this.isPictureOpen = false;
    this.writeTables(this.times!.newest);
  }

  private open(stream: ChosenStream): SourceTrack {
    return new SourceTrack(stream, {
      onUnit: (unit) => this.takeUnit(unit),
      onUnfit: (why) => this.refuse(why),
    });
  }

  private takeUnit(unit: TrackUnit): void {
    if (this.times !== undefined) return this.give(unit, this.times);
    this.firstUnitMs ??= this.nowMs;
    if (!this.isComplete && this.waitingBytes > MAX_WAITING_BYTES) return;
    const parts = unit.parts.map((part) => Buffer.from(part));
    this.waiting.push({ ...unit, parts });
    this.waitingBytes += parts.reduce((sum, { length }) => sum + length, 0);
    const isTogether = [...this.tracks.values()].every(({ chosen }) =>
      this.waiting.some(({ pid }) => pid === chosen.to.pid),
    );
    const isLong = this.nowMs - this.firstUnitMs > TOGETHER_MS || this.waitingBytes > MAX_WAITING_BYTES;
    if (this.isComplete && (isTogether || isLong)) this.begin();
  }

  /** The earliest unit that has come is the first of the stream. */
  private begin(): void {
    const { waiting } = this;
    const [first] = waiting as [TrackUnit];
    const earliest = waiting.reduce((least, { dts }) => (isBefore(dts, least) ? dts : least), first.dts);
    this.times = new SourceTimes(earliest, this.hooks.nextTicks());
    this.announce();
    this.waiting = [];
    for (const unit of waiting) this.give(unit, this.times);
  }

  private give({ pid, isPicture, isKey, parts, ...own }: TrackUnit, clock: SourceTimes): void {
    const times = clock.place(pid, own);
    if (times === undefined) return;
    this.isPictureOpen ||= isPicture && isKey;
    if (isPicture && !this.isPictureOpen) return;
    // Who begins to take the packets later needs tables, too.
    if (pid === this.leader && isKey && times.dts - this.tablesTicks > TABLES_TICKS) this.writeTables(times.dts);
    const [pts, dts] = [modulo(times.pts), modulo(times.dts)];
    writePesTimes(parts[0]!, pts, dts);
    this.out.push(unitPackets({ pid, parts, isKey, clock: pid === this.leader ? dts : undefined }));
  }

  private writeTables(ticks: number): void {
    this.tablesTicks = ticks;
    const streams = this.choice!.streams.map(({ to }) => to);
    this.out.push(...this.tables.next(streams, this.leader!));
  }

  /** Cues come before their frames; before the first frame there is nobody to send them to. */
  private takeCue(section: Buffer): void {
    if (this.isOpen) {
      this.flush();
      this.hooks.onCue(section, this.times!);
    } else if (this.waitingCues.length < MAX_WAITING_CUES) this.waitingCues.push(section);
  }

  private get isOpen(): boolean {
    return this.times !== undefined && (this.wanted.picture === undefined || this.isPictureOpen);
  }

  private flush(): void {
    const [first, ...more] = this.out;
    this.out.length = 0;
    if (first !== undefined) this.hooks.onPackets(more.length === 0 ? first : Buffer.concat([first, ...more]));
  }
}

const TIMES_WRAP = 2 ** 33;

/** The shorter way around the wrap decides. */
function isBefore(one: number, other: number): boolean {
  const ahead = (other - one + TIMES_WRAP) % TIMES_WRAP;
  return ahead > 0 && ahead < TIMES_WRAP / 2;
}
