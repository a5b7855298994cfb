import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brief, speakable } from '../../mcp/speakable.ts';
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
  ['deletePublishingGroup', { data: { id: 1, deleted: true } }, 'The Publishing group is deleted.'],
  [
    'getAllSchedules',
    page([
      {
        name: 'News',
        start: '2026-03-02T19:00:00Z',
        timezone: 'Europe/Zurich',
        recurrence: { type: 'workdays' },
        enabled: false,
      },
    ]),
    '1 Schedule: News, on workdays from Monday 2 March at 20:00, paused.',
  ],
  [
    'getScheduleOccurrences',
    page([
      { scheduleId: 4, livestreamId: 7, start: '2026-03-02T19:00:00Z', end: '2026-03-02T20:00:00Z', state: 'on_air' },
    ]),
    '1 occurrence: Evening News, Monday 2 March at 19:00, on air.',
  ],
  [
    'skipOccurrence',
    { data: { skipId: 3, occurrence_start: '2026-03-02T19:00:00Z', created_by: 'ann' } },
    'Done, the occurrence on Monday 2 March at 19:00 is left out.',
  ],
  [
    'getAllPlannedActions',
    page([{ id: 9, livestreamId: 7, type: 'sourceSwitch', execute_at: '2026-03-02T19:00:00Z', status: 'pending' }]),
    '1 Planned action: source switch of Evening News, Monday 2 March at 19:00, pending.',
  ],
  [
    'getRecordings',
    page([{ id: 1, name: 'Gala', livestreamId: 7, status: 'finished', duration_seconds: 5400 }]),
    '1 Recording: Gala, finished, 1 hour 30 minutes.',
  ],
];
const telling = { zone: 'UTC', nowMs: Date.UTC(2026, 0, 1) };
const hearing = { ...telling, names: new Map([[7, 'Evening News']]) };
for (const [name, body, sentence] of SAID) {
  if (!operations.some((tool) => tool.name === name)) continue;
  test(`${name} is said as a sentence`, () => {
    const tool = operations.find((each) => each.name === name) ?? assert.fail(name);
    assert.equal(spoken(tool, body, hearing), sentence);
  });
}

const HEARD: [string, string][] = [
  ['Start it on Device 3 "Studio". Use getAllDevices for more.', 'Start it on Device Studio.'],
  [
    'It was at 2026-03-02T19:00:00Z, see https://a.example/x?y=1.',
    'It was at Monday 2 March at 19:00, see an address.',
  ],
  ['Live stream 12 has status 0 (stopped); start it first.', 'that stream has status 0 (stopped); start it first.'],
  ['Evening_news is on air.', 'Evening news is on air.'],
  ['It begins at 2027-03-01T19:00:00Z.', 'It begins at Monday 1 March 2027 at 19:00.'],
];
for (const [written, heard] of HEARD) test(`${written} is heard as ${heard}`, () => assert.equal(speakable(written, telling), heard)); // prettier-ignore

test('the first sentences, and no abbreviation for one', () => {
  assert.equal(
    brief('St. Mary is on air now. All of its outputs deliver. More is told.'),
    'St. Mary is on air now. All of its outputs deliver.',
  );
});
