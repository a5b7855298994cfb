import { deviceGroupResource } from '../domain/rules/devices/device-group.ts';
import { listTool } from '../toolkit/crud.ts';

export const getAllDeviceGroups = listTool(
  {
    name: 'getAllDeviceGroups',
    summary: 'List the Device groups (encoder pools) and their members.',
    description:
      'Use it to find the idEncoderGroup for a start or a Live stream, and to see which encoders form a pool. ' +
      'How full each member is tells getDevicesStatus.',
    tag: 'Devices',
    aliases: ['encoder groups', 'encoder pools', 'idEncoderGroup', 'device pools', 'clusters'],
    rest: 'GET /devices/groups',
    access: 'operator',
  },
  deviceGroupResource,
);
