/** The outcome of an operation on a broadcast on air, in spoken words. */
import { count } from '../../toolkit/sentence.ts';
import type { Tool } from '../../toolkit/tool.ts';

type Fields = Record<string, unknown>;

/** A longer text is for the eye and is not read out. */
const MAX_TEXT = 60;
const MAX_PATHS = 3;

const OUTCOMES: Readonly<Record<string, (args: Fields, data: Fields) => string>> = {
  runtimeApplyBlackout: sayBlackout,
  runtimeApplyLogo: sayLogo,
  setLivestreamText: sayText,
  runtimeTogglePublishings: sayPaths,
};

/** The requested change is in force. Notes are written to be heard, and only the first is. */
export function doneOnAir({ name: operation }: Tool, args: Fields, data: Fields): string {
  const { name, notes = [] } = data as { name?: string; notes?: string[] };
  const outcome = OUTCOMES[operation]?.(args, data) ?? 'is on air with it';
  const [first, ...others] = notes;
  const more =
    others.length === 0
      ? []
      : [`${others.length === 1 ? 'There is' : 'There are'} ${count(others.length, 'more note')} on it.`];
  return [`Done, ${name ?? 'it'} ${outcome}.`, ...(first === undefined ? [] : [first, ...more])].join(' ');
}

function sayBlackout({ mode, filename, keepAudio }: Fields): string {
  if (mode === 'Live') return 'shows its programme again';
  const sound = keepAudio === true ? ', and its sound goes on' : '';
  return mode === 'File' ? `shows "${String(filename)}" in place of its programme${sound}` : `shows black now${sound}`;
}

function sayLogo({ logo }: Fields): string {
  const { filename, position } = (logo ?? {}) as { filename?: string; position?: string };
  if (!filename) return 'shows no logo now';
  return `shows the logo "${filename}"${position === undefined ? '' : `, ${position.toLowerCase().replace('-', ' ')}`}`;
}

function sayText({ action, text }: Fields, { runtime }: Fields): string {
  if (action === 'hide') return 'shows no text now';
  const shown = text ?? (runtime as Fields | undefined)?.['text'];
  // A text with a placeholder such as %H shows the time, which goes on.
  const isReadOut = typeof shown === 'string' && shown.length <= MAX_TEXT && !/["%]/u.test(shown);
  return isReadOut ? `shows the text "${shown}" now` : 'shows its text now';
}

function sayPaths({ publishings: requested }: Fields, { publishings: states }: Fields): string {
  const entries = (requested ?? []) as { publishingId: number; primary?: boolean; backup?: boolean }[];
  const rows = (states ?? []) as { publishingId: number; name: string; backup: object | null }[];
  const changes = entries.flatMap(({ publishingId, ...paths }) => {
    const state = rows.find((row) => row.publishingId === publishingId);
    if (state === undefined) return [];
    return (['primary', 'backup'] as const).flatMap((path) => {
      if (paths[path] === undefined || (path === 'backup' && state.backup === null)) return [];
      const which = state.backup === null ? state.name : `the ${path} path of ${state.name}`;
      return [`${which} ${paths[path] ? 'on' : 'off'}`];
    });
  });
  if (changes.length === 0) return 'is as it was';
  return `has ${changes.length > MAX_PATHS ? `${changes.length} paths changed` : changes.join(' and ')}`;
}
