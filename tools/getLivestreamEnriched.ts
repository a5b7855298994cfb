import { z } from 'zod/v3';
import { toIso } from '../domain/time/clock.ts';
import { enrich, enrichedOutput } from '../domain/rules/broadcasts/enriched.ts';
import { livestreamResource } from '../domain/rules/broadcasts/livestream.ts';
import { reference } from '../domain/base/schema.ts';
import { assertRow } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getLivestreamEnriched = defineTool({
  name: 'getLivestreamEnriched',
  summary: 'Show one Live stream with everything it refers to: source, ladder, outputs, Device, files, status.',
  description:
    'Use it when the whole picture of a broadcast is needed in one answer: Channel, Encodings in ladder order, Publishings, Device or ' +
    'Device group, logo and fallback file, runtime_status as getLivestreamStatus shows it, and whether it may start. Secrets are masked as ' +
    'in each resource. It is long: for the state alone use getLivestreamStatus, for the settings alone getLivestreamById.',
  tag: 'Live streams',
  aliases: ['full details', 'resolved references', 'everything about a broadcast', 'overview', 'expanded', 'inspect'],
  rest: 'GET /livestreams/{livestreamId}/enriched',
  access: 'operator',
  effect: 'read',
  input: z.object({ livestreamId: reference('Live stream') }).strict(),
  output: dataOf(enrichedOutput),
  handle: ({ store, control, clock }, { livestreamId }) =>
    store.view((view) => {
      const row = assertRow(view, livestreamResource, livestreamId, undefined);
      const version = view.version('livestreams', livestreamId);
      return { body: { data: enrich(view, control, row, toIso(clock.now())) }, version };
    }),
});
