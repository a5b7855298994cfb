/**
 * The segment of a Destination that is being made: its parts are files of their own, for viewers of low latency. Once it is whole it is one
 * file, for all others, and its parts stay for some segments.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomic } from '../../../atomic-file.ts';
import { readLiveState, writeLiveState, type LiveState } from '../../../delivery/live/live-state.ts';
import { joinedTimes, partName } from '../../../media/manifests/live-presentation.ts';
import type { CmafPart } from '../../../media/manifests/part-segmenter.ts';
import type {
  ListedPart,
  ListedSegment,
  LivePresentation,
  OpenSegment,
} from '../../../media/manifests/presentation.ts';

/** The state with the parts of the open segment, for the next runner. */
interface StoredState extends LiveState {
  open?: OpenSegment;
}

export interface LiveOptions {
  dir: string;
  suffix: string;
  trackIds: readonly number[];
  /** No part of any track is longer. */
  partTargetSeconds: number;
  segmentSeconds: number;
}

/**
 * RFC 8216bis §6.2.2: parts are listed for three target durations, the last of which the next segment takes. Their files stay for another: a
 * player may still be fetching one.
 */
const LISTED_TARGETS = 2;

export class LiveParts {
  private readonly options: LiveOptions;
  private open: OpenSegment | undefined;
  /** Bytes of the open segment by track. */
  private bytes = new Map<number, Buffer[]>();
  private lastParts = 0;
  /** Parts on the disk that are listed no more: they go with the next segment. */
  private leaving: { sequence: number; parts: number }[] = [];
  /** Length of a part and of a segment; both are learnt from the first segment of a copy. */
  partTargetSeconds: number;
  segmentSeconds: number;

  constructor(options: LiveOptions) {
    this.options = options;
    this.partTargetSeconds = options.partTargetSeconds;
    this.segmentSeconds = options.segmentSeconds;
  }

  get presentation(): LivePresentation {
    return { partTargetSeconds: this.partTargetSeconds, segmentSeconds: this.segmentSeconds, open: this.open };
  }

  /** Takes over the segment that a killed runner had begun: viewers have its parts, and its number is used. */
  restore(nextSequence: number): void {
    const open = readLiveState<StoredState>(this.options.dir)?.open;
    if (open?.sequence !== nextSequence || open.live.length === 0) return;
    const names = open.live.map((_, part) => partName(open.sequence, part, this.options.suffix));
    const files = this.options.trackIds.map((id) => names.map((name) => this.path(id, name)));
    if (!files.flat().every((path) => existsSync(path))) return;
    this.open = open;
    this.options.trackIds.forEach((id, i) =>
      this.bytes.set(
        id,
        files[i]!.map((path) => readFileSync(path)),
      ),
    );
  }

  /** Writes the files of one part. Throws the error of the filesystem. */
  add({ startSeconds, seconds, tracks }: CmafPart, nextSequence: number, isIndependent: boolean): void {
    this.open ??= { sequence: nextSequence, startSeconds, live: [] };
    const name = partName(this.open.sequence, this.open.live.length, this.options.suffix);
    const times: ListedPart['times'] = {};
    for (const [id, { bytes, startTime, duration }] of tracks) {
      writeAtomic(this.path(Number(id), name), bytes);
      times[Number(id)] = { startTime, duration };
      this.bytes.set(Number(id), [...(this.bytes.get(Number(id)) ?? []), bytes]);
    }
    this.open.live.push({ seconds, independent: isIndependent, times });
  }

  /** Makes one segment of the parts, and writes its files; undefined when there is none. Throws the error of the filesystem. */
  close(): ListedSegment | undefined {
    const { open } = this;
    if (open === undefined) return undefined;
    const { sequence, startSeconds, live } = open;
    for (const [id, bytes] of this.bytes) writeAtomic(this.path(id, `${sequence}${this.options.suffix}.m4s`), bytes);
    const times = this.options.trackIds.map((id) => [id, joinedTimes(live.map((part) => part.times[id]!))]);
    this.bytes = new Map();
    this.open = undefined;
    this.lastParts = live.length;
    const seconds = live.reduce((sum, part) => sum + part.seconds, 0);
    return { sequence, startSeconds, seconds, parts: Object.fromEntries(times), live };
  }

  /** Takes the parts of older segments off the list, and removes those that left it before. */
  retire(segments: readonly ListedSegment[], targetSeconds: number): void {
    for (const { sequence, parts } of this.leaving.splice(0))
      for (const id of this.options.trackIds)
        for (let part = 0; part < parts; part += 1)
          rmSync(this.path(id, partName(sequence, part, this.options.suffix)), { force: true });
    let behind = 0;
    for (const segment of segments.toReversed()) {
      if (behind >= LISTED_TARGETS * targetSeconds && segment.live !== undefined) {
        this.leaving.push({ sequence: segment.sequence, parts: segment.live.length });
        delete segment.live;
      }
      behind += segment.seconds;
    }
  }

  /** Says to all who serve the folder what is there now: playlists and files of the newest part are written by then. */
  announce(nextSequence: number, targetSeconds: number, ended: boolean): void {
    const { dir, suffix } = this.options;
    const { open, lastParts } = this;
    const parts = open?.live.length ?? 0;
    const state: StoredState = { suffix, sequence: nextSequence, parts, lastParts, targetSeconds, ended };
    writeLiveState(dir, { ...state, ...(open !== undefined && { open }) } as LiveState);
  }

  private path(trackId: number, name: string): string {
    return join(this.options.dir, String(trackId), name);
  }
}
