// Makes the image of the Dockerfile without a daemon and without a registry of images: buildah carries out its last stage, on a bare Debian
// by debootstrap with the Node of this machine. The folder for the archive is the argument; left out: the present one. It prints what it made.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeArchive } from './image/archive.mjs';
import { makeBase } from './image/base.mjs';
import { placeProgram } from './package/program.mjs';
import { releaseOf, tagOf } from './version.mjs';

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
  const architecture = execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim();
  const stage = mkdtempSync(join(tmpdir(), 'onair-image-'));
  try {
    say(`a bare Debian with Node ${process.versions.node} of this machine (debootstrap)`);
    makeBase(stage, BASE);
    const version = placeProgram(join(stage, 'context', 'program'));
    const path = join(resolve(folder), `onair_${version}_${architecture}.oci.tar`);
    // The last image of a release has its number, too, by which the compose file names it.
    const names = [tagOf(version), releaseOf(version)].map((tag) => `localhost/onair:${tag}`);
    say('the last stage of the Dockerfile (buildah)');
    buildah(
      'build',
      // It needs no namespaces, which many a machine of builds does not give.
      '--isolation=chroot',
      // The OCI form of an image has no HEALTHCHECK; the archive gets it in place of buildah.
      '--format=docker',
      `--build-arg=BASE=${BASE}`,
      `--build-context=build=${join(stage, 'context')}`,
      `--build-arg=VERSION=${version}`,
      ...names.map((name) => `--tag=${name}`),
      `--file=${join(root, 'Dockerfile')}`,
      root,
    );
    say('the archive');
    mkdirSync(dirname(path), { recursive: true });
    writeArchive(stage, names, path);
    return { name: names[0], path };
  } finally {
    execFileSync('buildah', ['rmi', '--force', BASE], { stdio: 'ignore' });
    rmSync(stage, { recursive: true, force: true });
  }
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
