import { z } from 'zod/v3';
import { startConfigField } from '../domain/shapes/broadcasts/livestream.ts';
import { startReason } from '../domain/rules/broadcasts/enriched.ts';
import { knownSource, knownSourceOutput } from '../domain/rules/sources/known-source.ts';
import { livestreamResource } from '../domain/rules/broadcasts/livestream.ts';
import { reference } from '../domain/base/schema.ts';
import { assertRow } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { warningsField, warningsOfStart } from '../toolkit/subjects/template-warnings.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getLivestreamStartConfig = defineTool({
  name: 'getLivestreamStartConfig',
  summary: 'Show whether a Live stream could start now, why not, and with which Destinations and qualities.',
  description:
    'Use it before a start: startAllowed says whether it would be accepted at this moment, reasons say what is in the way. ' +
    'startConfig is what a start without one of its own would use: the last one, else what is enabled on each Publishing. warnings are demands of platforms ' +
    'that it breaks; they refuse nothing. source is what is known of what comes in. For the best place to run it use get_start_targets.',
  tag: 'Live streams',
  aliases: [
    'start check',
    'preflight',
    'can it start',
    'ready to go live',
    'why can it not start',
    'last start settings',
  ],
  rest: 'GET /livestreams/{livestreamId}/startConfig',
  access: 'operator',
  effect: 'read',
  input: z.object({ livestreamId: reference('Live stream') }).strict(),
  output: dataOf(
    z
      .object({
        idEncoderGroup: reference('Device group')
          .nullable()
          .describe('Device group it would run on; null = any Device.'),
        startConfig: startConfigField.describe('Paths and qualities that a start would use.'),
        startAllowed: z.boolean().describe('Whether a start would be accepted now.'),
        reasons: z.array(startReason).describe('What is in the way; empty when it may start.'),
        warnings: warningsField,
        source: knownSourceOutput.nullable().describe('What is known of the source; null: its Channel is gone.'),
      })
      .strict(),
  ),
  handle: ({ store, control }, { livestreamId }) =>
    store.view((view) => {
      const livestream = assertRow(view, livestreamResource, livestreamId, undefined);
      const { idEncoderGroup, channelId } = livestream;
      const check = control.checkStart(view, livestreamId, {});
      const warnings = warningsOfStart(view, livestream, check);
      const source = knownSource(view, control, channelId);
      return { body: { data: { idEncoderGroup, ...check, warnings, source } } };
    }),
});
