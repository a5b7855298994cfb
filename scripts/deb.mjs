// Makes the Debian package: the npm package, what it needs beside it, the services, and the scripts of scripts/deb/. The folder for it is
// the argument; left out: the present one. It prints the path of the package.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { placeProgram } from './package/program.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const parts = join(root, 'scripts', 'deb');
const PROGRAM = '/usr/lib/onair';
const SERVICES = '/lib/systemd/system';
const CONFIGURATION = '/etc/onair/config.json';
const MAINTAINER_SCRIPTS = ['preinst', 'postinst', 'prerm', 'postrm'];
const DEPENDS = 'passwd, ffmpeg, fonts-dejavu-core';
// Debian 12 has Node 18, so Node often comes from elsewhere, without a package of that name; the program says at its start what is missing.
const RECOMMENDS = 'nodejs (>= 20.19), openssl, fonts-droid-fallback, fonts-noto-color-emoji';

/** Writes the package of the program as it is built in dist/ into `folder`; answers its path. */
function makeDeb(folder) {
  const stage = mkdtempSync(join(tmpdir(), 'onair-deb-'));
  try {
    const tree = join(stage, 'tree');
    const version = placeProgram(join(tree, PROGRAM));
    placeServices(tree);
    placeDocuments(tree, version);
    put(join(parts, 'onair'), join(tree, 'usr/bin/onair'), 0o755);
    put(join(parts, 'onair-certificate'), join(tree, 'usr/sbin/onair-certificate'), 0o755);
    put(join(parts, 'config.json'), join(tree, CONFIGURATION), 0o644);
    return pack(tree, version, folder);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

function placeServices(tree) {
  for (const name of ['onair.service', 'onair-device.service']) {
    const unit = readFileSync(join(root, 'docs', 'systemd', name), 'utf8')
      // What its first lines say is about an installation by hand.
      .replace(/^(#[^\n]*)\n(?:#[^\n]*\n)*/u, '$1\n')
      .replace(/\/usr\/bin\/node \S+onair\.js (serve|device)/u, `/usr/bin/onair $1 --config ${CONFIGURATION}`);
    write(join(tree, SERVICES, name), unit);
  }
}

function placeDocuments(tree, version) {
  const documents = join(tree, 'usr/share/doc/onair');
  const { license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const bundled = readFileSync(join(root, 'dist', 'licences.txt.gz'));
  write(join(documents, 'copyright'), `onair is under the licence ${license}. Packages in it: see licences.txt.gz.\n`);
  write(join(documents, 'licences.txt.gz'), bundled);
  for (const name of ['README.md', 'CHANGELOG.md']) write(join(documents, name), readFileSync(join(root, name)));
  const entry = `onair (${version}) stable; urgency=medium\n\n  * See CHANGELOG.md.\n`;
  write(join(documents, 'changelog.gz'), gzipSync(entry, { level: 9 }));
  const examples = join(root, 'docs', 'proxy');
  for (const name of readdirSync(examples))
    write(join(documents, 'examples', name), readFileSync(join(examples, name)));
  const manuals = join(root, 'dist', 'man');
  if (!existsSync(manuals)) return;
  for (const name of readdirSync(manuals))
    write(join(tree, 'usr/share/man/man1', `${name}.gz`), gzipSync(readFileSync(join(manuals, name)), { level: 9 }));
}

function pack(tree, version, folder) {
  const architecture = execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim();
  const kilobytes = execFileSync('du', ['-sk', tree], { encoding: 'utf8' }).split('\t')[0];
  const control = [
    'Package: onair',
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    'Section: video',
    'Priority: optional',
    'Maintainer: onair <onair@localhost>',
    `Installed-Size: ${kilobytes}`,
    `Depends: ${DEPENDS}`,
    `Recommends: ${RECOMMENDS}`,
    'Description: control of live-streaming broadcasts',
    ' MCP, REST, a page for operators and a command line over one set of operations;',
    ' the Device agent of this machine puts broadcasts on air with ffmpeg.',
    '',
  ];
  write(join(tree, 'DEBIAN/control'), control.join('\n'));
  write(join(tree, 'DEBIAN/conffiles'), `${CONFIGURATION}\n`);
  for (const name of MAINTAINER_SCRIPTS) put(join(parts, name), join(tree, 'DEBIAN', name), 0o755);
  mkdirSync(folder, { recursive: true });
  const path = join(resolve(folder), `onair_${version}_${architecture}.deb`);
  // A umask of the one who builds it is none of the package's.
  execFileSync('chmod', ['-R', 'u=rwX,go=rX', tree]);
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '--build', tree, path], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return path;
}

function put(from, to, mode) {
  write(to, readFileSync(from));
  chmodSync(to, mode);
}

function write(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

process.stdout.write(`${makeDeb(process.argv[2] ?? '.')}\n`);
