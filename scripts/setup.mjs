// Prepares a fresh Debian machine with Node 20 for the product: npm packages, Debian packages, the built program. It is plain JavaScript
// without dependencies, because it runs before anything is installed. It says what it does, and does nothing that is done already.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname, join } from 'node:path';
import { buildWhenChanged } from './build/stamp.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const purpose = process.argv[2] ?? 'start';

/** Debian packages, each with a file or command (`probe`) that is there once the package is installed. */
const FFMPEG = { package: 'ffmpeg', probe: 'ffmpeg' };
/** Overlays need fonts for Latin, Greek, Cyrillic, Arabic and Hebrew; Chinese, Japanese and Korean; emoji. They take 16 MB in all. */
const FONTS = [
  { package: 'fonts-dejavu-core', probe: '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf' },
  { package: 'fonts-droid-fallback', probe: '/usr/share/fonts-droid-fallback/truetype/DroidSansFallback.ttf' },
  { package: 'fonts-noto-color-emoji', probe: '/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf' },
];
/** Debian keeps libraries by the architecture of the machine. */
const LIBRARIES = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`;
const TESTS = [
  FFMPEG,
  ...FONTS,
  // They compile a runtime that stands in for NDI's.
  { package: 'gcc', probe: 'gcc' },
  { package: 'libc6-dev', probe: '/usr/include/dlfcn.h' },
  { package: 'nginx-light', probe: 'nginx' },
  { package: 'caddy', probe: 'caddy' },
  { package: 'libnginx-mod-rtmp', probe: '/usr/lib/nginx/modules/ngx_rtmp_module.so' },
  { package: 'chromium', probe: 'chromium' },
  // It gives a terminal to programs that speak otherwise at one; every Debian has it.
  { package: 'bsdutils', probe: 'script' },
  // These are servers and clients of Remote and Target Folders.
  { package: 'openssl', probe: 'openssl' },
  { package: 'libnginx-mod-http-dav-ext', probe: '/usr/lib/nginx/modules/ngx_http_dav_ext_module.so' },
  { package: 'vsftpd', probe: 'vsftpd' },
  { package: 'openssh-sftp-server', probe: '/usr/lib/openssh/sftp-server' },
  { package: 'nfs-ganesha', probe: 'ganesha.nfsd' },
  { package: 'nfs-ganesha-mem', probe: '/etc/ganesha/mem.conf' },
  { package: 'nfs-ganesha-vfs', probe: '/etc/ganesha/vfs.conf' },
  { package: 'libnfs-utils', probe: 'nfs-cp' },
  // It reads the metrics, the alerts and the expressions of the dashboard.
  { package: 'prometheus', probe: 'promtool' },
  // It is the database of the shared store; tests start servers of their own.
  { package: 'postgresql-15', probe: '/usr/lib/postgresql/15/bin/postgres' },
  // It stands before several servers of one store.
  { package: 'haproxy', probe: 'haproxy' },
  // They are an RTSP server of 30 lines of Python; the plugins pack and unpack RTP.
  { package: 'python3-gi', probe: '/usr/lib/python3/dist-packages/gi/__init__.py' },
  {
    package: 'gir1.2-gst-rtsp-server-1.0',
    probe: `${LIBRARIES}/girepository-1.0/GstRtspServer-1.0.typelib`,
  },
  {
    package: 'gstreamer1.0-plugins-good',
    probe: `${LIBRARIES}/gstreamer-1.0/libgstrtp.so`,
  },
];
/** They build the image: Debian in a folder, and the Dockerfile without a daemon. */
const IMAGE = [
  { package: 'debootstrap', probe: 'debootstrap' },
  { package: 'buildah', probe: 'buildah' },
];
const SRT_TOOLS = { package: 'srt-tools', probe: 'srt-live-transmit' };
const NEEDS = {
  start: [FFMPEG, ...FONTS],
  pack: [],
  image: IMAGE,
  demo: [FFMPEG, ...FONTS],
  test: TESTS,
  // They are encoders that push to the product.
  'test:long': [
    ...TESTS,
    SRT_TOOLS,
    { package: 'rist-tools', probe: 'ristreceiver' },
    { package: 'gstreamer1.0-tools', probe: 'gst-launch-1.0' },
    { package: 'gstreamer1.0-plugins-bad', probe: `${LIBRARIES}/gstreamer-1.0/libgstrtmp2.so` },
    // It plays what browsers do not.
    { package: 'mpv', probe: 'mpv' },
    // They are machines with an init of their own, and containers, for what is installed there.
    ...IMAGE,
    { package: 'systemd-container', probe: 'systemd-nspawn' },
    { package: 'slirp4netns', probe: 'slirp4netns' },
    { package: 'podman', probe: 'podman' },
    { package: 'runc', probe: 'runc' },
  ],
  fleet: [FFMPEG, ...FONTS, ...TESTS.filter(({ package: name }) => /^postgresql|^haproxy$/u.test(name))],
  bench: [
    FFMPEG,
    ...FONTS,
    SRT_TOOLS,
    ...TESTS.filter(({ package: name }) => /^chromium$|^nginx-light$|rtmp/u.test(name)),
  ],
};

function say(text) {
  process.stderr.write(`onair setup: ${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}

