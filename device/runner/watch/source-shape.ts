/** The shape of the sources of a run: tells which of their streams begin and end, and has a source read anew that gives others by now. */
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { allowsSecond } from '../input/source-rules.ts';
import type { SourceFeed } from '../input/source-feed.ts';
import type { SoundForm } from '../../media/ffmpeg-output/sound-begin.ts';
import type { EventLog } from '../process/event-log.ts';
import type { Feeds } from '../playout/feeds.ts';
import { reportSoundForm, reportStream } from '../playout/source-events.ts';
import type { Misfit } from './stream-watch.ts';
import { playsAsset } from '../../../domain/types/channel-questions.ts';

/** A stream has ended when it has given nothing for so long in which another one came. */
const ENDED_MS = 2000;
/** A source of which nothing has come for so long is lost, which says nothing of its streams. */
const LOST_MS = 600;
/** A source that is read anew again and again would never be on air. */
const READINGS_APART_MS = 3000;
const MANY_READINGS = { count: 6, withinMs: 60_000 };

/** State of a source as its events have it. Streams have the numbers of their tracks; -1 is the picture. */
interface Known {
  comes: Map<number, boolean>;
  forms: Map<number, SoundForm>;
}

export interface ShapeDeps {
  events: EventLog;
  feeds: Pick<Feeds, 'onAir' | 'crop' | 'replace'>;
}

export class SourceShape {
  private readonly deps: ShapeDeps;
  private readonly known = new Map<number, Known>();
  private timer: NodeJS.Timeout | undefined;
  private readings: number[] = [];

  constructor(deps: ShapeDeps) {
    this.deps = deps;
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  /** The connection of the feed does not take what its source gives. */
  misfits(feed: SourceFeed, { stream, change, isFollowed }: Misfit): void {
    if (change === 'begun') this.noteAbsent(feed, stream);
    const isUnwatched = feed.watch === undefined && change === 'begun';
    // The reading behind a pause shows what it was.
    if (change === 'moved' || change === 'coded' || isUnwatched)
      reportStream(this.deps.events, feed.source, stream === 'picture' ? -1 : undefined, change);
    if (isFollowed === true) return;
    clearTimeout(this.timer);
    const now = performance.now();
    this.readings = this.readings.filter((at) => now - at < MANY_READINGS.withinMs);
    const apartMs = this.readings.length < MANY_READINGS.count ? READINGS_APART_MS : MANY_READINGS.withinMs;
    const waitMs = Math.max(0, (this.readings.at(-1) ?? -Infinity) + apartMs - now);
    this.timer = setTimeout(() => void this.readAnew(feed), waitMs);
  }

  /** It has not come so far, so that it begins when it comes. */
  private noteAbsent({ source, watch }: SourceFeed, kind: Misfit['stream']): void {
    const { comes } = this.knownOf(source);
    for (const stream of watch?.arrivals.lastAt.keys() ?? [])
      if (kind === (stream < 0 ? 'picture' : 'sound') && comes.get(stream) !== true) comes.set(stream, false);
  }

  /** It is called ten times a second with the feed on air. */
  look({ source, watch }: Pick<SourceFeed, 'source' | 'watch'>, now = performance.now()): void {
    // The streams of a file do not change, and each loop would begin them anew.
    if (watch === undefined || playsAsset(source)) return;
    const { since, lastAt, forms } = watch.arrivals;
    const newest = Math.max(...[...lastAt.values()].map((at) => at ?? -Infinity));
    if (now - newest > LOST_MS) return;
    const known = this.knownOf(source);
    for (const [stream, at] of lastAt) {
      const isAbsent = newest - (at ?? since) > ENDED_MS;
      if (!isAbsent && at === undefined) continue;
      const before = known.comes.get(stream);
      known.comes.set(stream, !isAbsent);
      const named = lastAt.size > 2 || stream < 0 ? stream : undefined;
      if (before === isAbsent) reportStream(this.deps.events, source, named, isAbsent ? 'ended' : 'begun');
    }
    for (const [track, form] of forms) {
      const before = known.forms.get(track);
      known.forms.set(track, form);
      if (before !== undefined && (before.channels !== form.channels || before.sample_rate !== form.sample_rate))
        reportSoundForm(this.deps.events, source, before, form);
    }
  }

  /** A second connection, where one is possible, takes the place of the first one from one tick to the next. */
  private async readAnew(feed: SourceFeed): Promise<void> {
    const { feeds } = this.deps;
    this.readings.push(performance.now());
    // A copy has one writer at a time.
    if (feed !== feeds.onAir || feed.watch === undefined || !allowsSecond(feed.source)) return feed.readAnew();
    try {
      await feeds.replace(feed.source, feeds.crop);
    } catch {
      // Some servers have one place; another source may be on its way, too.
      if (feed === feeds.onAir) feed.readAnew();
    }
  }

  private knownOf({ channelId }: SourceSpec): Known {
    const known = this.known.get(channelId) ?? { comes: new Map(), forms: new Map() };
    this.known.set(channelId, known);
    return known;
  }
}
