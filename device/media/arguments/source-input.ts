/** Chooses by a Channel's type how ffmpeg opens it. A Channel that cannot be opened has been refused before. */
import type { SourceSpec } from '../../../domain/run.ts';
import { fileInput, LIVE_PROBE, streamInput, type IngestInput } from './ingest-args.ts';
import { srtInput } from './srt-input.ts';

export function ingestInput({ type, path, settings }: SourceSpec): IngestInput {
  if (type === 'File') return fileInput(path!, settings.loop !== false);
  if (type === 'SRT') return srtInput(settings);
  if (type === 'RTMP-Push') return pushedInput;
  return streamInput(settings.url!);
}

/** Our RTMP listener has checked the key: ffmpeg's own -listen takes any. */
const pushedInput: IngestInput = {
  args: [...LIVE_PROBE, '-f', 'flv', '-i', 'pipe:0'],
  list: undefined,
  readsStdin: true,
  listens: { againMs: 100 },
};
