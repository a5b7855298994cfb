/** YAML of an answer; the library is loaded where somebody wants that form. */
import { stringify } from 'yaml';

/** Names that people gave are data: none of them becomes an anchor, and no line of a text is folded. */
export function yamlText(value: object): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 }).trimEnd();
}
