/** Which copied sources are read in this process; ffmpeg reads all others. */
import { iso639 } from '../../../domain/shapes/sources/language.ts';
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { IngestInput } from '../../media/arguments/ingest-args.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import type { FlvTracks } from '../../media/units/flv-transport.ts';
import { flvReader } from './flv-reader.ts';
import type { OpenReader } from './own-reading.ts';

/** Undefined where ffmpeg has to read the source. */
export function ownReader(source: SourceSpec, plan: LadderPlan, { form }: IngestInput): OpenReader | undefined {
  if (plan.audios.some(({ settings }) => settings.codec !== 'copy')) return undefined;
  const tracks = form === 'flv' ? flvTracks(source, plan) : undefined;
  return tracks && ((out) => flvReader(tracks, out));
}

/** FLV has one track of each kind. */
function flvTracks({ settings }: SourceSpec, { videos, audios }: LadderPlan): FlvTracks | undefined {
  const sounds = audios.map(({ pid, track }) => ({
    pid,
    track: track.number ?? settings.audiotrack ?? 0,
    language: iso639(track.language),
  }));
  return sounds.every(({ track }) => track === 0) ? { video: videos[0]?.pid, sounds } : undefined;
}
