/**
 * The files of one CMAF or DASH Destination, a folder a track. As beside HLS, a journal is replaced before the manifests are written:
 * after a killed packager or runner the next one goes on with its numbers, periods and availabilityStartAt.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { toIso } from '../../../../domain/clock.ts';
import { writeAccess } from '../../../delivery/access.ts';
import {
  MANIFEST, masterPlaylist, periodOf, presentationManifest, trackPlaylist, wallMs,
  type Layout, type ListedInit, type ListedPeriod, type ManifestFacts, type Presentation, type TrackRate,
} from '../../../media/manifests/cmaf-presentation.ts'; // prettier-ignore
import type { CaptionChannel } from '../../../media/captions/cc-channels.ts';
import type { CmafSegment } from '../../../media/manifests/cmaf-segmenter.ts';
import type { TrackInit } from '../../../media/fmp4/fmp4-parser.ts';
import type { PlaylistMarks } from '../../../media/manifests/hls-playlist.ts';
import { writeAtomic } from '../../../atomic-file.ts';

interface FolderIndex extends Presentation {
  runId: string;
  nextSequence: number;
  /** Number of the oldest segment whose files are kept. */
  oldest: number;
}

export interface CmafFolderOptions {
  dir: string;
  /** What tokens of viewers are checked with; left out: everybody may watch. */
  accessKey?: string | undefined;
  runId: string;
  /** CMAF: HLS playlists and the MPD; DASH: the MPD alone. */
  hls: boolean;
  layout: Layout;
  playlistLength: number;
  /** Seconds that stay listed at least. */
  timeShiftSeconds: number;
  targetSeconds: number;
  /** Asked at each writing: they may begin late. */
  captions(): readonly CaptionChannel[];
}

/** Wall clock and media time are on one line within a period; milliseconds are lost to rounding only. */
const LINE_SLACK_MS = 100;

export class CmafFolder {
  private readonly options: CmafFolderOptions;
  private readonly journal: FolderIndex;
  /** No period of an earlier packager is gone on with: its initialisation segments are its own. */
  private period: ListedPeriod | undefined;
  private master = '';

  /** Throws what the filesystem says. The folder of another run is emptied. */
  constructor(options: CmafFolderOptions) {
    this.options = options;
    const { dir, accessKey, runId, layout, targetSeconds } = options;
    const earlier = readJournal(dir);
    if (earlier?.runId === runId) {
      // Other renditions than before: the numbers go on, the list begins anew.
      const isSame = earlier.periods.every(({ inits }) => layout.tracks.every(({ id }) => id in inits));
      const listed = isSame ? {} : { periods: [], segments: [] };
      this.journal = { ...earlier, ...listed, targetSeconds: Math.max(earlier.targetSeconds, targetSeconds) };
    } else {
      rmSync(dir, { recursive: true, force: true });
      const empty = { discontinuitySequence: 0, periods: [], segments: [], nextSequence: 0, oldest: 0 };
      this.journal = { runId, availabilityStartAt: '', targetSeconds, ...empty };
    }
    writeAccess(dir, accessKey);
    for (const { id } of layout.tracks) mkdirSync(join(dir, String(id)), { recursive: true });
    this.removeUnlisted();
  }

  /** One segment of every track, and the manifests that list it. `startMs`: wall clock of its first picture. */
  append(
    segment: CmafSegment,
    inits: ReadonlyMap<string, TrackInit>,
    startMs: number,
    nowMs: number,
    rates: ReadonlyMap<number, TrackRate>,
    marks: PlaylistMarks = {},
  ): void {
    const { journal } = this;
    const { startSeconds, seconds, parts } = segment;
    const sequence = journal.nextSequence;
    if (journal.segments.length === 0 && sequence === 0) journal.availabilityStartAt = toIso(startMs);
    const off = this.period && startMs - wallMs(journal.availabilityStartAt, this.period, startSeconds);
    if (off === undefined || segment.discontinuity || Math.abs(off) > LINE_SLACK_MS)
      this.openPeriod(startSeconds, startMs, inits);
    for (const [id, { bytes }] of parts) writeAtomic(join(this.options.dir, id, this.nameOf(sequence)), bytes);
    const times = [...parts].map(([id, { startTime, duration }]) => [id, { startTime, duration }]);
    journal.segments.push({ sequence, startSeconds, seconds, parts: Object.fromEntries(times) });
    journal.nextSequence = sequence + 1;
    const longest = Math.max(...[...parts.values()].map(({ duration, timescale }) => Math.round(duration / timescale)));
    journal.targetSeconds = Math.max(journal.targetSeconds, longest);
    this.shorten();
    // Before the manifests, which name it: a killed runner may leave files that nobody lists, never a list of what is not there.
    this.writeJournal();
    this.writeManifests(false, nowMs, rates, marks);
    this.removeOld();
  }

  /** Nothing will be added. */
  finish(nowMs: number, rates: ReadonlyMap<number, TrackRate>, marks: PlaylistMarks = {}): void {
    if (this.journal.segments.length > 0) this.writeManifests(true, nowMs, rates, marks);
  }

