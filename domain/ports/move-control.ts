/** The part of the Control port that moves broadcasts on air to other Devices. */
import type { ErrorCode } from '../base/errors.ts';
import type { MoveOutcome } from '../shapes/broadcasts/run-move.ts';
import type { DeviceGroup } from '../shapes/devices/device-group.ts';
import type { Tx, View } from './store.ts';

export interface MoveRequest {
  livestreamId: number;
  /** The Device to move it to; left out or null: one is chosen. */
  deviceId?: number | null | undefined;
  /** Its Device does not answer: it is started elsewhere all the same. */
  force?: boolean | undefined;
  by: string;
  /** The same for each retry of the call. */
  moveId?: string | undefined;
}

/** A Live stream that cannot be moved now, with the refusal. */
export interface StayingRun {
  livestreamId: number;
  code: ErrorCode;
  message: string;
}

export interface MoveOrder {
  moveId: string;
  /** Its Device was not asked: it is a start elsewhere. */
  isForced: boolean;
}

export interface MoveControl {
  /** The slots that starts may still take in a Device group beside its reserve, which is left to moves; undefined where it has none. */
  slotsBesideReserve(view: View, group: Readonly<DeviceGroup>): number | undefined;
  /**
   * Runs inside a commit and stores the order to move a broadcast on air to another Device; with the same `moveId` nothing changes. Throws
   * AppError with the reason why it stays. What carries it out begins after the commit.
   */
  orderMove(tx: Tx, now: string, request: MoveRequest): MoveOrder;
  /** Runs inside a commit: orders the moves of all that the Device has on air, and answers what stays. */
  moveAll(tx: Tx, now: string, from: { deviceId: number; by: string }): StayingRun[];
  /** Resolves with what has become of the move; undefined when the run has ended, or when `timeoutMs` is over, or the signal aborts. */
  waitForMove(
    livestreamId: number,
    moveId: string,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<MoveOutcome | undefined>;
}
