import { z } from 'zod/v3';
import { deviceCreate, deviceOutput } from '../domain/shapes/devices/device.ts';
import {
  assertChange,
  assertNameFree,
  changedDevice,
  credentialsOf,
  DEVICE,
  deviceNameFields,
  presentDevice,
  registerFields,
  withName,
} from '../domain/rules/devices/device.ts';
import { reference, toPartial } from '../domain/base/schema.ts';
import { assertRow } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { assertVisibleNames } from '../toolkit/input/new-name.ts';
import { defineTool } from '../toolkit/tool.ts';

const { shape } = toPartial({ ...deviceCreate, ...deviceNameFields, ...registerFields });

export const updateDevice = defineTool({
  name: 'updateDevice',
  summary: 'Change a Device (encoder machine): name, place, address, type, or whether it is used.',
  description:
    'Use enabled=false to give an encoder no new Live streams; what it runs goes on. With register_username and register_password, as its ' +
    'agent shows them after `onair device unpair`, it is paired anew, also with a replaced machine: Live streams ordered there continue ' +
    'or start there. type cannot change (422) in a Device group with others. To give an encoder up use deleteDevice.',
  tag: 'Devices',
  aliases: [
    'disable encoder',
    'enable encoder',
    'rename encoder',
    'pair again',
    'replace encoder',
    'maintenance',
    'change address',
  ],
  rest: 'PUT /devices/{deviceId}',
  access: 'admin',
  effect: 'update',
  input: z.object({ deviceId: reference('Device'), ...shape }).strict(),
  output: dataOf(deviceOutput),
  async handle({ store, control, commit, request }, { deviceId, register_username, register_password, ...sent }) {
    const patch = withName(sent);
    const credentials = credentialsOf({ register_username, register_password });
    const check = (view: Parameters<Parameters<typeof store.view>[0]>[0]) => {
      const present = assertRow(view, DEVICE, deviceId, request.expectedVersions);
      assertVisibleNames(patch, { ...present });
      assertChange(view, present, patch, credentials !== undefined);
      if (patch.name !== undefined) assertNameFree(view, patch.name, deviceId);
      return present;
    };
    // All refusals come before the pairing, which uses up the agent's one-time password.
    const { ip_address } = await store.view(check);
    const paired = credentials && (await control.pairDevice(patch.ip_address ?? ip_address, credentials));
    try {
      return await commit((tx, now) => {
        const row = changedDevice(check(tx), patch, paired?.key, now);
        tx.put('devices', row);
        const stored = tx.get('devices', deviceId) ?? row;
        return { body: { data: presentDevice(stored, control) }, version: tx.version('devices', deviceId) };
      });
    } catch (error) {
      await paired?.undo();
      throw error;
    }
  },
});
