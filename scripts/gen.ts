/**
 * Writes everything that follows from the code: the two index files of the tools, the documents of tools, errors, settings, commands and
import { cliDocument } from './cli/document.ts';
import { cliFiles } from './cli/files.ts';
import { manualPages } from './cli/manual.ts';
import { clientFiles } from './client/generated.ts';
 * With --check nothing is written and the exit code is 1 when something would change.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Tool } from '../toolkit/tool.ts';
import { cliDocument } from './cli/document.ts';
import { cliFiles } from './cli/files.ts';
import { clientFiles } from './client/generated.ts';
import { errorsDocument } from './docs-errors.ts';
import { definitionText } from './docs-golden.ts';
import { indexFile, TOOL_FOLDERS, toolNames } from './docs-index.ts';
import { subRoomsPage, withRoomTable } from './docs-rooms.ts';
import { manualPages } from './cli/manual.ts';
import { proofDocument } from './docs-proof.ts';
import { settingsDocument } from './docs-settings.ts';
import { toolsDocument } from './docs-tools.ts';
import { webFiles } from './page/generated.ts';

const GOLDEN = 'test/golden';
const MANUAL = 'docs/man';
const ARCHITECTURE = 'docs/architecture.md';

interface Generated {
  /** Content by path from the root. */
  files: Map<string, string>;
  /** Files of a generated folder that nothing generates any more. */
  stale: string[];
}

async function generate(root: string): Promise<Generated> {
  const files = new Map<string, string>();
  const tools: Record<string, Tool[]> = {};
  for (const { folder, list } of TOOL_FOLDERS) {
    const names = toolNames(root, folder);
    const path = `${folder}/index.ts`;
    files.set(path, await indexFile(`${root}/${path}`, list, names));
    tools[list] = await Promise.all(names.map((name) => loadTool(`${root}/${folder}/${name}.ts`, name)));
  }
  const { operations = [], workflows = [] } = tools;
  for (const [path, text] of await webFiles(operations, workflows)) files.set(path, text);
  for (const [path, text] of await clientFiles(operations, workflows)) files.set(path, text);
  for (const [path, text] of await cliFiles([...operations, ...workflows])) files.set(path, text);
  files.set('docs/tools.md', toolsDocument(operations, workflows));
  files.set('docs/errors.md', errorsDocument());
  files.set('docs/settings.md', settingsDocument());
  files.set('docs/cli.md', cliDocument());
  files.set('docs/proof.md', proofDocument(root));
  for (const [path, text] of manualPages()) files.set(path, text);
  const architecture = `${root}/${ARCHITECTURE}`;
  files.set('docs/rooms.md', await subRoomsPage(`${root}/docs/rooms.md`));
  files.set(ARCHITECTURE, await withRoomTable(architecture, readFileSync(architecture, 'utf8')));
  for (const tool of [...operations, ...workflows]) files.set(`${GOLDEN}/${tool.name}.txt`, definitionText(tool));
  const present = [GOLDEN, MANUAL].flatMap((folder) =>
    existsSync(`${root}/${folder}`) ? readdirSync(`${root}/${folder}`).map((file) => `${folder}/${file}`) : [],
  );
  return { files, stale: present.filter((path) => !files.has(path)) };
}

async function loadTool(path: string, name: string): Promise<Tool> {
  const module = (await import(pathToFileURL(path).href)) as Record<string, Tool | undefined>;
  const tool = module[name];
  if (tool?.name !== name) throw new Error(`${path} must export a tool of the name ${name}`);
  return tool;
}

/** Paths whose content on disk is another one, with the first line that differs. */
function changedFiles(root: string, { files, stale }: Generated): Map<string, string> {
  const changed = new Map<string, string>();
  for (const [path, content] of files) {
    const present = existsSync(`${root}/${path}`) ? readFileSync(`${root}/${path}`, 'utf8') : undefined;
    if (present === content) continue;
    changed.set(path, present === undefined ? 'is missing' : firstDifference(present.split('\n'), content.split('\n')));
  }
  for (const path of stale) changed.set(path, 'belongs to nothing');
  return changed;
}

function firstDifference(before: readonly string[], after: readonly string[]): string {
  const line = after.findIndex((text, index) => text !== before[index]);
  const at = line === -1 ? after.length : line;
  return `line ${at + 1}: ${before[at] ?? '(end)'} → ${after[at] ?? '(end)'}`;
}

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const generated = await generate(root);
const changed = changedFiles(root, generated);
if (process.argv.includes('--check')) {
  for (const [path, what] of changed) console.error(`${path} ${what}`);
  if (changed.size > 0) console.error(`${changed.size} generated files are out of date; run npm run gen.`);
  process.exitCode = changed.size > 0 ? 1 : 0;
} else {
  for (const path of changed.keys()) {
    const content = generated.files.get(path);
    if (content === undefined) rmSync(`${root}/${path}`);
    else {
      mkdirSync(dirname(`${root}/${path}`), { recursive: true });
      writeFileSync(`${root}/${path}`, content);
    }
  }
  console.error(`${generated.files.size} files generated, ${changed.size} changed.`);
}
