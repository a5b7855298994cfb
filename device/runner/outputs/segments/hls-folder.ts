/**
 * The files of one HLS Destination. An index names the segments that all playlists list; it is replaced in one step before they are written,
 * so that a killed runner leaves renditions that agree, and its successor goes on with the next number.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeAccess } from '../../../delivery/access.ts';
import type { PlaylistMarks } from '../../../media/manifests/hls-cue-lines.ts';
import { mediaPlaylistText } from '../../../media/manifests/hls-playlist.ts';
import { readJson, writeAtomic } from '../../../atomic-file.ts';

interface IndexedSegment {
  sequence: number;
  programDateTime: string;
  discontinuity: boolean;
  /** Lengths by the name of the folder. */
  seconds: Record<string, number>;
}

interface FolderIndex {
  runId: string;
  nextSequence: number;
  discontinuitySequence: number;
  targetSeconds: number;
  segments: IndexedSegment[];
}

export class HlsFolder {
  private readonly dir: string;
  private readonly names: readonly string[];
  private readonly playlistLength: number;
  private readonly index: FolderIndex;

  /** Throws the errors of the filesystem. The folder of another run is emptied. Without `accessKey` everybody may watch. */
  constructor(
    dir: string,
    runId: string,
    names: readonly string[],
    playlistLength: number,
    targetSeconds: number,
    accessKey?: string,
  ) {
    this.dir = dir;
    this.names = names;
    this.playlistLength = playlistLength;
    const earlier = this.readIndex();
    if (earlier?.runId !== runId) rmSync(dir, { recursive: true, force: true });
    writeAccess(dir, accessKey);
    for (const name of names) mkdirSync(join(dir, name), { recursive: true });
    const fresh = { runId, nextSequence: 0, discontinuitySequence: 0, targetSeconds, segments: [] };
    this.index =
      earlier?.runId === runId ? { ...earlier, targetSeconds: Math.max(earlier.targetSeconds, targetSeconds) } : fresh;
    this.removeUnlisted();
  }

  get isContinued(): boolean {
    return this.index.nextSequence > 0;
  }

  get listedSeconds(): number {
    return this.index.segments.reduce((sum, { seconds }) => sum + Math.max(...Object.values(seconds)), 0);
  }

  /** Writes one segment of every folder, and the playlists that list it. `bytes` and `seconds` are by its name. */
  append(
    bytes: Map<string, Buffer>,
    seconds: Record<string, number>,
    programDateTime: string,
    discontinuity: boolean,
    marks: PlaylistMarks = {},
  ): void {
    const { index } = this;
    const sequence = index.nextSequence;
    for (const [name, content] of bytes) writeAtomic(join(this.dir, name, this.nameOf(sequence)), content);
    index.segments.push({ sequence, programDateTime, discontinuity, seconds });
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
    return `${sequence}-${this.index.runId.slice(0, 8)}.ts`;
  }

  private writePlaylists(ended: boolean, { breaks = [], ranges = [] }: PlaylistMarks): void {
    const { segments, targetSeconds, discontinuitySequence } = this.index;
    for (const name of this.names) {
      const text = mediaPlaylistText({
        version: 6,
        targetSeconds,
        mediaSequence: segments[0]?.sequence ?? 0,
        discontinuitySequence,
        ended,
        breaks,
        ranges,
        segments: segments.map(({ sequence, programDateTime, discontinuity, seconds }) => {
          return { uri: this.nameOf(sequence), seconds: seconds[name] ?? 0, programDateTime, discontinuity };
        }),
      });
      writeAtomic(join(this.dir, name, 'index.m3u8'), text);
    }
  }

  private readIndex(): FolderIndex | undefined {
    return readJson(join(this.dir, '.journal.json')) as FolderIndex | undefined;
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
