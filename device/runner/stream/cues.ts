/** Cues and tags on air: this times them, puts them into the stream, and marks them for everybody who writes manifests. */
import { AppError } from '../../../domain/base/errors.ts';
import { toIso } from '../../../domain/time/clock.ts';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { CueSpec } from '../../../domain/shapes/changes/change-bodies.ts';
import { breakIn, breakOut } from '../../media/scte35/cue-message.ts';
import {
  breakFacts,
  breakSeconds,
  cueOrder,
  retimed,
  type BreakOrder,
  type CueOrder,
} from '../../media/scte35/cue-order.ts';
import { TICKS_PER_SECOND } from '../../media/mpeg-ts/mpeg-ts.ts';
import { decodeSplice, encodeSplice, shiftSplice } from '../../media/scte35/scte35.ts';
import { modulo } from '../../media/mpeg-ts/ts-metadata.ts';
import type { EventLog } from '../process/event-log.ts';
import type { Break, CueMarks } from './cue-marks.ts';
import type { EncodedStream } from './encoded-stream.ts';

/** The result of a cue, for a person and for a program. */
export interface CueDone {
  message: string;
  data: Record<string, unknown>;
}

/** An encoder that is being replaced is back within this; a change takes effect within 2 s, or not at all. */
const TAG_WAIT_MS = 2000;
/** A cue that is repeated keeps its time; another one of the same id is further away. */
const REPEAT_MS = 500;
/** An order takes a few milliseconds to get here; on a busy machine, some hundred. */
const MAX_TRANSIT_MS = 1000;
/** The end of a break is announced so much before it, which is the least that its beginning gets as well. */
const RETURN_AHEAD_TICKS = TICKS_PER_SECOND;

export class Cues {
  private readonly spec: RunSpec;
  private readonly stream: EncodedStream;
  private readonly marks: CueMarks;
  private readonly events: EventLog;

  constructor(spec: RunSpec, stream: EncodedStream, events: EventLog) {
    this.spec = spec;
    this.stream = stream;
    this.marks = stream.marks;
    this.events = events;
    stream.watch((newest) => this.returnDue(newest));
  }

  /** Resolves when the cue is in the stream. Rejects with AppError rule_violated, wrong_state and timeout; nothing was inserted then. */
  async insert(cue: CueSpec): Promise<CueDone> {
    const order = cueOrder(cue);
    if (order.kind === 'id3') return this.insertTag(cue, order.tag);
    if (order.kind === 'range') return this.markRange(order);
    const wanted = cue.ahead === undefined ? undefined : this.wantedTicks(cue.ahead);
    return order.kind === 'out' ? this.begin(order, wanted) : this.end(order, wanted);
  }

  /** `wanted`: the time of the stream, in ticks, that the cue is meant for; undefined: now. */
  private begin(order: BreakOrder, wanted: number | undefined): CueDone {
    const open = this.openBreaks(wanted);
    const former = open.find((one) => (order.cueTags && one.cueTags) || one.eventId === order.eventId);
    if (former !== undefined)
      throw new AppError(
        'rule_violated',
        `Break ${former.eventId} is open since ${iso(former.startMs)}; end it with ${former.cueTags ? 'CueIn' : 'ScteIn'} first.`,
      );
    const { planned, most } = breakSeconds(order, this.spec.adValues);
    const ticks = this.splice(this.latestEnd(open), wanted);
    const eventId = order.eventId ?? this.freeEventId();
    // A break without a duration ends when somebody ends it, or when it may not get longer.
    const lasts = planned ?? most;
    const durationTicks = planned === undefined ? undefined : Math.round(planned * TICKS_PER_SECOND);
    const section =
      order.section === undefined
        ? encodeSplice(
            breakOut({
              eventId,
              ticks: modulo(ticks),
              autoReturn: planned !== undefined,
              ...(durationTicks !== undefined && { durationTicks }),
            }),
          )
        : retimed(order.section, modulo(ticks), most);
    this.stream.insertCue(section);
    const startMs = this.stream.clock.wallMs(ticks);
    this.marks.begin({
      eventId,
      startMs,
      plannedSeconds: planned,
      cueTags: order.cueTags,
      out: section,
      in: undefined,
      endMs: lasts === undefined ? undefined : startMs + lasts * 1000,
      returned: false,
    });
    if (order.cueTags && this.spec.adValues.next_ad_duration !== null)
      this.spec.adValues = { ...this.spec.adValues, next_ad_duration: null };
    const length = planned === undefined ? 'until it is ended' : `for ${planned} s`;
    const limit = planned === undefined && most !== undefined ? `, ${most} s at most` : '';
    return done(`Break ${eventId} begins at ${iso(startMs)}, ${length}${limit}.`, ticks, startMs, {
      id: eventId,
      duration: planned ?? null,
    });
  }

