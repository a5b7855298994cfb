import { z } from 'zod/v3';
import { invalidInput } from '../domain/base/errors.ts';
import { livestreamOutput, startFields } from '../domain/shapes/broadcasts/livestream.ts';
import { startShapeIssues } from '../domain/rules/broadcasts/command-rules.ts';
import { livestreamResource } from '../domain/rules/broadcasts/livestream.ts';
import { reference } from '../domain/base/schema.ts';
import { assertRow, presentIn } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
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
  input: z.object({ livestreamId: reference('Live stream'), ...startFields }).strict(),
  output: dataOf(livestreamOutput),
  handle(ctx, { livestreamId, ...request }) {
    const issues = startShapeIssues(request);
    if (issues.length > 0) throw invalidInput(issues);
    return ctx.commit((tx, now) => {
      const livestream = assertRow(tx, livestreamResource, livestreamId, undefined);
      const { accepted } = ctx.control.orderStart(tx, now, livestreamId, request, { username: ctx.caller.username });
      return { ...presentIn(tx, livestreamResource, livestream), status: accepted ? 202 : 200 };
    });
  },
});
