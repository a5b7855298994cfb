/** The thing with a trouble: a Destination's path has the word for its kind. */
import { words } from './words.ts';

const KIND = / (primary|backup)$/u;

export function aboutText({ reason, about }: { reason: string; about: string }): string {
  if (!reason.startsWith('path_')) return about;
  return about.replace(KIND, (_all, kind: 'primary' | 'backup') => ` ${words.value.pathKinds[kind]}`);
}
