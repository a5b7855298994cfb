/** A server of this machine is found by its default settings, whichever of the machine's own addresses it was told to listen on. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { someOf } from '../helpers/counts.ts';
import { PROGRAM, startService } from '../helpers/service.ts';

const hasIpv6 = await new Promise<boolean>((resolve) => {
  const probe = createServer().once('error', () => resolve(false));
  probe.listen(0, '::1', () => probe.close(() => resolve(true)));
});

const HOSTS = [
  ['localhost', false],
  ['::', true],
  ['::1', true],
] as const;
for (const [host, needsIpv6] of someOf(HOSTS, 2)) {
  test(`onair status finds the server that listens on ${host}`, { skip: needsIpv6 && !hasIpv6 }, async (t) => {
    const service = await startService({ ONAIR_HOST: host });
    t.after(() => service.dispose());
    const { ONAIR_HOST: _host, ONAIR_BOOTSTRAP_TOKEN: _token, ...env } = service.env;
    const { stdout, stderr } = spawnSync(process.execPath, [PROGRAM, 'status'], { env, encoding: 'utf8' });
    assert.match(stdout, /There are no Live streams yet/u, stderr);
  });
}
