/** A server tells the others of its store what it hears of its Devices: one JSON text a line. */
import { jsonOf } from '../base/json.ts';
import type { DeviceMessage } from '../ports/device-link.ts';
import { rowId, understood } from './fields.ts';
import { shape, textOf } from './forms.ts';
import { messageOf } from './messages.ts';
import { KnownReports, type ChangedReport } from './report-changes.ts';

/** there: the server hears the Device; what it knows of it comes next. away: it does not, and all that was known is forgotten. */
export type HeardMessage = DeviceMessage | ChangedReport | { type: 'there' } | { type: 'away' };

/** Kinds of messages that another server has a use for: what has to be stored is stored by the one that hears the Device. */
const FOLLOWED: ReadonlySet<HeardMessage['type']> = new Set([
  'report',
  'changed',
  'gone',
  'ingests',
  'storage',
  'lease',
]);

/** The last that was heard of one Device. */
interface State {
  reports: KnownReports;
  ingests?: DeviceMessage & { type: 'ingests' };
  storage?: DeviceMessage & { type: 'storage' };
}

/** The last that was heard of each Device that is there. Both ends of the line keep it: a change says what is new. */
export class HeardDevices {
  private readonly states = new Map<number, State>();

  get devices(): number[] {
    return [...this.states.keys()];
  }

  isThere(device: number): boolean {
    return this.states.has(device);
  }

  /** All that is known of the Device, as its messages; undefined while it is away. */
  known(device: number): DeviceMessage[] | undefined {
    const state = this.states.get(device);
    if (state === undefined) return undefined;
    const reports = state.reports.all.map((report) => ({ type: 'report', report }) as const);
    return [state.ingests ?? [], state.storage ?? [], reports].flat();
  }

  /** Keeps what was heard; answers what to send for it, or undefined where nobody has a use for it. */
  hear(device: number, message: DeviceMessage): HeardMessage | undefined {
    const state = this.states.get(device);
    if (state === undefined || !FOLLOWED.has(message.type)) return undefined;
    if (message.type === 'report') return state.reports.next(message.report, message.change);
    return this.keep(device, message);
  }

  /** Takes what came; answers the message itself, or undefined where there is none: a state, or a change of what is not known here. */
  keep(device: number, message: HeardMessage): DeviceMessage | undefined {
    if (message.type === 'away') return void this.states.delete(device);
    if (message.type === 'there') return void this.states.set(device, { reports: new KnownReports() });
    const state = this.states.get(device);
    if (message.type === 'ingests' && state !== undefined) state.ingests = message;
    if (message.type === 'storage' && state !== undefined) state.storage = message;
    return state?.reports.take(message);
  }
}

export function heardLine(device: number, message: HeardMessage): string {
  return `${JSON.stringify({ device, ...message })}\n`;
}

const heard = shape({ device: rowId, type: textOf(100) });

/** Undefined for a message of a kind that this version does not know. Throws NotUnderstood for what is no message. */
export function readHeard(line: string): { device: number; message: HeardMessage } | undefined {
  const given = jsonOf(line);
  const { device, type } = understood('message', heard, given);
  if (type === 'there' || type === 'away') return { device, message: { type } };
  const message = messageOf(given, line.length);
  return message && FOLLOWED.has(message.type) ? { device, message } : undefined;
}
