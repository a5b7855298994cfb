import { z } from 'zod/v3';
import { fleetHold } from '../domain/shapes/devices/fleet-hold.ts';
import { fleetHeld, releaseFleet as release } from '../domain/rules/devices/fleet-hold.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const releaseFleet = defineTool({
  name: 'releaseFleet',
  summary: 'Turn on again the moves of broadcasts to other Devices (encoders) that holdFleet has turned off.',
  description:
    'Use it when the work for which holdFleet was called is over and the Devices answer. Broadcasts that drainDevice has left on a Device ' +
    'are moved from now on, and viewers miss a second or less. A Device that is silent gives nothing away by this: moveLivestream with ' +
    'force: true does. Not held: nothing changes.',
  tag: 'Devices',
  aliases: ['unfreeze fleet', 'resume failover', 'end the hold', 'let broadcasts move again', 'release encoders'],
  rest: 'POST /devices/fleet/release',
  access: 'admin',
  effect: 'control',
  input: z.object({}).strict(),
  output: dataOf(
    z.object({ former: fleetHold.nullable().describe('The hold that it has ended; null: there was none.') }).strict(),
  ),
  handle: (ctx) =>
    ctx.commit((tx, now) => {
      const former = fleetHeld(tx) ?? null;
      release(tx, now, ctx.caller.username);
      return { body: { data: { former } } };
    }),
});
