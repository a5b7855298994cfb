/** `onair logs <livestream>` shows the event log, and with -f the events that are added. */
import type { LivestreamEvent } from '../domain/event.ts';
import type { LivestreamStatusView } from '../domain/livestream-status.ts';
import { followEvents, sinceInstant } from './event-follow.ts';
import { callTool, numberOrName } from './people.ts';
import { oneLine, untilInterrupted } from './terminal.ts';

export interface LogFlags {
  follow?: boolean;
  since?: string;
  json?: boolean;
}

const POLL_MS = 1000;

export async function logs(livestream: string, { follow = false, since, json = false }: LogFlags): Promise<void> {
  const from = since === undefined ? undefined : sinceInstant(since, Date.now());
  const status = await callTool('get_livestream_status', { livestream: numberOrName(livestream) });
  const { livestreamId } = status as LivestreamStatusView;
  await untilInterrupted(async (signal) => {
    const onAway = (error: Error | undefined): void => {
      const news = error === undefined ? 'The server answers again.' : `${error.message} Waiting for it.`;
      process.stderr.write(`onair: ${news}\n`);
    };
    for await (const event of followEvents(callTool, { livestreamId, from, follow, pollMs: POLL_MS, signal, onAway }))
      process.stdout.write(`${json ? JSON.stringify(event) : lineOf(event)}\n`);
  });
}

function lineOf({ at, severity, kind, message }: LivestreamEvent): string {
  return `${at}  ${severity.padEnd(7)}  ${kind.padEnd(20)}  ${oneLine(message)}`;
}
