/** The parts with which the source of a run works. */
import type { Clock } from '../../../domain/time/clock.ts';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import type { LadderPlan } from '../../media/ladder/ladder-plan.ts';
import type { EncoderSupervisor } from '../encoder/encoder.ts';
import type { RateMeter } from '../encoder/meter.ts';
import type { SourceConnection } from '../input/source-connection.ts';
import type { ChildProcesses } from '../process/child-processes.ts';
import type { EventLog } from '../process/event-log.ts';
import type { Cues } from '../stream/cues.ts';
import type { EncodedStream } from '../stream/encoded-stream.ts';

export interface SourceContext {
  spec: RunSpec;
  cues: Cues;
  plan: LadderPlan;
  runDir: string;
  deviceDir: string;
  children: ChildProcesses;
  stream: EncodedStream;
  /** It is undefined in copy mode. */
  encoder: EncoderSupervisor | undefined;
  events: EventLog;
  clock: Clock;
  /** The instant of performance.now() at which the run was asked for. */
  orderedAt: number;
  meter: RateMeter;
  /** The connection to the first source, where the run was planned with it. */
  opened?: SourceConnection | undefined;
  onChange(): void;
  /** The source can never come: no retry would help. */
  onFailed(reason: string): void;
  /** The source was refused, and would be again; `why` is half a sentence. */
  onRefused(why: string): void;
}
