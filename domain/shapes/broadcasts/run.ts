/**
 * The order and the state of a Live stream's run. The user's order (`desired`) is stored apart from the state (`status`); control brings
 * them together, over the link to the Device that carries it out (device-link.ts).
 */
import type { PromisedRun } from '../encodings/capacity.ts';
import type { EventKind, Severity } from '../installation/event.ts';
import type { BlackoutMode } from '../changes/change-bodies.ts';
import type { RunSettings } from '../changes/changes.ts';
import type { ReportedAudience } from './audience.ts';
import type { Peaks, WatchFacts } from './live-picture.ts';
import type { Livestream, LivestreamStatus, StartConfigEntry } from './livestream.ts';
import type { GateReport, MoveOutcome, RunAgain, RunLoss, RunMove } from './run-move.ts';
import type { EncodingStatus, PathStatus, PublishingStatus, RuntimeStatus, SourceStatus } from './livestream-status.ts';
import type { KeyRotation, KeySource, OutputDrm } from './run-spec.ts';
import type { SetUp } from './set-up.ts';
import type { Alarms } from './sound.ts';

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
export interface InForce
  extends
    Pick<
      Livestream,
      'channelId' | 'logo' | 'overlay' | 'crop' | 'fallback' | 'scteMarkers' | 'failover' | 'sound' | 'detect'
    >,
    RunSettings {
  /** No encoder needs them beside `detect`. Left out in rows of earlier versions. */
  alarms?: Alarms;
  blackout: { mode: BlackoutMode; filename: string | null; keepAudio: boolean };
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
  /** The move that is under way, and the Device of the other run. */
  move?: RunMove | null;
  otherDeviceId?: number | null;
  /** It rises with each step of a move; left out before the first one. */
  epoch?: number;
  /** The last move that has ended. */
  moved?: MoveOutcome;
  /** It moves when its Device is lost: until then it delivers by a lease (domain/time/lease.ts). */
  lease?: true;
  /** Set from the loss of its Device until it is on air again. */
  loss?: RunLoss;
  /** Set where it was on air and begins anew, until it is on air again. */
  again?: RunAgain;
}

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
  /** Destinations whose content keys are replaced; left out where there is none. */
  key_rotations?: KeyRotationReport[];
  /** The file of a recording that was begun on air; left out while there is none. */
  take?: PathStatus;
  /** Those who watch; left out where nothing is served to viewers, and by agents of earlier versions. */
  audience?: ReportedAudience;
  /** Left out by runners of earlier versions, which have none. */
  gate?: GateReport;
  /** Paths that a viewer can watch, relative to the Device's media URL, by publishing id. */
  watch: { publishingId: number; path: string; access?: 'token' }[];
}

/** Names what is new in a report beside the one before it of the same run: its changed fields, each whole, and those that it leaves out. */
export interface ReportChange {
  report: Partial<RunReport>;
  without: OptionalField[];
}

/** The fields that a report may leave out. */
export type OptionalField = { [K in keyof RunReport]-?: undefined extends RunReport[K] ? K : never }[keyof RunReport];

/** The keys that a Destination has, and what the next ones are to be requested with. */
export interface KeyRotationReport
  extends KeySource, Pick<OutputDrm, 'systems' | 'encryption_mode'>, Pick<KeyRotation, 'periodMs'> {
  publishingId: number;
  /** Number of the period that it is now, by the clock of the Device, and of the last one that there are keys for. */
  present: number;
  last: number;
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