function isThere(probe) {
  if (probe.startsWith('/')) return existsSync(probe);
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/sbin'];
  return folders.some((folder) => existsSync(join(folder, probe)));
}

function run(command, args, env = {}) {
  // stdout belongs to the command that follows, so the output of set-up goes to stderr.
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, ...env },
  });
  if (error) fail(`${command} cannot be run: ${error.message}`);
  return status === 0;
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    fail(
      `Node ${process.versions.node} is too old; install Node 20.19 or newer: docs/install.md says where it comes from.`,
    );
}

function installNpmPackages() {
  const stamp = join(root, 'node_modules', '.onair-lock');
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  say('installing the npm packages (npm ci)');
  if (!run('npm', ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']))
    fail('npm ci failed; its output is above.');
  writeFileSync(stamp, wanted);
}

/** Programs of others test the product. Each has a lock file of its own, because they need other versions than the product runs on. */
const EXTERNAL_PROGRAMS = [
  {
    source: 'test/mcp/external-programs',
    folder: '.external-programs',
    what: 'the MCP conformance suites, the Inspector and mcp-remote, with the Node 22 that they need',
    specs: 'test/mcp/conformance.long.ts, test/mcp/inspector.long.ts and test/mcp/oauth-programs.long.ts',
  },
  {
    source: 'test/contract/typed-client',
    folder: '.typed-client',
    what: 'a generator of typed clients, with the TypeScript 5 that it needs',
    specs: 'test/contract/typed-client.long.ts',
  },
];

function installExternal({ source, folder: name, what, specs }) {
  const folder = join(root, 'node_modules', name);
  const lockOf = (path) =>
    existsSync(join(path, 'package-lock.json')) && readFileSync(join(path, 'package-lock.json'), 'utf8');
  if (lockOf(folder) === lockOf(join(root, source))) return;
  say(`installing ${what} (npm ci)`);
  const fresh = `${folder}.${process.pid}`;
  mkdirSync(fresh);
  for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(root, source, file), join(fresh, file));
  const words = ['ci', '--prefix', fresh, '--ignore-scripts', '--engine-strict=false', '--no-audit', '--no-fund'];
  if (run('npm', [...words, '--loglevel=error'])) {
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
  } else {
    rmSync(fresh, { recursive: true, force: true });
    // All other specs run without them.
    say(`npm ci failed; its output is above. ${specs} will fail.`);
  }
}

function installDebianPackages() {
  const missing = (NEEDS[purpose] ?? NEEDS.start).filter(({ probe }) => !isThere(probe)).map((need) => need.package);
  if (missing.length === 0) return;
  const words = ['apt-get', 'install', '-y', '--no-install-recommends', ...missing];
  if (!isThere('apt-get'))
    fail(`missing: ${missing.join(', ')}. This machine has no apt-get; install them by its own package manager.`);
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  if (sudo.length > 0 && !isThere('sudo')) fail(`missing: ${missing.join(', ')}. As root run: ${words.join(' ')}`);
  say(`installing Debian packages: ${missing.join(', ')}`);
  const apt = (...args) => {
    const [command, ...rest] = [...sudo, 'apt-get', '-q', '-o', 'DPkg::Lock::Timeout=300', ...args];
    return run(command, rest, { DEBIAN_FRONTEND: 'noninteractive' });
  };
  const install = ['install', '-y', '--no-install-recommends', ...missing];
  withoutDaemons(sudo, () => {
    if (!apt(...install) && !(apt('update') && apt(...install)))
      fail(`apt-get failed; its output is above. By hand: ${words.join(' ')}`);
  });
}

/** Tests start their own servers: a package must not start its daemon (deb-policy: policy-rc.d, 101 = not allowed). */
function withoutDaemons(sudo, task) {
  const policy = '/usr/sbin/policy-rc.d';
  if (existsSync(policy)) return task();
  const shell = (line) => {
    const [command, ...rest] = [...sudo, 'sh', '-c', line];
    return run(command, rest);
  };
  const remove = () => shell(`rm -f ${policy}`);
  // This file of the system must not stay, not even after Ctrl-C, which is handled once apt-get has ended.
  process.once('exit', remove);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  shell(`printf '#!/bin/sh\\nexit 101\\n' > ${policy} && chmod 755 ${policy}`);
  task();
  remove();
  process.off('exit', remove);
}

checkNode();
installNpmPackages();
if (purpose === 'test:long') EXTERNAL_PROGRAMS.forEach(installExternal);
installDebianPackages();
buildWhenChanged(root);
