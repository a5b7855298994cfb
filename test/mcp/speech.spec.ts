import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spoken } from '../../mcp/speech.ts';
import { operations } from '../../tools/index.ts';

const slots = { used: 1, total: 3 };
const page = (rows: object[]): Record<string, unknown> => ({ rows, pagination: { total: rows.length } });

const SAID: [string, Record<string, unknown>, string][] = [
  ['getAllLivestreams', page([{ id: 1, name: 'Show', status: 2 }]), '1 Live stream: Show, on air.'],
  ['getAllDeviceGroups', page([{ id: 1, name: 'Pool' }]), '1 Device group: Pool.'],
  ['getAllPublishingGroups', page([]), 'There are no Publishing groups.'],
  ['getLivestreamEvents', page([{ id: 1, message: 'Ann started Air.' }]), '1 event: Ann started Air.'],
  [
    'getDevicesLiveStatus',
    page([
      { deviceId: 1, name: 'Box', online: true, slots },
      { deviceId: 2, name: 'Van', online: false, slots },
    ]),
    '2 Devices: Box, 1 of 3 slots taken; Van, offline.',
  ],
  ['getDevicesStatus', { data: { total: 2, online: 1, slots } }, '1 of 2 Devices online, 1 of 3 slots taken.'],
  ['updateChannel', { data: { id: 1, name: 'Cam' } }, 'Cam is updated.'],
];
for (const [name, body, sentence] of SAID) {
  test(`${name} is said as a sentence`, () => {
    const tool = operations.find((each) => each.name === name) ?? assert.fail(name);
    assert.equal(spoken(tool, body), sentence);
  });
}
