/** Follows a media playlist: which segment is read next, whatever its origin does to it (RFC 8216 §6.3). */
import type { MediaPlaylist, Segment } from './playlist.ts';

/** A live programme is read from so many target durations before its end (§6.3.3). */
const TARGETS_BEHIND = 3;
/** Segments of which it is remembered what they were. */
const REMEMBERED = 100;
/** A restarted origin gives another part, whatever number that has. */
const PARTS = 2 ** 32;

export interface Progress {
  /** Segments that are gone before they were read. */
  missed: number;
  /** The numbers went back: the origin has begun anew. */
  isRestarted: boolean;
  /** It has a segment that was not known before, or its end. */
  isNews: boolean;
}

export class SegmentOrder {
  private list: MediaPlaylist | undefined;
  /** Sequence number of the next segment. */
  private next: number | undefined;
  private newest = -1;
  private restarts = 0;
  private readonly known = new Map<number, Pick<Segment, 'uri' | 'range' | 'date'>>();
  private behindSince: number | undefined;

  /** Takes the playlist as it is now. */
  update(list: MediaPlaylist, nowMs: number): Progress {
    const { segments, targetSeconds } = list;
    const wasEnded = this.list?.isEnded === true;
    const last = segments.at(-1)?.sequence ?? this.newest;
    const isBack = this.next !== undefined && segments.length > 0 && last < this.newest;
    this.behindSince = isBack ? (this.behindSince ?? nowMs) : undefined;
    const isStale =
      isBack && this.isCopy(segments) && nowMs - this.behindSince! < TARGETS_BEHIND * targetSeconds * 1000;
    // Another server of the same origin may be some seconds behind.
    if (isStale) return { missed: 0, isRestarted: false, isNews: false };
    const isRestarted = isBack || (this.next !== undefined && this.hasOthers(list));
    if (isRestarted) {
      this.restarts += 1;
      this.known.clear();
      this.behindSince = undefined;
    }
    const isNews = isRestarted || last > this.newest || (list.isEnded && !wasEnded);
    this.list = list;
    this.newest = last;
    for (const segment of segments.slice(-REMEMBERED)) this.known.set(segment.sequence, segment);
    for (const number of this.known.keys()) if (number <= last - REMEMBERED) this.known.delete(number);
    return { missed: this.step(isRestarted), isRestarted, isNews };
  }

  /** Returns the next segment, and steps on; undefined as long as there is none. */
  take(): Segment | undefined {
    const segment = this.list?.segments.find(({ sequence }) => sequence === this.next);
    if (segment === undefined) return undefined;
    this.next = segment.sequence + 1;
    return { ...segment, part: this.restarts * PARTS + segment.part };
  }

  /** All has been read, and no more will come. */
  get isOver(): boolean {
    return this.list?.isEnded === true && (this.next ?? 0) > this.newest;
  }

  /** Says what the last segment was, to know it again. */
  get last(): string | undefined {
    return this.list && lastOf(this.list);
  }

  /** A load that has brought nothing new is repeated after half the time (§6.3.4). */
  waitMs(isNews: boolean): number {
    return (this.list?.targetSeconds ?? 1) * (isNews ? 1000 : 500);
  }

  private step(isRestarted: boolean): number {
    const { segments } = this.list!;
    if (segments.length === 0) return 0;
    const first = segments[0]!.sequence;
    const isFirst = this.next === undefined;
    if (isFirst || isRestarted) this.next = first + startIndex(this.list!);
    if (isFirst || this.next! >= first) return 0;
    // What is left is read from the place at which a player would begin: the next segments are about to be gone, too.
    const missed = first + startIndex({ ...this.list!, startSeconds: undefined, isWhole: false }) - this.next!;
    this.next! += missed;
    return missed;
  }

  private isCopy(segments: readonly Segment[]): boolean {
    const shared = segments.filter(({ sequence }) => this.known.has(sequence));
    return shared.length > 0 && shared.every((one) => identityOf(this.known.get(one.sequence)!) === identityOf(one));
  }

  /** The same numbers stand for segments of another time. */
  private hasOthers({ segments, targetSeconds }: MediaPlaylist): boolean {
    const steps = segments.flatMap(({ sequence, date }) => {
      const known = this.known.get(sequence)?.date;
      return known === undefined || date === undefined ? [] : [Math.abs(Date.parse(date) - Date.parse(known))];
    });
    return steps.length > 0 && steps.every((ms) => ms > targetSeconds * 1000);
  }
}

/** Says what the last segment of a playlist is. */
export function lastOf({ segments }: MediaPlaylist): string | undefined {
  const segment = segments.at(-1);
  return segment && `${segment.sequence} ${identityOf(segment)}`;
}

/** A token in the address may change. */
function identityOf({ uri, range }: Pick<Segment, 'uri' | 'range'>): string {
  return `${range?.offset ?? ''} ${uri.replace(/\?.*$/u, '')}`;
}

/** The place in the list at which its reader begins. */
function startIndex({ segments, startSeconds, isWhole, targetSeconds }: MediaPlaylist): number {
  const total = segments.reduce((sum, { seconds }) => sum + seconds, 0);
  if (startSeconds === undefined && isWhole) return 0;
  const from = startSeconds === undefined ? -TARGETS_BEHIND * targetSeconds : startSeconds;
  const at = Math.max(0, from < 0 ? total + from : from);
  let end = 0;
  const index = segments.findIndex(({ seconds }) => (end += seconds) > at + 0.001);
  return index < 0 ? Math.max(0, segments.length - 1) : index;
}
