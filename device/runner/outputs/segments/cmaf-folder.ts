/**
 * The files of one CMAF or DASH Destination, a folder a track. As in the folder of HLS, an index is replaced before the manifests are
 * written: after a killed packager or runner the next one goes on with its numbers, periods and availabilityStartAt.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { toIso } from '../../../../domain/clock.ts';
import { writeAccess } from '../../../delivery/access.ts';
import type { CaptionChannel } from '../../../media/captions/cc-channels.ts';
import type { TrackInit } from '../../../media/fmp4/fmp4-parser.ts';
import {
  MANIFEST,
  masterPlaylist,
  presentationManifest,
  trackPlaylist,
} from '../../../media/manifests/cmaf-presentation.ts';
import {
  periodOf,
  wallMs,
  type Layout,
  type ListedInit,
  type ListedPeriod,
  type ListedSegment,
  type ManifestFacts,
  type Presentation,
  type TrackRate,
} from '../../../media/manifests/presentation.ts';
import { textPlaylist } from '../../../media/manifests/text-presentation.ts';
import type { CmafSegment } from '../../../media/manifests/cmaf-segmenter.ts';
import type { PlaylistMarks } from '../../../media/manifests/hls-cue-lines.ts';
import { TICKS_PER_SECOND } from '../../../media/mpeg-ts/mpeg-ts.ts';
import type { TextSegments } from '../../../media/webvtt/text-segments.ts';
import { readJson, writeAtomic } from '../../../atomic-file.ts';
import { TextFiles, type TextSpan } from './text-files.ts';

interface CmafIndex extends Presentation {
  runId: string;
  nextSequence: number;
  /** Number of the oldest segment whose files are kept. */
  oldest: number;
}

export interface CmafFolderOptions {
  dir: string;
  /** Key that tokens of viewers are checked with; left out: everybody may watch. */
  accessKey?: string | undefined;
  runId: string;
  /** CMAF has HLS playlists and the MPD; DASH the MPD alone. */
  hls: boolean;
  layout: Layout;
  playlistLength: number;
  /** At least so many seconds stay listed. */
  timeShiftSeconds: number;
  targetSeconds: number;
  /** Called at each writing, since captions may begin late. */
  captions(): readonly CaptionChannel[];
  /** Left out: captions are no tracks of text. */
  texts?: TextSegments | undefined;
}

/** Within a period, media time maps to the wall clock in one way; rounding alone loses milliseconds. A larger difference begins a period. */
const CLOCK_SLACK_MS = 100;

export class CmafFolder {
  private readonly options: CmafFolderOptions;
  private readonly index: CmafIndex;
  private readonly texts: TextFiles | undefined;
  /** The open period; that of an earlier packager is never continued, since its initialisation segments are its own. */
  private period: ListedPeriod | undefined;
  private master = '';

  /** Throws the errors of the filesystem. The folder of another run is emptied. */
  constructor(options: CmafFolderOptions) {
    this.options = options;
    const { dir, accessKey, runId, layout, targetSeconds } = options;
    const earlier = readIndex(dir);
    if (earlier?.runId === runId) {
      // With other renditions than before, the numbers go on and the list begins anew.
      const isSame = earlier.periods.every(({ inits }) => layout.tracks.every(({ id }) => id in inits));
      const listed = isSame ? {} : { periods: [], segments: [] };
      this.index = { ...earlier, ...listed, targetSeconds: Math.max(earlier.targetSeconds, targetSeconds) };
    } else {
      rmSync(dir, { recursive: true, force: true });
      const empty = { discontinuitySequence: 0, periods: [], segments: [], nextSequence: 0, oldest: 0 };
      this.index = { runId, availabilityStartAt: '', targetSeconds, ...empty };
    }
    writeAccess(dir, accessKey);
    for (const { id } of layout.tracks) mkdirSync(join(dir, String(id)), { recursive: true });
    this.removeUnlisted();
    const { texts } = options;
    const forms = options.hls ? (['vtt', 'mp4'] as const) : (['mp4'] as const);
    this.texts = texts && new TextFiles({ dir, suffix: this.suffix, forms, texts, earlier: this.index.texts ?? [] });
    if (texts === undefined) delete this.index.texts;
  }

