/** The shape of a CMAF folder, and the facts of each writing. */
import type { ListsSpec } from '../../../../domain/shapes/broadcasts/run-spec.ts';
import type { CaptionChannel } from '../../../media/captions/cc-channels.ts';
import type { PlaylistMarks } from '../../../media/manifests/hls-cue-lines.ts';
import type { AnnouncedKeys } from '../../../media/manifests/protection.ts';
import type { Layout, TrackRate } from '../../../media/manifests/presentation.ts';
import type { TextSegments } from '../../../media/webvtt/text-segments.ts';

export interface CmafFolderOptions {
  dir: string;
  /** Key that tokens of viewers are checked with; left out: everybody may watch. */
  accessKey?: string | undefined;
  runId: string;
  /** Left out: they begin with this run. */
  lists?: ListsSpec | undefined;
  /** CMAF has HLS playlists and the MPD; DASH the MPD alone, HLS the playlists. */
  hls: boolean;
  dash: boolean;
  /** Low latency: no part of any track is longer than so many seconds. */
  partTargetSeconds?: number | undefined;
  layout: Layout;
  playlistLength: number;
  /** At least so many seconds stay listed. */
  timeShiftSeconds: number;
  targetSeconds: number;
  /** Usual length of a segment, which players of low latency count by; 0: it is learnt. */
  segmentSeconds: number;
  /** Called at each writing, since captions may begin late. */
  captions(): readonly CaptionChannel[];
  /** Left out: captions are no tracks of text. */
  texts?: TextSegments | undefined;
}

/** The facts of manifests at a time. */
export interface Publication {
  nowMs: number;
  rates: ReadonlyMap<number, TrackRate>;
  marks?: PlaylistMarks;
  /** Keys of the media that is written; left out: it is not encrypted. */
  keys?: AnnouncedKeys | undefined;
}
