// Makes the image of the Dockerfile without a daemon and without a registry of images: buildah carries out its last stage, on a bare Debian
// by debootstrap with the Node of this machine. The folder for the archive is the argument; left out: the present one. It prints what it made.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeArchive } from './image/archive.mjs';
import { makeBase } from './image/base.mjs';
import { placeProgram } from './package/program.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const BASE = 'localhost/onair-base';

function say(text) {
  process.stderr.write(`onair image: ${text}\n`);
}

/** stdout is the caller's; what tools say goes to stderr. */
function buildah(...words) {
  execFileSync('buildah', words, { stdio: ['ignore', 2, 2] });
}

function makeImage(folder) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const architecture = execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim();
  const name = `localhost/onair:${version}`;
  const path = join(resolve(folder), `onair_${version}_${architecture}.oci.tar`);
  const stage = mkdtempSync(join(tmpdir(), 'onair-image-'));
  try {
    say(`a bare Debian with Node ${process.versions.node} of this machine (debootstrap)`);
    makeBase(stage, BASE);
    placeProgram(join(stage, 'context', 'program'));
    say('the last stage of the Dockerfile (buildah)');
    buildah(
      'build',
      // It needs no namespaces, which many a machine of builds does not give.
      '--isolation=chroot',
      // The OCI form of an image has no HEALTHCHECK; the archive gets it in place of buildah.
      '--format=docker',
      `--build-arg=BASE=${BASE}`,
      `--build-context=build=${join(stage, 'context')}`,
      `--tag=${name}`,
      `--file=${join(root, 'Dockerfile')}`,
      root,
    );
    say('the archive');
    mkdirSync(dirname(path), { recursive: true });
    writeArchive(stage, name, path);
  } finally {
    execFileSync('buildah', ['rmi', '--force', BASE], { stdio: 'ignore' });
    rmSync(stage, { recursive: true, force: true });
  }
  return { name, path };
}

if (process.getuid() !== 0) {
  say('debootstrap and buildah need root here; run it as root, or build the Dockerfile with docker or podman.');
  process.exit(1);
}
const { name, path } = makeImage(process.argv[2] ?? '.');
const megabytes = (statSync(path).size / 1e6).toFixed(0);
process.stdout.write(`${path}
${megabytes} MB, the image ${name}; it is in buildah's store of this machine, too.
Load it elsewhere with: docker load -i ${path}
                    or: podman pull docker-archive:${path}
`);
