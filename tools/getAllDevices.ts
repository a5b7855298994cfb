import { z } from 'zod/v3';
import { COLLECTIONS } from '../domain/ports/collections.ts';
import { deviceOutput } from '../domain/shapes/devices/device.ts';
import { deviceFilters, deviceShortFields, presentDevice } from '../domain/rules/devices/device.ts';
import { foundBody, listOf, pageFields, pageQuery } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getAllDevices = defineTool({
  name: 'getAllDevices',
  summary: 'List the Devices (encoder machines) with their capacity and abilities.',
  description:
    'Use it to see which encoders exist, which are online, how loaded they are and, with fields=*, which codecs and protocols each can do. ' +
    'For the Live streams that each one holds use getDevicesLiveStatus.',
  tag: 'Devices',
  aliases: ['encoders', 'encoder boxes', 'machines', 'appliances', 'servers', 'hardware', 'capabilities', 'capacity'],
  rest: 'GET /devices',
  access: 'operator',
  effect: 'read',
  input: z.object({ ...pageFields, ...deviceFilters }).strict(),
  output: listOf(deviceOutput.partial()),
  shortFields: deviceShortFields,
  async handle({ store, control }, input) {
    const { type, enabled } = input;
    // alias is another name of the field name.
    const sort = input.sort?.replace(/^(-?)alias$/u, '$1name');
    const { indexed } = COLLECTIONS.devices;
    const found = await store.find('devices', pageQuery({ ...input, sort }, indexed, { type, enabled }));
    return { body: foundBody(found, input, (row) => presentDevice(row, control)) };
  },
});
