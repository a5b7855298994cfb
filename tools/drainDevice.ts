import { z } from 'zod/v3';
import { invalidInput } from '../domain/base/errors.ts';
import { idField, instantField, reference } from '../domain/base/schema.ts';
import { instantInput } from '../domain/time/instant.ts';
import { DEVICE } from '../domain/rules/devices/device.ts';
import { beginDrain } from '../domain/rules/devices/drain.ts';
import { assertRow } from '../toolkit/crud.ts';
import { dataOf } from '../toolkit/output/page.ts';
import { defineTool } from '../toolkit/tool.ts';

const moving = z
  .object({
    livestreamId: idField.describe('Live stream.'),
    name: z.string(),
    deviceId: idField.describe('Device that it is being moved to.'),
  })
  .strict();
const staying = z
  .object({
    livestreamId: idField.describe('Live stream.'),
    name: z.string(),
    code: z.string().describe('Why, as moveLivestream refuses it.'),
    message: z.string().describe('Why, in words.'),
  })
  .strict();

export const drainDevice = defineTool({
  name: 'drainDevice',
  summary: 'Empty a Device (encoder): it gets no more Live streams, and what it has on air is moved to others.',
  description:
    'Use it before work on an encoder machine. It sets enabled to false and orders the moves; the event device_drained says when the Device ' +
    'is empty. What cannot be moved is named with the reason and goes on there; it is tried again until the deadline. undrainDevice takes ' +
    'the Device into use again; what was moved stays where it is. To move one broadcast: moveLivestream.',
  tag: 'Devices',
  aliases: ['empty encoder', 'evacuate', 'maintenance', 'take out of service', 'move everything away', 'cordon'],
  rest: 'POST /devices/{deviceId}/drain',
  access: 'admin',
  effect: 'control',
  input: z
    .object({
      deviceId: reference('Device'),
      deadline: instantInput('Until when to try; null: until it is empty.').nullable().default(null),
    })
    .strict(),
  output: dataOf(
    z
      .object({
        deviceId: idField.describe('Device.'),
        enabled: z.boolean().describe('False: it gets no more Live streams.'),
        deadline: instantField.nullable().describe('As sent.'),
        moving: z.array(moving).describe('Live streams that are being moved.'),
        staying: z.array(staying).describe('Live streams that cannot be moved now.'),
      })
      .strict(),
  ),
  handle: (ctx, { deviceId, deadline }) =>
    ctx.commit((tx, now) => {
      if (deadline !== null && deadline <= now)
        throw invalidInput([{ field: 'deadline', code: 'past', message: 'must be in the future' }]);
      const { username: by } = ctx.caller;
      beginDrain(tx, assertRow(tx, DEVICE, deviceId, ctx.request.expectedVersions), now, by, deadline);
      const nameOf = (id: number): string => tx.get('livestreams', id)?.name ?? '';
      const stays = ctx.control.moveAll(tx, now, { deviceId, by });
      const leaving = tx
        .find('runs', { where: { deviceId } })
        .rows.flatMap(({ id, move, otherDeviceId }) =>
          move == null || otherDeviceId == null
            ? []
            : [{ livestreamId: id, name: nameOf(id), deviceId: otherDeviceId }],
        );
      const data = {
        deviceId,
        enabled: false,
        deadline,
        moving: leaving,
        staying: stays.map((one) => ({ ...one, name: nameOf(one.livestreamId) })),
      };
      return { body: { data } };
    }),
});
