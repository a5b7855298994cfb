/**
 * The segments of an HLS Destination that are not whole yet. They grow on the disk, and it is noted at each keyframe how far, so that no more of them is lost with
 * a killed runner than what came after its last keyframe: its successor ends the open one there.
 */
import { join } from 'node:path';
import { finishGrown, GrowingFile, writeAtomic } from '../../../atomic-file.ts';
import { OpenNote } from './open-note.ts';

/** The packets that a rendition has of a segment since it grew last. */
export interface Growth {
  name: string;
  sequence: number;
  parts: readonly Buffer[];
  /** Time of its end, where that is a keyframe. */
  endTicks: number | undefined;
  /** Length of the whole until there. */
  seconds: number;
}

/** The same in all renditions. `ticks` is the time of the first frame. */
export interface OpenFacts {
  programDateTime: string;
  discontinuity: boolean;
  ticks: number;
}

/** A segment up to a keyframe that all renditions have. `bytes` and `seconds` are by the name of the folder. */
export interface OpenSegment extends OpenFacts {
  sequence: number;
  bytes: Record<string, number>;
  seconds: Record<string, number>;
}

export interface OpenSegmentsOptions {
  dir: string;
  /** Names of the folders, one a rendition. */
  names: readonly string[];
  nameOf(sequence: number): string;
}

/** A rendition's file, and its lengths by the keyframes that it has come to. */
interface Growing {
  file: GrowingFile;
  lengths: Map<number, { bytes: number; seconds: number }>;
}

export class OpenSegments {
  private readonly options: OpenSegmentsOptions;
  private readonly growing = new Map<string, Growing>();
  private readonly noted: OpenNote<OpenSegment>;

  constructor(options: OpenSegmentsOptions) {
    this.options = options;
    this.noted = new OpenNote(options.dir, options.names.length);
  }

  /** `facts` are those of the segment that is listed next; a rendition may be ahead of it. Throws the error of the filesystem. */
  grow({ name, sequence, parts, endTicks, seconds }: Growth, facts: OpenFacts | undefined): void {
    const path = this.pathOf(name, sequence);
    const { file, lengths } = this.growing.get(path) ?? { file: new GrowingFile(path), lengths: new Map() };
    this.growing.set(path, { file, lengths });
    file.add(parts);
    if (endTicks === undefined) return;
    lengths.set(endTicks, { bytes: file.bytes, seconds });
    if (facts !== undefined) this.note(sequence, endTicks, facts);
  }

  /** The segment is whole with these parts. Throws the error of the filesystem. */
  finish(name: string, sequence: number, parts: readonly Buffer[]): void {
    const path = this.pathOf(name, sequence);
    const { file } = this.growing.get(path) ?? {};
    this.growing.delete(path);
    if (file === undefined) return writeAtomic(path, parts);
    file.add(parts);
    file.finish();
  }

  /** All segments that grow are given up. */
  drop(): void {
    for (const { file } of this.growing.values()) file.drop();
    this.growing.clear();
    this.noted.remove();
  }

  /** Nothing grows any more; whoever comes behind finds what is there. */
  close(): void {
    for (const { file } of this.growing.values()) file.close();
    this.growing.clear();
    this.noted.close();
  }

  /** Ends the segment of this number that a runner before has left open, and answers it; undefined when it has left none. */
  recover(sequence: number): OpenSegment | undefined {
    const { names } = this.options;
    const open = this.noted.read();
    if (open?.sequence !== sequence) return undefined;
    const files = names.map((name) => ({ path: this.pathOf(name, sequence), bytes: open.bytes[name] }));
    if (!finishGrown(files)) return undefined;
    return open;
  }

  private note(sequence: number, endTicks: number, facts: OpenFacts): void {
    const { names } = this.options;
    const bytes: Record<string, number> = {};
    const seconds: Record<string, number> = {};
    for (const name of names) {
      const length = this.growing.get(this.pathOf(name, sequence))?.lengths.get(endTicks);
      if (length === undefined) return;
      bytes[name] = length.bytes;
      seconds[name] = length.seconds;
    }
    this.noted.write({ sequence, ...facts, bytes, seconds });
  }

  private pathOf(name: string, sequence: number): string {
    return join(this.options.dir, name, this.options.nameOf(sequence));
  }
}