  /** Writes one segment of every track, and the manifests that list it. `startMs`: wall clock of its first frame. */
  append(
    segment: CmafSegment,
    inits: ReadonlyMap<string, TrackInit>,
    startMs: number,
    nowMs: number,
    rates: ReadonlyMap<number, TrackRate>,
    marks: PlaylistMarks = {},
  ): void {
    const { index } = this;
    const { startSeconds, seconds, parts } = segment;
    const sequence = index.nextSequence;
    if (index.segments.length === 0 && sequence === 0) index.availabilityStartAt = toIso(startMs);
    const off = this.period && startMs - wallMs(index.availabilityStartAt, this.period, startSeconds);
    if (off === undefined || segment.discontinuity || Math.abs(off) > CLOCK_SLACK_MS)
      this.openPeriod(startSeconds, startMs, inits);
    for (const [id, { bytes }] of parts) writeAtomic(join(this.options.dir, id, this.nameOf(sequence)), bytes);
    const times = [...parts].map(([id, { startTime, duration }]) => [id, { startTime, duration }]);
    const listed = { sequence, startSeconds, seconds, parts: Object.fromEntries(times) };
    this.texts?.write(textSpan(listed), index.segments.map(textSpan));
    if (this.texts !== undefined) index.texts = [...this.texts.channels];
    index.segments.push(listed);
    index.nextSequence = sequence + 1;
    const longest = Math.max(...[...parts.values()].map(({ duration, timescale }) => Math.round(duration / timescale)));
    index.targetSeconds = Math.max(index.targetSeconds, longest);
    this.shorten();
    // The index comes before the manifests: a killed runner may leave files that nobody lists, never a list of files that do not exist.
    this.writeIndex();
    this.writeManifests(false, nowMs, rates, marks);
    this.removeOld();
  }

  /** Marks the manifests as ended. */
  finish(nowMs: number, rates: ReadonlyMap<number, TrackRate>, marks: PlaylistMarks = {}): void {
    if (this.index.segments.length > 0) this.writeManifests(true, nowMs, rates, marks);
  }

  /** The run is in the name: a file that is delivered as immutable must not get another content in the next run. */
  private get suffix(): string {
    return `-${this.index.runId.slice(0, 8)}`;
  }

  private nameOf(sequence: number): string {
    return `${sequence}${this.suffix}.m4s`;
  }

  private openPeriod(startSeconds: number, startMs: number, inits: ReadonlyMap<string, TrackInit>): void {
    const { index } = this;
    const listed: Record<string, ListedInit> = {};
    for (const [id, { bytes, codecs, timescale, width, height, sampleRate, channels }] of inits) {
      const name = this.keepInit(id, bytes);
      const facts = { width, height, sampleRate, channels };
      const known = Object.entries(facts).filter(([, value]) => value !== undefined);
      listed[id] = { name, codecs, timescale, ...Object.fromEntries(known) };
    }
    const wantedSeconds = (startMs - Date.parse(index.availabilityStartAt)) / 1000;
    this.period = {
      firstSequence: index.nextSequence,
      // The clock may have been set back, and periods must not overlap.
      startSeconds: Math.max(0, wantedSeconds, this.endSeconds),
      originSeconds: startSeconds,
      inits: listed,
    };
    index.periods.push(this.period);
  }

