/** The npm package as others install it: what is in it, and the program that comes out of it. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { itLong } from '../helpers/counts.ts';
import { freePort } from '../helpers/ports.ts';
import { endAll, PROGRAM } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { copySources } from '../house/source-copy.ts';
import { wordsOf } from '../helpers/words.ts';

const root = dirname(dirname(PROGRAM));
const MAX_UNPACKED_BYTES = 12_000_000;
/** Packages that are not bundled: each brings a binary of its own for the machine. */
const INSTALLED = ['@napi-rs/canvas'];

interface Packed {
  filename: string;
  unpackedSize: number;
  files: { path: string }[];
}

describe('the npm package', () => {
  let scratch: string;
  let packed: Packed;
  const checkout = copySources();
  const npm = (...words: string[]): string =>
    execFileSync('npm', [...words, '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'], {
      cwd: checkout.dir,
      encoding: 'utf8',
    });

  before(() => {
    scratch = mkdtempSync(join(tmpdir(), 'onair-package-'));
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@b.example'];
    for (const words of [['init'], ['add', '.'], [...author, 'commit', '--message=.']])
      execFileSync('git', words, { cwd: checkout.dir, stdio: 'ignore' });
    [packed] = JSON.parse(npm('pack', '--json', '--pack-destination', scratch)) as [Packed];
  });
  after(() => {
    checkout.remove();
    endAll(scratch);
  });

  it('npm pack in a checkout that was never built builds it: the package has the program, its pages, manuals, units and client, nothing of tests or sources, in 12 MB', () => {
    const paths = packed.files.map(({ path }) => path);
    const strange = paths.filter(
      (path) =>
        !/^(?:bin\/(?:onair|launch)\.js|dist\/.*|docs\/(?:man|systemd)\/.*|(?:README|CHANGELOG)\.md|package\.json)$/u.test(
          path,
        ),
    );
    assert.deepEqual(strange, []);
    assert.deepEqual(
      paths.filter((path) => /\.map$|(?<!\.d)\.ts$|\.spec\./u.test(path)),
      [],
    );
    for (const path of wordsOf(
      'dist/onair.js dist/mcp.js dist/onair-mcp.mjs dist/web/index.html dist/licences.txt.gz dist/man/onair.1',
    ))
      assert.ok(paths.includes(path), path);
    assert.ok(packed.unpackedSize <= MAX_UNPACKED_BYTES, `${packed.unpackedSize} bytes`);
  });

  it('the package may be published, runs nothing when it is installed, and has what it names', () => {
    const {
      private: isPrivate,
      scripts,
      dependencies,
      exports,
      bin,
    } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      private?: boolean;
      scripts: Record<string, string>;
      dependencies: Record<string, string>;
      exports: Record<string, unknown>;
      bin: Record<string, string>;
    };
    assert.equal(isPrivate, undefined);
    assert.deepEqual(
      Object.keys(scripts).filter((name) => /^(?:pre|post)?(?:install|prepare|publish)/u.test(name)),
      [],
    );
    assert.deepEqual(Object.keys(dependencies), INSTALLED);
    const named = [...Object.values(bin), ...Object.values(exports).flatMap(pathsIn)];
    const paths = packed.files.map(({ path }) => path);
    assert.deepEqual(
      named.map((path) => path.replace(/^\.\//u, '')).filter((path) => !paths.includes(path)),
      [],
    );
    assert.ok(exports['./client'] !== undefined);
  });

  itLong(
    'the package is installed globally, says its version, serves its page, and gives others the typed client',
    async () => {
      const prefix = join(scratch, 'global');
      npm('install', '--global', '--prefix', prefix, join(scratch, packed.filename));
      const program = join(prefix, 'bin', 'onair');
      const installed = join(prefix, 'lib', 'node_modules', 'onair');
      assert.ok(!existsSync(join(installed, 'test')));
      assert.deepEqual(
        readdirSync(join(installed, 'node_modules')).filter((name) => !/^[.@]/u.test(name)),
        [],
      );
      const env = {
        PATH: process.env['PATH'],
        HOME: scratch,
        ONAIR_DATA: join(scratch, 'data'),
        ONAIR_PORT: String(await freePort()),
      };
      const version = execFileSync(program, ['--version'], { env, encoding: 'utf8' });
      assert.match(version, /^\d+\.\d+\.\d+\+1\.[\da-f]{8}\n$/u);
      const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { version: string };
      assert.equal(version, `${manifest.version}\n`);
      const server = spawn(program, ['serve'], { env, stdio: 'ignore' });
      const url = `http://127.0.0.1:${env.ONAIR_PORT}`;
      try {
        await until('healthz', async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.status === 200);
        assert.deepEqual(await (await fetch(`${url}/healthz`)).json(), { status: 'ok' });
        const html = await (await fetch(url)).text();
        const script = /assets\/app-\w+\.js/u.exec(html)?.[0] ?? assert.fail(html);
        // It is in the package packed alone, and comes to those as well who take nothing packed.
        const plain = await fetch(`${url}/${script}`, { headers: { 'accept-encoding': 'identity' } });
        assert.deepEqual([plain.status, plain.headers.get('content-encoding')], [200, null]);
        assert.match(await plain.text(), /import/u);
      } finally {
        execFileSync(program, ['device', 'stop'], { env, stdio: 'ignore' });
        server.kill('SIGTERM');
      }
      const client = (await import(join(installed, 'dist', 'client', 'client.js'))) as { createClient: unknown };
      assert.equal(typeof client.createClient, 'function');
    },
  );
});

function pathsIn(entry: unknown): string[] {
  return typeof entry === 'string' ? [entry] : Object.values(entry as Record<string, string>);
}
