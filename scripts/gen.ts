/**
 * Writes everything that follows from the code. What git does not hold (the typed client, the forms of the page, the words of completion,
 * the manual pages) is written with `--code` alone, which every build does; without it also the documents and the golden text. With
 * `--check` nothing of the latter is written, and the exit code is 1 when something would change.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { operations } from '../tools/index.ts';
import { workflows } from '../workflows/index.ts';
import { clientFiles } from './client/generated.ts';
import { errorsDocument } from './docs-errors.ts';
import { definitionTexts } from './docs-golden.ts';
import { manualDocument } from './docs-manual.ts';
import { proofDocument } from './docs-proof.ts';
import { toolsDocument } from './docs-tools.ts';
import { webFiles } from './page/generated.ts';

const GOLDEN = 'test/golden';
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const tools = [...operations, ...workflows];

/** The command line calls operations by the client's table, so that this comes first. */
async function writeCode(): Promise<void> {
  write(await clientFiles(operations, workflows));
  const { cliFiles } = await import('./cli/files.ts');
  const { manualPages } = await import('./cli/manual.ts');
  write(new Map([...webFiles(tools), ...cliFiles(tools), ...manualPages()]));
}

async function documents(): Promise<Map<string, string>> {
  const { cliDocument } = await import('./cli/document.ts');
  const { settingsDocument } = await import('./docs-settings.ts');
  const files = new Map([
    ['docs/tools.md', toolsDocument(operations, workflows)],
    ['docs/errors.md', errorsDocument()],
    ['docs/settings.md', settingsDocument()],
    ['docs/cli.md', cliDocument()],
    ['docs/proof.md', proofDocument(root)],
    ['docs/manual.md', manualDocument(textOf('docs/manual.md') ?? '')],
  ]);
  for (const [name, text] of definitionTexts(tools)) files.set(`${GOLDEN}/${name}.txt`, text);
  return files;
}

function textOf(path: string): string | undefined {
  return existsSync(`${root}/${path}`) ? readFileSync(`${root}/${path}`, 'utf8') : undefined;
}

/** Paths whose content on disk is another one, with the first line that differs. */
function changedFiles(files: ReadonlyMap<string, string>): Map<string, string> {
  const changed = new Map<string, string>();
  for (const [path, content] of files) {
    const present = textOf(path);
    if (present === content) continue;
    changed.set(path, present === undefined ? 'is missing' : firstDifference(present.split('\n'), content.split('\n')));
  }
  return changed;
}

function firstDifference(before: readonly string[], after: readonly string[]): string {
  const line = after.findIndex((text, index) => text !== before[index]);
  const at = line === -1 ? after.length : line;
  return `line ${at + 1}: ${before[at] ?? '(end)'} → ${after[at] ?? '(end)'}`;
}

/** Writes those that have changed, each in one step: another program may read it now. */
function write(files: ReadonlyMap<string, string>): number {
  const changed = [...changedFiles(files).keys()];
  for (const path of changed) {
    mkdirSync(dirname(`${root}/${path}`), { recursive: true });
    const beside = `${root}/${path}.${process.pid}`;
    writeFileSync(beside, files.get(path) ?? '');
    renameSync(beside, `${root}/${path}`);
  }
  return changed.length;
}

await writeCode();
if (!process.argv.includes('--code')) {
  const files = await documents();
  const stale = readdirSync(`${root}/${GOLDEN}`)
    .map((file) => `${GOLDEN}/${file}`)
    .filter((path) => !files.has(path));
  if (process.argv.includes('--check')) {
    const changed = [...changedFiles(files), ...stale.map((path) => [path, 'belongs to nothing'] as const)];
    for (const [path, what] of changed) console.error(`${path} ${what}`);
    if (changed.length > 0) console.error(`${changed.length} generated files are out of date; run npm run gen.`);
    process.exitCode = changed.length > 0 ? 1 : 0;
  } else {
    for (const path of stale) rmSync(`${root}/${path}`);
    console.error(`${files.size} documents, ${write(files)} of them changed.`);
  }
}
