import { z } from 'zod/v3';
import { fleetHold } from '../domain/shapes/devices/fleet-hold.ts';
import { holdFleet as hold } from '../domain/rules/devices/fleet-hold.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const holdFleet = defineTool({
  name: 'holdFleet',
  summary: 'Turn off every move of a broadcast to another Device (encoder) that nobody orders, until releaseFleet.',
  description:
    'Use it before work on the network, the database or all servers, so that a Device that seems lost keeps its broadcasts. No loss and no ' +
    'drainDevice moves anything while it lasts, and moveLivestream is refused without force: true; starts and stops work. Viewers notice ' +
    'nothing; what a Device that has died had on air stays away until then. A move under way goes on. Held already: nothing changes. ' +
    'getDevicesStatus tells it, and getSystemAlarms warns.',
  tag: 'Devices',
  aliases: [
    'freeze fleet',
    'pause failover',
    'stop moving',
    'maintenance of the network',
    'hold all encoders',
    'pin everything',
  ],
  rest: 'POST /devices/fleet/hold',
  access: 'admin',
  effect: 'control',
  input: z.object({}).strict(),
  output: dataOf(fleetHold),
  handle: (ctx) => ctx.commit((tx, now) => ({ body: { data: hold(tx, now, ctx.caller.username) } })),
});
