/** The Dockerfile, the compose file and what they start, without an image: that one is built and run is test/bin/image.long.ts. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { SETTINGS } from '../../bin/settings/settings.ts';
import { rtmpPort } from '../../domain/network/rtmp-address.ts';
import { freePort } from '../helpers/ports.ts';
import { selfSigned } from '../helpers/servers/certificate.ts';
import { endAll, pidsOf, PROGRAM } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const root = dirname(dirname(PROGRAM));
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const { version, engines } = JSON.parse(textOf('package.json')) as { version: string; engines: { node: string } };
const VARIABLES: ReadonlySet<string> = new Set(Object.values(SETTINGS).map(({ variable }) => variable));

interface Compose {
  services: {
    onair: {
      image: string;
      build: string;
      user?: string;
      ports: string[];
      environment: Record<string, string>;
      volumes: string[];
      healthcheck: { test: string[]; interval: string; timeout: string; start_period: string; retries: number };
    };
  };
  volumes: Record<string, unknown>;
}

/** The instructions of a stage; lines that go on are one, and comments are left out. */
function instructionsOf(stage: string): [name: string, words: string][] {
  const lines = stage
    .replace(/^#.*\n/gmu, '')
    .replaceAll(/\\\n\s*/gu, '')
    .trim()
    .split('\n');
  return lines.map((line) => [line.split(' ', 1)[0] ?? '', line.slice(line.indexOf(' ') + 1)]);
}

describe('the image', () => {
  const stages = textOf('Dockerfile').split(/^(?=FROM )/mu);
  const instructions = instructionsOf(stages.at(-1)!);
  const allOf = (name: string): string[] => instructions.filter(([each]) => each === name).map(([, words]) => words);
  const only = (name: string): string => {
    const [words, ...more] = allOf(name);
    assert.ok(words !== undefined && more.length === 0, `${name}: ${[words, ...more].join('; ')}`);
    return words;
  };
  const healthWords = (): string[] => JSON.parse(only('HEALTHCHECK').replace(/^.*? CMD /u, '')) as string[];

  it('the Dockerfile begins from the oldest Node that the program takes, builds in one stage, and has the program alone in the last', () => {
    assert.equal(stages.length, 3, 'arguments, build, program');
    const [, node] = /^ARG BASE=docker\.io\/library\/node:(\d+)-bookworm-slim$/mu.exec(stages[0]!) ?? [];
    assert.equal(engines.node.startsWith(`>=${node}.`), true);
    assert.deepEqual(
      stages.slice(1).map((stage) => stage.split('\n')[0]),
      ['FROM ${BASE} AS build', 'FROM ${BASE}'],
    );
    assert.deepEqual(
      allOf('COPY').filter((words) => words.includes('--from')),
      ['--from=build /program /usr/lib/onair'],
    );
    assert.doesNotMatch(stages.at(-1)!, /\bnpm\b/u);
  });

  it('main process, command and health check are in exec form, and are files of the image', () => {
    const entry = JSON.parse(only('ENTRYPOINT')) as string[];
    assert.deepEqual(
      [entry, JSON.parse(only('CMD'))],
      [['/usr/bin/tini', '--', '/usr/lib/onair/bin/onair-container'], ['serve']],
    );
    assert.match(only('RUN'), /--no-install-recommends [^&]*\btini\b/u);
    for (const name of ['scripts/image/onair-container', 'scripts/deb/onair']) {
      // The image takes the mode of the checkout.
      assert.equal(statSync(join(root, name)).mode & 0o111, 0o111, name);
      assert.equal(spawnSync('sh', ['-n', join(root, name)]).status, 0, name);
    }
    assert.ok(existsSync(join(root, 'scripts/image', healthWords().at(-1)!.split('/').at(-1)!)));
  });

  it('the image is not root’s, has one volume with the data folder in it, the default ports, and settings that exist', () => {
    assert.equal(only('USER'), 'onair');
    assert.match(only('RUN'), /useradd --system --user-group --uid \d+ [^&]*\bonair /u);
    const [volume] = JSON.parse(only('VOLUME')) as string[];
    const env = Object.fromEntries(
      only('ENV')
        .split(/\s+/u)
        .map((pair) => pair.split('=') as [string, string]),
    );
    assert.ok(env['ONAIR_DATA']?.startsWith(`${volume}/`));
    assert.deepEqual(
      Object.keys(env).filter((name) => name !== 'HOME' && !VARIABLES.has(name)),
      [],
    );
    const port = (SETTINGS.port.initial as { value: number }).value;
    assert.equal(env['ONAIR_PORT'], String(port));
    assert.deepEqual(only('EXPOSE').split(' ').map(Number), [port, port + 1, rtmpPort({}), rtmpPort({ tls: true })]);
    assert.match(only('LABEL'), /org\.opencontainers\.image\.version="\$\{VERSION\}"/u);
    assert.match(stages[0]!, new RegExp(`^ARG VERSION=${version}$`, 'mu'));
  });

  it('the image has ffmpeg and all fonts that set-up installs', () => {
    const needed = [...textOf('scripts/setup.mjs').matchAll(/package: '(ffmpeg|fonts-[\w-]+)'/gu)].map(
      ([, name]) => name!,
    );
    assert.ok(needed.length >= 4, needed.join());
    const installed = only('RUN').split(/\s+/u);
    assert.deepEqual(
      needed.filter((name) => !installed.includes(name)),
      [],
    );
  });

  it('the compose file has the image of this version, its volume, ports and health check, and settings that exist', () => {
    const { services, volumes } = parse(textOf('docs/compose.yaml')) as Compose;
    const { onair } = services;
    assert.equal(onair.image, `localhost/onair:${version}`);
    assert.ok(existsSync(join(root, 'docs', onair.build, 'Dockerfile')));
    assert.equal(onair.user, undefined, 'that of the image');
    assert.deepEqual(
      onair.volumes,
      Object.keys(volumes).map((name) => `${name}:${(JSON.parse(only('VOLUME')) as string[])[0]}`),
    );
    const exposed = only('EXPOSE').split(' ');
    assert.deepEqual(
      onair.ports.map((line) => line.split(':').at(-1)!).filter((port) => !exposed.includes(port)),
      [],
    );
    assert.deepEqual(
      Object.keys(onair.environment).filter((name) => !VARIABLES.has(name)),
      [],
    );
    const { test, interval, timeout, start_period, retries } = onair.healthcheck;
    assert.deepEqual(test, ['CMD', ...healthWords()]);
    const times = `--interval=${interval} --timeout=${timeout} --start-period=${start_period} --retries=${retries} `;
    assert.ok(only('HEALTHCHECK').startsWith(times));
  });
});

describe('the main process of a container', () => {
  let scratch: string;
  let main: ChildProcess;
  let env: NodeJS.ProcessEnv;
  let output = '';

  before(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'onair-container-'));
    const bin = join(scratch, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'onair'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`);
    chmodSync(join(bin, 'onair'), 0o755);
    const { certificate, key } = selfSigned(scratch, 'DNS:studio.example.com');
    const { NODE_OPTIONS: _options, ...own } = process.env;
    env = {
      ...own,
      PATH: `${bin}:${process.env['PATH']}`,
      XDG_CONFIG_HOME: join(scratch, 'config'),
      ONAIR_DATA: join(scratch, 'data'),
      ONAIR_PORT: String(await freePort()),
      ONAIR_TLS_CERT: certificate,
      ONAIR_TLS_KEY: key,
    };
    main = spawn(join(root, 'scripts/image/onair-container'), ['serve'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    main.stderr?.on('data', (chunk: Buffer) => (output += String(chunk)));
  });
  after(() => {
    main.kill('SIGKILL');
    endAll(scratch);
  });

  const health = (more: NodeJS.ProcessEnv = {}): { status: number | null; stdout: string } =>
    spawnSync(process.execPath, [join(root, 'scripts/image/onair-health.mjs')], {
      env: { ...env, ...more },
      encoding: 'utf8',
    });
  const server = (): number | undefined => pidsOf(scratch, /onair\.js serve/u)[0];
  const isReady = (): boolean => health().status === 0;

  it('the health check asks the server over TLS, and says what is wrong where none answers', async () => {
    await until('healthy', isReady, { everyMs: 200 });
    const { status, stdout } = health({ ONAIR_PORT: '9' });
    assert.deepEqual([status, stdout], [1, 'onair does not answer on port 9: connect ECONNREFUSED 127.0.0.1:9\n']);
  });

  it('a server that is killed is started again, beside the same Device agent', async () => {
    const former = server();
    const agent = pidsOf(scratch, /onair\.js device/u);
    process.kill(former!, 'SIGKILL');
    await until('another server', () => ![former, undefined].includes(server()) && isReady(), { everyMs: 200 });
    assert.deepEqual(pidsOf(scratch, /onair\.js device/u), agent);
    await until('the log says so', () => output.includes('ended by signal 9; it is started again'));
  });

  it('SIGTERM ends the server, then the Device agent, and the main process with 0', async () => {
    main.kill('SIGTERM');
    const [code] = (await once(main, 'close')) as [number];
    assert.equal(code, 0, output);
    await until('what the agent has started has ended too', () => pidsOf(scratch, /onair\.js/u).length === 0);
    assert.ok(output.indexOf('"closing') < output.indexOf('Device agent have ended'), output);
  });

  it('any other command is that of the program, in place of the main process', () => {
    const words = [join(root, 'scripts/image/onair-container'), 'tools', '--help'];
    assert.match(execFileSync('sh', words, { env, encoding: 'utf8' }), /^Usage: onair tools/mu);
  });
});
