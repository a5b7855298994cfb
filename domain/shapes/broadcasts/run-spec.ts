/** Everything that a runner gets, and the parts that changes on air bring it anew. */
import type { AudioTrack } from '../sources/audio-tracks.ts';
import type { Channel } from '../sources/channel.ts';
import type { DrmSystem, KeyTrack } from '../destinations/drm-provider.ts';
import type { Publishing } from '../destinations/publishing.ts';
import type { ContentKeys } from '../installation/integrations.ts';
import type { AudioSettings, ResolvedVideo } from '../encodings/encoding.ts';
import type { RetryBudget } from '../../time/back-off.ts';
import type { BlackoutMode } from '../changes/change-bodies.ts';
import type { RunSettings } from '../changes/changes.ts';
import type { Failover } from './failover.ts';
import type { Crop, Position } from './livestream.ts';
import type { Gate } from './run-move.ts';
import type { Detect, SoundOptions } from './sound.ts';

/** A rendition for the encoder; sizes are resolved to even pixels. Without `video` it is audio only, without `audio` video only. */
export interface RenditionSpec {
  encodingId: number;
  name: string;
  video: ResolvedVideo | null;
  audio: AudioSettings | null;
  /** The rate is the source's: the runner measures it before it plans, and takes `fps` when it is not known. */
  fpsOfSource?: true;
  /** This side follows the shape of the source, as it is shown. */
  sideOfSource?: 'width' | 'height';
}

export interface SourceSpec {
  channelId: number;
  name: string;
  type: Channel['type'];
  settings: Channel['settings'];
  /** Absolute path of the media file, for type File. */
  path: string | null;
  /** Length of that file; left out where it is not known. */
  durationSeconds?: number;
  /** The form that it had when it was last received; left out where nothing is known. */
  lastFormat?: SourceFormat;
}

export interface SourceFormat {
  fps: number;
  width: number;
  height: number;
}

export interface OutputSpec {
  /** A Recording that was begun on air has minus its number within the run (domain/shapes/media/recording.ts). */
  publishingId: number;
  name: string;
  type: Publishing['type'];
  settings: Publishing['settings'];
  retry: RetryBudget;
  primary: boolean;
  /** null when the Destination has no backup path. */
  backup: boolean | null;
  /** Encoding ids to deliver, in ladder order. */
  qualities: number[];
  /** The output is to be encrypted; without `drm` it is not delivered at all. */
  encrypted?: true;
  /** Left out for an output in the clear. */
  drm?: OutputDrm;
  /** The output is not public; without `accessKey` it is not delivered at all. */
  access?: 'token';
  /** Secret key that checks viewers' tokens. */
  accessKey?: string;
}

/** Secret facts with which a packager encrypts. */
export interface OutputDrm extends ContentKeys {
  /** Systems to advertise, among those that have `signals`. */
  systems: readonly DrmSystem[];
  /** Left out: the keys are never replaced. */
  rotation?: KeyRotation;
}

/** Keys that are replaced period by period; those of OutputDrm are the first. */
export interface KeyRotation {
  periodMs: number;
  /** In the order of their numbers: keys that were in use last, and those that come. */
  periods: PeriodKeys[];
  source: KeySource;
}

export interface PeriodKeys extends Pick<ContentKeys, 'keys' | 'signals'> {
  /** Periods of one length are counted since 1970. */
  index: number;
}

/** The provider of keys of further periods, and what they are for. */
export interface KeySource {
  providerId: number;
  contentid: string;
  tracks: KeyTrack[];
}

/** A segment that is older than this is not encrypted any more. */
const KEPT_PERIODS = 3;

/** The output with the keys of one more period; it is the same for one that does not replace its keys. */
export function withPeriodKeys(output: OutputSpec, period: PeriodKeys): OutputSpec {
  const { drm } = output;
  if (drm?.rotation === undefined) return output;
  const others = drm.rotation.periods.filter(({ index }) => index !== period.index);
  const periods = [...others, period].sort((a, b) => a.index - b.index).slice(-KEPT_PERIODS);
  return { ...output, drm: { ...drm, rotation: { ...drm.rotation, periods } } };
}

/** A file of the asset buckets at its path on the Device. */
export interface FileSpec {
  filename: string;
  path: string;
}

export interface TextSpec {
  /** Text with %d %m %Y %H %M %S and %C as they were sent; no other placeholder has a meaning. */
  text: string;
  position: Position;
  /** Pixels at 1080 lines. */
  size: number;
  /** #rrggbb */
  color: string;
}

export interface BlackoutSpec {
  mode: BlackoutMode;
  /** For mode File, the file that is played in a loop in place of the source. */
  file: FileSpec | null;
  /** The source's audio goes on under the black video or the file. */
  keepAudio: boolean;
}

/** The layers over the source's video, and the one that replaces it. */
export interface PictureSpec {
  logo: (FileSpec & { position: Position }) | null;
  text: TextSpec | null;
  blackout: BlackoutSpec;
}

/** Everything a runner needs, secrets included; it is handed over in a file of mode 0600, never by arguments or environment. */
export interface RunSpec extends RunSettings {
  runId: string;
  livestreamId: number;
  name: string;
  source: SourceSpec;
  /** The one of both sources that is not on air; left out without a backup. */
  backup?: SourceSpec;
  /** Channels of the Live stream's source and of its backup. */
  pair?: { first: number; backup: number };
  failover: Failover;
  sound: SoundOptions;
  /** null: nothing is watched for. */
  detect: Detect | null;
  fallback: FallbackSpec;
  /** Per cent of the source's frame that is cut off at each edge before scaling. */
  crop: Crop | null;
  /** `webvtt`: captions of the source are text tracks, too. */
  captions: { webvtt: boolean };
  /** Whether cues of the source are carried to the Destinations. */
  scteMarkers: boolean;
  picture: PictureSpec;
  /** IANA zone of the clock tokens in texts. */
  timezone: string;
  renditions: RenditionSpec[];
  /** Audio tracks for viewers to choose from; left out or empty: all that the source has when it is opened. */
  audio?: AudioTrack[];
  outputs: OutputSpec[];
  /** Seconds without media evidence until the run has failed. */
  startTimeoutSeconds: number;
  /** fallback: viewers get the fallback until the source comes. Left out in specs of earlier versions: fail. */
  startWithoutSource?: 'fail' | 'fallback';
  /** Its viewers have had it, at this Device or another one: nothing bounds its start, and they get the fallback until its source comes. */
  wasOnAir?: true;
  /** Ids of the last changes that the run has carried out, oldest first. */
  carriedOut?: string[];
  /** Left out in specs of earlier versions: the lists of segments begin anew. */
  lists?: ListsSpec;
  /** Left out for a run that was never moved: it is open. */
  gate?: Gate;
  /** It delivers through its gate by a lease alone (domain/time/lease.ts). */
  lease?: true;
  /** The order as the store had it, sealed, for a store that went back to before it; left out in specs of earlier versions. */
  order?: string;
}

/** The beginning of lists of segments, for players that go on with a broadcast that went to another Device. */
export interface ListsSpec {
  /** ISO instant at which the broadcast was ordered; the availabilityStartTime of DASH. */
  since: string;
  /** No earlier run of this broadcast has had a segment or a discontinuity of this number. */
  firstNumber: number;
}

export interface FallbackSpec {
  mode: 'slate' | 'file' | 'none';
  path: string | null;
}
