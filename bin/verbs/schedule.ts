/** `onair schedule` plans a Live stream by times as people type them, in the zone of the server. */
import { callServer } from '../client/call.ts';
import { printOne, type FormatFlags } from '../output/format.ts';
import { oneLine } from '../output/terminal.ts';
import { parseTime, sayTime } from '../times.ts';
import { livestreamTaken } from './names.ts';

export interface ScheduleFlags extends FormatFlags {
  start: string;
  end: string;
  recurrence?: string;
  dryRun?: boolean;
}

interface Planned {
  scheduleId: number | null;
  message: string;
  occurrences: { start: string; end: string }[];
  timezone: string;
  conflict: string | null;
}

export async function schedule(livestream: string, flags: ScheduleFlags): Promise<void> {
  const { start, end, recurrence: type = 'none', dryRun: dry_run = false } = flags;
  const { livestreamId, server_time, timezone: zone } = await livestreamTaken(livestream);
  const nowMs = Date.parse(server_time);
  const startMs = parseTime(start, { nowMs, zone, field: '--start' });
  const endMs = parseTime(end, { nowMs, zone, startMs, field: '--end' });
  const planned = await callServer<Planned>('schedule_livestream', {
    livestream: `#${livestreamId}`,
    start: new Date(startMs).toISOString(),
    end: new Date(endMs).toISOString(),
    recurrence: { type },
    timezone: zone,
    dry_run,
  });
  await printOne(planned, sayPlanned, flags);
}

function sayPlanned({ scheduleId, message, occurrences, timezone }: Planned): string {
  const lines = occurrences.map(
    (each) => `${sayTime(Date.parse(each.start), timezone)} to ${sayTime(Date.parse(each.end), timezone)}`,
  );
  return [oneLine(message), ...(scheduleId === null ? [] : [`Schedule ${scheduleId}:`]), ...lines].join('\n');
}
