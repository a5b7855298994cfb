/** The run's own log of events, appended by this process alone. */
import { appendFileSync, readFileSync } from 'node:fs';
import { ifAbsent } from '../../../domain/base/absent.ts';
import type { EventKind, Severity } from '../../../domain/shapes/installation/event.ts';
import type { RunEvent } from '../../../domain/shapes/broadcasts/run.ts';
import type { RunSpec } from '../../../domain/shapes/broadcasts/run-spec.ts';
import { toIso, type Clock } from '../../../domain/time/clock.ts';
import type { Redact } from '../../media/ffmpeg-output/redact.ts';

export class EventLog {
  private readonly path: string;
  private readonly spec: Pick<RunSpec, 'runId' | 'livestreamId'>;
  private readonly clock: Clock;
  private readonly redact: Redact;
  private seq = 0;
  /** Lines that the disk did not take; they are written before the next event, so that no number is missing. */
  private unwritten = '';
  /** Events of earlier runner processes of this run. */
  readonly earlier: RunEvent[];
  /** Called with each further event. */
  onAdd: (event: RunEvent) => void = () => undefined;

  constructor(path: string, spec: Pick<RunSpec, 'runId' | 'livestreamId'>, clock: Clock, redact: Redact) {
    this.path = path;
    this.spec = spec;
    this.clock = clock;
    this.redact = redact;
    const text = readText(path);
    this.earlier = text.split('\n').flatMap(parseLine);
    this.seq = Math.max(0, ...this.earlier.map((event) => event.seq));
    // A killed writer leaves half a line. It is closed, not cut off: whoever follows the file keeps its place.
    if (text !== '' && !text.endsWith('\n')) this.unwritten = '\n';
  }

  add(kind: EventKind, severity: Severity, message: string, data: Record<string, unknown> = {}): RunEvent {
    const { runId, livestreamId } = this.spec;
    const event: RunEvent = {
      runId,
      livestreamId,
      seq: (this.seq += 1),
      at: toIso(this.clock.now()),
      kind,
      severity,
      message,
      data,
    };
    this.unwritten += `${this.redactStrings(event)}\n`;
    try {
      appendFileSync(this.path, this.unwritten, { mode: 0o600 });
      this.unwritten = '';
    } catch {
      // It is kept for the next event. The bound holds some 3000 events of 300 bytes while the disk is full.
      this.unwritten = this.unwritten.slice(-1_000_000);
    }
    this.onAdd(event);
    return event;
  }

  /** The instant, by the clock of the events, that lies so many milliseconds back. */
  instantAgo(ms: number): string {
    return toIso(this.clock.now() - ms);
  }

  private redactStrings(event: RunEvent): string {
    const clean = (key: string, value: unknown): unknown =>
      typeof value === 'string' && key !== 'runId' && key !== 'at' ? this.redact(value) : value;
    return JSON.stringify(event, clean);
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    // There is no file before the first event of a run. Without the events of one that is there, numbers would be given twice.
    return ifAbsent('')(error);
  }
}

function parseLine(line: string): RunEvent[] {
  try {
    const event = JSON.parse(line) as RunEvent;
    return Number.isSafeInteger(event.seq) ? [event] : [];
  } catch {
    // A crash may have torn the line; its event has no number to go on from.
    return [];
  }
}
