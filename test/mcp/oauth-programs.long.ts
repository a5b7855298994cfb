/** Programs of others against OAuth at /mcp: the conformance suite's scenarios of an authorization server, and mcp-remote. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, it, type TestContext } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { systemClock, type Clock } from '../../domain/time/clock.ts';
import { CALLBACK, Person, Program, startOAuthSite, type OAuthSite } from '../app/oauth-site.ts';
import { cleanUp } from '../helpers/clean-up.ts';
import { freePort } from '../helpers/ports.ts';
import { testFolder } from '../helpers/test-folder.ts';
import { until } from '../helpers/until.ts';
import { assertInstalled, commandOf, runExternal } from './external-programs.ts';

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  errorMessage?: string;
}

let site: OAuthSite<Clock>;
before(async () => {
  assertInstalled();
  site = await startOAuthSite({}, { clock: systemClock });
});
after(() => site.close());

/** A person opens the address that a program prints, and consents. Resolves with whether the program has got its answer. */
async function consent(printed: string): Promise<boolean> {
  const callback = await new Person(site.url).allow(printed, { profile: 'operator' });
  return (await fetch(callback)).ok;
}

const addressIn = (text: string): string | undefined => /https?:\/\/\S+\/oauth\/authorize\?\S+/u.exec(text)?.[0];

it('the conformance suite finds what it asks of an authorization server: its metadata, and codes with PKCE', async (t) => {
  const folder = testFolder(t, 'conformance');
  const port = await freePort();
  const program = new Program(site.url);
  await program.register({ client_name: 'Suite', redirect_uris: [`http://127.0.0.1:${port}/callback`, CALLBACK] });
  const words = ['authorization', '--url', site.url, '--client-id', program.clientId, '--port', String(port)];
  let isOpened = false;
  const { stdout, stderr } = await runExternal(
    'conformance 0.2.0-alpha.12',
    [...words, '--resource', `${site.url}/mcp`, '--output-dir', folder],
    folder,
    (text) => {
      const address = addressIn(text);
      if (address === undefined || isOpened) return;
      isOpened = true;
      void consent(address);
    },
  );
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /checks\.json$/u.test(name),
  );
  const checks = files.flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Check[]);
  t.diagnostic(`${files.length} scenarios, ${checks.length} checks`);
  assert.equal(files.length, 2, stdout + stderr);
  const wrong = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  assert.deepEqual(wrong, []);
  assert.ok(isOpened && checks.some(({ status }) => status === 'SUCCESS'));
});

/** A client that speaks stdio alone, by mcp-remote. */
async function byRemote(t: TestContext, home: string): Promise<{ client: Client; output(): string }> {
  mkdirSync(home, { recursive: true });
  const port = await freePort();
  const { command, args, env } = commandOf('mcp-remote 0.15.1', [`${site.url}/mcp`, String(port)], home);
  const transport = new StdioClientTransport({ command, args, env, stderr: 'pipe' });
  let output = '';
  transport.stderr!.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const client = new Client({ name: 'test', version: '1' });
  cleanUp(t, () => client.close());
  const connected = client.connect(transport);
  connected.catch(() => undefined);
  let isOpened = false;
  let isThere = false;
  void connected.then(() => (isThere = true));
  await until(
    'it is connected',
    async () => {
      const address = addressIn(output);
      if (address !== undefined && !isOpened) {
        isOpened = true;
        await consent(address);
      }
      return isThere;
    },
    { boundMs: 120_000, everyMs: 200 },
  ).catch((error: Error) => assert.fail(`${error.message}\n${output}`));
  return { client, output: () => output };
}

it('mcp-remote connects a client of stdio over a sign-in, and without another one when it is started again', async (t) => {
  const home = testFolder(t, 'mcp-remote');
  const call = { name: 'call_tool', arguments: { operationId: 'getAllChannels', arguments: {} } };
  const first = await byRemote(t, home);
  assert.ok(addressIn(first.output()) !== undefined);
  assert.notEqual((await first.client.callTool(call)).isError, true);
  const admins = { name: 'call_tool', arguments: { operationId: 'getAllUsers', arguments: {} } };
  const refused = await first.client.callTool(admins).catch((error: Error) => error);
  assert.ok(refused instanceof Error || refused.isError === true, 'what was not given is not to be had');
  await first.client.close();
  const second = await byRemote(t, home);
  assert.equal(addressIn(second.output()), undefined, 'nobody is asked again');
  assert.notEqual((await second.client.callTool(call)).isError, true);
});
