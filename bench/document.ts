/** Tables of figures, and docs/figures.md, whose parts the last runs have written. */
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { median, type Figure } from './figures.ts';

const FILE = fileURLToPath(new URL('../docs/figures.md', import.meta.url));

/** The median, and the least and most where they differ. */
export function spread(values: readonly number[], digits = 0): string {
  const [middle, least, most] = [median(values), Math.min(...values), Math.max(...values)].map((value) =>
    value.toFixed(digits),
  );
  return least === most ? middle! : `${middle} (${least}–${most})`;
}

export function tableOf(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export function figureTable(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, value, unit, bar, met, note = '' }) => [
    name,
    `${Number(value.toPrecision(3))} ${unit}`,
    `${bar}${met ? '' : ', missed'}`,
    note,
  ]);
  return tableOf(['What', 'Measured', 'Bar', 'Beside it'], rows);
}

const partOf = (name: string): RegExp => new RegExp(`(<!-- ${name}: [^\\n]*-->)[^]*?(<!-- /${name} -->)`, 'u');

export function hasPart(name: string): boolean {
  return partOf(name).test(readFileSync(FILE, 'utf8'));
}

/** Replaces the part between `<!-- name: … -->` and `<!-- /name -->`. Throws when the document has no such part. */
export async function writeFigures(name: string, text: string): Promise<void> {
  const before = readFileSync(FILE, 'utf8');
  if (!hasPart(name)) throw new Error(`docs/figures.md has no part ${name}.`);
  const after = before.replace(
    partOf(name),
    (_, begin: string, end: string) => `${begin}\n\n${machine()}\n\n${text}\n\n${end}`,
  );
  writeFileSync(FILE, await format(after, { ...(await resolveConfig(FILE)), filepath: FILE }));
}

/** One sentence that says on which machine, and when. */
function machine(): string {
  const day = new Date().toISOString().slice(0, 10);
  const memory = Math.round(totalmem() / 2 ** 30);
  const model = cpus()[0]?.model.trim() ?? 'unknown';
  return `${day}, ${availableParallelism()} cores (${model}), ${memory} GiB, Linux ${release()}, Node ${process.version}.`;
}
