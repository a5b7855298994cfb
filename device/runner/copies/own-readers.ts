/** Which copied sources are read in this process; ffmpeg reads all others. */
import { hasSetting } from '../../../domain/types/channel-questions.ts';
import { iso639 } from '../../../domain/shapes/sources/language.ts';
import type { SourceSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { IngestInput } from '../../media/arguments/ingest-args.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import type { FlvTracks } from '../../media/units/flv-transport.ts';
import type { WantedStreams } from '../../media/mpeg-ts/stream-choice.ts';
import { datagramSource, type DatagramSource } from './datagram-source.ts';
import { flvReader } from './flv-reader.ts';
import type { OpenReader } from './own-reading.ts';
import { datagramReader, mayTakeDatagrams, transportReader, type TransportHooks } from './transport-reader.ts';

/** Undefined where ffmpeg has to read the source. */
export function ownReader(
  source: SourceSpec,
  plan: LadderPlan,
  { form }: IngestInput,
  hooks: TransportHooks,
): OpenReader | undefined {
  if (plan.videos.length > 1 || plan.audios.some(({ settings }) => settings.codec !== 'copy')) return undefined;
  if (form === 'mpegts') return (out) => transportReader(wantedStreams(source, plan), out, hooks);
  const datagrams = datagramsOf(source);
  if (datagrams !== undefined)
    return (out) => datagramReader(datagrams, transportReader(wantedStreams(source, plan), out, hooks), out);
  const tracks = form === 'flv' ? flvTracks(source, plan) : undefined;
  return tracks && ((out) => flvReader(tracks, out));
}

function datagramsOf({ type, settings: { url } }: SourceSpec): DatagramSource | undefined {
  if (!hasSetting(type, 'url') || url === undefined || !/^(?:udp|rtp):/iu.test(url)) return undefined;
  return mayTakeDatagrams() ? datagramSource(url) : undefined;
}

function wantedStreams({ settings: { program, audiotrack } }: SourceSpec, plan: LadderPlan): WantedStreams {
  return {
    program: program === 0 ? undefined : program,
    picture: plan.videos[0]?.pid,
    sounds: plan.audios.map(({ pid, track }) => ({
      pid,
      number: track.number ?? audiotrack ?? 0,
      language: iso639(track.language),
    })),
  };
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
