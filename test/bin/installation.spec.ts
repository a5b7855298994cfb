/** The program as it is installed and run: its build, its signals, the addresses it is known by, the way back for its administrator. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { itLong } from '../helpers/counts.ts';
import { PLAIN_GENERATOR } from '../helpers/plain-generator.ts';
import { freePort } from '../helpers/ports.ts';
import { endAll, PROGRAM, startService, type Service } from '../helpers/service.ts';
import { testFolder } from '../helpers/test-folder.ts';
import { until } from '../helpers/until.ts';

const root = dirname(dirname(PROGRAM));
const { scripts: SCRIPTS } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
const RELEASE = '{\n  "version": "0.1.0"\n}\n';
const moduleOf = (name: string): string => pathToFileURL(join(root, 'scripts', 'build', `${name}.mjs`)).href;

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

  it('the program is built when the content of a source has changed, or dist/ has gone, and what a killed build left goes', (t) => {
    const folder = testFolder(t, 'build');
    const script = `
      import { readFileSync, rmSync, writeFileSync } from 'node:fs';
      import { removeAbandoned } from '${moduleOf('abandoned')}';
      import { buildWhenChanged, sourcesOf, writeStamp } from '${moduleOf('stamp')}';
      const seen = [];
      const look = () => {
        buildWhenChanged('.');
        seen.push(readFileSync('test/builds', 'utf8').length);
      };
      look();
      const sources = sourcesOf('.');
      writeFileSync('source.ts', 'changed while it is built');
      writeStamp('.', sources);
      look();
      writeStamp('.', sourcesOf('.'));
      writeFileSync('source.ts', 'changed while it is built');
      writeFileSync('test/any.spec.ts', 'no source');
      look();
      writeFileSync('source.ts', 'Changed while it is built');
      look();
      writeStamp('.', sourcesOf('.'));
      look();
      rmSync('dist', { recursive: true });
      look();
      removeAbandoned('.', '.dist-');
      console.log(seen.join());`;
    for (const path of ['dist', 'test', 'scripts', '.dist-4999999', `.dist-${process.pid}`])
      mkdirSync(join(folder, path));
    for (const path of ['dist/onair.js', 'source.ts']) writeFileSync(join(folder, path), 'first');
    writeFileSync(join(folder, 'package.json'), RELEASE);
    const build = `import { appendFileSync } from 'node:fs'; appendFileSync('test/builds', '.');`;
    writeFileSync(join(folder, 'scripts', 'build.mjs'), build);
    const generate = `${PLAIN_GENERATOR}import { appendFileSync } from 'node:fs'; appendFileSync('test/generated', '.');`;
    writeFileSync(join(folder, 'scripts', 'gen.ts'), generate);
    const words = ['--input-type=module', '-e', script];
    const printed = execFileSync(process.execPath, words, { cwd: folder, encoding: 'utf8' });
    assert.equal(printed, '1,2,2,3,3,4\n');
    assert.equal(readFileSync(join(folder, 'test/generated'), 'utf8').length, 3, 'code that follows from the sources');
    assert.deepEqual(readdirSync(folder).sort(), [
      `.dist-${process.pid}`,
      'bin',
      'client',
      'package.json',
      'scripts',
      'source.ts',
      'test',
      'web',
    ]);
  });

  it('a version names its commit, of two the later one is the newer for Debian, and without git it is the one that was baked in', (t) => {
    const folder = testFolder(t, 'version');
    const git = (...words: string[]): string => execFileSync('git', ['-C', folder, ...words], { encoding: 'utf8' });
    const script = join(folder, 'scripts', 'version.mjs');
    const version = (...words: string[]): string =>
      execFileSync(process.execPath, [script, ...words], { encoding: 'utf8' }).trim();
    const commit = (): string => {
      git('add', '.');
      git('-c', 'user.name=a', '-c', 'user.email=a@b.example', 'commit', '--quiet', '--message=.', '--allow-empty');
      return version();
    };
    cpSync(join(root, 'scripts', 'version.mjs'), script, { recursive: true });
    writeFileSync(join(folder, 'package.json'), RELEASE);
    assert.equal(version(), '0.1.0');
    git('init', '--quiet');
    const [first, second] = [commit(), commit()];
    const head = git('rev-parse', 'HEAD').slice(0, 8);
    assert.deepEqual([first.replace(/\.\w+$/u, ''), second], ['0.1.0+1', `0.1.0+2.${head}`]);
    for (const [older, newer] of [
      ['0.1.0', first],
      [first, second],
      [second, '0.1.1'],
      ['0.1.0+9.ffffffff', '0.1.0+10.00000000'],
    ])
      execFileSync('dpkg', ['--compare-versions', older!, 'lt', newer!]);
    version('bake');
    writeFileSync(join(folder, 'source.ts'), 'changed');
    assert.equal(version(), `${second}.dirty`);
    rmSync(join(folder, '.git'), { recursive: true });
    assert.equal(version(), second);
    version('restore');
    assert.equal(readFileSync(join(folder, 'package.json'), 'utf8'), RELEASE);
  });

  it('a Node that is too old is named, and the one that is needed, by the program, its server of one file and set-up', () => {
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { engines: { node: string } };
    const needed = engines.node.replace('>=', '');
    const run = (node: string, file: string): { status: number | null; stdout: string; stderr: string } => {
      const versions = `{ ...process.versions, node: '${node}' }`;
      const older = `Object.defineProperty(process, 'versions', { value: ${versions} });`;
      const words = [`--import=data:text/javascript,${encodeURIComponent(older)}`, join(root, file), '--version'];
      return spawnSync(process.execPath, words, { encoding: 'utf8', input: '' });
    };
    for (const file of ['bin/onair.js', 'dist/onair-mcp.mjs', 'scripts/setup.mjs'])
      for (const node of ['18.20.4', needed.replace(/\d+$/u, (minor) => `${Number(minor) - 1}.9`)]) {
        const { status, stderr } = run(node, file);
        assert.equal(status, 1, file);
        assert.match(
          stderr,
          new RegExp(`^onair[^\\n]*: Node ${node}\\b[^\\n]* is too old[^\\n]* Node ${needed} or newer[^\\n]*\\n$`, 'u'),
        );
      }
    for (const node of [`${needed}.0`, '22.1.0']) assert.equal(run(node, 'bin/onair.js').status, 0);
  });

  it('every command of package.json that starts the program has set-up build it first', () => {
    const lines = Object.entries(SCRIPTS).filter(([, line]) =>
      /onair\.js|(?:demo|dev|main)\.ts|test\.mjs|deb|image/u.test(line),
    );
    const others = lines.filter(([, line]) => !line.startsWith('node scripts/setup.mjs ')).map(([name]) => name);
    assert.deepEqual(others, ['fuzz', 'docs']);
  });

  it('the build writes a bill of materials with every package of the program and its version', () => {
    const bill = JSON.parse(readFileSync(join(root, 'dist', 'sbom.cdx.json'), 'utf8')) as {
      bomFormat: string;
      metadata: { component: { version: string } };
      components: { name: string; version: string; scope: string; properties?: { name: string }[] }[];
    };
    assert.equal(bill.bomFormat, 'CycloneDX');
    const printed = execFileSync(process.execPath, [PROGRAM, '--version'], { encoding: 'utf8' });
    assert.equal(`${bill.metadata.component.version}\n`, printed);
    assert.match(printed, /^\d+\.\d+\.\d+(?:\+\d+\.[\da-f]{8}(?:\.dirty)?)?\n$/u);
    const listed = new Set(bill.components.filter(({ version }) => version !== '').map(({ name }) => name));
    // Of the program, of the page, of what is installed beside the program, and of tests alone.
    for (const name of ['hono', 'pino', 'commander', 'ssh2', 'preact', 'hls.js', 'swagger-ui-dist', '@napi-rs/canvas'])
      assert.ok(listed.has(name), name);
    for (const name of ['typescript', 'esbuild', 'tsx', 'playwright-core', 'ajv']) assert.ok(!listed.has(name), name);
    const optional = bill.components.filter(({ scope }) => scope === 'optional').map(({ name }) => name);
    assert.ok(
      optional.every((name) => /^(?:@napi-rs\/canvas-|koffi$|@koromix\/koffi-)/u.test(name)),
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
    const program = statSync(join(root, 'dist', 'onair.js')).ino;
    // What npm hands to the shell; npm itself passes signals on to that shell.
    const shell = spawn('sh', ['-c', SCRIPTS['start'] ?? assert.fail()], { cwd: root, env, stdio: 'ignore' });
    const isReady = async (): Promise<boolean> =>
      (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.status === 200;
    try {
      await until('the server is ready', isReady);
      assert.equal(statSync(join(root, 'dist', 'onair.js')).ino, program, 'nothing has changed, so nothing is built');
      shell.kill('SIGTERM');
      await once(shell, 'exit');
      await until('nobody listens', async () => !(await isReady()));
    } finally {
      spawnSync(process.execPath, [PROGRAM, 'device', 'stop'], { env, stdio: 'ignore', timeout: 120_000 });
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
