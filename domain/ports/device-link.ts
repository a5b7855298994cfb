/** The ports to the places that carry out runs: a Device, the network of Devices, and the cloud platform. */
import type { Duplex } from 'node:stream';
import { z } from 'zod/v3';
import type { CloudAccount } from '../shapes/devices/cloud-account.ts';
import type { Capabilities, EncodingTrial } from '../shapes/devices/device.ts';
import type { ProtocolRange } from '../shapes/devices/device-features.ts';
import type { DeviceStorage } from '../shapes/devices/device-storage.ts';
import type { IngestAddress, IngestEvent, IngestReport } from '../shapes/sources/ingest.ts';
import type { IngestOrder } from '../shapes/sources/ingest-order.ts';
import type { LivePicture, PictureWidth } from '../shapes/broadcasts/live-picture.ts';
import type { Curves, CurvesWanted } from '../shapes/reports/curves.ts';
import type { KeptPicture, PicturesWanted } from '../shapes/reports/kept-pictures.ts';
import type { DeviceProbe } from '../shapes/sources/probe.ts';
import type { HeldRecording, OpenRecording, RecordingKey } from '../shapes/media/recording.ts';
import type { RunChange } from '../shapes/changes/run-change.ts';
import type { ReportChange, RunEvent, RunReport } from '../shapes/broadcasts/run.ts';
import type { RunSpec, SourceSpec } from '../shapes/broadcasts/run-spec.ts';

export interface DeviceHello {
  capabilities: Capabilities;
  /** The sandbox is being tried; its result is missing from the capabilities until then. */
  isProbing?: boolean;
  /** Base URL of the Device's own HTTP delivery, e.g. http://127.0.0.1:8091 */
  mediaUrl: string;
  cores: number;
  /** Cost of encoding there; left out before it was tried, and by agents of earlier versions. */
  encodingTrial?: EncodingTrial;
  /** A trial is under way or waits for a quiet moment. */
  isTrying?: boolean;
  /** The versions of the protocol that it speaks; left out by agents of earlier versions, which speak the first. */
  protocol?: ProtocolRange;
  runs: RunReport[];
  /** The mark of the store that the Device keeps, sealed (domain/shapes/installation/store-era.ts); left out by agents of earlier versions. */
  mark?: string;
  /** Left out where no pushed source is taken in: by the cloud platform, and by agents of earlier versions. */
  ingest?: IngestAddress;
  /** Left out by the cloud platform, and by agents of earlier versions. */
  storage?: DeviceStorage[];
}

export type DeviceMessage =
  /** `change` is set where the Device has said no more than that. */
  | { type: 'report'; report: RunReport; change?: ReportChange }
  | { type: 'event'; event: RunEvent }
  | { type: 'gone'; runId: string }
  /** It asks for leases of its runs, at this instant of a clock that begins anew with each boot. */
  | { type: 'lease'; asked_ms: number }
  /** The state of a Recording has changed. */
  | { type: 'recording'; recording: HeldRecording }
  /** All listeners of the Device. */
  | { type: 'ingests'; ingests: IngestReport[] }
  | { type: 'ingest_event'; event: IngestEvent }
  /** All disks of the Device, after each trial of them, and its time (ISO instant); an agent of an earlier version leaves that out. */
  | { type: 'storage'; storage: DeviceStorage[]; at?: string };

