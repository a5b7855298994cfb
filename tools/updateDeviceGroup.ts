import { deviceGroupResource } from '../domain/rules/devices/device-group.ts';
import { updateTool } from '../toolkit/crud.ts';

export const updateDeviceGroup = updateTool(
  {
    name: 'updateDeviceGroup',
    summary: 'Change a Device group (encoder pool): its members or name.',
    description:
      'Use it to add encoders to a pool or take them out. devices is replaced as a whole: send all member ids, all of one type (422). ' +
      'What is on air stays where it is; the next starts use the new members. For the encoder itself use updateDevice.',
    tag: 'Devices',
    aliases: [
      'encoder pool',
      'add encoder to group',
      'remove encoder from group',
      'edit encoder group',
      'pool members',
    ],
    rest: 'PUT /devices/groups/{groupId}',
    access: 'admin',
  },
  deviceGroupResource,
);
