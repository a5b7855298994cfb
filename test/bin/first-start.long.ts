/** A first start that fails, or is killed at any point, leaves an installation that the next start makes usable. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { someOf } from '../helpers/counts.ts';
import { PROGRAM, startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

/** No token of the environment: the one in the credentials file is all that there is. */
const FRESH = { ONAIR_BOOTSTRAP_TOKEN: '' };

function serveOnce(env: NodeJS.ProcessEnv): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, [PROGRAM, 'serve'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  child.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { child, output: () => text };
}

const credentialsOf = (env: NodeJS.ProcessEnv): string =>
  join(String(env['XDG_CONFIG_HOME']), 'onair', 'credentials.json');

async function assertUsable(service: Service): Promise<void> {
  const kept = JSON.parse(readFileSync(credentialsOf(service.env), 'utf8')) as Record<string, { token: string }>;
  const { token } = kept[service.url] ?? assert.fail(`no token for ${service.url} in the credentials file`);
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${service.url}/svcapiv2/users`, { headers });
  assert.equal(response.status, 200, 'the token of the credentials file is an administrator’s');
  const { rows } = (await response.json()) as { rows: { username: string }[] };
  assert.deepEqual(
    rows.map(({ username }) => username),
    ['admin'],
  );
}

describe('a first start', () => {
  it('a first start whose port is taken leaves no half of an installation', async () => {
    const holder = createServer();
    const service = await startService(FRESH, async (env) => {
      await once(holder.listen(Number(env['ONAIR_PORT']), '127.0.0.1'), 'listening');
      const { child, output } = serveOnce(env);
      const [code] = (await once(child, 'close')) as [number];
      assert.equal(code, 1, output());
      assert.match(output(), /is taken/u);
      await new Promise((closed) => holder.close(closed));
    });
    try {
      await assertUsable(service);
    } finally {
      await service.dispose();
    }
  });

  const storeOf = (env: NodeJS.ProcessEnv): string => {
    const folder = join(String(env['ONAIR_DATA']), 'store');
    const files = existsSync(folder)
      ? readdirSync(folder, { withFileTypes: true }).filter((file) => file.isFile())
      : [];
    const contentOf = ({ name }: { name: string }): string => {
      try {
        return readFileSync(join(folder, name), 'latin1');
      } catch {
        return ''; // Its temporary files come and go.
      }
    };
    return files.map(contentOf).join('');
  };
  const moments = [
    ['opens its store', (env) => existsSync(join(String(env['ONAIR_DATA']), 'store'))],
    ['has written the token', (env) => existsSync(credentialsOf(env))],
    ['has committed its administrator', (env) => storeOf(env).includes('onair.invalid')],
  ] as const satisfies readonly (readonly [string, (env: NodeJS.ProcessEnv) => boolean])[];
  for (const [moment, isThere] of someOf(moments, 1)) {
    it(`a first start that is killed when it ${moment} is made good by the next`, async () => {
      const service = await startService(FRESH, async (env) => {
        const { child, output } = serveOnce(env);
        await until(`a server that ${moment}: ${output()}`, () => isThere(env), { everyMs: 1 });
        child.kill('SIGKILL');
        if (child.signalCode === null) await once(child, 'exit');
      });
      try {
        await assertUsable(service);
      } finally {
        await service.dispose();
      }
    });
  }
});
