/** The port through which tools and workflows steer broadcasts; control/ implements it. */
import type { Livestream, LivestreamStatus, StartConfigEntry } from '../shapes/broadcasts/livestream.ts';
import type { DeviceCapacity } from '../shapes/encodings/capacity.ts';
import type { Channel } from '../shapes/sources/channel.ts';
import type { ChannelIngest } from '../shapes/sources/ingest.ts';
import type { MoveControl } from './move-control.ts';
import type { RunFigures } from './run-figures.ts';
import type { PairingCredentials } from './device-link.ts';
import type { LivePicture, PictureWidth } from '../shapes/broadcasts/live-picture.ts';
import type { SourceProbe } from '../shapes/sources/probe.ts';
import type { DeliveryPlace, PlaybackLink, WatchAddress } from '../shapes/destinations/playback.ts';
import type { Publishing } from '../shapes/destinations/publishing.ts';
import type { FetchableMedia } from './media-bucket.ts';
import type { ClipSegment, ClipSpan } from '../shapes/media/clip.ts';
import type { Recording, RecordingFiles } from '../shapes/media/recording.ts';
import type { LivestreamStatusView } from '../shapes/broadcasts/livestream-status.ts';
import type { Run, RunReport } from '../shapes/broadcasts/run.ts';
import type { DeviceState } from '../shapes/devices/device.ts';
import type { Ahead, LiveChange } from '../shapes/changes/live-change.ts';
import type { Tx, View } from './store.ts';

export interface StartRequest {
  idEncoderGroup?: number | null | undefined;
  deviceId?: number | null | undefined;
  /** Names the cloud platform instead of a Device. */
  cloudAccountId?: number | null | undefined;
  startConfig?: StartConfigEntry[] | undefined;
}

export const START_REFUSALS = [
  'disabled',
  'unbound',
  'already_running',
  'channel_missing',
  'asset_missing',
  'destination_in_use',
  'licence',
  'no_capacity',
  'no_device',
  'wrong_device',
  'unsupported',
] as const;
export type StartRefusal = (typeof START_REFUSALS)[number];
export interface StartReason {
  code: StartRefusal;
  message: string;
}

export interface StartCheck {
  startAllowed: boolean;
  reasons: StartReason[];
  startConfig: StartConfigEntry[];
}

/** Outcome of a start or stop order: `accepted` is false when there was nothing to change. */
export interface OrderResult {
  accepted: boolean;
  run: Run | undefined;
}

/** The files of a Destination that a Device serves, for the server itself. */
export interface MediaSource {
  /** The Device's address of their folder, with a slash at its end. */
  url: string;
  /** Goes into PLAYBACK_TOKEN_HEADER; undefined when everybody may watch. */
  token: string | undefined;
}

/** A change on air that the encoder has confirmed. */
export interface ConfirmedChange {
  /** The status that the encoder reports now. */
  status: LivestreamStatusView;
  /** Facts for the caller beside the status, in sentences without ids. */
  notes: string[];
  /** For options, those that the encoder could not take, which count from the next start; empty for all other kinds. */
  missed: string[];
  /** Updates the run's row inside the commit of the call. Throws AppError wrong_state when the run was stopped meanwhile. */
  settle(tx: Tx): void;
}

/** A source to look at; null: on any Device. */
export type ProbedSource = Pick<Channel, 'name' | 'type' | 'settings' | 'deviceId'>;

/** A JPEG of a source; `takenAt` is in milliseconds since 1970. */
export interface ChannelPicture {
  content: Buffer;
  takenAt: number;
}

export const TARGET_REASONS = [
  'disabled',
  'offline',
  'no_input',
  'unsupported',
  'no_capacity',
  'storage',
  'wrong_group',
  'empty',
  'not_validated',
  'licence',
] as const;

/** A place where a Live stream could be started. */
export interface StartTarget {
  kind: 'device_group' | 'device' | 'cloud';
  id: number;
  name: string;
  /** True when a start that names it would be placed there now. */
  available: boolean;
  /** Marks the target to take; at most one. */
  recommended: boolean;
  /** Reason against the target; an available one with a reason is not the place that the Live stream is configured for. */
  reason: { code: (typeof TARGET_REASONS)[number]; message: string } | null;
  /** For a group, the sum of its Devices; null when it is not known here. */
  capacity: Pick<DeviceCapacity, 'free' | 'load' | 'slots'> | null;
  /** Cores that the start takes there; for a group, on the Device that it would choose. */
  needed: number | null;
}

