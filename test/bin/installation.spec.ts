/** The program as it is installed and run: its build, its signals, the addresses it is known by, the way back for its administrator. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { itLong } from '../helpers/counts.ts';
import { freePort } from '../helpers/ports.ts';
import { endAll, PROGRAM, startService, type Service } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const root = dirname(dirname(PROGRAM));

async function cli(service: Service, words: string[], input = ''): Promise<{ code: number; output: string }> {
  const { ONAIR_BOOTSTRAP_TOKEN: _token, ...env } = service.env;
  const child = spawn(process.execPath, [PROGRAM, ...words], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

async function signIn(service: Service, password: string): Promise<number> {
  return (await service.rest('POST', '/security/login', { username: 'admin', password })).status;
}

describe('the build', () => {
  itLong('the build replaces files one by one: a program that starts meanwhile misses none', async () => {
    const dist = join(root, 'dist');
    const needed = readdirSync(dist).filter((name) => name.endsWith('.js'));
    const child = spawn(process.execPath, [join(root, 'scripts', 'build.mjs')], { stdio: 'ignore' });
    const end = once(child, 'close');
    // The build makes its files beside dist/, which takes seconds, and the page last: what it replaces, it replaces after that.
    const last = join(root, `.dist-${child.pid}`, 'web');
    const missed = new Set<string>();
    let looks = 0;
    for (; child.exitCode === null; looks += 1) {
      for (const name of needed) if (!existsSync(join(dist, name))) missed.add(name);
      await new Promise((resolve) => (existsSync(last) ? setImmediate(resolve) : setTimeout(resolve, 10)));
    }
    assert.equal(((await end) as [number])[0], 0);
    assert.ok(looks > 10, `${looks} looks`);
    assert.deepEqual([...missed], []);
  });

  it('the build writes a bill of materials with every package of the program and its version', () => {
    const bill = JSON.parse(readFileSync(join(root, 'dist', 'sbom.cdx.json'), 'utf8')) as {
      bomFormat: string;
      components: { name: string; version: string; scope: string; properties?: { name: string }[] }[];
    };
    assert.equal(bill.bomFormat, 'CycloneDX');
    const listed = new Set(bill.components.filter(({ version }) => version !== '').map(({ name }) => name));
    // Of the program, of the page, of what is installed beside the program, and of tests alone.
    for (const name of ['hono', 'pino', 'commander', 'ssh2', 'preact', 'hls.js', 'swagger-ui-dist', '@napi-rs/canvas'])
      assert.ok(listed.has(name), name);
    for (const name of ['typescript', 'esbuild', 'tsx', 'playwright-core', 'ajv']) assert.ok(!listed.has(name), name);
    const optional = bill.components.filter(({ scope }) => scope === 'optional').map(({ name }) => name);
    assert.ok(
      optional.every((name) => name.startsWith('@napi-rs/canvas-')),
      optional.join(),
    );
    assert.doesNotMatch(JSON.stringify(bill), /package:development/u);
    const notices = gunzipSync(readFileSync(join(root, 'dist', 'licences.txt.gz'))).toString();
    assert.match(notices, /^hono [\d.]+ \(MIT\)$/mu);
    // The page of the API is built of a package that has bundled others, whose licences come along.
    assert.match(notices, /^swagger-ui-dist [\d.]+ \(Apache-2\.0\)$/mu);
    assert.match(notices, /@license React\b.*@license DOMPurify|DOMPurify.*@license React\b/su);
  });
});

describe('an installation', () => {
  itLong('an installation ends with the signal that ends npm start', async () => {
    const scratch = mkdtempSync(join(tmpdir(), 'onair-test-'));
    const port = await freePort();
    const { NODE_OPTIONS: _options, ...own } = process.env;
    const env = { ...own, ONAIR_DATA: join(scratch, 'data'), ONAIR_PORT: String(port), XDG_CONFIG_HOME: scratch };
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    // What npm hands to the shell; npm itself passes signals on to that shell.
    const shell = spawn('sh', ['-c', scripts['start'] ?? assert.fail()], { cwd: root, env, stdio: 'ignore' });
    const isReady = async (): Promise<boolean> =>
      (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.status === 200;
    try {
      await until('the server is ready', isReady);
      shell.kill('SIGTERM');
      await once(shell, 'exit');
      await until('nobody listens', async () => !(await isReady()));
    } finally {
      spawnSync(process.execPath, [PROGRAM, 'device', 'stop'], { env, stdio: 'ignore', timeout: 30_000 });
      endAll(scratch);
    }
  });

  itLong('an installation that listens on all addresses is known to this machine by the loopback one', async () => {
    const service = await startService({ ONAIR_HOST: '0.0.0.0', ONAIR_BOOTSTRAP_TOKEN: '' });
    try {
      assert.match(service.url, /^http:\/\/127\.0\.0\.1:\d+$/u);
      const { code, output } = await cli(service, ['status']);
      assert.equal(code, 0, output);
      assert.match(output, /no Live streams yet/u);
    } finally {
      await service.dispose();
    }
  });

  itLong(
    'an installation lets the owner of its folder set an administrator’s password while the server is stopped',
    async () => {
      const service = await startService();
      const words = ['user', 'password', 'admin', '--password-stdin'];
      try {
        const whileItRuns = await cli(
          { ...service, env: { ...service.env, ONAIR_TOKEN: 'x', ONAIR_URL: service.url } },
          words,
        );
        assert.equal(whileItRuns.code, 4, whileItRuns.output);
        assert.match(whileItRuns.output, /stop the server of .* and run this again/u);
        await service.kill('SIGTERM');
        const short = await cli(service, words, 'short');
        assert.match(short.output, /password: must be at least 12 characters/u);
        const { code, output } = await cli(service, words, 'a quite new password\n');
        assert.equal(code, 0, output);
        await service.restart();
        assert.equal(await signIn(service, 'a quite new password'), 200);
        const { body } = await service.rest('GET', '/system/audit?operation=updateUser');
        assert.deepEqual([body.rows[0].via, body.rows[0].changed], ['cli', ['password']]);
      } finally {
        await service.dispose();
      }
    },
  );
});
