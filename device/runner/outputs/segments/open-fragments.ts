/**
 * The segment of a CMAF or DASH Destination that is not whole yet. Its fragments are on the disk up to the last keyframe that all tracks have
 * passed, so that no more of them is lost with a killed runner: its successor ends the segment there.
 */
import { finishGrown, GrowingFile } from '../../../atomic-file.ts';
import type { CmafSegment } from '../../../media/manifests/cmaf-segmenter.ts';
import type { ListedSegment } from '../../../media/manifests/presentation.ts';
import { OpenNote } from './open-note.ts';

interface Note extends Pick<ListedSegment, 'sequence' | 'startSeconds' | 'seconds' | 'parts'> {
  /** Lengths of the files by track id. */
  bytes: Record<string, number>;
}

export interface OpenFragmentsOptions {
  dir: string;
  trackIds: readonly number[];
  pathOf(trackId: number, sequence: number): string;
}

export class OpenFragments {
  private readonly options: OpenFragmentsOptions;
  private readonly files = new Map<number, GrowingFile>();
  private readonly note: OpenNote<Note>;
  private open: Note | undefined;

  constructor(options: OpenFragmentsOptions) {
    this.options = options;
    this.note = new OpenNote(options.dir, options.trackIds.length);
  }

  /** Adds the fragments that have come since; `seconds` is the length until their end. Throws the error of the filesystem. */
  grow(sequence: number, { startSeconds, seconds, parts }: Omit<CmafSegment, 'discontinuity'>): void {
    const { trackIds, pathOf } = this.options;
    const goesOn = this.open?.sequence === sequence && this.open.startSeconds === startSeconds;
    if (!goesOn) this.end();
    const { parts: before, bytes: lengths } = this.open ?? {};
    const open: Note = { sequence, startSeconds, seconds, parts: { ...before }, bytes: { ...lengths } };
    for (const id of trackIds) {
      const part = parts.get(String(id));
      if (part === undefined) continue;
      const { bytes, startTime, duration } = part;
      const file = this.files.get(id) ?? new GrowingFile(pathOf(id, sequence));
      this.files.set(id, file);
      file.add([bytes]);
      const first = open.parts[id]?.startTime ?? startTime;
      open.parts[id] = { startTime: first, duration: startTime + duration - first };
      open.bytes[id] = file.bytes;
    }
    this.open = open;
    if (trackIds.every((id) => id in open.bytes)) this.note.write(open);
  }

  /** The segment is written whole, or goes on no more: its file takes the place of what has grown. */
  end(): void {
    for (const file of this.files.values()) file.close();
    this.files.clear();
    this.open = undefined;
  }

  /** Nothing grows any more; whoever comes behind finds what is there. */
  close(): void {
    this.end();
    this.note.close();
  }

  /** Ends the segment of this number that a runner before has left open, and answers it; undefined when it has left none. */
  recover(sequence: number): ListedSegment | undefined {
    const { trackIds, pathOf } = this.options;
    const left = this.note.read();
    if (left?.sequence !== sequence) return undefined;
    if (!finishGrown(trackIds.map((id) => ({ path: pathOf(id, sequence), bytes: left.bytes[id] })))) return undefined;
    const { startSeconds, seconds, parts } = left;
    return { sequence, startSeconds, seconds, parts };
  }
}
