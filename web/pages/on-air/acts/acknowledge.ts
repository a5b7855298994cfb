/** Acknowledging the faults of a Live stream: in the log, where everybody sees it, and in this browser alone what no event tells of. */
import { call } from '../../../api/call.ts';
import { can } from '../../../api/can.ts';
import { sendOrder } from '../../../api/commands.ts';
import type { RowOf } from '../../../api/operation-types.ts';
import { problemLine } from '../../../i18n/problem-text.ts';
import type { AttentionRow } from '../../../live/attention-rows.ts';
import { keepKnown, unknownRows } from '../../../live/attention.ts';
import { isEventOf, kindsOf } from '../../../live/faults/known-faults.ts';
import { announce, announceFault } from '../../../ui/registry/notices.ts';
import { words } from '../words.ts';
import { follow } from './orders.ts';
import { statusOf } from './runtime.ts';

type Event = RowOf<'getAllEvents'>;

/** The newest events of a kind are looked at: those of other Destinations are among them. */
const LOOK_AT = 20;

export function acknowledgeStream(id: number, note?: string): void {
  const { done } = words.peek().acts;
  const rows = unknownRows(id);
  const hasEvents = (row: AttentionRow): boolean => can('acknowledgeEvent') && kindsOf(row.trouble).length > 0;
  keepKnown(rows.filter((row) => !hasEvents(row)));
  const logged = rows.filter(hasEvents);
  if (logged.length === 0) announce(done.acknowledge(statusOf(id)?.name ?? ''));
  for (const row of logged) acknowledge(row, note).catch((error: unknown) => announceFault(problemLine(error)));
}

async function acknowledge(row: AttentionRow, note: string | undefined): Promise<void> {
  const { id, name } = row;
  const event = await eventOf(row);
  if (event === undefined) return keepKnown([row]);
  const { going, done } = words.peek().acts;
  const body = note === undefined ? {} : { note };
  const order = sendOrder({ operation: 'acknowledgeEvent', params: { eventId: event.id }, body });
  follow(
    { livestreamId: id, control: 'acknowledge', words: going.acknowledge, order },
    { text: done.acknowledge(name) },
  );
}

/** The event that the trouble began with, or the newest that tells of it. */
async function eventOf({ id, trouble }: AttentionRow): Promise<Event | undefined> {
  const answers = await Promise.all(
    kindsOf(trouble).map((kind) =>
      call('getAllEvents', { params: { livestreamId: id, kind: kind as Event['kind'], pageSize: LOOK_AT } }),
    ),
  );
  const rows = answers.flatMap(({ body }) => (body as { rows: Event[] }).rows);
  return rows
    .filter((event) => isEventOf(event, id, trouble))
    .reduce<Event | undefined>((last, each) => (last === undefined || each.at > last.at ? each : last), undefined);
}
