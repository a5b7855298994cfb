import { z } from 'zod/v3';
import { inUse } from '../domain/base/errors.ts';
import { assertDeletable, DEVICE, deviceUsers } from '../domain/rules/devices/device.ts';
import { reference } from '../domain/base/schema.ts';
import { assertRow, deletedOutput } from '../toolkit/crud.ts';
import { defineTool } from '../toolkit/tool.ts';

export const deleteDevice = defineTool({
  name: 'deleteDevice',
  summary: 'Delete a Device (encoder on another machine) and end its pairing.',
  description:
    'Use it when an encoder is given up. Refused (409) while Live streams run on it or are pinned to it, a Device group holds it or a ' +
    'Channel takes its input, and for the machine of the server itself. An agent that is away keeps its pairing: run `onair device unpair` ' +
    'there. To pause an encoder use updateDevice with enabled=false.',
  tag: 'Devices',
  aliases: ['remove encoder', 'unpair encoder', 'unregister machine', 'decommission', 'drop device'],
  rest: 'DELETE /devices/{deviceId}',
  access: 'admin',
  effect: 'delete',
  input: z.object({ deviceId: reference('Device') }).strict(),
  output: deletedOutput,
  handle: ({ commit, control, request }, { deviceId }) =>
    commit((tx) => {
      const row = assertRow(tx, DEVICE, deviceId, request.expectedVersions);
      assertDeletable(row, control.deviceState(deviceId).online);
      const users = deviceUsers(tx, deviceId);
      if (users.length > 0) throw inUse(DEVICE.noun, row, users);
      // The key goes with the row; the holder of the link tells the agent.
      tx.delete('devices', deviceId);
      if (tx.get('deviceLinks', deviceId) !== undefined) tx.delete('deviceLinks', deviceId);
      return { body: { data: { id: deviceId, deleted: true as const } } };
    }),
});
