import { z } from 'zod/v3';
import { invalidInput } from '../domain/errors.ts';
import { livestreamOutput, startConfigField } from '../domain/livestream.ts';
import { livestreamResource } from '../domain/resources/livestream.ts';
import { reference } from '../domain/schema.ts';
import { assertRow, presentIn } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const startLivestream = defineTool({
  name: 'startLivestream',
  summary: 'Start a Live stream: reserve capacity and begin to encode and deliver.',
  description:
    'Use it to go on air. It answers at once with status 1 (starting); whether frames arrive is seen in getLivestreamStatus. ' +
    'The workflow start_livestream waits for that and takes names. A stream in status 1 or 2 stays as it is. ' +
    'Ask getLivestreamStartConfig first why a start would be refused.',
  tag: 'Live streams',
  aliases: ['go live', 'put on air', 'launch', 'begin broadcast', 'start stream', 'start encoding', 'turn on'],
  rest: 'POST /livestreams/{livestreamId}/start',
  access: 'operator',
  effect: 'control',
  input: z
    .object({
      livestreamId: reference('Live stream'),
      idEncoderGroup: reference('Device group').nullable().optional().describe('Device group to run on.'),
      deviceId: reference('Device')
        .nullable()
        .optional()
        .describe('Device to run on; left out: as configured, else the freest.'),
      cloudAccountId: reference('Cloud account')
        .nullable()
        .optional()
        .describe('Cloud account to run on, instead of a Device.'),
      startConfig: startConfigField
        .optional()
        .describe('Paths and qualities to deliver; left out: the last ones, else all that are on.'),
    })
    .strict(),
  output: dataOf(livestreamOutput),
  handle(ctx, { livestreamId, ...request }) {
    if (request.cloudAccountId != null && (request.deviceId != null || request.idEncoderGroup != null)) {
      const message = 'a start is on the cloud platform or on a Device; leave out cloudAccountId or the other';
      throw invalidInput([{ field: 'cloudAccountId', code: 'ambiguous', message }]);
    }
    return ctx.commit((tx, now) => {
      const livestream = assertRow(tx, livestreamResource, livestreamId, undefined);
      const { accepted } = ctx.control.orderStart(tx, now, livestreamId, request, { username: ctx.caller.username });
      return { ...presentIn(tx, livestreamResource, livestream), status: accepted ? 202 : 200 };
    });
  },
});
