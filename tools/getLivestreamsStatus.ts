import { z } from 'zod/v3';
import { COLLECTIONS } from '../domain/ports/collections.ts';
import {
  livestreamResource,
  livestreamSearch,
  livestreamWhere,
  statusFilter,
} from '../domain/rules/broadcasts/livestream.ts';
import { livestreamStatusOutput } from '../domain/shapes/broadcasts/livestream-status.ts';
import { lookupOf } from '../toolkit/crud.ts';
import { foundBody, listOf, pageFields, pageQuery } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getLivestreamsStatus = defineTool({
  name: 'getLivestreamsStatus',
  summary: 'Show what all Live streams do right now, in one call.',
  description:
    'Use it for an overview: which broadcasts are on air, starting or failed, for how long, on which Device, and what is wrong with the source. ' +
    'Narrow it with status=2 for those on air. For a single one use getLivestreamStatus. ' +
    'Over MCP it answers 20 short rows a page; fields=* brings sources, renditions and Destinations.',
  tag: 'Live streams',
  aliases: ['overview', 'what is on air', 'all streams health', 'monitoring wall', 'dashboard', 'anything failing'],
  rest: 'GET /livestreams/status',
  access: 'operator',
  effect: 'read',
  input: z
    .object({ ...pageFields, search: livestreamSearch, status: statusFilter, ...livestreamResource.filters })
    .strict(),
  output: listOf(livestreamStatusOutput.partial()),
  shortFields: [
    'livestreamId',
    'name',
    'status',
    'errorstatus',
    'on_air',
    'since',
    'uptime_seconds',
    'deviceId',
    'conditions',
    'source_watched',
  ],
  async handle({ store, control }, input) {
    const query = pageQuery(input, COLLECTIONS.livestreams.indexed, await livestreamWhere(store, input));
    const found = await store.find('livestreams', query);
    const runs = await lookupOf(store, livestreamResource, found.rows);
    return { body: foundBody(found, input, (row) => control.status(row, runs.get('runs', row.id))) };
  },
});