  /** An unchanged initialisation segment keeps its name: players would set up their decoders again for nothing. */
  private keepInit(trackId: string, bytes: Buffer): string {
    const { index } = this;
    const former = index.periods.at(-1)?.inits[Number(trackId)]?.name;
    const folder = join(this.options.dir, trackId);
    if (former !== undefined && existsSync(join(folder, former)) && readFileSync(join(folder, former)).equals(bytes))
      return former;
    const name = `init-${index.nextSequence}${this.suffix}.mp4`;
    writeAtomic(join(folder, name), bytes);
    return name;
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
      if (sequence > 0 && periodOf(index, sequence)?.firstSequence === sequence) index.discontinuitySequence += 1;
      leaving += 1;
    }
    segments.splice(0, leaving);
  }

  private writeManifests(
    ended: boolean,
    nowMs: number,
    rates: ReadonlyMap<number, TrackRate>,
    marks: PlaylistMarks,
  ): void {
    const { index, suffix } = this;
    const { dir, hls, layout, timeShiftSeconds, playlistLength } = this.options;
    const captions = this.options.captions();
    if (hls) {
      for (const { id } of layout.tracks)
        writeAtomic(join(dir, String(id), 'index.m3u8'), trackPlaylist(index, layout, id, ended, suffix, marks));
      for (const channel of this.texts?.channels ?? [])
        this.texts!.writePlaylist(channel, textPlaylist(index, ended, suffix));
      const master = masterPlaylist(index, layout, { rates, captions });
      if (master !== this.master) writeAtomic(join(dir, 'index.m3u8'), master);
      this.master = master;
    }
    const facts: ManifestFacts = {
      rates,
      ended,
      suffix,
      publishedAt: toIso(nowMs),
      breaks: marks.breaks ?? [],
      captions,
      timeShiftSeconds: Math.max(timeShiftSeconds, playlistLength * index.targetSeconds),
    };
    writeAtomic(join(dir, MANIFEST), presentationManifest(index, layout, facts));
  }

  /** Files stay for the length of the list after they have left it: a slow player may still be fetching one (RFC 8216 §6.2.2). */
  private removeOld(): void {
    const { index } = this;
    const keep = Math.max(index.oldest, index.segments[0]!.sequence - index.segments.length - 1);
    const names = Array.from({ length: keep - index.oldest }, (_, i) => this.nameOf(index.oldest + i));
    index.oldest = keep;
    while (index.periods.length > 1 && index.periods[1]!.firstSequence <= keep) {
      const gone = Object.values(index.periods.shift()!.inits).map(({ name }) => name);
      names.push(...gone.filter((name) => !this.initNames.has(name)));
    }
    for (const { id } of this.options.layout.tracks)
      for (const name of names) rmSync(join(this.options.dir, String(id), name), { force: true });
    this.texts?.keep(keep, index.nextSequence);
  }

  private get initNames(): Set<string> {
    return new Set(this.index.periods.flatMap(({ inits }) => Object.values(inits).map(({ name }) => name)));
  }

  private writeIndex(): void {
    writeAtomic(join(this.options.dir, '.journal.json'), JSON.stringify(this.index));
  }

  /** Removes files that a killed runner had written but not listed, or had no time to delete. */
  private removeUnlisted(): void {
    const { oldest, nextSequence } = this.index;
    const inits = this.initNames;
    for (const { id } of this.options.layout.tracks) {
      const folder = join(this.options.dir, String(id));
      for (const name of readdirSync(folder)) {
        const sequence = Number.parseInt(name, 10);
        const isStray = name.endsWith('.tmp') || sequence < oldest || sequence >= nextSequence;
        if (isStray || (name.startsWith('init-') && !inits.has(name))) rmSync(join(folder, name), { force: true });
      }
    }
  }
}

function textSpan({ sequence, startSeconds, seconds }: ListedSegment): TextSpan {
  const fromTicks = startSeconds * TICKS_PER_SECOND;
  return { sequence, fromTicks, toTicks: fromTicks + seconds * TICKS_PER_SECOND };
}

function readIndex(dir: string): CmafIndex | undefined {
  return readJson(join(dir, '.journal.json')) as CmafIndex | undefined;
}
