/** `onair logs <livestream>` shows the event log, and with -f the events that are added. */
import { toIso } from '../../domain/time/clock.ts';
import type { LivestreamEvent } from '../../domain/shapes/installation/event.ts';
import { callServer } from '../client/call.ts';
import { documentText, isTable, print, printRows, type FormatFlags } from '../output/format.ts';
import { paint, screenOf, type Tone } from '../output/screen.ts';
import { oneLine, untilInterrupted } from '../output/terminal.ts';
import { parseTime } from '../times.ts';
import { followEvents, type CallTool } from './event-follow.ts';
import { livestreamNamed } from './names.ts';

export interface LogFlags extends Omit<FormatFlags, 'json'> {
  follow?: boolean;
  watch?: boolean;
  since?: string;
  /** true: an object a line, with all its fields. */
  json?: string | true;
}

const POLL_MS = 1000;
const TONES: Readonly<Record<string, Tone>> = { warning: 'wait', error: 'bad' };

export async function logs(livestream: string, flags: LogFlags): Promise<void> {
  const { since, json, output } = flags;
  const follow = flags.follow === true || flags.watch === true;
  const { livestreamId, server_time, timezone: zone } = await livestreamNamed(livestream);
  const past = { nowMs: Date.parse(server_time), zone, isPast: true, field: '--since' };
  const from = since === undefined ? undefined : toIso(parseTime(since, past));
  const format: FormatFlags = { ...(output && { output }), ...(typeof json === 'string' && { json }) };
  const isLines = json === true;
  await untilInterrupted(async (signal) => {
    const onAway = (error: Error | undefined): void => {
      const news = error === undefined ? 'The server answers again.' : `${error.message} Waiting for it.`;
      process.stderr.write(`onair: ${news}\n`);
    };
    const callTool = callServer as CallTool;
    const events = followEvents(callTool, { livestreamId, from, follow, pollMs: POLL_MS, signal, onAway });
    const kept: LivestreamEvent[] = [];
    for await (const event of events) {
      if (isLines) print(JSON.stringify(event));
      else if (isTable(format)) print(lineOf(event));
      else if (follow) print(`${format.output === 'yaml' ? '---\n' : ''}${await documentText(event, format, true)}`);
      else kept.push(event);
    }
    if (!isLines && !isTable(format) && !follow) await printRows(kept, { columns: [], empty: '' }, format);
  });
}

function lineOf({ at, severity, kind, message }: LivestreamEvent): string {
  const weight = paint(severity.padEnd(7), TONES[severity], screenOf());
  return `${at}  ${weight}  ${kind.padEnd(20)}  ${oneLine(message)}`;
}
