/**
 * The order and the state of a Live stream's run. The user's order (`desired`) is stored apart from the state (`status`); control brings
 * them together, over the link to the Device that carries it out (device-link.ts).
 */
import type { AudioTrack } from '../sources/audio-tracks.ts';
import type { PromisedRun } from '../encodings/capacity.ts';
import type { DrmSystem } from '../destinations/drm-provider.ts';
import type { ContentKeys } from '../installation/integrations.ts';
import type { AudioSettings, ResolvedVideo } from '../encodings/encoding.ts';
import type { EventKind, Severity } from '../installation/event.ts';
import type { Failover } from './failover.ts';
import type { Peaks, WatchFacts } from './live-picture.ts';
import type { BlackoutMode, CueSpec } from './runtime.ts';
import type { Crop, Livestream, LivestreamStatus, Position, StartConfigEntry } from './livestream.ts';
import type { Detect, SoundOptions } from './sound.ts';
import type { EncodingStatus, PathStatus, PublishingStatus, RuntimeStatus, SourceStatus } from './livestream-status.ts';
import type { SetUp } from './set-up.ts';
import type { RetryBudget } from '../../time/back-off.ts';
import type { Channel } from '../sources/channel.ts';
import type { Publishing } from '../destinations/publishing.ts';

export interface BoundAsset {
  fileType: 'logos' | 'files';
  filename: string;
  /** Use of the file; left out in rows of earlier versions. */
  use?: AssetUse;
}
export type AssetUse = 'source' | 'fallback' | 'logo' | 'blackout';

/**
 * Settings in force that can be changed on air; a start takes them from the Live stream. A Device that has lost the run gets them, and the
 * next change keeps the rest of them: the position of a logo that is not shown, the words of a text that is hidden.
 */
export interface InForce extends Pick<
  Livestream,
  'channelId' | 'logo' | 'overlay' | 'crop' | 'fallback' | 'scteMarkers' | 'failover' | 'sound' | 'detect'
> {
  blackout: { mode: BlackoutMode; filename: string | null; keepAudio: boolean };
  adValues: AdValues;
}

/** One row a Live stream, id = livestreamId. */
export interface Run extends PromisedRun {
  id: number;
  desired: 'on' | 'off';
  status: LivestreamStatus;
  errorstatus: string | null;
  /** When the present status was entered. */
  since: string;
  started_at: string | null;
  /** New for each accepted start; a report of another run is not about this one. */
  runId: string;
  deviceId: number | null;
  /** Set for a run on the cloud platform, whose deviceId is null. Left out in rows of earlier versions. */
  cloudAccountId?: number | null;
  /** Input slot on the Device, from 1; null when stopped. */
  slot: number | null;
  /** Paths that are switched on at present. */
  startConfig: StartConfigEntry[];
  /**
   * Paths that the start switched on and the next one will, because a toggle on air lasts until the end of the run. Left out in rows of
   * earlier versions.
   */
  startedWith?: StartConfigEntry[];
  /** Publishings of the run, those that joined on air included: at a start, one that is not among them is new and on. */
  boundPublishings: number[];
  /** Recordings that were begun on air in this run; left out while there was none. */
  takes?: { count: number; isOpen: boolean };
  /** The group that the start delivered to; left out for a single Destination, and in rows of earlier versions. */
  boundGroup?: number;
  /** Encodings of the ladder of that start. */
  boundEncodings: number[];
  /** Files that the run uses, or is about to use; left out in rows of earlier versions. */
  boundAssets?: BoundAsset[];
  /** The Channel on air, and one that is being switched to; left out in rows of earlier versions. */
  boundChannels?: number[];
  /** Left out in rows of earlier versions, which use the Live stream's options. */
  inForce?: InForce;
  scheduleId: number | null;
  requested_by: string;
  /** Highest event sequence of this run that the event log holds. */
  lastEventSeq: number;
  /** Set with status 3 once nothing of the run is left at its place. */
  ended?: true;
  /** Set for the first start of a Live stream that a set-up has made. */
  setUp?: SetUp;
}

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

