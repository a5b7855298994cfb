/** The Debian package: its parts, its services, and the program that comes out of it. That it is installed is test/bin/deb.long.ts. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../helpers/ports.ts';
import { endAll, PROGRAM } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { wordsOf } from '../helpers/words.ts';

/** systemd-analyze's measure: 10 is a service without any bound. */
const MAX_EXPOSURE = 4;
const SERVICES = ['onair.service', 'onair-device.service'];

describe('the Debian package', () => {
  let scratch: string;
  let path: string;
  let tree: string;
  const dpkgDeb = (...words: string[]): string => execFileSync('dpkg-deb', words, { encoding: 'utf8' });
  const textOf = (file: string): string => readFileSync(join(tree, file), 'utf8');

  before(() => {
    scratch = mkdtempSync(join(tmpdir(), 'onair-deb-'));
    const script = join(dirname(dirname(PROGRAM)), 'scripts', 'deb.mjs');
    path = execFileSync(process.execPath, [script, scratch], { encoding: 'utf8' }).trim();
    tree = join(scratch, 'tree');
    dpkgDeb('--raw-extract', path, tree);
  });
  after(() => endAll(scratch));

  it('the package says what it is, needs ffmpeg, recommends Node 20, and has one file of settings', () => {
    const { version } = JSON.parse(textOf('usr/lib/onair/package.json')) as { version: string };
    const fields = dpkgDeb('--field', path, 'Package', 'Version', 'Depends', 'Recommends');
    assert.ok(fields.startsWith(`Package: onair\nVersion: ${version}\n`), fields);
    assert.match(fields, /^Depends: .*\bffmpeg\b/mu);
    assert.match(fields, /^Recommends: nodejs \(>= 20\.19\)/mu);
    assert.equal(textOf('DEBIAN/conffiles'), '/etc/onair/config.json\n');
    assert.equal((JSON.parse(textOf('etc/onair/config.json')) as { data: string }).data, '/var/lib/onair/data');
  });

  it('the package has program, commands, services, manuals and licences, all of them root’s, and nothing of tests', () => {
    const lines = dpkgDeb('--contents', path).trim().split('\n');
    assert.deepEqual(
      lines.filter((line) => !line.includes(' root/root ')),
      [],
    );
    for (const file of ['usr/bin/onair', 'usr/sbin/onair-certificate', 'usr/lib/onair/dist/onair.js'])
      assert.ok(existsSync(join(tree, file)), file);
    for (const file of ['doc/onair/licences.txt.gz', 'doc/onair/examples/nginx.conf', 'man/man1/onair.1.gz'])
      assert.ok(existsSync(join(tree, 'usr/share', file)), file);
    assert.deepEqual(
      lines.filter((line) => /\/test\/|\.spec\.|\.map$/u.test(line)),
      [],
    );
    for (const command of ['usr/bin/onair', 'usr/sbin/onair-certificate'])
      assert.equal(statSync(join(tree, command)).mode & 0o777, 0o755);
  });

  it('the scripts of the package are read by a POSIX shell without a complaint, and ask nothing', () => {
    for (const name of wordsOf(
      'DEBIAN/preinst DEBIAN/postinst DEBIAN/prerm DEBIAN/postrm usr/bin/onair usr/sbin/onair-certificate',
    )) {
      const { status, stderr } = spawnSync('sh', ['-n', join(tree, name)], { encoding: 'utf8' });
      assert.deepEqual([status, stderr], [0, ''], name);
      assert.doesNotMatch(textOf(name), /debconf|db_input|\bread -p/u);
    }
    assert.doesNotMatch(textOf('DEBIAN/postrm'), /rm -rf? [^\n]*\/var\/lib/u);
  });

  it('each service ends its main process alone, and has an exposure of 4.0 at most', (t) => {
    for (const name of SERVICES) {
      const unit = join(tree, 'lib/systemd/system', name);
      const text = readFileSync(unit, 'utf8');
      assert.match(text, /^KillMode=process$/mu);
      assert.match(text, /^ExecStart=\/usr\/bin\/onair (?:serve|device) --config \/etc\/onair\/config\.json/mu);
      assert.match(text, /^User=onair$/mu);
      if (!existsSync('/usr/bin/systemd-analyze')) return t.skip('systemd-analyze is not on this machine');
      const words = ['security', '--offline=true', `--threshold=${MAX_EXPOSURE * 10}`, unit];
      const { status, stdout } = spawnSync('systemd-analyze', words, { encoding: 'utf8' });
      const exposure = Number(/exposure level for \S+: ([\d.]+)/u.exec(stdout)?.[1]);
      assert.ok(status === 0 && exposure <= MAX_EXPOSURE, stdout.slice(-200));
    }
  });

  it('the command takes the first Node that is new enough, and says which are there when none is', () => {
    const nodes = { local: join(scratch, 'local-node'), system: join(scratch, 'system-node') };
    const command = join(scratch, 'onair');
    const text = textOf('usr/bin/onair')
      .replaceAll('/usr/local/bin/node', nodes.local)
      .replaceAll('/usr/bin/node', nodes.system);
    writeFileSync(command, text);
    const run = (local: string, system: string): { status: number | null; stdout: string; stderr: string } => {
      for (const [file, version] of [
        [nodes.local, local],
        [nodes.system, system],
      ] as const) {
        writeFileSync(file, `#!/bin/sh\n[ "$1" = --version ] && echo ${version} || echo ran ${version} "$@"\n`);
        chmodSync(file, 0o755);
      }
      return spawnSync('sh', [command, 'status', '--watch'], { encoding: 'utf8' });
    };
    assert.equal(run('v18.20.4', 'v20.19.0').stdout, 'ran v20.19.0 /usr/lib/onair/bin/onair.js status --watch\n');
    assert.equal(run('v22.1.0', 'v20.19.0').stdout, 'ran v22.1.0 /usr/lib/onair/bin/onair.js status --watch\n');
    const { status, stderr } = run('v18.20.4', 'v20.9.0');
    assert.equal(status, 1);
    assert.match(stderr, /Node 20\.19 or newer is needed .*\(v18\.20\.4\).*\(v20\.9\.0\)/u);
  });

  it('the program of the package runs from where it is unpacked, with what it needs of other packages', async () => {
    const program = join(tree, 'usr/lib/onair/bin/onair.js');
    const home = join(scratch, 'home');
    mkdirSync(home);
    const env = { PATH: process.env['PATH'], HOME: home, ONAIR_PORT: String(await freePort()) };
    const server = spawn(process.execPath, [program, 'serve'], { env, stdio: 'ignore' });
    try {
      const isReady = async (): Promise<boolean> =>
        (await fetch(`http://127.0.0.1:${env.ONAIR_PORT}/readyz`).catch(() => undefined))?.status === 200;
      await until('readyz', isReady);
      const paint = `import('@napi-rs/canvas').then(({ createCanvas }) => createCanvas(8, 8).getContext('2d').fillRect(0, 0, 8, 8))`;
      execFileSync(process.execPath, ['--input-type=module', '-e', paint], { cwd: join(tree, 'usr/lib/onair') });
    } finally {
      execFileSync(process.execPath, [program, 'device', 'stop'], { env, stdio: 'ignore' });
      server.kill('SIGTERM');
    }
  });
});
