import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isIdParam } from '../../rest/decode.ts';
import { routeOf } from '../../toolkit/tool.ts';
import { operations } from '../../tools/index.ts';
import { workflows } from '../../workflows/index.ts';
import { type RestTestApp, problemOf, startRestApp } from './rest-app.ts';

describe('every operation of the product', () => {
  let api: RestTestApp;
  before(async () => {
    const own = new Set(['addChannel', 'deleteChannel', 'getAllChannels', 'getChannelById', 'updateChannel']);
    api = await startRestApp({ tools: [...operations, ...workflows].filter((tool) => !own.has(tool.name)) });
  });
  after(() => api.close());

  for (const tool of [...operations, ...workflows]) {
    const route = routeOf(tool);
    const path = `/svcapiv2${route.path.replaceAll(/\{\w+\}/gu, '1')}`;

    it(`${tool.name} is at its path and wants a token`, async () => {
      const response = await api.send(route.method, path, { token: null });
      assert.equal(response.status, 401);
      assert.equal((await problemOf(response))['code'], 'unauthenticated');
    });

    if (route.params.some((name) => isIdParam(tool, name))) {
      it(`${tool.name} has no resource under a word`, async () => {
        const wrong = `/svcapiv2${route.path.replaceAll(/\{\w+\}/gu, 'word')}`;
        const response = await api.send(route.method, wrong);
        assert.equal(response.status, 404);
        assert.equal((await problemOf(response))['code'], 'unknown_operation');
      });
    }
  }
});
