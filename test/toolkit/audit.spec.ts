import assert from 'node:assert/strict';
import { it } from 'node:test';
import { profileByName } from '../../profiles/profiles.ts';
import { auditEntry } from '../../toolkit/audit.ts';
import type { Call } from '../../toolkit/call.ts';
import { routeOf } from '../../toolkit/tool.ts';
import { operations } from '../../tools/index.ts';

const call: Call = {
  operation: '',
  args: {},
  caller: { userId: 1, username: 'admin', role: 1, api: true, tokenKid: null, sealKey: Buffer.alloc(32) },
  via: 'rest',
  profile: profileByName('full'),
  requestId: 'request',
};

const IN_PATH = 7;
const ANSWERED = 42;

/** Rows that are created under another resource: the kind and the id that the entry of its operation has. */
const NESTED: Record<string, [string, number]> = {
  addLivestreamAction: ['Planned actions', ANSWERED],
  // The answer is an Asset; the entry is one of the Recordings.
  createClip: ['Recordings', IN_PATH],
  createDisplayLink: ['Walls', IN_PATH],
  createPlaybackLink: ['Live streams', IN_PATH],
  createRecordingDownload: ['Recordings', IN_PATH],
  skipOccurrence: ['Schedules', IN_PATH],
};

it('the id in an audit entry is an id of the kind of resource that the entry names', () => {
  const nested = operations.filter(
    (tool) => tool.effect === 'create' && routeOf(tool).params.some((name) => name.endsWith('Id')),
  );
  assert.deepEqual(nested.map(({ name }) => name).sort(), Object.keys(NESTED).sort(), 'the table knows them all');
  for (const tool of nested) {
    const input = Object.fromEntries(routeOf(tool).params.map((name) => [name, IN_PATH]));
    const { resource, resource_id } = auditEntry(tool, call, {
      input,
      body: { data: { id: ANSWERED } },
      outcome: 'ok',
      at: '',
    });
    assert.deepEqual([resource, resource_id], NESTED[tool.name], tool.name);
  }
});

it('a refused call may name what is no id: its audit entry names none, and the log stays readable', () => {
  const tool = operations.find(({ name }) => name === 'deleteChannel')!;
  for (const channelId of [0, -1, 0.5, 2 ** 53, 1e308, NaN, '7', null]) {
    assert.equal(
      auditEntry(tool, call, { input: { channelId }, body: undefined, outcome: 'invalid_input', at: '' }).resource_id,
      null,
      `${channelId}`,
    );
  }
});
