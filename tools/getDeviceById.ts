import { z } from 'zod/v3';
import { deviceOutput } from '../domain/shapes/devices/device.ts';
import { DEVICE, presentDevice } from '../domain/rules/devices/device.ts';
import { reference } from '../domain/base/schema.ts';
import { getRow } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getDeviceById = defineTool({
  name: 'getDeviceById',
  summary: 'Show one Device (encoder machine): its settings, abilities, slots and load.',
  description:
    'Use it to see what one encoder can do, what it lacks, whether its agent answers and how much room it has. ' +
    'For the Live streams that it holds use getDevicesLiveStatus.',
  tag: 'Devices',
  aliases: ['encoder', 'encoder box', 'machine details', 'appliance', 'what can this encoder do', 'codecs'],
  rest: 'GET /devices/{deviceId}',
  access: 'operator',
  effect: 'read',
  input: z.object({ deviceId: reference('Device') }).strict(),
  output: dataOf(deviceOutput),
  async handle({ store, control }, { deviceId }) {
    const { row, version } = await getRow(store, DEVICE, deviceId);
    return { body: { data: presentDevice(row, control) }, version };
  },
});
