/** The server's findings at the fields that they are about. */
import { issueText } from '../../i18n/problem-text.ts';
import { fieldsIn, type Field, type Values } from './field.ts';
import { isVisible } from './values.ts';

export interface Finding {
  field?: string;
  pointer?: string;
  code?: string;
  message?: string;
}

/** Paths of the fields that the form shows, in its order. */
export function pathsOf(fields: readonly Field[], values: Values, root = values, before = ''): string[] {
  return fields
    .filter((field) => isVisible(field, root))
    .flatMap((field) => {
      const path = `${before}${field.name}`;
      return [path, ...pathsIn(field, values[field.name], root, path)];
    });
}

function pathsIn(field: Field, value: unknown, root: Values, path: string): string[] {
  if (field.type === 'object' && typeof value === 'object' && value !== null)
    return pathsOf(fieldsIn(field), value as Values, root, `${path}.`);
  if (field.type !== 'list') return [];
  return (value as unknown[]).flatMap((item, index) => {
    const place = `${path}.${index}`;
    return field.item?.type === 'object'
      ? [place, ...pathsOf(fieldsIn(field.item), item as Values, item as Values, `${place}.`)]
      : [place];
  });
}

/** `settings.url`, `/settings/url`, `keys[0].kid` */
function dotted({ field, pointer }: Finding): string {
  return (field ?? pointer ?? '')
    .replace(/^[#/]+/u, '')
    .replaceAll('/', '.')
    .replaceAll(/\[(\d+)\]/gu, '.$1');
}

export interface Placed {
  at: Readonly<Record<string, readonly Finding[]>>;
  /** The path of the first field in the form's order. */
  first: string | undefined;
  /** As the server names the fields that tell their findings themselves. */
  shown: readonly string[];
}

/** A finding about a part that has no field of its own is told at the field around it. */
export function placeErrors(findings: readonly Finding[], paths: readonly string[]): Placed {
  const at: Record<string, Finding[]> = {};
  const named: string[] = [];
  for (const finding of findings) {
    const name = dotted(finding);
    const place = paths
      .filter((path) => name === path || name.startsWith(`${path}.`))
      .sort((one, other) => other.length - one.length)[0];
    if (place === undefined) continue;
    (at[place] ??= []).push(finding);
    named.push(finding.field ?? finding.pointer ?? '');
  }
  return { at, first: paths.find((path) => path in at), shown: named };
}

/** The findings in words of the page, which may come after the refusal. */
export function errorTexts(at: Placed['at']): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(at).map(([path, findings]) => [path, findings.map(issueText).join('; ')]));
}