  private end(order: BreakOrder, wanted: number | undefined): CueDone {
    const open = this.openBreaks(wanted).filter(({ cueTags }) => cueTags === order.cueTags);
    const found = order.eventId === undefined ? open.at(-1) : open.find(({ eventId }) => eventId === order.eventId);
    if (found === undefined) {
      const which = order.eventId === undefined ? 'No break is open' : `Break ${order.eventId} is not open`;
      const others = open.length === 0 ? '' : ` Open: ${open.map(({ eventId }) => eventId).join(', ')}.`;
      throw new AppError('rule_violated', `${which}, so there is nothing to end.${others}`);
    }
    const ticks = this.splice(this.stream.clock.ticksAt(found.startMs), wanted);
    const { section } = order;
    const sent =
      section === undefined
        ? encodeSplice(breakIn({ eventId: found.eventId, ticks: modulo(ticks) }))
        : retimed(section, modulo(ticks));
    this.stream.insertCue(sent);
    const endMs = this.stream.clock.wallMs(ticks);
    this.marks.end(found, endMs, sent);
    const seconds = Math.round(endMs - found.startMs) / 1000;
    return done(`Break ${found.eventId} ends at ${iso(endMs)}, after ${seconds} s.`, ticks, endMs, {
      id: found.eventId,
      duration: seconds,
    });
  }

  private markRange({ id, range }: CueOrder & { kind: 'range' }): CueDone {
    const ticks = this.now();
    const startMs = this.stream.clock.wallMs(ticks);
    const marked = this.marks.addRange({ id: id ?? this.marks.newRangeId(), startAt: iso(startMs), ...range });
    const length = range.seconds === undefined ? '' : ` for ${range.seconds} s`;
    return done(`DateRange "${marked.id}" is marked from ${marked.startAt}${length}.`, ticks, startMs, {
      id: marked.id,
      duration: range.seconds ?? null,
    });
  }

