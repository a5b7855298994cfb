/**
 * The files of one HLS Destination. An index names the segments that all playlists list; it is replaced in one step before they are written,
 * so that a killed runner leaves renditions that agree, and its successor goes on with the next number.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeAccess } from '../../../delivery/access.ts';
import type { PlaylistMarks } from '../../../media/manifests/hls-cue-lines.ts';
import { mediaPlaylistText } from '../../../media/manifests/hls-playlist.ts';
import { readCached, writeAtomic } from '../../../atomic-file.ts';
import type { CaptionChannel } from '../../../media/captions/cc-channels.ts';
import { TICKS_PER_SECOND } from '../../../media/mpeg-ts/mpeg-ts.ts';
import type { TextSegments } from '../../../media/webvtt/text-segments.ts';
import { OpenSegments, type Growth, type OpenFacts } from './open-segments.ts';
import { TextFiles, type TextSpan } from './text-files.ts';

interface IndexedSegment {
  sequence: number;
  programDateTime: string;
  discontinuity: boolean;
  /** Lengths by the name of the folder. */
  seconds: Record<string, number>;
  /** Time of the first frame; left out by runners of earlier versions. */
  ticks?: number;
}

interface FolderIndex {
  runId: string;
  nextSequence: number;
  discontinuitySequence: number;
  targetSeconds: number;
  segments: IndexedSegment[];
  /** Tracks of text; left out by runners of earlier versions. */
  texts?: CaptionChannel[];
}

interface SegmentFacts extends Pick<OpenFacts, 'programDateTime' | 'discontinuity'> {
  marks?: PlaylistMarks | undefined;
  ticks?: number | undefined;
}

export interface HlsFolderOptions {
  dir: string;
  runId: string;
  /** They name the folders, one a rendition. */
  names: readonly string[];
  playlistLength: number;
  targetSeconds: number;
  /** Number of the first segment of the run; left out: 0. */
  firstNumber?: number | undefined;
  /** Without it everybody may watch. */
  accessKey?: string | undefined;
  texts?: TextSegments | undefined;
}

export class HlsFolder {
  private readonly dir: string;
  private readonly names: readonly string[];
  private readonly playlistLength: number;
  private readonly index: FolderIndex;
  private readonly texts: TextFiles | undefined;
  private readonly open: OpenSegments;

  /** Throws the errors of the filesystem. The folder of another run is emptied. A segment that was left open ends with what it has. */
  constructor(options: HlsFolderOptions) {
    const { dir, runId, names, playlistLength, targetSeconds, firstNumber = 0, accessKey, texts } = options;
    this.dir = dir;
    this.names = names;
    this.playlistLength = playlistLength;
    const earlier = this.readIndex();
    if (earlier?.runId !== runId) rmSync(dir, { recursive: true, force: true });
    writeAccess(dir, accessKey);
    for (const name of names) mkdirSync(join(dir, name), { recursive: true });
    const numbers = { nextSequence: firstNumber, discontinuitySequence: firstNumber };
    const fresh = { runId, ...numbers, targetSeconds, segments: [] };
    this.index =
      earlier?.runId === runId ? { ...earlier, targetSeconds: Math.max(earlier.targetSeconds, targetSeconds) } : fresh;
    this.open = new OpenSegments({ dir, names, nameOf: (sequence) => this.nameOf(sequence) });
    const earlierTexts = this.index.texts ?? [];
    this.texts = texts && new TextFiles({ dir, suffix: this.suffix, forms: ['vtt'], texts, earlier: earlierTexts });
    const left = this.open.recover(this.index.nextSequence);
    if (left !== undefined) this.list(left, {});
    this.removeUnlisted();
  }

  get isContinued(): boolean {
    return this.index.segments.length > 0;
  }

  /** Captions that are listed as tracks of text. */
  get textChannels(): readonly CaptionChannel[] {
    return this.texts?.channels ?? [];
  }

  get listedSeconds(): number {
    return this.index.segments.reduce((sum, { seconds }) => sum + Math.max(...Object.values(seconds)), 0);
  }

  /** Adds what a rendition has of the segment that is `ahead` of the next one; `facts` are those of that. */
  grow(growth: Omit<Growth, 'sequence'>, ahead: number, facts: OpenFacts): void {
    const sequence = this.index.nextSequence + ahead;
    this.open.grow({ ...growth, sequence }, ahead === 0 ? facts : undefined);
  }

  /** Segments that are not whole are given up. */
  dropOpen(): void {
    this.open.drop();
  }

