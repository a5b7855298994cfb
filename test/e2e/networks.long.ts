/** ONAIR_SOURCE_NETWORKS as an administrator sets it, with the real program. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { PROGRAM, startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

describe('the networks that sources may be in', () => {
  let service: Service;
  before(async () => void (service = await startService({ ONAIR_SOURCE_NETWORKS: '!127.0.0.2' })));
  after(() => service.dispose());

  const add = (name: string, host: string): ReturnType<Service['rest']> =>
    service.rest('POST', '/channels', { name, type: 'Stream', settings: { url: `http://${host}:9/live.m3u8` } });
  const ofRunners = (): string => {
    const text = readFileSync(join(service.dataDir, 'device', 'networks.json'), 'utf8');
    return (JSON.parse(text) as { sourceNetworks: string }).sourceNetworks;
  };

  it('the networks of sources are those of the setting, for server and runners, also after the server alone restarts', async () => {
    const refused = await add('Inside', '127.0.0.2');
    assert.equal(refused.status, 422);
    assert.match(JSON.stringify(refused.body), /127\.0\.0\.2 is in a network that is refused.*ONAIR_SOURCE_NETWORKS/u);
    assert.equal((await add('Metadata', '169.254.169.254')).status, 422);
    assert.equal((await add('Camera', '127.0.0.1')).status, 201);
    await until('the runners have the setting', () => ofRunners() === '!127.0.0.2');
    service.env['ONAIR_SOURCE_NETWORKS'] = '127.0.0.2,169.254.0.0/16';
    await service.restart();
    assert.equal((await add('Allowed', '127.0.0.2')).status, 201);
    assert.equal((await add('Link-local camera', '169.254.10.1')).status, 201);
    assert.equal((await add('Metadata', '169.254.169.254')).status, 422);
    await until('they have the new one', () => ofRunners() === '127.0.0.2,169.254.0.0/16');
  });

  it('an item that is no network ends the start', () => {
    const env = { ...service.env, ONAIR_SOURCE_NETWORKS: '10.0.0.0/8,10.0.0.256', ONAIR_PORT: '0' };
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'serve'], {
      env,
      encoding: 'utf8',
      timeout: 120_000,
    });
    assert.notEqual(status, 0);
    assert.match(stderr, /ONAIR_SOURCE_NETWORKS "10\.0\.0\.256" is no network/u);
  });
});