export interface StartTargets {
  /** Reasons against a start anywhere. */
  reasons: StartReason[];
  /** Targets, best first. */
  targets: StartTarget[];
}

export interface Control extends RunFigures, MoveControl {
  /** The ingest of a pushed Channel as its Device reports it; null for other types. */
  ingest(channel: Readonly<Channel>): ChannelIngest | null;
  /** The address of a pushed Channel with its key, and those at its other Devices. */
  ingestUrls(channel: Readonly<Channel>): { url: string; backup_urls: string[] };
  /** Checks over a view whether a start would be accepted now, and if not, why. */
  checkStart(view: View, livestreamId: number, request: StartRequest): StartCheck;
  /** Runs inside a commit and stores the order (status 1). Throws AppError for each refusal. The reconciler carries it out afterwards. */
  orderStart(
    tx: Tx,
    now: string,
    livestreamId: number,
    request: StartRequest,
    by: { username: string; scheduleId?: number },
  ): OrderResult;
  /**
   * Runs inside a commit and stores the order to stop. Unless a Schedule gives it, it ends the occurrence on air, so that nothing starts it
   * again.
   */
  orderStop(tx: Tx, now: string, livestreamId: number, by: { username: string; scheduleId?: number }): OrderResult;
  /** Resolves when the status is one of `until`, or with the present status when `timeoutMs` is over or the signal aborts. */
  waitFor(
    livestreamId: number,
    until: readonly LivestreamStatus[],
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<LivestreamStatus>;
  status(livestream: Pick<Livestream, 'id' | 'name'>, run: Run | undefined): LivestreamStatusView;
  /**
   * Carries out a change of a Live stream on air: checks it, marks what the run is about to use, calls the encoder, and hands the confirmed
   * change to `commit`. When any part fails, the run's row is as it was. Changes of the same subject wait for each other. Rejects with
   * AppError: wrong_state (status is not 2), rule_violated, unsupported_by_device, forbidden (a licence), unavailable, timeout,
   * upstream_failed. A change that the encoder has carried out under `changeId` is not carried out again. With `ahead` the encoder gets it
   * at once and the commit follows at the instant; a failure before it may be retried until then.
   */
  changeLive<T>(
    livestreamId: number,
    change: LiveChange,
    commit: (confirmed: ConfirmedChange) => Promise<T>,
    changeId?: string,
    ahead?: Ahead,
  ): Promise<T>;
  /** Makes the check of changeLive over a view and answers the notes. Throws AppError. */
  checkChange(view: View, livestreamId: number, change: LiveChange): string[];
  /** The frame that viewers see now, as a JPEG of at most the given width. Rejects like changeLive. */
  preview(livestreamId: number, width: number): Promise<Buffer>;
  /** A small picture of the frame that viewers see now. Rejects with AppError wrong_state when it is not on air, and like changeLive. */
  picture(livestreamId: number, width: PictureWidth): Promise<LivePicture>;
  /**
   * Looks at a source; a second call while one runs shares it. Rejects with AppError: not_found, timeout (no media came), wrong_state (it is
   * on air and serves one connection alone), rule_violated, unsupported_by_device, upstream_failed, unavailable.
   */
  probeChannel(channelId: number): Promise<SourceProbe>;
  /** Looks at a source that no Channel stands for yet. Rejects like probeChannel. */
  probeSource(source: ProbedSource): Promise<SourceProbe>;
  /** The finding of the last look; undefined when there was none since this server started. */
  lastProbe(channelId: number): SourceProbe | undefined;
  /** The picture of now while the Channel is on air, else that of the last look. Rejects with AppError not_found when it is too old. */
  channelPicture(channelId: number, width: number): Promise<ChannelPicture>;
  /** URLs of the outputs that the Device itself serves for this Live stream. */
  watchAddresses(livestreamId: number): WatchAddress[];
  /** Tells whether a Device that is known delivers under this origin (RFC 6454). */
  isMediaOrigin(origin: string): boolean;
  /** Rejects with AppError not_found (also where its Device serves no such Destination now), wrong_state (not on air), unavailable. */
  mediaSource(livestreamId: number, publishingId: number): Promise<MediaSource>;
  /** The Device that serves a Destination; undefined: files of this machine do, or nothing is known of it. */
  deliveryPlace(livestreamId: number, publishingId: number): DeliveryPlace | undefined;
  /** An address with a token. Throws AppError rule_violated (it needs none, or is watched elsewhere) and wrong_state (no place is known yet). */
  playbackLink(livestream: Readonly<Livestream>, publishing: Readonly<Publishing>, expiresAtMs: number): PlaybackLink;
  /** State of a Device that is known at run time alone; `licensed` are the sums of the licences. */
  deviceState(deviceId: number): DeviceState;
  /** Seconds by which the clock of a Device is ahead of this server's; undefined where this server does not hear it. */
  clockAhead(deviceId: number): number | undefined;
  /** Lists where a Live stream can be started, with what `checkStart` would answer for each place. Throws AppError not_found. */
  startTargets(view: View, livestreamId: number): StartTargets;
  /** The Device's last report about a run that starts or runs; undefined when there is none. */
  lastReport(livestreamId: number): RunReport | undefined;
  /** Cores of a known Device, and the reserved part of them. */
  deviceCapacity(deviceId: number): DeviceCapacity;
  /**
   * Pairs with the agent of another machine. `key` belongs in the Device's row and nowhere else; with the commit of that row the Device is
   * in service. `undo` is for a commit that failed. Throws AppError as DeviceNetwork.pair does.
   */
  pairDevice(address: string, credentials: PairingCredentials): Promise<{ key: string; undo(): Promise<void> }>;
  /** This server among those that share the store; LONE_MEMBER where it has its store alone. */
  readonly memberId: string;
  readonly assetFiles: AssetFiles;
  readonly recordings: RecordingFiles;
  /** The row; while the Recording is being written, with the length, size and number of files that its encoder reports. */
  measured(recording: Readonly<Recording>): Readonly<Recording>;
  /** IANA zone of the service, for Schedules that name none and for times shown to people. */
  readonly timezone: string;
}

/** The files behind Assets. Content is probed against its bucket before it counts. */
export interface AssetFiles {
  /**
   * Writes the content of a new Asset to disk, probes it and answers the facts. Rejects with AppError unsupported_media, too_large; nothing
   * is left behind. The file becomes visible under its name only with `keep`.
   */
  receive(
    bucket: string,
    filename: string,
    content: ReadableStream<Uint8Array>,
    signal: AbortSignal,
  ): Promise<ReceivedAsset>;
  /**
   * Cuts a new Asset of the bucket clips, and says what each of its pieces became. `progress` gets seconds of it. Rejects with AppError: rule_violated (beyond the end of the media,
   * no such track), unavailable, timeout when `signal` fires; nothing is left behind.
   */
  cut(
    filename: string,
    order: ClipOrder,
    signal: AbortSignal,
    progress: (done: number, total: number) => void,
  ): Promise<ReceivedAsset & { spans: ClipSpan[] }>;
  /** Bound on the size of all Assets together. */
  readonly quota: AssetQuota;
  path(bucket: string, filename: string): string;
  /**
   * Brings the file of an Asset to this machine, as it is in the storage that several servers share; left out where there is none. Rejects
   * with AppError not_found, upstream_failed and unavailable.
   */
  bring?(bucket: string, filename: string): Promise<void>;
  /**
   * The file of an Asset as a Device can fetch it by itself from the storage that several servers share; undefined for one that is not there.
   * Left out where there is no such storage, which is not asked.
   */
  fetchable?(bucket: string, filename: string): Promise<FetchableMedia | undefined>;
  /** `key` is the one in the storage that several servers share. */
  remove(bucket: string, filename: string, key?: string): Promise<void>;
}

/** Fields that are left out set no limit. */
export interface AssetQuota {
  count?: number | undefined;
  bytes?: number | undefined;
}

export interface ClipOrder {
  /** Media files of this machine, in playing order. */
  files: readonly string[];
  /** In the order in which the clip shows them, in seconds from the beginning of the first file; there is one at least. */
  segments: readonly ClipSegment[];
  /** accurate cuts at the exact frames and encodes anew; keyframe begins each piece at the keyframe at or before `in` and copies. */
  mode: 'accurate' | 'keyframe';
  /** Number of the track in the files, from 1; the largest video when left out. */
  trackId?: number | undefined;
}

export interface ReceivedAsset {
  size_bytes: number;
  content_type: string;
  duration_seconds: number | null;
  width: number | null;
  height: number | null;
  /** Key of the file in the storage that several servers share; left out where there is none. */
  media_key?: string;
  /** Moves the file to its name; refuses to replace one (false). */
  keep(): Promise<boolean>;
  discard(): Promise<void>;
}
