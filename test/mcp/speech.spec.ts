import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brief, speakable } from '../../mcp/voice/spoken-text.ts';
import { spokenAnswer } from '../../mcp/voice/speech.ts';
import { operations } from '../../tools/index.ts';

const slots = { used: 1, total: 3 };
const page = (rows: object[]): Record<string, unknown> => ({ rows, pagination: { total: rows.length } });

const SAID: [string, Record<string, unknown>, string][] = [
  ['getAllLivestreams', page([{ id: 1, name: 'Show', status: 2 }]), '1 Live stream: Show, on air.'],
  ['getAllDeviceGroups', page([{ id: 1, name: 'Pool' }]), '1 Device group: Pool.'],
  ['getAllPublishingGroups', page([]), 'There are no Publishing groups.'],
  ['getLivestreamEvents', page([{ id: 1, message: 'Ann started Air.' }]), '1 event: Ann started Air.'],
  [
    'getLivestreamEvents',
    page([
      { id: 1, severity: 'info', message: 'Ann started Air.' },
      { id: 2, severity: 'error', message: 'The start failed: rtmp://10.0.0.9/live refused.' },
    ]),
    '2 events: The start failed: an address refused; Ann started Air.',
  ],
  [
    'getAllEvents',
    page([
      { id: 4, livestreamId: 7, severity: 'info', message: 'Ann started Air.' },
      { id: 3, livestreamId: null, severity: 'info', message: 'A Device came back.' },
    ]),
    '2 events: Evening News, Ann started Air; A Device came back.',
  ],
  [
    'getDevicesLiveStatus',
    page([
      { deviceId: 1, name: 'Box', online: true, slots },
      { deviceId: 2, name: 'Van', online: false, slots },
    ]),
    '2 Devices: Box, 1 of 3 slots taken; Van, offline.',
  ],
  ['getDevicesStatus', { data: { total: 2, online: 1, slots } }, '1 of 2 Devices online, 1 of 3 slots taken.'],
  [
    'getDevicesStatus',
    { data: { total: 2, online: 1, slots, held: { since: '2026-06-01T20:00:00Z', by: 'anna' } } },
    '1 of 2 Devices online, 1 of 3 slots taken. Nothing is moved by itself: anna holds them.',
  ],
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
const speech = { zone: 'UTC', nowMs: Date.UTC(2026, 0, 1) };
const context = { ...speech, streamNames: new Map([[7, 'Evening News']]) };
for (const [name, body, sentence] of SAID) {
  if (!operations.some((tool) => tool.name === name)) continue;
  test(`the answer of ${name} by voice is a sentence`, () => {
    const tool = operations.find((each) => each.name === name) ?? assert.fail(name);
    assert.equal(spokenAnswer(tool, body, context), sentence);
  });
}

const HEARD: [string, string][] = [
  ['Start it on Device 3 "Studio". Use getAllDevices for more.', 'Start it on Device Studio.'],
  [
    'It was at 2026-03-02T19:00:00Z, see https://a.example/x?y=1.',
    'It was at Monday 2 March at 19:00, see an address.',
  ],
  [
    'Live stream 12 "News" has status 0 (stopped); this can be changed in status 2 (on air) only.',
    'Live stream News is stopped; this can be changed while it is on air only.',
  ],
  ['There is no Live stream 12.', 'There is no such stream.'],
  ['Device 99 does not exist; see getAllDevices.', 'That Device does not exist.'],
  ['It would change name: "startUp" → "getTogether".', 'It would change name: startUp to getTogether.'],
  [
    'logo.filename: there is no Asset "no.png" in the bucket logos; upload it first with uploadAsset.',
    'There is no Asset no.png in the bucket logos.',
  ],
  [
    'publishings.0.publishingId: Publishing 9 is not bound to this Live stream; bound are 1, 2.',
    'That Publishing is not bound to this Live stream.',
  ],
  ['Evening_news is on air.', 'Evening news is on air.'],
  ['It begins at 2027-03-01T19:00:00Z.', 'It begins at Monday 1 March 2027 at 19:00.'],
];
/** Streams by names that look like words for programs, ids, marks or addresses. */
const NAMED: [string, string][] = [
  ['channelOne', 'channelOne can start now, to Web.'],
  ['getTogether', 'getTogether can start now, to Web.'],
  ['idOL', 'idOL can start now, to Web.'],
  ['startUp Weekly', 'startUp Weekly can start now, to Web.'],
  ['Live stream 9', 'Live stream 9 can start now, to Web.'],
  ['Mass. The Late One', 'Mass. The Late One can start now, to Web.'],
  ['2026-03-02T19:00:00Z', '2026-03-02T19:00:00Z can start now, to Web.'],
  ['Studio_A #2', 'Studio A 2 can start now, to Web.'],
  ['{}', 'One named in symbols can start now, to Web.'],
  ['.', 'One named in symbols can start now, to Web.'],
  ['rtmp://me:secret@a.example/one?key=k', 'The address a.example/one can start now, to Web.'],
];
for (const [name, heard] of NAMED) {
  test(`the stream ${name} is spoken by its name`, () => {
    const written = `${name} can start now, to Web. Use getAllDevices for more.`;
    assert.equal(speakable(written, { ...speech, names: [name, 'Web'] }, 2), heard);
  });
}

test('names of a list are spoken as they are written', () => {
  const tool = operations.find(({ name }) => name === 'getAllLivestreams') ?? assert.fail('getAllLivestreams');
  const rows = ['idOL', 'Live stream 9', 'Live streams', 'on air'].map((name, at) => ({ id: at + 1, name, status: 2 }));
  assert.equal(
    spokenAnswer(tool, page(rows), context),
    '4 Live streams: idOL, on air; Live stream 9, on air; Live streams, on air; on air, on air.',
  );
});

const both = { publishingId: 4, name: 'Web', primary: {}, backup: {} };
const DONE: [string, Record<string, unknown>, string][] = [
  ['runtimeApplyBlackout', { mode: 'Black Frame' }, 'Done, getTogether shows black now.'],
  [
    'runtimeApplyBlackout',
    { mode: 'File', filename: 'a.png' },
    'Done, getTogether shows a.png in place of its programme.',
  ],
  ['runtimeApplyBlackout', { mode: 'Live' }, 'Done, getTogether shows its programme again.'],
  [
    'runtimeApplyLogo',
    { logo: { filename: 'l.png', position: 'Top-Left' } },
    'Done, getTogether shows the logo l.png, top left.',
  ],
  ['runtimeApplyLogo', { logo: { filename: '' } }, 'Done, getTogether shows no logo now.'],
  ['setLivestreamText', { action: 'show', text: 'See startUp!' }, 'Done, getTogether shows the text See startUp! now.'],
  ['setLivestreamText', { action: 'show' }, 'Done, getTogether shows the text Hello now.'],
  ['setLivestreamText', { action: 'hide' }, 'Done, getTogether shows no text now.'],
  [
    'runtimeTogglePublishings',
    { publishings: [{ publishingId: 4, primary: true, backup: false }] },
    'Done, getTogether has the primary path of Web on and the backup path of Web off.',
  ],
];
for (const [name, args, sentence] of DONE) {
  test(`the answer of ${name} ${JSON.stringify(args)} by voice says what it did`, () => {
    const tool = operations.find((each) => each.name === name) ?? assert.fail(name);
    const data = { livestreamId: 1, name: 'getTogether', status: 2, runtime: { text: 'Hello' }, publishings: [both] };
    assert.equal(spokenAnswer(tool, { data }, { ...context, args }), sentence);
  });
}

test('a preview by voice gives its fields in words', () => {
  const tool = operations.find(({ name }) => name === 'restoreSkip') ?? assert.fail('restoreSkip');
  const fields = [{ field: 'Schedule' }, { field: 'occurrence_start' }, { field: 'settings.stream_key' }];
  const message =
    'Nothing was done yet. It would delete Schedule skip 1 (Schedule "startUp", occurrence_start 2090-01-03T19:00:00Z, settings.stream_key replaced).';
  assert.equal(
    spokenAnswer(tool, { preview: true, message, changes: [{ fields }] }, context),
    'Nothing was done yet. It would delete that Schedule skip (Schedule startUp, occurrence start Tuesday 3 January 2090 at 19:00, stream key replaced).',
  );
});

test('notes follow what was done in an answer by voice', () => {
  const tool = operations.find(({ name }) => name === 'setLivestreamText') ?? assert.fail('setLivestreamText');
  const data = { livestreamId: 1, name: 'Show', notes: ['No text was shown.', 'Another.'] };
  assert.equal(
    spokenAnswer(tool, { data }, { ...context, args: { action: 'hide' } }),
    'Done, Show shows no text now. No text was shown. There is 1 more note on it.',
  );
});

for (const [written, heard] of HEARD)
  test(`the text ${written} is spoken as ${heard}`, () => assert.equal(speakable(written, speech), heard));

test('a brief text is the first sentences, and takes no abbreviation for one', () => {
  assert.equal(
    brief('St. Mary is on air now. All of its outputs deliver. More is told.'),
    'St. Mary is on air now. All of its outputs deliver.',
  );
});
