import { deviceGroupResource } from '../domain/rules/devices/device-group.ts';
import { deleteTool } from '../toolkit/crud.ts';

export const deleteDeviceGroup = deleteTool(
  {
    name: 'deleteDeviceGroup',
    summary: 'Delete a Device group (encoder pool).',
    description:
      'Use it when a pool is no longer needed; its Devices stay. Refused (409) while Live streams name it as idEncoderGroup; the ' +
      'answer lists them. To take single Devices out use updateDeviceGroup.',
    tag: 'Devices',
    aliases: ['remove encoder pool', 'remove encoder group', 'dissolve pool', 'ungroup encoders'],
    rest: 'DELETE /devices/groups/{groupId}',
    access: 'admin',
  },
  deviceGroupResource,
);
