/** The ports to where runs are carried out: a Device, how others are reached, and the cloud platform. */
import type { CloudAccount } from './cloud-account.ts';
import type { Capabilities } from './device.ts';
import type { HeldRecording, OpenRecording, RecordingKey } from './recording.ts';
import type { RunChange, RunEvent, RunReport, RunSpec } from './run.ts';

export interface DeviceHello {
  capabilities: Capabilities;
  /** Base URL of the Device's own HTTP delivery, e.g. http://127.0.0.1:8091 */
  mediaUrl: string;
  cores: number;
  runs: RunReport[];
}

export type DeviceMessage =
  | { type: 'report'; report: RunReport }
  | { type: 'event'; event: RunEvent }
  | { type: 'gone'; runId: string }
  /** Its state has changed. */
  | { type: 'recording'; recording: HeldRecording };

/** What a Device keeps of the runs that it has carried out. All reject with AppError unavailable, timeout. */
export interface DeviceRecordings {
  /** Everything that lies there, of living runs too. */
  list(): Promise<HeldRecording[]>;
  /**
   * Its files on this machine, in their order; from another machine they are brought here first. Rejects with AppError not_found when
   * the Device does not hold it. `progress` is told bytes.
   */
  open(
    key: RecordingKey,
    signal: AbortSignal,
    progress?: (done: number, total: number) => void,
  ): Promise<OpenRecording>;
  /** What is not there is gone already. Rejects with AppError wrong_state while its run goes on. */
  remove(key: RecordingKey): Promise<void>;
}

/** The port that control sees of a Device: the agent's socket is one implementation, the tests' fake Device another. */
export interface DeviceLink {
  /** Rejects with AppError unavailable when the Device does not answer. */
  hello(): Promise<DeviceHello>;
  /** Starts a run; a second call with the same runId changes nothing. */
  start(spec: RunSpec): Promise<void>;
  /** Ends a run; resolves when all its processes have ended. Unknown runs are already stopped. */
  stop(runId: string): Promise<void>;
  /**
   * Resolves with the runner's report when the change is in force. Rejects with AppError: wrong_state (the run is not on air),
   * unavailable, timeout, rule_violated and upstream_failed with the runner's reason; nothing has changed then. A change that the run
   * has carried out under the same `changeId` before is in force and is not carried out again.
   */
  change(runId: string, change: RunChange, changeId?: string): Promise<RunReport>;
  /** What viewers see now, as a JPEG of the given width at most. Rejects like `change`. */
  preview(runId: string, width: number): Promise<Buffer>;
  /** Forgets a run that has ended and whose events are stored. */
  forget(runId: string): Promise<void>;
  /**
   * Calls back with every report, and with each run's events from the first on (the receiver drops what it holds already).
   * Reconnects by itself; `onState` tells. The answer ends the watch.
   */
  watch(onMessage: (message: DeviceMessage) => void, onState: (online: boolean) => void): () => void;
  /**
   * On a Device with a disk of its own: brings there the media that the spec names, and answers the spec with the paths there. May
   * take as long as the media is large; call it before `start`.
   */
  prepare?(spec: RunSpec): Promise<RunSpec>;
  /** Left out where nothing is kept for us: the cloud platform lists its Recordings itself. */
  readonly recordings?: DeviceRecordings;
  /** Lets go of kept connections; the watches end by themselves. */
  close?(): void;
}

/** The link to a Device that was paired over the network. */
export interface PairedLink extends DeviceLink {
  /** The Device ends its runs and forgets its key; it can be paired anew. */
  unpair(): Promise<void>;
}

export interface PairingCredentials {
  register_username: string;
  register_password: string;
}

/** How the cloud platform is reached: its links, one for each Cloud account. */
export interface CloudNetwork {
  /** Connects when it is used. */
  connect(account: Readonly<CloudAccount>): DeviceLink;
}

/** How Devices on other machines are reached; addresses are `host` or `host:port`. */
export interface DeviceNetwork {
  /**
   * Answers the key that the Device holds from then on: a secret. Rejects with AppError rule_violated (wrong credentials), conflict
   * (paired already), rate_limited, upstream_failed, timeout.
   */
  pair(address: string, credentials: PairingCredentials): Promise<string>;
  /** Connects when it is used. */
  connect(address: string, key: string): PairedLink;
}
