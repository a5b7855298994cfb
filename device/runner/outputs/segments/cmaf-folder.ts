/**
 * The files of one CMAF or DASH Destination, a folder a track. As in the folder of HLS, an index is replaced before the manifests are
 * written: after a killed packager or runner the next one goes on with its numbers, periods and availabilityStartAt.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { toIso } from '../../../../domain/time/clock.ts';
import { writeAccess } from '../../../delivery/access.ts';
import type { TrackInit } from '../../../media/fmp4/fmp4-parser.ts';
import {
  isDiscontinuity,
  periodOf,
  wallMs,
  type ListedPeriod,
  type ListedSegment,
  type Presentation,
} from '../../../media/manifests/presentation.ts';
import type { CmafSegment } from '../../../media/manifests/cmaf-segmenter.ts';
import type { CmafPart } from '../../../media/manifests/part-segmenter.ts';
import { TICKS_PER_SECOND } from '../../../media/mpeg-ts/mpeg-ts.ts';
import { readCached, writeAtomic } from '../../../atomic-file.ts';
import type { CmafFolderOptions, Publication } from './cmaf-folder-options.ts';
import { LiveParts } from './live-parts.ts';
import { OpenFragments } from './open-fragments.ts';
import { PresentationFiles } from './presentation-files.ts';
import { TextFiles, type TextSpan } from './text-files.ts';
import { TrackFiles, type Kept } from './track-files.ts';

type CmafIndex = Presentation & Kept & { runId: string };

/** Within a period, media time maps to the wall clock in one way; rounding alone loses milliseconds. A larger difference begins a period. */
const CLOCK_SLACK_MS = 100;

/** The common facts of a segment and of a part. */
type Begun = Pick<CmafSegment, 'startSeconds' | 'discontinuity'>;

export class CmafFolder {
  private readonly options: CmafFolderOptions;
  private readonly index: CmafIndex;
  private readonly texts: TextFiles | undefined;
  private readonly files: TrackFiles;
  private readonly open: OpenFragments;
  private readonly manifests: PresentationFiles;
  readonly live: LiveParts | undefined;
  /** The open period; that of an earlier packager is never continued, since its initialisation segments are its own. */
  private period: ListedPeriod | undefined;

  /** Throws the errors of the filesystem. The folder of another run is emptied. */
  constructor(options: CmafFolderOptions) {
    this.options = options;
    const { dir, accessKey, runId, lists, layout, targetSeconds } = options;
    const earlier = readIndex(dir);
    if (earlier?.runId === runId) {
      // With other renditions than before, the numbers go on and the list begins anew.
      const isSame = earlier.periods.every(({ inits }) => layout.tracks.every(({ id }) => id in inits));
      const listed = isSame ? {} : { periods: [], segments: [] };
      this.index = { ...earlier, ...listed, targetSeconds: Math.max(earlier.targetSeconds, targetSeconds) };
    } else {
      rmSync(dir, { recursive: true, force: true });
      const { since = '', firstNumber = 0 } = lists ?? {};
      const numbers = { discontinuitySequence: firstNumber, nextSequence: firstNumber, oldest: firstNumber };
      this.index = { runId, availabilityStartAt: since, targetSeconds, periods: [], segments: [], ...numbers };
    }
    writeAccess(dir, accessKey);
    const trackIds = layout.tracks.map(({ id }) => id);
    this.files = new TrackFiles(dir, this.suffix, trackIds);
    this.live = this.openLive(trackIds);
    this.open = new OpenFragments({ dir, trackIds, pathOf: (id, sequence) => this.files.pathOf(id, sequence) });
    const { texts } = options;
    const forms = options.hls ? (['vtt', 'mp4'] as const) : (['mp4'] as const);
    this.texts = texts && new TextFiles({ dir, suffix: this.suffix, forms, texts, earlier: this.index.texts ?? [] });
    if (texts === undefined) delete this.index.texts;
    this.manifests = new PresentationFiles(options, this.suffix, this.texts);
    this.closeOpen();
    this.recoverOpen();
    this.files.removeUnlisted(this.index);
  }