  private async insertTag({ name }: CueSpec, tag: Buffer): Promise<CueDone> {
    const { stream } = this;
    this.now();
    let timer: NodeJS.Timeout | undefined;
    let takeBack = (): void => undefined;
    const ticks = await new Promise<number | undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), TAG_WAIT_MS);
      takeBack = stream.insertTag(tag, resolve);
    });
    clearTimeout(timer);
    if (ticks === undefined) {
      takeBack();
      throw new AppError(
        'timeout',
        `The tag was not inserted: no picture has left the encoder for ${TAG_WAIT_MS / 1000} s.`,
      );
    }
    this.marks.addTag({ ticks, bytes: tag });
    const startMs = stream.clock.wallMs(ticks);
    return done(
      `The ID3 tag${name === undefined ? '' : ` "${name}"`} is in the stream at ${iso(startMs)}.`,
      ticks,
      startMs,
      {},
    );
  }

  /**
   * Passes on a cue of the source, whose time, `sourceTicks` on its clock, is `ticks` of the stream: it goes out with the time of the
   * stream, and breaks are marked. A section that is no break goes out alone.
   */
  passOn(section: Buffer, sourceTicks: number | undefined, ticks: number): void {
    const { info } = decodeSplice(section);
    const shifted = sourceTicks === undefined ? section : shiftSplice(section, modulo(ticks) - sourceTicks);
    if (info === undefined || shifted === undefined) return;
    this.stream.insertCue(shifted);
    const { kind, eventId = 0, seconds, endsBySelf } = breakFacts(info);
    const ms = this.stream.clock.wallMs(ticks);
    if (kind === 'out') {
      // Sources announce a break several times, in case one message is lost.
      if (this.marks.all.some((one) => one.eventId === eventId && Math.abs(one.startMs - ms) < REPEAT_MS)) return;
      this.marks.begin({
        eventId,
        startMs: ms,
        plannedSeconds: seconds,
        cueTags: true,
        out: shifted,
        in: undefined,
        endMs: endsBySelf && seconds !== undefined ? ms + seconds * 1000 : undefined,
        returned: endsBySelf,
      });
    } else if (kind === 'in') {
      const found = this.marks.all.findLast((one) => one.eventId === eventId && one.startMs < ms);
      if (found === undefined || found.in !== undefined) return;
      this.marks.end(found, ms, shifted);
    } else return;
    const what = kind === 'out' ? 'begins' : 'ends';
    const { message, data } = done(`Break ${eventId} of the source ${what} at ${iso(ms)}.`, ticks, ms, {
      id: eventId,
      duration: seconds ?? null,
    });
    const type = kind === 'out' ? 'ScteOut' : 'ScteIn';
    this.events.add('runtime_changed', 'info', message, { change: 'cue', type, source: true, ...data });
  }

  /** Ends the breaks that end by themselves, a second before their time. */
  private returnDue(pts: number): void {
    for (const item of this.marks.all) {
      if (item.returned || item.endMs === undefined) continue;
      const ticks = this.stream.clock.ticksAt(item.endMs);
      if (ticks - pts > RETURN_AHEAD_TICKS) continue;
      // After a pause of the whole runner the time may have passed: the break ends at once then.
      const section = encodeSplice(breakIn({ eventId: item.eventId, ticks: modulo(Math.round(Math.max(ticks, pts))) }));
      this.stream.insertCue(section);
      this.marks.end(item, item.endMs, section);
      const { message, data } = done(`Break ${item.eventId} ends by itself at ${iso(item.endMs)}.`, ticks, item.endMs, {
        id: item.eventId,
        duration: Math.round(item.endMs - item.startMs) / 1000,
      });
      this.events.add('runtime_changed', 'info', message, { change: 'cue', type: 'CueIn', automatic: true, ...data });
    }
  }

  /** Clocks of two machines may differ. Where they agree but for the time that the order was on its way, its instant is exact. */
  private wantedTicks({ atMs, inMs }: NonNullable<CueSpec['ahead']>): number {
    const { clock } = this.stream;
    const transitMs = clock.now + inMs - atMs;
    return clock.ticksAt(transitMs >= 0 && transitMs < MAX_TRANSIT_MS ? atMs : clock.now + inMs);
  }

  /** Returns the breaks that will not have ended by themselves at the time `at`, in ticks. */
  private openBreaks(at = -Infinity): Break[] {
    const { marks, stream } = this;
    return marks.all.filter(({ returned, endMs = Infinity }) => !returned && stream.clock.ticksAt(endMs) > at);
  }

  /** Returns the end, in ticks, of the last break that is not open: the next one begins no sooner. */
  private latestEnd(open: readonly Break[]): number {
    const over = this.marks.all.filter((one) => !open.includes(one));
    const ends = over.flatMap(({ endMs }) => endMs ?? []);
    return ends.length === 0 ? -Infinity : this.stream.clock.ticksAt(Math.max(...ends)) - 1;
  }

  private freeEventId(): number {
    return Math.max(0, ...this.marks.all.map(({ eventId }) => eventId % 0xffff_ffff)) + 1;
  }

  private splice(after: number, wanted: number | undefined): number {
    this.now();
    return this.stream.splicePoints.spliceTicks(after, wanted)!;
  }

  private now(): number {
    const ticks = this.stream.splicePoints.newestTicks;
    if (ticks === undefined) throw new AppError('wrong_state', 'No picture has left the encoder yet.');
    return ticks;
  }
}

function iso(ms: number): string {
  return toIso(Math.round(ms));
}

/** `pts_seconds` is the time as receivers of the stream see it, 33 bits wide. */
function done(message: string, ticks: number, ms: number, data: Record<string, unknown>): CueDone {
  return {
    message,
    data: { ...data, at: iso(ms), pts_seconds: Number((modulo(Math.round(ticks)) / TICKS_PER_SECOND).toFixed(6)) },
  };
}
