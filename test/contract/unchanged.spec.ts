/** Every update, on a service as it is run: what changes nothing moves neither the ETag nor updated_at. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { routeOf, type Tool } from '../../toolkit/tool.ts';
import { operations } from '../../tools/index.ts';
import { itLong } from '../helpers/counts.ts';
import { makeIssuer } from '../helpers/licences.ts';
import { startService, type Service } from '../helpers/service.ts';
import { EXAMPLES } from './examples.ts';
import { createResources, type Resources } from './resources.ts';

let service: Service;
let resources: Resources;
before(async () => {
  const issuer = makeIssuer();
  service = await startService({ ONAIR_LICENSE_KEY: issuer.publicPem, ONAIR_RATE_LIMIT: '0' });
  resources = createResources(service, issuer);
});
after(async () => {
  await resources?.close();
  await service?.dispose();
});

interface Edition {
  etag: string | undefined;
  updated_at: unknown;
}

function isUpdate(tool: Tool): boolean {
  return tool.effect === 'update' && routeOf(tool).method !== 'POST';
}

/** Fields of the call alone, which the resource does not have. */
async function sentTo(tool: Tool, args: Record<string, unknown>): Promise<(body: object) => Promise<Edition>> {
  const route = routeOf(tool);
  const path = route.path.replaceAll(/\{(\w+)\}/gu, (_all, name: string) => String(args[name]));
  return async (body) => {
    const reply = await service.rest(route.method, path, body);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return { etag: reply.headers.get('etag') ?? undefined, updated_at: reply.body.data.updated_at as unknown };
  };
}

describe('an update that changes nothing', () => {
  for (const tool of operations.filter(isUpdate)) {
    it(`${tool.name} keeps ETag and updated_at for equal values and for no field`, async () => {
      const args = (await EXAMPLES[tool.name]?.(resources)) as Record<string, unknown>;
      const { params } = routeOf(tool);
      const body = Object.fromEntries(Object.entries(args).filter(([name]) => !params.includes(name)));
      const send = await sentTo(tool, args);
      const changed = await send(body);
      assert.ok(changed.etag);
      // A password is stored as a hash that is another each time; a pairing is a deed.
      const { password: _hashed, register_username: _user, register_password: _once, ...again } = body;
      assert.deepEqual(await send(again), changed, 'equal values');
      // Its one field is required.
      if (tool.name !== 'patchScheduleUntil') assert.deepEqual(await send({}), changed, 'no field');
    });
  }

  it('an update changes ETag and updated_at as soon as one value differs', async () => {
    const { id } = await resources.post('/encodings', { name: resources.name() });
    const send = await sentTo(operations.find(({ name }) => name === 'updateEncoding') as Tool, { encodingId: id });
    const [first, second] = [await send({ description: 'one' }), await send({ description: 'two' })];
    assert.notEqual(first.etag, second.etag);
    assert.notEqual(first.updated_at, second.updated_at);
  });

  itLong('an update to null creates nothing where nothing was stored', async () => {
    const fresh = await startService();
    try {
      const path = '/settings/integrations/transcription/config';
      const { body } = await fresh.rest('PUT', path, { tenant_url: null });
      assert.equal(body.data.updated_at, null);
    } finally {
      await fresh.dispose();
    }
  });
});