  /** The run is in the name: what is delivered as immutable must not get another content in the next run. */
  private get suffix(): string {
    return `-${this.journal.runId.slice(0, 8)}`;
  }

  private nameOf(sequence: number): string {
    return `${sequence}${this.suffix}.m4s`;
  }

  private openPeriod(startSeconds: number, startMs: number, inits: ReadonlyMap<string, TrackInit>): void {
    const { journal } = this;
    const listed: Record<string, ListedInit> = {};
    for (const [id, { bytes, codecs, timescale, width, height, sampleRate, channels }] of inits) {
      const name = this.keepInit(id, bytes);
      const facts = { width, height, sampleRate, channels };
      const known = Object.entries(facts).filter(([, value]) => value !== undefined);
      listed[id] = { name, codecs, timescale, ...Object.fromEntries(known) };
    }
    const wanted = (startMs - Date.parse(journal.availabilityStartAt)) / 1000;
    this.period = {
      firstSequence: journal.nextSequence,
      // Not before the end of what is listed, should the clock have been set back: periods must not overlap.
      startSeconds: Math.max(0, wanted, this.endSeconds),
      originSeconds: startSeconds,
      inits: listed,
    };
    journal.periods.push(this.period);
  }

  /** The same as before is not named anew: players would set up their decoders again for nothing. */
  private keepInit(trackId: string, bytes: Buffer): string {
    const { journal } = this;
    const former = journal.periods.at(-1)?.inits[Number(trackId)]?.name;
    const folder = join(this.options.dir, trackId);
    if (former !== undefined && existsSync(join(folder, former)) && readFileSync(join(folder, former)).equals(bytes))
      return former;
    const name = `init-${journal.nextSequence}${this.suffix}.mp4`;
    writeAtomic(join(folder, name), bytes);
    return name;
  }

  /** Of the last segment, since the presentation began. */
  private get endSeconds(): number {
    const last = this.journal.segments.at(-1);
    const period = last && periodOf(this.journal, last.sequence);
    return last && period ? period.startSeconds + last.startSeconds + last.seconds - period.originSeconds : 0;
  }

  private shorten(): void {
    const { journal, options } = this;
    const { segments } = journal;
    let listed = segments.reduce((sum, { seconds }) => sum + seconds, 0);
    let leaving = 0;
    while (segments.length - leaving > options.playlistLength) {
      listed -= segments[leaving]!.seconds;
      if (listed < options.timeShiftSeconds) break;
      const { sequence } = segments[leaving]!;
      // RFC 8216 §6.2.2: the number grows when a segment with the tag leaves.
      if (sequence > 0 && periodOf(journal, sequence)?.firstSequence === sequence) journal.discontinuitySequence += 1;
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
    const { journal, suffix } = this;
    const { dir, hls, layout, timeShiftSeconds, playlistLength } = this.options;
    const captions = this.options.captions();
    if (hls) {
      for (const { id } of layout.tracks)
        writeAtomic(join(dir, String(id), 'index.m3u8'), trackPlaylist(journal, layout, id, ended, suffix, marks));
      const master = masterPlaylist(journal, layout, { rates, captions });
      if (master !== this.master) writeAtomic(join(dir, 'index.m3u8'), master);
      this.master = master;
    }
    const facts: ManifestFacts = {
      ...{ rates, ended, suffix, publishedAt: toIso(nowMs), breaks: marks.breaks ?? [], captions },
      timeShiftSeconds: Math.max(timeShiftSeconds, playlistLength * journal.targetSeconds),
    };
    writeAtomic(join(dir, MANIFEST), presentationManifest(journal, layout, facts));
  }

  /** Gone from the list for as long as the list is: a slow player may still be fetching it (RFC 8216 §6.2.2). */
  private removeOld(): void {
    const { journal } = this;
    const keep = Math.max(journal.oldest, journal.segments[0]!.sequence - journal.segments.length - 1);
    const names = Array.from({ length: keep - journal.oldest }, (_, i) => this.nameOf(journal.oldest + i));
    journal.oldest = keep;
    while (journal.periods.length > 1 && journal.periods[1]!.firstSequence <= keep) {
      const gone = Object.values(journal.periods.shift()!.inits).map(({ name }) => name);
      names.push(...gone.filter((name) => !this.initNames.has(name)));
    }
    for (const { id } of this.options.layout.tracks)
      for (const name of names) rmSync(join(this.options.dir, String(id), name), { force: true });
  }

  private get initNames(): Set<string> {
    return new Set(this.journal.periods.flatMap(({ inits }) => Object.values(inits).map(({ name }) => name)));
  }

  private writeJournal(): void {
    writeAtomic(join(this.options.dir, '.journal.json'), JSON.stringify(this.journal));
  }

  /** What a killed runner had written but not listed, and what it had no time to delete. */
  private removeUnlisted(): void {
    const { oldest, nextSequence } = this.journal;
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

function readJournal(dir: string): FolderIndex | undefined {
  try {
    return JSON.parse(readFileSync(join(dir, '.journal.json'), 'utf8')) as FolderIndex;
  } catch {
    return undefined;
  }
}
