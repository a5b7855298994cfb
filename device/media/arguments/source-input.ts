/** Chooses by a Channel's type how ffmpeg opens it. A Channel that cannot be opened has been refused before. */
import type { ChannelType } from '../../../domain/shapes/sources/channel.ts';
import { isPushed } from '../../../domain/shapes/sources/ingest.ts';
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run.ts';
import { fileInput, LIVE_PROBE, NO_MORE_PROGRAMS, streamInput, type IngestInput } from './ingest-args.ts';
import { srtInput } from './srt-input.ts';

export function ingestInput({ type, path, settings }: SourceSpec): IngestInput {
  if (type === 'File') return fileInput(path!, settings.loop !== false);
  if (isPushed({ type, settings })) return pushedInput(type);
  if (type === 'SRT') return srtInput(settings);
  return streamInput(settings.url!);
}

/** The push process has let the pusher in and gives its media to stdin (device/push/). */
function pushedInput(type: ChannelType): IngestInput {
  // Of both FLV demuxers this one follows a clock that begins anew.
  const demuxer = type === 'SRT' ? [...NO_MORE_PROGRAMS, '-f', 'mpegts'] : ['-f', 'live_flv'];
  return {
    args: [...LIVE_PROBE, ...demuxer, '-i', 'pipe:0'],
    list: undefined,
    readsStdin: true,
    hasBurst: true,
    listens: { againMs: 100 },
  };
}
