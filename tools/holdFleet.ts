import { z } from 'zod/v3';
import { fleetHold } from '../domain/shapes/devices/fleet-hold.ts';
import { holdFleet as hold } from '../domain/rules/devices/fleet-hold.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const holdFleet = defineTool({
  name: 'holdFleet',
  summary: 'Hold all Devices (encoders): no broadcast is moved to another one by itself, until releaseFleet.',
  description:
    'Use it before work on the network, the database or all servers, so that a Device that seems lost keeps its broadcasts. No loss and no ' +
    'drainDevice moves anything while it lasts; starts and stops work, and moveLivestream with force: true still moves one. A move that is ' +
    'under way goes on. Held already: nothing changes. getDevicesStatus tells it, and getSystemAlarms warns.',
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
