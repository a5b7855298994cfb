/** The answers of the voice profile: names as people gave them, refusals and finds without codes. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { AppError, invalidInput, toProblem } from '../../domain/base/errors.ts';
import { spokenError } from '../../mcp/voice/spoken-errors.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { type McpApi, startMcpApi, structured, textOf } from '../app/mcp-api.ts';

const NAMES = ['channelOne', 'getTogether', 'idOL', 'startUp Weekly', 'Live stream 9'];
const ADDRESSES = ['rtmp://a.example/morning', 'rtmp://a.example/evening'];

let api: McpApi;
let voice: Client;

before(async () => {
  api = await startMcpApi();
  for (const name of [...NAMES, '{}', ...ADDRESSES]) {
    const id = await seedBroadcast(api.store, ` of ${name}`);
    await api.store.tx((tx) => {
      const row = tx.get('livestreams', id) ?? assert.fail(`Live stream ${id}`);
      tx.put('livestreams', { ...row, name });
      for (const { id: bound, name: shown } of tx.find('publishings', {}).rows)
        if (shown.endsWith(` of ${name}`))
          tx.put('publishings', { ...tx.get('publishings', bound)!, name: `to_${name}` });
    });
  }
  voice = await api.client('admin', { 'x-onair-profile': 'voice' });
});
after(() => api.close());

async function outputOf(name: string, args: Record<string, unknown>): Promise<string> {
  return textOf(await voice.callTool({ name, arguments: args }));
}

describe('names by voice', () => {
  for (const name of NAMES) {
    it(`the name ${name} is spoken as it is, for the stream and for its Destination`, async () => {
      const text = await outputOf('start_livestream', { livestream: name, dry_run: true });
      assert.ok(text.startsWith(`${name} `), text);
      assert.ok(text.includes(`to ${name}`), text);
    });
  }

  it('a name that no voice can say is described', async () => {
    assert.match(await outputOf('start_livestream', { livestream: '{}', dry_run: true }), /^One named in symbols /u);
  });

  it('two names that are addresses can be told apart by voice', async () => {
    const text = await outputOf('get_livestream_status', { livestream: 'a example' });
    assert.match(text, /Did you mean the address a\.example\/morning or the address a\.example\/evening\?/u);
  });
});

describe('answers of search_tools by voice', () => {
  it('an answer of search_tools by voice says what the tools do, with their names beside the text', async () => {
    const result = await voice.callTool({ name: 'search_tools', arguments: { query: 'stop the stream' } });
    assert.match(textOf(result), /^This may be what is meant: [^{}"]+\.$/u);
    assert.ok((structured(result) as { tools?: unknown[] }).tools?.length, 'the tools stay structured');
  });
});

const speech = { zone: 'UTC', nowMs: Date.UTC(2026, 0, 1) };
const REFUSED: [AppError, string][] = [
  [
    invalidInput([{ field: 'foo', code: 'unknown_field', message: 'is not a field of this operation' }]),
    'I do not know what foo is for here. Please say it again with that.',
  ],
  [
    invalidInput([{ field: 'color', code: 'custom', message: 'Invalid' }]),
    'The color is not valid. Please say it again with that.',
  ],
  [
    invalidInput([
      { field: 'target', code: 'ambiguous', message: 'name one place only: target, deviceId or idEncoderGroup' },
    ]),
    'Name one place only. Please say it again with that.',
  ],
  [
    invalidInput([{ field: 'recurrence', code: 'invalid_type', message: 'must be an object', expected: 'object' }]),
    'I did not understand the recurrence. Please say it again with that.',
  ],
  [
    new AppError('rule_violated', 'deviceId: there is no Device 9; list the resource to see which ids exist.', {
      errors: [
        {
          field: 'deviceId',
          code: 'unknown_reference',
          message: 'there is no Device 9; list the resource to see which ids exist',
        },
      ],
    }),
    'There is no such Device. Please choose something else.',
  ],
  [
    new AppError(
      'confirmation_required',
      'It would delete Schedule 4 "startUp" (occurrence_start 2026-03-02T19:00:00Z). To do it, send deleteSchedule again with confirm: true.',
      {
        facts: {
          changes: [{ name: 'startUp', fields: [{ field: 'occurrence_start' }] }],
          corrected_call: { name: 'deleteSchedule', arguments: { confirm: true } },
        },
      },
    ),
    'It would delete Schedule startUp (occurrence start Monday 2 March at 19:00). Shall I go on?',
  ],
  [
    new AppError('rule_violated', 'a.0.publishingId: Publishing 3 is not bound; bound are 1.', {
      errors: [{ field: 'a.0.publishingId', code: 'not_bound', message: 'Publishing 3 is not bound; bound are 1' }],
    }),
    'That Publishing is not bound. Please choose something else.',
  ],
];
describe('refusals by voice', () => {
  for (const [error, heard] of REFUSED)
    it(`a refusal by voice is spoken as: ${heard}`, () =>
      assert.equal(spokenError(toProblem(error, 'r'), speech), heard));
});