  /** Writes one segment of every track, and the manifests that list it. `startMs`: wall clock of its first frame. */
  append(segment: CmafSegment, inits: ReadonlyMap<string, TrackInit>, startMs: number, now: Publication): void {
    const { startSeconds, seconds, parts } = segment;
    this.begin(segment, inits, startMs, now.keys);
    const sequence = this.index.nextSequence;
    this.open.end();
    for (const [id, { bytes }] of parts) this.files.write(id, sequence, bytes);
    const times = [...parts].map(([id, { startTime, duration }]) => [id, { startTime, duration }]);
    this.list({ sequence, startSeconds, seconds, parts: Object.fromEntries(times) }, inits);
    this.writeManifests(false, now);
    this.removeOld();
  }

  /** Keeps the open segment as far as it goes, for a runner that comes behind a killed one. One that begins a period has no list to go to. */
  grow(growth: CmafSegment, startMs: number, keys: Publication['keys']): void {
    if (this.isBroken(growth, startMs) || this.hasNewKeys(keys)) return;
    this.open.grow(this.index.nextSequence, growth);
  }

  /** Writes one part of every track, and the manifests: only with low latency. With the last part of a segment that is listed, too. */
  appendPart(part: CmafPart, inits: ReadonlyMap<string, TrackInit>, startMs: number, now: Publication): void {
    const { index, live } = this;
    const isNew = part.first && this.begin(part, inits, startMs, now.keys);
    live!.add(part, index.nextSequence, isIndependent(part, inits));
    if (part.last) this.closeOpen(inits);
    this.publishParts(now, isNew || part.last);
  }

  /** The segment that is being made ends with the parts that it has. */
  breakOff(now: Publication): void {
    if (this.closeOpen()) this.publishParts(now, true);
  }

  /** Nothing is written any more. */
  close(): void {
    this.open.close();
  }

  /** Marks the manifests as ended. */
  finish(now: Publication): void {
    if (this.index.segments.length === 0) return;
    this.writeManifests(true, now);
    this.live?.announce(this.index.nextSequence, this.index.targetSeconds, true);
  }

  /** The lengths of a copy are not known before its first segment is whole. */
  private publishParts(now: Publication, withManifest: boolean): void {
    const { index, live } = this;
    if (live === undefined || live.segmentSeconds === 0) return;
    this.writeManifests(false, now, withManifest);
    live.announce(index.nextSequence, index.targetSeconds, false);
    if (withManifest && index.segments.length > 0) this.removeOld();
  }

  private openLive(trackIds: readonly number[]): LiveParts | undefined {
    const { dir, partTargetSeconds, segmentSeconds } = this.options;
    if (partTargetSeconds === undefined) return undefined;
    const live = new LiveParts({ dir, suffix: this.suffix, trackIds, partTargetSeconds, segmentSeconds });
    live.restore(this.index.nextSequence);
    return live;
  }

  /** With other renditions than before there is no list for it. */
  private recoverOpen(): void {
    const { periods, nextSequence } = this.index;
    const left = periods.length === 0 ? undefined : this.open.recover(nextSequence);
    if (left !== undefined) this.list(left);
  }

  private closeOpen(inits?: ReadonlyMap<string, TrackInit>): boolean {
    const segment = this.live?.close();
    if (segment === undefined) return false;
    this.list(segment, inits);
    return true;
  }

  /** Tells whether a period begins. */
  private begin(
    begun: Begun,
    inits: ReadonlyMap<string, TrackInit>,
    startMs: number,
    keys: Publication['keys'],
  ): boolean {
    const { index, live } = this;
    if (index.availabilityStartAt === '') index.availabilityStartAt = toIso(startMs);
    const isBroken = this.isBroken(begun, startMs);
    const { startSeconds } = begun;
    if (!isBroken && !this.hasNewKeys(keys) && !this.isUncounted(this.period!, startSeconds)) return false;
    this.openPeriod(startSeconds, startMs, inits, !isBroken);
    if (keys !== undefined) this.period!.keys = keys;
    // A killed runner's successor lists what viewers have of this period.
    if (live !== undefined) this.writeIndex();
    return true;
  }

  /** Media time does not go on in the open period. */
  private isBroken({ startSeconds, discontinuity }: Begun, startMs: number): boolean {
    const { period, index } = this;
    const off = period && startMs - wallMs(index.availabilityStartAt, period, startSeconds);
    return off === undefined || discontinuity || Math.abs(off) > CLOCK_SLACK_MS;
  }

  private hasNewKeys(keys: Publication['keys']): boolean {
    return JSON.stringify(this.period?.keys) !== JSON.stringify(keys);
  }

