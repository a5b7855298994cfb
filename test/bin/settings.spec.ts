import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadConfig, strayVariables } from '../../bin/config.ts';
import { AppError } from '../../domain/errors.ts';

describe('settings', () => {
  let dir: string;
  before(() => void (dir = mkdtempSync(join(tmpdir(), 'onair-settings-'))));
  after(() => rmSync(dir, { recursive: true }));

  const refusal = (flags: object, env: NodeJS.ProcessEnv): string => {
    try {
      loadConfig(flags as Record<string, unknown>, env, dir);
    } catch (error) {
      assert.ok(error instanceof AppError && error.code === 'invalid_input');
      return error.message;
    }
    return assert.fail('taken');
  };
  const file = (content: object): void => writeFileSync(join(dir, 'onair.config.json'), JSON.stringify(content));

  it('come from flags over environment over the file', () => {
    file({ port: 1, host: 'file', timezone: 'Europe/Zurich' });
    const { port, host, timezone } = loadConfig({ port: '3' }, { ONAIR_PORT: '2', ONAIR_HOST: 'environment' }, dir);
    assert.deepEqual([port, host, timezone], [3, 'environment', 'Europe/Zurich']);
  });

  it('that do not exist, or have a value that does not, are refused with the valid ones', () => {
    file({});
    assert.match(refusal({}, { TOOL_PROFILE: 'loud' }), /TOOL_PROFILE must be one of voice, readonly, operator, full/u);
    assert.match(refusal({ prot: 1 }, {}), /command line: prot is not a setting\. Valid settings: data, host, port/u);
    file({ prot: 1 });
    assert.match(refusal({}, {}), /onair\.config\.json: prot is not a setting\. Valid settings: data, host, port/u);
    file({});
  });

  it('of the environment that do not exist are named, with those that do', () => {
    assert.equal(strayVariables({ ONAIR_PORT: '1', ONAIR_URL: 'u', TOOL_PROFILE: 'voice', OTHER: 'x' }), undefined);
    assert.match(
      strayVariables({ ONAIR_PROFILE: 'readonly' }) ?? '',
      /ONAIR_PROFILE\. Valid settings: .*TOOL_PROFILE/u,
    );
  });
});
