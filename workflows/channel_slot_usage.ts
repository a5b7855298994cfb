import { z } from 'zod/v3';
import { slotsField, type Device } from '../domain/shapes/devices/device.ts';
import { notFound } from '../domain/base/errors.ts';
import type { View } from '../domain/ports/store.ts';
import { sayFound } from '../toolkit/input/resolve.ts';
import { deviceField } from '../toolkit/subjects/reference.ts';
import { reservesOf, reserveUse, withReserves } from '../toolkit/subjects/reserves.ts';
import { findDevice } from '../toolkit/subjects/start.ts';
import { defineTool, type ToolContext } from '../toolkit/tool.ts';
import { count, say, sentence, type Sentence } from '../toolkit/sentence.ts';
import { messageField, takenForField } from '../toolkit/subjects/workflow.ts';

const slotUse = z
  .object({
    slot: z.number().int().nullable().describe('Input slot, from 1.'),
    livestreamId: z.number().int(),
    name: z.string(),
    channelId: z.number().int().nullable().describe('Channel that occupies the slot.'),
    status: z.number().int().describe('1 starting, 2 on air.'),
  })
  .strict();
const deviceUse = z
  .object({
    deviceId: z.number().int(),
    name: z.string(),
    enabled: z.boolean(),
    online: z.boolean(),
    slots: slotsField,
    load: z.number().describe('Share of its encoding capacity in use, 0-1.'),
    occupied: z.array(slotUse),
  })
  .strict();
type DeviceUse = z.infer<typeof deviceUse>;

export const channel_slot_usage = defineTool({
  name: 'channel_slot_usage',
  summary: 'Show which input slots of the encoder Devices are taken, and by what.',
  description:
    'Use it to see where there is room; to choose where to start use get_start_targets. Answers slots, load and ' +
    'the Live streams of each Device.',
  tag: 'Workflows',
  aliases: ['capacity', 'free slots', 'room on the encoder', 'how full', 'occupancy', 'utilisation'],
  access: 'operator',
  effect: 'read',
  performs: ['getDevicesLiveStatus'],
  input: z.object({ deviceId: deviceField.describe('Device id or name; left out: all.') }).strict(),
  output: z
    .object({
      taken_for: takenForField,
      devices: z.array(deviceUse),
      reserves: z.array(reserveUse).describe('Device groups that keep room for a loss.'),
      message: messageField,
    })
    .strict(),
  async handle(ctx, { deviceId: wanted }) {
    const found = typeof wanted === 'string' ? await findDevice(ctx, wanted) : undefined;
    const deviceId = typeof wanted === 'number' ? wanted : found?.row.id;
    const { devices, reserves } = await ctx.store.view((view) => {
      const { rows } = view.find('devices', { where: { id: deviceId } });
      return { devices: rows.map((device) => useOf(ctx, view, device)), reserves: reservesOf(ctx, view, deviceId) };
    });
    if (deviceId !== undefined && devices.length === 0) throw notFound('Device', deviceId);
    const use = withReserves(messageOf(devices), reserves);
    const { text: message, names } = found === undefined ? use : sayFound(found, 'Device', use);
    const { row: _row, ...taken } = found ?? { row: undefined };
    return { body: { ...taken, devices, reserves, message }, names };
  },
});

function useOf(ctx: ToolContext, view: View, { id, name, enabled }: Readonly<Device>): DeviceUse {
  const { online, slots, load } = ctx.control.deviceState(id);
  const { rows } = view.find('runs', { where: { deviceId: id, status: { in: [1, 2] } } });
  const occupied = rows.map((run) => {
    const livestream = view.get('livestreams', run.id);
    return {
      slot: run.slot,
      livestreamId: run.id,
      name: livestream?.name ?? '',
      // A switch on air leaves the configured Channel where it is.
      channelId: run.inForce?.channelId ?? livestream?.channelId ?? null,
      status: run.status,
    };
  });
  occupied.sort((a, b) => (a.slot ?? 0) - (b.slot ?? 0));
  return { deviceId: id, name, enabled, online, slots, load, occupied };
}

function messageOf(devices: readonly DeviceUse[]): Sentence {
  const [only] = devices;
  if (only === undefined) return sentence`There is no Device yet.`;
  if (devices.length === 1) {
    const { used, free, total } = only.slots;
    return only.online
      ? sentence`${say(only.name)} uses ${used} of ${count(total, 'slot')}; ${free} ${free === 1 ? 'is' : 'are'} free.`
      : sentence`${say(only.name)} is offline.`;
  }
  const online = devices.filter((device) => device.online);
  const used = online.reduce((sum, { slots }) => sum + slots.used, 0);
  const total = online.reduce((sum, { slots }) => sum + slots.total, 0);
  return sentence`${online.length} of ${count(devices.length, 'Device')} are online; they use ${used} of ${count(total, 'slot')}, and ${total - used} ${total - used === 1 ? 'is' : 'are'} free.`;
}
