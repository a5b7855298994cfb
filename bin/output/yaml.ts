/** YAML of an answer; the library is loaded where somebody wants that form. */
import { stringify } from 'yaml';

/** A name such as `yes` is a text for the readers of both YAML 1.1 and 1.2. No row becomes an anchor, and no line of a text is folded. */
export function yamlText(value: object): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0, compat: 'yaml-1.1' }).trimEnd();
}
