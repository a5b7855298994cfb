import { deviceGroupResource } from '../domain/rules/devices/device-group.ts';
import { addTool } from '../toolkit/crud.ts';

export const createDeviceGroup = addTool(
  {
    name: 'createDeviceGroup',
    summary: 'Create a Device group: a pool of encoders of one type.',
    description:
      'Use it to let Live streams run on whichever of several encoders has the most room: name the group as idEncoderGroup in the Live ' +
      'stream or its start. All members must be of one type (422). For one encoder alone name its deviceId in startLivestream instead.',
    tag: 'Devices',
    aliases: ['encoder pool', 'new encoder group', 'cluster encoders', 'redundant encoders', 'load balancing'],
    rest: 'POST /devices/groups',
    access: 'admin',
  },
  deviceGroupResource,
);
