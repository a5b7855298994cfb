import { z } from 'zod/v3';
import { descriptionField, idField, nameField, stampFields } from '../../base/schema.ts';

export const MAX_GROUP_DEVICES = 1000;

export const deviceGroupCreate = {
  name: nameField,
  description: descriptionField.nullable().default(null),
  devices: z.array(idField).max(MAX_GROUP_DEVICES).default([]).describe('Ids of the member Devices, all of one type.'),
  reserve: z
    .number()
    .int()
    .min(0)
    .max(MAX_GROUP_DEVICES - 1)
    .default(0)
    .describe('How many of its Devices may be lost: starts keep so much free.'),
};
export const deviceGroupOutput = z
  .object({ ...stampFields, ...deviceGroupCreate })
  .strict()
  .describe('Device group: one pool from which Live streams get a Device.');
export type DeviceGroupView = z.infer<typeof deviceGroupOutput>;
/** Rows from before there was a reserve have none. */
export type DeviceGroup = Omit<DeviceGroupView, 'reserve'> & { reserve?: number };
