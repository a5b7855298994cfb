// Writes an image as one file for everybody: an OCI layout (OCI image-spec 1.0, image-layout.md), with the manifest.json of docker's archives
// beside it, as docker itself saves images.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** `stage` is a folder for what lies between; the first of `names` is that of the layout. */
export function writeArchive(stage, names, path) {
  const [name] = names;
  const layout = join(stage, 'oci');
  execFileSync('buildah', ['push', '--quiet', '--format=oci', name, `oci:${layout}:${name}`], {
    stdio: ['ignore', 2, 2],
  });
  const blob = ({ digest }) => join('blobs', ...digest.split(':'));
  const read = (file) => JSON.parse(readFileSync(join(layout, file), 'utf8'));
  /** Takes the place of a blob; its descriptor gets the new digest and size. */
  const replace = (descriptor, document) => {
    const bytes = Buffer.from(JSON.stringify(document));
    rmSync(join(layout, blob(descriptor)));
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    Object.assign(descriptor, { digest, size: bytes.length });
    writeFileSync(join(layout, blob(descriptor)), bytes);
  };
  const index = read('index.json');
  const manifest = read(blob(index.manifests[0]));
  const image = read(blob(manifest.config));
  // buildah leaves it out of this form, whose specification does not know it; docker writes and reads it there.
  image.config.Healthcheck = healthCheckOf(name);
  replace(manifest.config, image);
  replace(index.manifests[0], manifest);
  writeFileSync(join(layout, 'index.json'), JSON.stringify(index));
  const entry = { Config: blob(manifest.config), RepoTags: names, Layers: manifest.layers.map(blob) };
  writeFileSync(join(layout, 'manifest.json'), JSON.stringify([entry]));
  execFileSync('tar', ['-C', layout, '-cf', path, 'oci-layout', 'index.json', 'manifest.json', 'blobs']);
}

function healthCheckOf(name) {
  const text = execFileSync('buildah', ['inspect', '--type=image', name], { encoding: 'utf8', maxBuffer: 64 << 20 });
  return JSON.parse(text).Docker.config.Healthcheck;
}
