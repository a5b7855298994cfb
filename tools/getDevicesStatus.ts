import { z } from 'zod/v3';
import { deviceSummary } from '../domain/shapes/devices/device.ts';
import { summaryOf } from '../domain/rules/devices/device.ts';
import { holdInForce } from '../domain/rules/devices/fleet-hold.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getDevicesStatus = defineTool({
  name: 'getDevicesStatus',
  summary:
    'Show a summary of all Devices (encoders): how many are online, slots used, load by type, whether they are held.',
  description:
    'Use it for the state of the whole encoder estate at a glance: is one away, is there room, which type is full. ' +
    'For the Live streams on each one use getDevicesLiveStatus; for what each can do getAllDevices.',
  tag: 'Devices',
  aliases: [
    'encoder summary',
    'encoder health',
    'estate',
    'total capacity',
    'how many encoders',
    'utilisation',
    'fleet',
  ],
  rest: 'GET /devices/status',
  access: 'operator',
  effect: 'read',
  input: z.object({}).strict(),
  output: dataOf(deviceSummary),
  async handle({ store, control }) {
    const { rows } = await store.find('devices', {});
    return { body: { data: summaryOf(rows, control, await holdInForce(store)) } };
  },
});
