import { z } from 'zod/v3';
import { COLLECTIONS } from '../domain/ports/collections.ts';
import { deviceLiveStatus } from '../domain/shapes/devices/device.ts';
import { deviceFilters, liveStatusOf } from '../domain/rules/devices/device.ts';
import { foundBody, listOf, pageFields, pageQuery } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

export const getDevicesLiveStatus = defineTool({
  name: 'getDevicesLiveStatus',
  summary: 'Show which Live streams each Device (encoder) holds right now, by input slot.',
  description:
    'Use it to see what runs where, which encoder is full, and which is offline. ' +
    'For what a Device can do use getAllDevices; for one broadcast in detail getLivestreamStatus.',
  tag: 'Devices',
  aliases: ['encoder status', 'what runs where', 'slots', 'encoder load', 'box status', 'live status', 'occupancy'],
  rest: 'GET /devices/livestatus',
  access: 'operator',
  effect: 'read',
  input: z.object({ ...pageFields, ...deviceFilters }).strict(),
  output: listOf(deviceLiveStatus.partial()),
  shortFields: ['deviceId', 'name', 'online', 'load', 'slots', 'livestreams'],
  async handle({ store, control }, input) {
    const { type, enabled } = input;
    const found = await store.find('devices', pageQuery(input, COLLECTIONS.devices.indexed, { type, enabled }));
    const deviceIds = found.rows.map((row) => row.id);
    const { rows: runs } = await store.find('runs', { where: { deviceId: { in: deviceIds }, status: { in: [1, 2] } } });
    const livestreams = await store.getMany(
      'livestreams',
      runs.map((run) => run.id),
    );
    return { body: foundBody(found, input, (row) => liveStatusOf(row, control, runs, livestreams)) };
  },
});
