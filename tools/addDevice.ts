import { z } from 'zod/v3';
import { deviceCreate, deviceOutput } from '../domain/shapes/devices/device.ts';
import { invalidInput } from '../domain/base/errors.ts';
import {
  assertNameFree,
  deviceNameFields,
  pairedDevice,
  presentDevice,
  registerFields,
  withName,
} from '../domain/rules/devices/device.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const addDevice = defineTool({
  name: 'addDevice',
  summary: 'Add a Device (encoder on another machine) by pairing with its agent.',
  description:
    'Use it for a further encoder. On that machine `onair device --listen <address:port> --host <address>` shows register_username and ' +
    'register_password; they pair once and are not stored. Refused when the agent is paired already (409), does not know them (422) or ' +
    'is away (502, 504). The Device of the server itself exists already. To pair one anew use updateDevice.',
  tag: 'Devices',
  aliases: ['pair encoder', 'register encoder', 'new encoder', 'add machine', 'connect agent', 'second encoder'],
  rest: 'POST /devices',
  access: 'admin',
  effect: 'create',
  input: z.object({ ...deviceCreate, ...deviceNameFields, ...registerFields }).strict(),
  output: dataOf(deviceOutput),
  async handle({ store, control, commit }, { register_username, register_password, ...sent }) {
    const { name, ...fields } = withName(sent);
    if (name === undefined) throw invalidInput([{ field: 'name', code: 'required', message: 'is required' }]);
    // All refusals come before the pairing, which uses up the agent's one-time password.
    await store.view((view) => assertNameFree(view, name));
    const { key, undo } = await control.pairDevice(fields.ip_address, { register_username, register_password });
    try {
      return await commit((tx, now) => {
        const row = tx.insert('devices', pairedDevice({ name, ...fields }, key, now));
        return { body: { data: presentDevice(row, control) }, version: tx.version('devices', row.id) };
      });
    } catch (error) {
      await undo();
      throw error;
    }
  },
});
