/** The two lists of tools, so that the program never scans a folder. */
import { readdirSync } from 'node:fs';

/** Names of the tools in a folder: each file is one, and exports it under its own name. */
export function toolNames(root: string, folder: string): string[] {
  return readdirSync(`${root}/${folder}`)
    .filter((file) => file.endsWith('.ts') && file !== 'index.ts')
    .map((file) => file.slice(0, -'.ts'.length))
    .sort();
}

/** The text of `tools/index.ts` and `workflows/index.ts`, as it is before it is formatted. */
export function indexText(list: string, names: readonly string[]): string {
  return [
    `import type { Tool } from '../toolkit/tool.ts';`,
    ...names.map((name) => `import { ${name} } from './${name}.ts';`),
    '',
    `export const ${list}: readonly Tool[] = [${names.join(', ')}];`,
    '',
  ].join('\n');
}
