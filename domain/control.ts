/** The port through which tools and workflows steer broadcasts; control/ implements it. */
import type { Livestream, LivestreamStatus, StartConfigEntry } from './livestream.ts';
import type { LivestreamStatusView, PairingCredentials, Run } from './run.ts';
import type { DeviceView } from './device.ts';
import type { Tx, View } from './store.ts';

export interface StartRequest {
  idEncoderGroup?: number | null | undefined;
  deviceId?: number | null | undefined;
  startConfig?: StartConfigEntry[] | undefined;
}

export const START_REFUSALS = [
  'disabled', 'unbound', 'already_running', 'channel_missing', 'asset_missing', 'licence', 'no_capacity', 'no_device', 'unsupported',
] as const; // prettier-ignore
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

export interface WatchAddress {
  publishingId: number;
  name: string;
  type: string;
  url: string;
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
  /** Inside a commit: stores the order to stop. */
  orderStop(tx: Tx, now: string, livestreamId: number, by: { username: string }): OrderResult;
  /** Resolves when the status is one of `until`, or with the present status when `timeoutMs` is over or the signal aborts. */
  waitFor(
    livestreamId: number,
    until: readonly LivestreamStatus[],
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<LivestreamStatus>;
  status(livestream: Pick<Livestream, 'id' | 'name'>, run: Run | undefined): LivestreamStatusView;
  /** URLs of what the Device itself serves for this Live stream. */
  watchAddresses(livestreamId: number): WatchAddress[];
  /** What is only known at run time of a Device: online, slots, load, mountstatus; `licensed` are the sums of the licences. */
  deviceState(deviceId: number): Pick<DeviceView, 'online' | 'slots' | 'load' | 'mountstatus' | 'licensed'>;
  /**
   * Pairs with the agent of another machine. `key` belongs into the Device's row and nowhere else; with the commit of that row the
   * Device is in service. `undo` is for a commit that failed. Throws AppError as DeviceNetwork.pair does.
   */
  pairDevice(address: string, credentials: PairingCredentials): Promise<{ key: string; undo(): Promise<void> }>;
  readonly assetFiles: AssetFiles;
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
  path(bucket: string, filename: string): string;
  remove(bucket: string, filename: string): Promise<void>;
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
