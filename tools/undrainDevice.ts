import { z } from 'zod/v3';
import { DEVICE } from '../domain/rules/devices/device.ts';
import { endDrain } from '../domain/rules/devices/drain.ts';
import { reference } from '../domain/base/schema.ts';
import { assertRow, deletedOutput } from '../toolkit/crud.ts';
import { defineTool } from '../toolkit/tool.ts';

export const undrainDevice = defineTool({
  name: 'undrainDevice',
  summary: 'Restore a Device (encoder) that was emptied: it gets Live streams again.',
  description:
    'Use it after the work for which drainDevice was called. It sets enabled to true, and nothing more is moved away. What was moved stays ' +
    'where it is: moveLivestream brings it back, and viewers notice nothing. A Device that is not being emptied is enabled all the same.',
  tag: 'Devices',
  aliases: ['end maintenance', 'back in service', 'use encoder again', 'uncordon', 'stop draining'],
  rest: 'DELETE /devices/{deviceId}/drain',
  access: 'admin',
  effect: 'delete',
  input: z.object({ deviceId: reference('Device') }).strict(),
  output: deletedOutput,
  handle: ({ commit, request }, { deviceId }) =>
    commit((tx, now) => {
      endDrain(tx, assertRow(tx, DEVICE, deviceId, request.expectedVersions), now);
      return { body: { data: { id: deviceId, deleted: true as const } } };
    }),
});
