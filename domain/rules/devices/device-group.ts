import { deviceGroupCreate, deviceGroupOutput, type DeviceGroup } from '../../shapes/devices/device-group.ts';
import type { FieldIssue } from '../../base/errors.ts';
import { defineResource, type Lookup } from '../../ports/resource.ts';
import { assertRules, elementIssues } from '../rows/references.ts';
import { actionUsers, livestreamUsers, scheduleUsers } from '../rows/resource-users.ts';
import { calledIn } from '../../base/sentence.ts';

export const deviceGroupResource = defineResource({
  collection: 'deviceGroups',
  noun: 'Device group',
  idParam: 'groupId',
  shape: deviceGroupCreate,
  output: deviceGroupOutput,
  shortFields: ['id', 'name', 'description', 'devices', 'reserve'],
  filters: {},
  check: (row, view) => {
    assertRules([
      ...elementIssues(view, 'devices', 'Device', row.devices, 'devices'),
      ...typeIssues(row, view),
      ...reserveIssues(row),
    ]);
  },
  users: (view, id) => [
    ...livestreamUsers(view, 'idEncoderGroup', id),
    ...scheduleUsers(view, 'idEncoderGroup', id),
    ...actionUsers(view, 'start', ({ idEncoderGroup }) => idEncoderGroup === id),
  ],
  present: (row) => ({ ...row, reserve: row.reserve ?? 0 }),
});

function typeIssues({ devices }: DeviceGroup, lookup: Lookup): FieldIssue[] {
  const [first, ...others] = devices.map((id) => lookup.get('devices', id)?.type);
  return others.flatMap((type, index) => {
    if (first === undefined || type === undefined || type === first) return [];
    const id = devices[index + 1]!;
    const message = `${calledIn(lookup, 'Device', id)} is of type ${type}, the first member of ${first}; all members must share one`;
    return [{ field: `devices.${index + 1}`, code: 'type', message }];
  });
}

function reserveIssues({ devices, reserve = 0 }: DeviceGroup): FieldIssue[] {
  if (devices.length === 0 || reserve < devices.length) return [];
  const message = `must be less than its ${devices.length} ${devices.length === 1 ? 'Device' : 'Devices'}: one has to be left that carries something`;
  return [{ field: 'reserve', code: 'too_large', message, max: devices.length - 1 }];
}
