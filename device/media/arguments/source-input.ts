/** Chooses by a Channel's type how ffmpeg opens it. A Channel that cannot be opened has been refused before. */
import type { PushedSource } from '../../../domain/types/channel-row.ts';
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run.ts';
import { fileInput, LIVE_PROBE, NO_MORE_PROGRAMS, streamInput, type IngestInput } from './ingest-args.ts';
import { srtInput } from './srt-input.ts';
import { isSrt, playsAsset, pushOf } from '../../../domain/types/channel-questions.ts';

export function ingestInput({ type, path, settings }: SourceSpec): IngestInput {
  if (playsAsset({ type })) return fileInput(path!, settings.loop !== false);
  const pushed = pushOf({ type, settings });
  if (pushed !== undefined) return pushedInput(pushed);
  if (isSrt(type)) return srtInput(settings);
  return streamInput(settings.url!);
}

/** The push process has let the pusher in and gives its media to stdin (device/push/). */
function pushedInput({ protocol }: PushedSource): IngestInput {
  // Of both FLV demuxers this one follows a clock that begins anew.
  const demuxer = protocol === 'srt' ? [...NO_MORE_PROGRAMS, '-f', 'mpegts'] : ['-f', 'live_flv'];
  return {
    args: [...LIVE_PROBE, ...demuxer, '-i', 'pipe:0'],
    list: undefined,
    readsStdin: true,
    hasBurst: true,
    listens: { againMs: 100 },
  };
}
