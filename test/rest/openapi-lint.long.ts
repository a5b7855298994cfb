/** Two independent linters read the API description, with all that they recommend; neither may reach for the network. */
import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import spectralParsers from '@stoplight/spectral-parsers';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { openApiDocument } from '../../rest/openapi/openapi.ts';
import { operations } from '../../tools/index.ts';
import { workflows } from '../../workflows/index.ts';

const document = openApiDocument({ operations, workflows }, { version: '1.0.0', serverUrl: 'https://onair.test' });
const source = JSON.stringify(document);
/** The same with what both linters must see: an operation without an answer, a reference into nothing. */
const broken = JSON.stringify({
  ...document,
  paths: { '/x': { get: { operationId: 'x', responses: { default: { $ref: '#/components/responses/None' } } } } },
});

/** The documents at the root take nothing that could be wrong: no credential, no parameter, no body. */
const EXCEPTION = /^operation-4xx-response #\/paths\/~1(?:openapi\.json|healthz|readyz|metrics)\/get/u;
/** An id is digits alone, so that `/devices/groups/{groupId}` is no Device's. */
const AMBIGUOUS = /^no-ambiguous-paths .*\/devices\/\{deviceId\}\/drain/u;

async function redocly(text: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'], telemetry: 'off' });
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer ?? ''} ${message}`);
}

async function spectral(text: string): Promise<string[]> {
  const linter = new spectralCore.Spectral();
  linter.setRuleset({ extends: [[spectralRulesets.oas as RulesetDefinition, 'recommended']] });
  const problems = await linter.run(new spectralCore.Document(text, spectralParsers.Json, 'openapi.json'));
  return problems.map(({ code, path, message }) => `${code} ${path.join('/')} ${message}`);
}

describe('the API description and its linters', () => {
  const reached: unknown[] = [];
  const { connect } = Socket.prototype;
  before(() => {
    Socket.prototype.connect = function refuse(...where: unknown[]): never {
      reached.push(where);
      throw new Error('a linter must not use the network');
    };
  });
  after(() => {
    Socket.prototype.connect = connect;
    assert.deepEqual(reached, []);
  });

  it('the API description pleases Redocly', async () => {
    const found = await redocly(source);
    assert.deepEqual(
      found.filter((problem) => !EXCEPTION.test(problem) && !AMBIGUOUS.test(problem)),
      [],
    );
    assert.ok(found.some((problem) => EXCEPTION.test(problem)));
  });

  it('the API description pleases Spectral', async () => {
    assert.deepEqual(await spectral(source), []);
  });

  it('the linters find a mistake that is put into the API description', async () => {
    assert.ok((await redocly(broken)).some((problem) => problem.startsWith('no-unresolved-refs')));
    assert.ok((await spectral(broken)).some((problem) => problem.startsWith('invalid-ref')));
  });
});
