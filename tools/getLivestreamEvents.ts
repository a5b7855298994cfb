import { z } from 'zod/v3';
import { COLLECTIONS } from '../domain/ports/collections.ts';
import { eventFilters, eventOutput } from '../domain/shapes/installation/event.ts';
import { livestreamResource } from '../domain/rules/broadcasts/livestream.ts';
import { reference } from '../domain/base/schema.ts';
import { getRow } from '../toolkit/crud.ts';
import { foundBody, instantRange, listOf, pageFields, pageQuery } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getLivestreamEvents = defineTool({
  name: 'getLivestreamEvents',
  summary: 'List the event log of one Live stream: starts, failovers, lost sources, Destinations up and down.',
  description:
    'Use it to find out what happened and when, for example why a broadcast failed last night. Oldest first; sort=-at or sort=-id brings the ' +
    'newest first. Narrow it by kind, severity and time. For the present state use getLivestreamStatus, for the events of all Live ' +
    'streams getAllEvents.',
  tag: 'Live streams',
  aliases: ['event log', 'history', 'logs', 'what happened', 'failover log', 'incidents', 'errors', 'timeline'],
  rest: 'GET /livestreams/{livestreamId}/events',
  access: 'operator',
  effect: 'read',
  input: z
    .object({
      livestreamId: reference('Live stream'),
      ...pageFields,
      search: pageFields.search.describe('Substring of the message.'),
      ...eventFilters,
    })
    .strict(),
  output: listOf(eventOutput.partial()),
  shortFields: ['id', 'at', 'kind', 'severity', 'message'],
  async handle({ store }, input) {
    const { livestreamId, kind, severity, from, to } = input;
    await getRow(store, livestreamResource, livestreamId);
    // Events are sorted by their instants, for a Device may bring an event after one that happened later.
    const query = pageQuery({ ...input, sort: input.sort ?? 'at' }, COLLECTIONS.events.indexed, {
      livestreamId,
      kind,
      severity,
      at: instantRange(from, to),
    });
    return { body: foundBody(await store.find('events', query), input, (row) => row) };
  },
});
