import { z } from 'zod/v3';
import { notFound } from '../domain/base/errors.ts';
import { idField } from '../domain/base/schema.ts';
import { acknowledge, conditionOf } from '../domain/rules/installation/mail-notices.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const acknowledgeEvent = defineTool({
  name: 'acknowledgeEvent',
  summary:
    'Set a fault in the event log as known: everybody sees who takes care of it, and a mail that waits is not sent.',
  description:
    'Use it once a person has taken on what an event tells. It changes nothing on air. The log gets an event `acknowledged` with the user ' +
    'and the note. The eventId is in getLivestreamEvents and getAllEvents. The fault itself ends by itself, or by what you do about it.',
  tag: 'Live streams',
  aliases: ['ack', 'I know', 'take the alarm', 'silence the alarm', 'seen', 'working on it'],
  rest: 'POST /livestreams/events/{eventId}/acknowledge',
  access: 'operator',
  effect: 'update',
  input: z
    .object({
      eventId: idField.describe('Id of the event.'),
      note: z.string().trim().min(1).max(255).optional().describe('What is being done, for everybody to read.'),
    })
    .strict(),
  output: dataOf(
    z
      .object({
        eventId: idField.describe('Event.'),
        livestreamId: idField.nullable().describe('Live stream of the event; null: none.'),
        acknowledged_by: z.string().describe('User.'),
        note: z.string().nullable().describe('As sent.'),
      })
      .strict(),
  ),
  async handle(ctx, { eventId, note }) {
    const event = (await ctx.store.get('events', eventId))?.row;
    if (event === undefined) throw notFound('event', eventId);
    const by = ctx.caller.username;
    return ctx.commit((tx, now) => {
      acknowledge(tx, now, { ...conditionOf(event), livestreamId: event.livestreamId }, { by, note });
      return {
        body: { data: { eventId, livestreamId: event.livestreamId, acknowledged_by: by, note: note ?? null } },
      };
    });
  },
});