/** The Recordings that a Device keeps of its runs. All calls reject with AppError unavailable, timeout. */
export interface DeviceRecordings {
  /** Lists all of them, including those of living runs. */
  list(): Promise<HeldRecording[]>;
  /**
   * Its files on this machine, in their order; from another machine they are brought here first. Rejects with AppError not_found when the
   * Device does not have it. `progress` gets bytes.
   */
  open(
    key: RecordingKey,
    signal: AbortSignal,
    progress?: (done: number, total: number) => void,
  ): Promise<OpenRecording>;
  /** A missing Recording counts as removed. Rejects with AppError wrong_state while its run goes on. */
  remove(key: RecordingKey): Promise<void>;
  /** Its files as they are now, in their order. Rejects with AppError not_found. */
  filesOf(key: RecordingKey): Promise<{ name: string; bytes: number }[]>;
  /**
   * Writes a range of one of its files to an address, by PUT, and resolves with the tag (ETag) of the answer. Another call for the same file
   * ends it. Rejects with AppError upstream_failed when the address does not take it, and unsupported_by_device by an agent of an earlier
   * version.
   */
  send(key: RecordingKey, range: SentRange): Promise<string>;
}

/** Bytes of a file on a Device, and the address that they go to. */
export interface SentRange {
  name: string;
  /** First byte, and the one behind the last. */
  from: number;
  to: number;
  /** It lets anybody write there: a secret. */
  url: string;
  /** Left out: as fast as the line allows. */
  bytesPerSecond?: number | undefined;
}

/** The port that control sees of a Device: the agent's socket is one implementation, the tests' fake Device another. */
export interface DeviceLink {
  /** Rejects with AppError unavailable when the Device does not answer. */
  hello(): Promise<DeviceHello>;
  /** Starts a run; a second call with the same runId changes nothing. */
  start(spec: RunSpec): Promise<void>;
  /** Ends a run; resolves when all its processes have ended. Unknown runs count as stopped. */
  stop(runId: string): Promise<void>;
  /**
   * Resolves with the runner's report when the change is in force. Rejects with AppError: wrong_state (the run is not on air),
   * unavailable, timeout, rule_violated and upstream_failed with the runner's reason; nothing has changed then. A change that the run
   * has carried out under the same `changeId` before is in force and is not carried out again.
   */
  change(runId: string, change: RunChange, changeId?: string): Promise<RunReport>;
  /** The frame that viewers see now, as a JPEG of at most the given width. Rejects like `change`. */
  preview(runId: string, width: number): Promise<Buffer>;
  /** A small picture of the frame that viewers see now. It is made for many looks: cheaper than `preview`, and less fine. Rejects like `change`. */
  picture(runId: string, width: PictureWidth): Promise<LivePicture>;
  /**
   * The curves of the Live stream's runs that the Device keeps. Rejects with AppError unavailable, timeout, and not_found by an agent of an
   * earlier version. Left out for the cloud platform.
   */
  curves?(livestreamId: number, wanted: CurvesWanted): Promise<Curves>;
  /** The pictures of the Live stream's runs that the Device keeps, the earliest first. Rejects, and is left out, like `curves`. */
  keptPictures?(livestreamId: number, wanted: PicturesWanted): Promise<KeptPicture[]>;
  /** Forgets a run that has ended and whose events are stored. */
  forget(runId: string): Promise<void>;
  /** The Device keeps the mark of the store until it gets another one. Left out for the cloud platform; agents of earlier versions refuse it. */
  keepMark?(mark: string): Promise<void>;
  /** The sealed order in the spec of a run (RunSpec.order). Rejects with AppError not_found where there is none. */
  order?(runId: string): Promise<string>;
  /**
   * Calls back with every report, and with each run's events from the first on (the receiver drops those that it has). Reconnects by
   * itself; `onState` gets each change, with the reason where what the Device says has closed the link. The answer ends the watch.
   */
  watch(onMessage: (message: DeviceMessage) => void, onState: (online: boolean, reason?: string) => void): () => void;
  /**
   * On a Device with a disk of its own, brings the media that the spec names there, from wherever it is, and answers the spec with the paths
   * there. It may take as long as the media is large; call it before `start`. `change` does so by itself.
   */
  prepare?(spec: RunSpec): Promise<RunSpec>;
  /** Gives the Device all listeners that it is to keep open; those that it has beside them it closes. Rejects with AppError unavailable. */
  ingests?(orders: IngestOrder[]): Promise<void>;
  /**
   * Looks at a source for some seconds, also at one that no run uses. Rejects with AppError: timeout (no media came), upstream_failed,
   * rule_violated, unsupported_by_device, unavailable, and wrong_state for a source on air that serves one connection alone. Left out for
   * the cloud platform.
   */
  probe?(source: SourceSpec, isOnAir: boolean): Promise<DeviceProbe>;
  /** A JPEG, of at most the given width, of what a pusher sends now. Rejects with AppError timeout and unavailable. */
  pushedPicture?(source: SourceSpec, width: number): Promise<Buffer>;
  /** Left out for the cloud platform, which lists its Recordings itself. */
  readonly recordings?: DeviceRecordings;
  /**
   * Answers the question of that instant: these runs may deliver for a while. Rejects with AppError unavailable, timeout. Left out for the cloud
   * platform.
   */
  grant?(askedMs: number, runIds: readonly string[]): Promise<void>;
  /** Closes kept connections; the watches end by themselves. */
  close?(): void;
  /** Opens a channel that carries the calls of another server; left out for the cloud platform. */
  channel?(): Duplex;
}

