/** Chooses by a Channel's type how ffmpeg opens it. A Channel that cannot be opened has been refused before. */
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { fileInput, streamInput, type IngestInput } from './ingest-args.ts';
import { pushedInput, usualForm } from './pushed-input.ts';
import { srtInput } from './srt-input.ts';
import { isSrt, playsAsset, pushOf } from '../../../domain/types/channel-questions.ts';

export function ingestInput({ type, path, settings }: SourceSpec): IngestInput {
  if (playsAsset({ type })) return fileInput(path!, settings.loop !== false);
  const pushed = pushOf({ type, settings });
  if (pushed !== undefined) return pushedInput(usualForm(pushed));
  if (isSrt(type)) return srtInput(settings);
  return streamInput(settings.url!);
}
