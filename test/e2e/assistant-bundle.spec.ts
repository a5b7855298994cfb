/** Assistants install it with one click: the bundle, the links and the entry of the registry. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { PROGRAM, startService, TOKEN, type Service } from '../helpers/service.ts';
import { readZip } from '../helpers/zip.ts';
import { connectAs } from '../mcp/clients.ts';

const root = dirname(dirname(PROGRAM));
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

describe('what an assistant installs with one click', () => {
  let service: Service;
  let folder: string;
  let manifest: Record<string, any>;
  before(async () => {
    service = await startService();
    const path = execFileSync(process.execPath, [join(root, 'scripts', 'mcpb.mjs'), service.scratch])
      .toString()
      .trim();
    folder = join(service.scratch, 'bundle');
    for (const [name, { content }] of readZip(readFileSync(path))) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
    manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  });
  after(() => service.dispose());

  /** As the assistant fills the entry in, with what its user has typed. */
  function wayOf(typed: Record<string, string>) {
    const { command, args, env } = manifest['server'].mcp_config as Record<string, any>;
    const filled = (text: string): string =>
      text
        .replaceAll('${__dirname}', folder)
        .replaceAll(
          /\$\{user_config\.(\w+)\}/gu,
          (_, name: string) => typed[name] ?? manifest['user_config'][name].default,
        );
    assert.equal(command, 'node');
    const own = Object.fromEntries(Object.entries(env as object).map(([name, value]) => [name, filled(value)]));
    return {
      command: process.execPath,
      args: args.map(filled),
      env: { ...service.env, ...own } as Record<string, string>,
    };
  }

  const typings: Record<string, () => Record<string, string>> = {
    'an address and a token': () => ({ url: service.url, token: TOKEN, profile: 'readonly' }),
    // The service keeps its token in the home folder that the assistant has too, and its address is among that.
    nothing: () => ({}),
  };
  for (const [typed, valuesOf] of Object.entries(typings)) {
    it(`the bundle serves with ${typed} filled in, and shows an icon`, async () => {
      const client = await connectAs('v1', wayOf(valuesOf()));
      assert.ok((await client.listTools()).tools.length >= 9, 'tools');
      assert.deepEqual((await client.callTool('getAllLivestreams', {})).structuredContent.rows, []);
      await client.close();
      assert.equal(readFileSync(join(folder, manifest['icon'])).subarray(1, 4).toString(), 'PNG');
    });
  }

  it('the server says what it is and shows the icon of the page', async () => {
    const answer = await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${TOKEN}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '0' } },
      }),
    });
    const { result } = (await answer.json()) as Record<string, any>;
    const [{ src }] = result.serverInfo.icons;
    assert.equal(Buffer.from(src.split(',')[1], 'base64').toString(), textOf('web/style/icon.svg').trim());
    assert.match(result.serverInfo.description, /broadcasts/u);
  });

  it('the links of the document make the entry that the README has for stdio', () => {
    const links = [...textOf('docs/assistants.md').matchAll(/\((https:\S+install\S+config=\S+)\)/gu)].map(
      ([, link]) => link ?? '',
    );
    const entries = links.map((link) => {
      const config = new URL(link).searchParams.get('config') ?? '';
      return JSON.parse(config.startsWith('{') ? config : Buffer.from(config, 'base64').toString()) as unknown;
    });
    const entry = { command: 'onair', args: ['mcp'] };
    assert.deepEqual(entries, [entry, entry]);
  });

  it('the entry of the registry has the name and the version of the package', () => {
    const { name, version, mcpName } = JSON.parse(textOf('package.json')) as Record<string, string>;
    const entry = JSON.parse(textOf('server.json')) as Record<string, any>;
    const release = version?.replace(/\+.*$/u, '');
    assert.deepEqual([entry['name'], entry['version']], [mcpName, release]);
    assert.deepEqual([entry['packages'][0].identifier, entry['packages'][0].version], [name, release]);
    assert.ok(entry['description'].length <= 100, 'the registry takes 100 characters');
  });
});