  /** Tells whether players that count segments would take this one for another. */
  private isUncounted({ firstSequence, originSeconds }: ListedPeriod, startSeconds: number): boolean {
    if (this.live === undefined) return false;
    const { segmentSeconds } = this.live;
    const counted = (this.index.nextSequence - firstSequence) * segmentSeconds;
    return Math.abs(startSeconds - originSeconds - counted) > segmentSeconds / 2;
  }

  private list(segment: ListedSegment, inits?: ReadonlyMap<string, TrackInit>): void {
    const { index } = this;
    this.texts?.write(textSpan(segment), index.segments.map(textSpan));
    if (this.texts !== undefined) index.texts = [...this.texts.channels];
    index.segments.push(segment);
    index.nextSequence = segment.sequence + 1;
    const period = periodOf(index, segment.sequence);
    const lengths = Object.entries(segment.parts).map(([id, { duration }]) =>
      Math.round(duration / (inits?.get(id)?.timescale ?? period!.inits[Number(id)]!.timescale)),
    );
    index.targetSeconds = Math.max(index.targetSeconds, ...lengths);
    this.shorten();
    this.live?.retire(index.segments, index.targetSeconds);
    // The index comes before the manifests: a killed runner may leave files that nobody lists, never a list of files that do not exist.
    this.writeIndex();
  }

  /** The run is in the name: a file that is delivered as immutable must not get another content in the next run. */
  private get suffix(): string {
    return `-${this.index.runId.slice(0, 8)}`;
  }

  private openPeriod(
    startSeconds: number,
    startMs: number,
    inits: ReadonlyMap<string, TrackInit>,
    isContinuous: boolean,
  ): void {
    const { index } = this;
    const listed = this.files.keepInits(inits, index.periods.at(-1)?.inits, index.nextSequence);
    const wantedSeconds = (startMs - Date.parse(index.availabilityStartAt)) / 1000;
    this.period = {
      firstSequence: index.nextSequence,
      // The clock may have been set back, and periods must not overlap.
      startSeconds: isContinuous ? this.endSeconds : Math.max(0, wantedSeconds, this.endSeconds),
      originSeconds: startSeconds,
      inits: listed,
      ...(isContinuous && { isContinuous }),
    };
    index.periods.push(this.period);
  }

  /** End of the last segment, in seconds since the presentation began. */
  private get endSeconds(): number {
    const last = this.index.segments.at(-1);
    const period = last && periodOf(this.index, last.sequence);
    return last && period ? period.startSeconds + last.startSeconds + last.seconds - period.originSeconds : 0;
  }

  private shorten(): void {
    const { index, options } = this;
    const { segments } = index;
    let listed = segments.reduce((sum, { seconds }) => sum + seconds, 0);
    let leaving = 0;
    while (segments.length - leaving > options.playlistLength) {
      listed -= segments[leaving]!.seconds;
      if (listed < options.timeShiftSeconds) break;
      const { sequence } = segments[leaving]!;
      // RFC 8216 §6.2.2: the number grows when a segment with the tag leaves.
      if (isDiscontinuity(index, sequence)) index.discontinuitySequence += 1;
      leaving += 1;
    }
    segments.splice(0, leaving);
  }

  private writeManifests(ended: boolean, now: Publication, withManifest = true): void {
    this.manifests.write(this.index, { ended, live: this.live?.presentation, withManifest }, now);
  }

  private removeOld(): void {
    this.files.removeOld(this.index);
    this.texts?.keep(this.index.oldest, this.index.nextSequence);
  }

  private writeIndex(): void {
    writeAtomic(join(this.options.dir, '.journal.json'), JSON.stringify(this.index));
  }
}

/** All units of audio are keys: what counts is the video, if there is one. */
function isIndependent({ tracks }: CmafPart, inits: ReadonlyMap<string, TrackInit>): boolean {
  return [...tracks].every(([id, { independent }]) => independent || inits.get(id)?.kind === 'audio');
}

function textSpan({ sequence, startSeconds, seconds }: ListedSegment): TextSpan {
  const fromTicks = startSeconds * TICKS_PER_SECOND;
  return { sequence, fromTicks, toTicks: fromTicks + seconds * TICKS_PER_SECOND };
}

function readIndex(dir: string): CmafIndex | undefined {
  return readCached(join(dir, '.journal.json')) as CmafIndex | undefined;
}
