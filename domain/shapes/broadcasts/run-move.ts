/** A move of a run on air to another Device: for a while there are two runs, and the gates of both say which of them delivers. */
import type { WorkPart } from '../encodings/capacity.ts';

/**
 * The paths by which a run may deliver to Destinations that another run might deliver to as well, primary and backup. A Device serves viewers
 * without a gate.
 */
export interface Gate {
  primary: boolean;
  backup: boolean;
  /** It rises with each order, so that one which comes late is known. */
  epoch: number;
}

export const OPEN_GATE: Gate = { primary: true, backup: true, epoch: 0 };

/** An output with an address may get the same from another machine. */
export function isGated({ settings }: { settings: { url: string | null } }): boolean {
  return settings.url !== null;
}

export interface GateReport extends Gate {
  /** The source is there and its encoded media flows: the gate could be opened. */
  ready: boolean;
  /** A path behind the gate delivers, or there is none to deliver. */
  through: boolean;
  /** A primary path behind the gate delivers, or none is switched on. Runners of earlier versions do not say it. */
  primaries?: boolean | undefined;
  /** Which of the Destinations behind the gate get the backup path. Runners of earlier versions do not say it. */
  backups?: Backups | undefined;
}

export const BACKUPS = ['none', 'some', 'all'] as const;
export type Backups = (typeof BACKUPS)[number];

/**
 * arming: the other run takes the source, its gate is shut. lending: the run on air gives up its backup paths, where it has some. lent: the other
 * run delivers those, which it proves. reclaiming: it has not, or the move goes no further, and its gate is being shut. switching: the gate of the run on air is being shut. proving: the other run has its
 * place, and the former one waits with its gate shut until that one delivers. returning: it does not, and its gate is being shut.
 */
export type MoveStage = 'arming' | 'lending' | 'lent' | 'reclaiming' | 'switching' | 'proving' | 'returning';

/** The run that waits, at the Device of Run.otherDeviceId. */
export interface RunMove {
  id: string;
  stage: MoveStage;
  /** When that stage was entered. */
  since: string;
  runId: string;
  slot: number | null;
  cost: number;
  work?: WorkPart[];
  lastEventSeq: number;
  /** Who wants it. */
  by: string;
  /** When the gate of the run on air was asked to be shut. */
  shut_at?: string;
  /** Nothing went through it by then: there is nothing that the other run could prove. */
  idle?: true;
  /** The other run has been given the backup paths first: those of some Destinations or of all. */
  lent?: Exclude<Backups, 'none'>;
  /** Why the move goes no further, while it is being undone. */
  why?: string;
}

/** The Device of a run was lost. */
export interface RunLoss {
  /** The Device on which it was last on air. */
  from: number;
  /** When that Device was last heard. */
  since: string;
  /** No other Device takes the run, which stays and is tried again; people were told. */
  isWaiting?: true;
}

/** A run that was on air begins anew: at once, and with growing pauses as often as that comes to nothing. */
export interface RunAgain {
  /** How often that has come to nothing. */
  failed: number;
  /** When it begins. */
  at: string;
}

/** The end of the last move of a run. */
export interface MoveOutcome {
  id: string;
  at: string;
  from: number;
  to: number;
  /** Time without a picture at the Destinations, as the server saw it; null: the move has failed, or nothing had to be handed over. */
  gap_ms: number | null;
  /** Why it stays; null: it has moved. */
  error: string | null;
}
