/** The tracks of a packaged Destination, for the packager and for manifests. */
import type { PackagerTrack } from '../../../media/arguments/packager-args.ts';
import type { LadderPlan, RenditionPlan } from '../../../media/ladder/ladder-plan.ts';
import type { Layout, TrackLabel } from '../../../media/manifests/presentation.ts';
import type { AnnouncedKeys } from '../../../media/manifests/protection.ts';
import { tracksOf } from '../rendition-tracks.ts';

export interface Track extends PackagerTrack {
  /** Rate in kbit/s as encoded; undefined for a copy. */
  kbps: number | undefined;
  label: TrackLabel | undefined;
}

export function packagerTracks(renditions: readonly RenditionPlan[]): Track[] {
  const { videos, audios } = tracksOf(renditions);
  const kbpsOf = (codec: string, bitrate: number): number | undefined => (codec === 'copy' ? undefined : bitrate);
  return [
    ...videos.map(({ pid, settings: { codec, bitrate } }) => {
      return { pid, kind: 'video' as const, codec, kbps: kbpsOf(codec, bitrate), label: undefined };
    }),
    ...audios.map(({ pid, settings: { codec, bitrate }, track }) => {
      return { pid, kind: 'audio' as const, codec, kbps: kbpsOf(codec, bitrate), label: track };
    }),
  ];
}

export function layoutOf(
  renditions: readonly RenditionPlan[],
  tracks: readonly Track[],
  plan: LadderPlan,
  keys: AnnouncedKeys | undefined,
): Layout {
  const rateOf = (pid: number) => renditions.find(({ video }) => video?.pid === pid)?.video?.rate;
  return {
    keys,
    tracks: tracks.map(({ pid, kind, label }) => {
      return { id: pid, kind, rate: plan.copy ? undefined : rateOf(pid), label };
    }),
    renditions: renditions.map(({ video, audios }) => ({ video: video?.pid, audios: audios.map(({ pid }) => pid) })),
  };
}
