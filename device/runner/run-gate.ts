/** The gate of a run: it keeps back what another run of the same Live stream delivers while that is being moved. */
import { AppError } from '../../domain/base/errors.ts';
import { withDeadline } from '../../domain/time/deadline.ts';
import { isGated, OPEN_GATE, type Gate, type GateReport } from '../../domain/shapes/broadcasts/run-move.ts';
import type { PathStatus } from '../../domain/shapes/broadcasts/livestream-status.ts';
import type { RunSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import type { EncodedStream } from './stream/encoded-stream.ts';
import { isRecording } from './outputs/held-back.ts';
import type { DestinationPath } from './outputs/destination-path.ts';
import type { Output } from './outputs/outputs.ts';
import { NO_LEASE } from './run-lease.ts';

/** A path that does not come up in time is reported as it is. */
const SETTLE_MS = 1500;

/** So long the place of another run is left to it until what this Device serves itself can be played: a segment waits for a keyframe. */
const SERVED_MS = 12_000;
const AHEAD: readonly PathStatus['state'][] = ['idle', 'connecting'];

interface Gated {
  path: DestinationPath;
  isOpen: boolean;
}

export class RunGate {
  private readonly spec: RunSpec;
  private readonly outputs: readonly Output[];
  private readonly stream: Pick<EncodedStream, 'hasStarted' | 'startedAt'>;

  constructor(spec: RunSpec, outputs: readonly Output[], stream: Pick<EncodedStream, 'hasStarted' | 'startedAt'>) {
    this.spec = spec;
    this.outputs = outputs;
    this.stream = stream;
  }

  /** Follows the lease of the run: without one nothing goes out, whatever the gate. */
  followLease(isHeld: boolean): void {
    for (const { path } of this.paths) {
      if (isHeld) path.release();
      else path.fence(NO_LEASE);
    }
  }

  /** Nothing is kept back. */
  get isOpen(): boolean {
    const { primary, backup } = this.spec.gate ?? OPEN_GATE;
    return primary && backup;
  }

  /** Resolves once nothing goes out any more through what was shut. Rejects with AppError for an order that a later one has overtaken. */
  async set(gate: Gate): Promise<void> {
    const { spec } = this;
    const { epoch } = spec.gate ?? OPEN_GATE;
    if (gate.epoch < epoch)
      throw new AppError('conflict', `The gate has had order ${epoch}; order ${gate.epoch} comes too late.`);
    // Either it has waited for its turn, and takes the place of one that was on air, or it is that one.
    if (this.isOpen !== (gate.primary && gate.backup)) spec.wasOnAir = true;
    spec.gate = gate;
    const paths = this.paths;
    await Promise.all(paths.filter(({ isOpen }) => !isOpen).map(({ path }) => path.stop()));
    // The stream starts its paths when it starts.
    if (!this.stream.hasStarted) return;
    for (const { primary, spec: own } of this.outputs)
      if (isRecording(own) && primary.status.enabled && primary.status.state === 'idle') void primary.turn(true);
    const opened = paths.filter(({ path, isOpen }) => isOpen && path.status.enabled).map(({ path }) => path.turn(true));
    await withDeadline(Promise.all(opened), SETTLE_MS, () => undefined);
  }

  report(hasSource: boolean): GateReport {
    const ready = hasSource && this.stream.hasStarted && (this.isOpen || this.isServed);
    const enabled = this.paths.filter(({ path }) => path.status.enabled);
    const through = enabled.length === 0 || enabled.some(({ path }) => isUp(path));
    const destinations = this.gated.filter(({ primary, backup }) => primary.status.enabled || backup?.status.enabled);
    const withPrimary = destinations.filter(({ primary }) => primary.status.enabled);
    const backed = destinations.filter(({ backup }) => backup?.status.enabled === true && isUp(backup)).length;
    return {
      ...(this.spec.gate ?? OPEN_GATE),
      ready,
      through,
      primaries: withPrimary.length === 0 || withPrimary.some(({ primary }) => isUp(primary)),
      backups: backed === 0 ? 'none' : backed === destinations.length ? 'all' : 'some',
    };
  }

  /** Viewers at this Device have something to play, but for what has failed. */
  private get isServed(): boolean {
    const { startedAt } = this.stream;
    if (startedAt !== undefined && performance.now() - startedAt > SERVED_MS) return true;
    const served = this.outputs.filter(({ spec }) => !isGated(spec) && !isRecording(spec));
    return served.every(({ primary: { status } }) => !status.enabled || !AHEAD.includes(status.state));
  }

  private get gated(): Output[] {
    return this.outputs.filter(({ spec }) => isGated(spec));
  }

  private get paths(): Gated[] {
    const gate = this.spec.gate ?? OPEN_GATE;
    return this.gated.flatMap(({ primary, backup }) => [
      { path: primary, isOpen: gate.primary },
      ...(backup === undefined ? [] : [{ path: backup, isOpen: gate.backup }]),
    ]);
  }
}

function isUp({ status }: DestinationPath): boolean {
  return status.state === 'up';
}