  /** Ends one segment of every folder, and lists it. `parts`, its last bytes, and `seconds` are by the name of the folder. */
  append(
    parts: ReadonlyMap<string, readonly Buffer[]>,
    seconds: Record<string, number>,
    { marks = {}, ticks = 0, ...facts }: SegmentFacts,
  ): void {
    const sequence = this.index.nextSequence;
    for (const [name, content] of parts) this.open.finish(name, sequence, content);
    this.list({ sequence, ...facts, seconds, ticks }, marks);
  }

  private list(
    { sequence, programDateTime, discontinuity, seconds, ticks = 0 }: IndexedSegment,
    marks: PlaylistMarks,
  ): void {
    const { index } = this;
    const segment = { sequence, programDateTime, discontinuity, seconds, ticks };
    this.texts?.write(
      this.spanOf(segment),
      index.segments.map((one) => this.spanOf(one)),
    );
    index.texts = [...this.textChannels];
    index.segments.push(segment);
    index.nextSequence = sequence + 1;
    index.targetSeconds = Math.max(index.targetSeconds, ...Object.values(seconds).map(Math.round));
    while (index.segments.length > this.playlistLength) {
      // RFC 8216 §6.2.2: the number grows when a segment with the tag leaves.
      if (index.segments.shift()!.discontinuity) index.discontinuitySequence += 1;
    }
    writeAtomic(join(this.dir, '.journal.json'), JSON.stringify(index));
    this.writePlaylists(false, marks);
    // Files stay for the length of the playlist after they have left it: a slow player may still be fetching one (RFC 8216 §6.2.2).
    const gone = index.segments[0]!.sequence - this.playlistLength - 1;
    for (const name of this.names) rmSync(join(this.dir, name, this.nameOf(gone)), { force: true });
    this.texts?.keep(gone + 1, index.nextSequence);
  }

  /** Closes the files of segments that are not whole. */
  close(): void {
    this.open.close();
  }

  /** Marks the playlists as ended (RFC 8216 §4.3.3.4). */
  finish(marks: PlaylistMarks = {}): void {
    if (this.isContinued) this.writePlaylists(true, marks);
  }

  writeMaster(text: string): void {
    writeAtomic(join(this.dir, 'index.m3u8'), text);
  }

  /** The name has the run in it: it is delivered as immutable, so no other run may ever use it. */
  private nameOf(sequence: number): string {
    return `${sequence}${this.suffix}.ts`;
  }

  private get suffix(): string {
    return `-${this.index.runId.slice(0, 8)}`;
  }

  /** Text is cut where the first rendition is. */
  private spanOf({ sequence, seconds, ticks = 0 }: IndexedSegment): TextSpan {
    return { sequence, fromTicks: ticks, toTicks: ticks + (seconds[this.names[0]!] ?? 0) * TICKS_PER_SECOND };
  }

  private writePlaylists(ended: boolean, { breaks = [], ranges = [] }: PlaylistMarks): void {
    const { segments, targetSeconds, discontinuitySequence } = this.index;
    const listOf = (name: string, extension: string, listed: PlaylistMarks): string =>
      mediaPlaylistText({
        version: 6,
        targetSeconds,
        mediaSequence: segments[0]?.sequence ?? 0,
        discontinuitySequence,
        ended,
        ...listed,
        segments: segments.map(({ sequence, programDateTime, discontinuity, seconds }) => {
          const uri = `${sequence}${this.suffix}.${extension}`;
          return { uri, seconds: seconds[name] ?? 0, programDateTime, discontinuity };
        }),
      });
    for (const name of this.names)
      writeAtomic(join(this.dir, name, 'index.m3u8'), listOf(name, 'ts', { breaks, ranges }));
    for (const channel of this.textChannels) this.texts!.writePlaylist(channel, listOf(this.names[0]!, 'vtt', {}));
  }

  private readIndex(): FolderIndex | undefined {
    return readCached(join(this.dir, '.journal.json')) as FolderIndex | undefined;
  }

  /** Removes files that a killed runner had written but not listed, or had no time to delete. */
  private removeUnlisted(): void {
    const oldest = (this.index.segments[0]?.sequence ?? 0) - this.playlistLength - 1;
    for (const name of this.names) {
      const folder = join(this.dir, name);
      if (!existsSync(folder)) continue;
      for (const file of readdirSync(folder)) {
        const sequence = Number.parseInt(file, 10);
        if (file.endsWith('.tmp') || sequence < oldest || sequence >= this.index.nextSequence)
          rmSync(join(folder, file), { force: true });
      }
    }
  }
}
