import { z } from 'zod/v3';
import { COLLECTIONS } from '../domain/ports/collections.ts';
import { eventFilters, eventOutput } from '../domain/shapes/installation/event.ts';
import { reference } from '../domain/base/schema.ts';
import { foundBody, instantRange, listOf, pageFields, pageQuery } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getAllEvents = defineTool({
  name: 'getAllEvents',
  summary: 'List the events of all Live streams together: starts, failovers, lost sources, failed Destinations.',
  description:
    'Use it to find out what happened anywhere, for example every error since midnight, or the events of a Live stream that was deleted. ' +
    'Newest first; sort=at or sort=id brings the oldest first. Narrow it by Live stream, kind, severity and time. For the log of one Live ' +
    'stream use getLivestreamEvents, for what all of them do now getLivestreamsStatus.',
  tag: 'Live streams',
  aliases: [
    'station log',
    'log of all streams',
    'all incidents',
    'all failures',
    'overnight report',
    'what happened anywhere',
  ],
  rest: 'GET /livestreams/events',
  access: 'operator',
  effect: 'read',
  input: z
    .object({
      ...pageFields,
      search: pageFields.search.describe('Substring of the message.'),
      livestreamId: reference('Live stream').optional().describe('Only events of this Live stream.'),
      ...eventFilters,
    })
    .strict(),
  output: listOf(eventOutput.partial()),
  shortFields: ['id', 'at', 'livestreamId', 'kind', 'severity', 'message'],
  async handle({ store }, input) {
    const { livestreamId, kind, severity, from, to } = input;
    const where = { livestreamId, kind, severity, at: instantRange(from, to) };
    // Events are sorted by their instants, for a Device may bring an event after one that happened later.
    const query = pageQuery({ ...input, sort: input.sort ?? '-at' }, COLLECTIONS.events.indexed, where);
    return { body: foundBody(await store.find('events', query), input, (row) => row) };
  },
});
