import { z } from 'zod/v3';
import { descriptionField, idField, nameField, stampFields } from '../../base/schema.ts';

export const MAX_GROUP_DEVICES = 100;

export const deviceGroupCreate = {
  name: nameField,
  description: descriptionField.nullable().default(null),
  devices: z.array(idField).max(MAX_GROUP_DEVICES).default([]).describe('Ids of the member Devices, all of one type.'),
};
export const deviceGroupOutput = z
  .object({ ...stampFields, ...deviceGroupCreate })
  .strict()
  .describe('Device group: one pool from which Live streams get a Device.');
export type DeviceGroup = z.infer<typeof deviceGroupOutput>;