/** Seconds; null when not set. */
export interface AdValues {
  default_ad_duration: number | null;
  max_ad_duration: number | null;
  next_ad_duration: number | null;
}

/** Everything a runner needs, secrets included; it is handed over in a file of mode 0600, never by arguments or environment. */
export interface RunSpec {
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
  adValues: AdValues;
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
  /** Ids of the last changes that the run has carried out, oldest first. */
  carriedOut?: string[];
  /** The order as the store had it, sealed, for a store that went back to before it; left out in specs of earlier versions. */
  order?: string;
}

export interface FallbackSpec {
  mode: 'slate' | 'file' | 'none';
  path: string | null;
}

/** Paths of a Destination to switch; a path that is left out stays as it is. */
export interface PathChange {
  publishingId: number;
  primary?: boolean | undefined;
  backup?: boolean | undefined;
}

/**
 * A change of a run on air, handed to its runner. It is in force when the call is answered, and from then on in the runner's spec on disk;
 * a cue alone leaves nothing there. `by` is the user who wants it, for the event log.
 */
export type RunChange = { by?: string | undefined } & (
  | { type: 'picture'; picture: Partial<PictureSpec> }
  | { type: 'source'; source: SourceSpec }
  /** Switching a path on retries it at once, with a fresh budget. */
  | { type: 'paths'; paths: PathChange[] }
  /** New settings (a stream key, a URL) of one bound Destination; its enabled paths begin anew, the flags stay. */
  | { type: 'output'; output: OutputSpec }
  /** Outputs that join the run or leave it, by publishing id: Destinations join switched off, a Recording begins at once. */
  | { type: 'outputs'; add: OutputSpec[]; remove: number[] }
  | { type: 'cue'; cue: CueSpec }
  | { type: 'adValues'; adValues: Partial<AdValues> }
  | {
      type: 'options';
      options: Partial<Pick<RunSpec, 'crop' | 'scteMarkers' | 'fallback' | 'failover' | 'sound' | 'detect'>>;
    }
);

/** A runner's report about itself, sent about once a second and on each change. */
export interface RunReport extends WatchFacts {
  runId: string;
  livestreamId: number;
  /** starting: no evidence yet; running: encoded frames leave and an enabled Destination takes them; failed, stopped: final. */
  phase: 'starting' | 'running' | 'failed' | 'stopped';
  error: string | null;
  /** ISO instant of the first evidence. */
  on_air_at: string | null;
  source: SourceStatus;
  encodings: EncodingStatus[];
  publishings: PublishingStatus[];
  runtime: RuntimeStatus;
  /** CPU time of the runner and its children over wall time, mean of the last 10 s or more; left out until it is known. */
  cpu_cores?: number;
  /** Cores that all programs take of those that the Device may use, in the same time; left out until it is known. */
  cores_taken?: number;
  /** Space of the filesystem with recordings and segments; left out until it is known. */
  disk?: { free_bytes: number; size_bytes: number };
  /** Peaks of the sound on air in the last second; left out where no sound is decoded. */
  peaks?: Peaks;
  /** Bits of SIGNAL_FLAGS; left out before the first frame, and by runners of earlier versions. */
  flags?: number;
  /** Totals that Record Destinations have written in this run, all parts together; left out by runners of earlier versions. */
  recordings?: { publishingId: number; seconds: number; bytes: number; files: number }[];
  /** The file of a recording that was begun on air; left out while there is none. */
  take?: PathStatus;
  /** Paths that a viewer can watch, relative to the Device's media URL, by publishing id. */
  watch: { publishingId: number; path: string; access?: 'token' }[];
}

/** An entry of a runner's own log; `seq` counts from 1 within the run and never repeats, restarts of the runner included. */
export interface RunEvent {
  runId: string;
  livestreamId: number;
  seq: number;
  at: string;
  kind: EventKind;
  severity: Severity;
  message: string;
  data: Record<string, unknown>;
}
