import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { z } from 'zod/v3';
import type { Control } from '../../domain/ports/control.ts';
import { notFound } from '../../domain/base/errors.ts';
import type { Store } from '../../domain/ports/store.ts';
import { profileByName, profiles } from '../../profiles/profiles.ts';
import { openStore } from '../../store/open.ts';
import { createCatalogue } from '../../toolkit/catalogue.ts';
import type { Reply } from '../../toolkit/call.ts';
import { createDispatcher } from '../../toolkit/dispatch.ts';
import { dataOf } from '../../toolkit/output/page.ts';
import { defineTool } from '../../toolkit/tool.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { surroundings } from '../app/surroundings.ts';
import { silentLog } from '../helpers/silent-log.ts';

const common = {
  summary: '',
  description: '',
  tag: 'Tests',
  aliases: [],
  access: 'operator',
  effect: 'control',
  input: z.object({}).strict(),
  output: dataOf(z.object({ call: z.number() }).strict()),
} as const;
let calls = 0;
const count = defineTool({
  ...common,
  name: 'count',
  rest: 'POST /tests/count',
  handle: async () => ({ body: { data: { call: (calls += 1) } } }),
});
const refuse = defineTool({
  ...common,
  name: 'refuse',
  rest: 'POST /tests/refuse',
  handle: () => Promise.reject(notFound('Thing', 7)),
});

describe('Idempotency-Key', () => {
  it('a retry under an Idempotency-Key after a restart gets the answer or the refusal from before', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'onair-keys-'));
    const clock = new FakeClock();
    const open = async (): Promise<{ store: Store; send: (operation: string) => Promise<Reply> }> => {
      const store = await openStore({ kind: 'lowdb', dir, clock });
      const dispatcher = createDispatcher({
        catalogue: createCatalogue([count, refuse], []),
        profiles,
        store,
        control: {} as Control,
        clock,
        log: silentLog,
        ...surroundings(),
      });
      const caller = {
        userId: 1,
        username: 'admin',
        role: 1,
        api: true,
        tokenKid: 'k',
        sealKey: Buffer.alloc(32),
      } as const;
      const from = { caller, via: 'rest', profile: profileByName('full'), requestId: 'r' } as const;
      return {
        store,
        send: (operation) => dispatcher.dispatch({ operation, args: {}, ...from, idempotencyKey: 'once' }),
      };
    };
    try {
      const before = await open();
      const first = await before.send('count');
      await assert.rejects(before.send('refuse'), { code: 'not_found' });
      await before.store.close();

      const after = await open();
      const again = await after.send('count');
      assert.deepEqual([again.replayed, again.body], [true, first.body]);
      await assert.rejects(after.send('refuse'), {
        code: 'not_found',
        extras: { facts: { id: 7, resource: 'Thing' }, replayed: true },
      });
      await after.store.close();
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
