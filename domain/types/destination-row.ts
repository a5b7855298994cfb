/** The columns that every type of Destination has. */
import type { OwnedSetting } from './destination-settings.ts';
import type { TypeLabel, TypeNeeds } from './type-needs.ts';

export const DRM_SYSTEMS = ['Widevine', 'Playready', 'Fairplay'] as const;

/** A type that viewers play: a Device serves it, or pushes it to an origin. */
export interface Packaging {
  /** The file that a viewer opens first. */
  manifest: string;
  hls: boolean;
  dash: boolean;
  segments: 'ts' | 'fmp4';
}

/** Codecs that it cannot carry, video and sound, and sound beside hevc. */
export interface NotCarried {
  video: readonly string[];
  audio: readonly string[];
  audioBesideHevc: readonly string[];
  /** It shows all that it gets as SDR. */
  hdr?: true;
}

export interface DestinationTypeRow {
  /** Settings that belong to this type and not to all; for others they are refused. */
  settings: readonly Exclude<OwnedSetting, 'stream_key'>[];
  /** Schemes that its addresses may have; none where it has no address. */
  schemes: readonly string[];
  needsUrl: boolean;
  /** How the target is told the stream key: as the end of the address, or as the stream id; null: it has none. */
  key: 'path' | 'streamid' | null;
  packaged: Packaging | null;
  notCarried: NotCarried;
  /** It has one sound: of several tracks the default one is delivered. */
  hasOneTrack: boolean;
  /** DRM systems that it can be encrypted for. */
  drm: readonly (typeof DRM_SYSTEMS)[number][];
  /** Files that it writes to the disk of the Device. */
  disk: 'segments' | 'recordings' | null;
  /** Who gets it, which the page lists it by. */
  use: 'viewers' | 'platforms' | 'device' | 'record';
  /** The cloud platform delivers it too. */
  isInCloud: boolean;
  needs: TypeNeeds;
  label: TypeLabel;
  /** The words behind its name in the manual. */
  manual: string;
  example: { url?: string; [setting: string]: unknown };
}
