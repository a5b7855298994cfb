/** The port through which tools and workflows steer broadcasts; control/ implements it. */
import type { Livestream, LivestreamStatus, StartConfigEntry } from './livestream.ts';
import type { DeviceCapacity } from './capacity.ts';
import type { PairingCredentials } from './device-link.ts';
import type { Publishing } from './publishing.ts';
import type { Recording, RecordingFiles } from './recording.ts';
import type { LivestreamStatusView } from './livestream-status.ts';
import type { Run, RunReport } from './run.ts';
import type { DeviceView } from './device.ts';
import type { Ahead, LiveChange } from './runtime.ts';
import type { Tx, View } from './store.ts';

export interface StartRequest {
  idEncoderGroup?: number | null | undefined;
  deviceId?: number | null | undefined;
  /** The cloud platform instead of a Device. */
  cloudAccountId?: number | null | undefined;
  startConfig?: StartConfigEntry[] | undefined;
}

export const START_REFUSALS = [
  'disabled',
  'unbound',
  'already_running',
  'channel_missing',
  'asset_missing',
  'licence',
  'no_capacity',
  'no_device',
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

/** What a start or stop changed: `accepted` is false when there was nothing to change. */
export interface OrderResult {
  accepted: boolean;
  run: Run | undefined;
}

/** An address that a player opens as it is, until it runs out. */
export interface PlaybackLink {
  url: string;
  expires_at: string;
}

export interface WatchAddress {
  publishingId: number;
  name: string;
  type: string;
  url: string;
  /** null: everybody may watch. */
  expires_at: string | null;
}

/** A change on air that the encoder has confirmed. */
export interface ConfirmedChange {
  /** As the encoder tells it now. */
  status: LivestreamStatusView;
  /** What a caller should know beside it, in sentences without ids. */
  notes: string[];
  /** kind options: what the encoder could not take; it counts from the next start. Empty for all others. */
  missed: string[];
  /** Inside the commit of the call: the run's row follows. Throws AppError wrong_state when the run was stopped meanwhile. */
  settle(tx: Tx): void;
}

export const TARGET_REASONS = [
  'disabled',
  'offline',
  'no_input',
  'unsupported',
  'no_capacity',
  'wrong_group',
  'empty',
  'not_validated',
] as const;

/** A place where a Live stream could be started. */
export interface StartTarget {
  kind: 'device_group' | 'device' | 'cloud';
  id: number;
  name: string;
  /** A start that names it would find its place there now. */
  available: boolean;
  /** The one to take; at most one. */
  recommended: boolean;
  /** What is against it; an available one that has a reason is not what the Live stream is configured for. */
  reason: { code: (typeof TARGET_REASONS)[number]; message: string } | null;
  /** Of a group: all its Devices together; null: not known here. */
  capacity: Pick<DeviceCapacity, 'free' | 'load' | 'slots'> | null;
  /** Cores that the start takes there; of a group: on the Device that it would choose. */
  needed: number | null;
}

export interface StartTargets {
  /** What is against a start anywhere. */
  reasons: StartReason[];
  /** Best first. */
  targets: StartTarget[];
}

export interface Control {
  /** Pure check over a view: would a start be accepted now, and if not, why. */
  checkStart(view: View, livestreamId: number, request: StartRequest): StartCheck;
  /** Inside a commit: stores the order (status 1). Throws AppError for each refusal. The reconciler carries it out afterwards. */
  orderStart(
    tx: Tx,
    now: string,
    livestreamId: number,
    request: StartRequest,
    by: { username: string; scheduleId?: number },
  ): OrderResult;
  /** Inside a commit: stores the order to stop. But for a Schedule's own, it ends the occurrence on air: nothing starts it again. */
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
   * Carries out a change of a Live stream on air: checks it, holds what the run is about to use, asks the encoder, and hands what it
   * has confirmed to `commit`. When anything of it fails, the run's row is as it was. Changes of the same thing wait for each other.
   * Rejects with AppError: wrong_state (status is not 2), rule_violated, unsupported_by_device, forbidden (a licence), unavailable,
   * timeout, upstream_failed. What the encoder has carried out under `changeId` it does not carry out again. With `ahead` it is told
   * at once and commits at the instant; what fails before may be asked again until then.
   */
  changeLive<T>(
    livestreamId: number,
    change: LiveChange,
    commit: (confirmed: ConfirmedChange) => Promise<T>,
    changeId?: string,
    ahead?: Ahead,
  ): Promise<T>;
  /** Pure check over a view, as changeLive makes it; answers the notes. Throws AppError. */
  checkChange(view: View, livestreamId: number, change: LiveChange): string[];
  /** What viewers see now, as a JPEG of the given width at most. Rejects like changeLive. */
  preview(livestreamId: number, width: number): Promise<Buffer>;
  /** URLs of what the Device itself serves for this Live stream. */
  watchAddresses(livestreamId: number): WatchAddress[];
  /** An address with a token. Throws AppError rule_violated (it needs none, or is watched elsewhere) and wrong_state (its place is not known yet). */
  playbackLink(livestream: Readonly<Livestream>, publishing: Readonly<Publishing>, expiresAtMs: number): PlaybackLink;
  /** What is only known at run time of a Device: online, slots, load, mountstatus; `licensed` are the sums of the licences. */
  deviceState(deviceId: number): Pick<DeviceView, 'online' | 'slots' | 'load' | 'mountstatus' | 'licensed'>;
  /** Where a Live stream can be started, as `checkStart` would judge each place. Throws AppError not_found. */
  startTargets(view: View, livestreamId: number): StartTargets;
  /** What its Device last told of a run that starts or runs; undefined when there is none. */
  lastReport(livestreamId: number): RunReport | undefined;
  /** Of a Device that is known; cores and what is reserved of them. */
  deviceCapacity(deviceId: number): DeviceCapacity;
  /**
   * Pairs with the agent of another machine. `key` belongs into the Device's row and nowhere else; with the commit of that row the
   * Device is in service. `undo` is for a commit that failed. Throws AppError as DeviceNetwork.pair does.
   */
  pairDevice(address: string, credentials: PairingCredentials): Promise<{ key: string; undo(): Promise<void> }>;
  readonly assetFiles: AssetFiles;
  readonly recordings: RecordingFiles;
  /** The row; of a Recording that is being written, with length, size and number of files as its encoder tells them now. */
  measured(recording: Readonly<Recording>): Readonly<Recording>;
  /** IANA zone of the service: of Schedules that name none, and of times that are told to people. */
  readonly timezone: string;
}

/** The files behind Assets. Content is probed against its bucket before it counts. */
export interface AssetFiles {
  /**
   * Takes the content of a new Asset to disk, probes it and answers what it is. Rejects with AppError unsupported_media, too_large;
   * nothing is left behind. The file becomes visible under its name only with `keep`.
   */
  receive(
    bucket: string,
    filename: string,
    content: ReadableStream<Uint8Array>,
    signal: AbortSignal,
  ): Promise<ReceivedAsset>;
  /**
   * Cuts a new Asset of the bucket clips. `progress` is told seconds of it. Rejects with AppError: rule_violated (beyond the end of the
   * media, no such track), unavailable, timeout when `signal` fires; nothing is left behind.
   */
  cut(
    filename: string,
    order: ClipOrder,
    signal: AbortSignal,
    progress: (done: number, total: number) => void,
  ): Promise<ReceivedAsset & { starts_at: number }>;
  /** What all Assets together may come to. */
  readonly quota: AssetQuota;
  path(bucket: string, filename: string): string;
  remove(bucket: string, filename: string): Promise<void>;
}

/** Left out: no limit. */
export interface AssetQuota {
  count?: number | undefined;
  bytes?: number | undefined;
}

export interface ClipOrder {
  /** Media files of this machine, one after the other. */
  files: readonly string[];
  /** Seconds from the beginning of the first. */
  in: number;
  out: number;
  /** accurate: from and up to the very picture, coded anew; keyframe: from the keyframe at or before `in`, as it was coded. */
  mode: 'accurate' | 'keyframe';
  /** Number of the track in the files, from 1; left out: the largest picture. */
  trackId?: number | undefined;
}

export interface ReceivedAsset {
  size_bytes: number;
  content_type: string;
  duration_seconds: number | null;
  width: number | null;
  height: number | null;
  /** Moves the file to its name; refuses to replace one (false). */
  keep(): Promise<boolean>;
  discard(): Promise<void>;
}