/** The link to a Device that was paired over the network. */
export interface PairedLink extends DeviceLink {
  /** The Device ends its runs and forgets its key; it can be paired anew. */
  unpair(): Promise<void>;
  /**
   * Resolves when the Device has written the token down; each call carries it from then on. A Device that has just been booted goes on with
   * the runs that are ordered, and ends all others. Rejects with AppError stale_owner (facts: owner, the highest token that the Device
   * knows), unavailable or timeout.
   */
  claim(token: number, ordered?: readonly string[]): Promise<void>;
}

const textOfMachine = z.string().max(200).nullable().catch(null);

/** A machine with the key of a Device, before any server has claimed the Device there. */
export const dialledMachineField = z.object({
  name: textOfMachine,
  boot_id: textOfMachine,
  agent_id: textOfMachine,
  /** The highest token that it was told; null where its agent does not say. */
  owner: z.number().int().nonnegative().nullable().catch(null),
});
export type DialledMachine = z.infer<typeof dialledMachineField>;

/** The way to a Device by the server that owns it. */
export interface Forwarding {
  deviceId: number;
  /** host:port of that server. */
  address: string;
  /** The key that the servers have in common, in base64url. */
  key: string;
  /** The token of that server; undefined for the Device of its own machine, which knows no owners. */
  token: number | undefined;
}

/** The link to a Device that has dialled this server. It is over once its connection is. */
export interface DialledLink extends PairedLink {
  /** The address that the connection comes from. */
  readonly peer: string;
  /** Asks who is there, without a claim. Rejects with AppError unavailable or timeout. */
  machine(): Promise<DialledMachine>;
  /** Tells the machine that another one is this Device: it ends its runs, and dials again later. */
  refuse(words: { detail: string; remedy: string }): Promise<void>;
  /** Calls back once, when the connection is gone; at once when it is gone already. */
  onClose(listener: () => void): void;
  close(): void;
}

export interface PairingCredentials {
  register_username: string;
  register_password: string;
}

/** Reaches the cloud platform, with one link for each Cloud account. */
export interface CloudNetwork {
  /** Connects on first use. */
  connect(account: Readonly<CloudAccount>): DeviceLink;
}

/** Reaches Devices on other machines; addresses are `host` or `host:port`. */
export interface DeviceNetwork {
  /**
   * Answers the key that the Device has from then on, which is a secret. Rejects with AppError rule_violated (wrong credentials), conflict
   * (paired already), rate_limited, upstream_failed, timeout.
   */
  pair(address: string, credentials: PairingCredentials): Promise<string>;
  /** Connects on first use. With `mustClaim` calls are refused as unavailable until `claim` has resolved. */
  connect(address: string, key: string, mustClaim?: boolean): PairedLink;
  /** Connects on first use. The link claims nothing: its calls are those of the owner. */
  through(way: Forwarding): PairedLink;
}
