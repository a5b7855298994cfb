// What of others is in the program: the bill of materials (CycloneDX), and the licences that have to come with it.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

export const BILL = 'sbom.cdx.json';

/** Folders of packages, as the lock file names them, that the files `inputs` of a bundle come from. */
export function bundledPackages(root, inputs) {
  const { packages } = lockOf(root);
  const folders = inputs.flatMap(
    (path) => /(?<=^|\/)node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/u.exec(path)?.[0] ?? [],
  );
  return [...new Set(folders)].filter((folder) => packages[folder] !== undefined).sort();
}

/** Whether the bill is there, younger than the lock file, and of these packages. */
export function isBillOf(path, root, bundled) {
  if (!existsSync(path) || statSync(path).mtimeMs < statSync(join(root, 'package-lock.json')).mtimeMs) return false;
  const { components } = JSON.parse(readFileSync(path, 'utf8'));
  if (components.some(isDevelopment)) return false;
  const listed = new Set(components.map(({ name, version }) => `${name}@${version}`));
  const shipped = shippedPackages(root, bundled);
  return shipped.size === listed.size && [...shipped].every((each) => listed.has(each));
}

/** npm makes it of the lock file alone, of all that is installed; what is not in the program is left out. The same lock file gives the same bill. */
export function writeBill(root, bundled, path) {
  const words = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const { status, stdout, stderr } = spawnSync('npm', words, { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 });
  if (status !== 0) {
    process.stderr.write(
      `onair build: npm wrote no bill of materials; the program is built without it. ${stderr ?? ''}\n`,
    );
    return;
  }
  const { serialNumber: _random, ...document } = JSON.parse(stdout);
  const shipped = shippedPackages(root, bundled);
  const seen = new Set();
  document.components = document.components.filter(({ name, version }) => {
    const each = `${name}@${version}`;
    const isNew = shipped.has(each) && !seen.has(each);
    seen.add(each);
    return isNew;
  });
  const { packages } = lockOf(root);
  const inside = new Set(bundled.map((folder) => `${nameOf(folder)}@${packages[folder].version}`));
  document.components = document.components.map((each) =>
    inside.has(`${each.name}@${each.version}`) ? partOfProgram(each) : each,
  );
  const listed = new Set([document.metadata.component, ...document.components].map((each) => each['bom-ref']));
  document.dependencies = document.dependencies.filter(({ ref }) => listed.has(ref));
  for (const each of document.dependencies) each.dependsOn = each.dependsOn.filter((ref) => listed.has(ref));
  delete document.metadata.timestamp;
  // npm takes the name of the folder.
  document.metadata.component.name = 'onair';
  writeFileSync(path, `${JSON.stringify(document, null, 1)}\n`);
}

/** Gives the program in the bill its version; a build that could not write a bill has none. */
export function nameVersion(path, version) {
  if (!existsSync(path)) return;
  const document = JSON.parse(readFileSync(path, 'utf8'));
  const { component } = document.metadata;
  const former = component['bom-ref'];
  const ref = `onair@${version}`;
  Object.assign(component, { version, 'bom-ref': ref, purl: `pkg:npm/onair@${encodeURIComponent(version)}` });
  for (const each of document.dependencies) if (each.ref === former) each.ref = ref;
  writeFileSync(path, `${JSON.stringify(document, null, 1)}\n`);
}

const DEVELOPMENT = 'cdx:npm:package:development';

function isDevelopment({ properties = [] }) {
  return properties.some(({ name }) => name === DEVELOPMENT);
}

/** A package that is bundled is a development package to npm, which calls it optional: without it there is no program. */
function partOfProgram({ properties = [], ...component }) {
  const others = properties.filter(({ name }) => name !== DEVELOPMENT);
  return { ...component, scope: 'required', ...(others.length > 0 && { properties: others }) };
}

/** The licences of what is bundled, each with its text: most ask to come along with every copy. */
export function writeNotices(root, bundled, path) {
  const { packages } = lockOf(root);
  const notices = bundled.map((folder) => {
    const { version, license = 'see its text' } = packages[folder];
    const texts = noticesIn(join(root, folder)).map((file) => readFileSync(join(root, folder, file), 'utf8').trim());
    return `${nameOf(folder)} ${version} (${license})\n\n${texts.join('\n\n')}\n`;
  });
  const text = `onair contains these packages.\n\n${notices.join(`\n${'-'.repeat(80)}\n\n`)}`;
  writeFileSync(path, gzipSync(text, { level: 9 }));
}

/**
 * The licence, the notice that Apache 2.0 asks for, and the licences of what a package has bundled itself: those of swagger-ui-dist stand
 * beside each of its bundles, and the largest has all of them.
 */
function noticesIn(folder) {
  const names = readdirSync(folder);
  const own = [/^(?:licen[cs]e|copying)/iu, /^notice/iu].flatMap((form) => names.find((name) => form.test(name)) ?? []);
  return [...own, ...names.filter((name) => name === 'swagger-ui-es-bundle.js.LICENSE.txt')];
}

/** name@version of each package that is in the program, or is installed with it. */
function shippedPackages(root, bundled) {
  const { packages } = lockOf(root);
  const installed = Object.keys(packages).filter(
    (folder) => folder !== '' && !packages[folder].dev && !packages[folder].devOptional,
  );
  return new Set([...bundled, ...installed].map((folder) => `${nameOf(folder)}@${packages[folder].version}`));
}

function nameOf(folder) {
  return folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function lockOf(root) {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
}
