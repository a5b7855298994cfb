/** What an operation on a broadcast on air has done, as it is said. */
import type { Tool } from '../../toolkit/tool.ts';
import { count } from '../../toolkit/subjects/workflow.ts';

type Fields = Record<string, unknown>;

/** A longer text is seen, not read out. */
const MAX_TEXT = 60;
const MAX_PATHS = 3;

const TOLD: Readonly<Record<string, (args: Fields, data: Fields) => string>> = {
  runtimeApplyBlackout: sayPicture,
  runtimeApplyLogo: sayLogo,
  setLivestreamText: sayText,
  runtimeTogglePublishings: sayPaths,
};

/** What was asked is in force; what else there is to know was written to be heard. */
export function doneOnAir({ name: operation }: Tool, args: Fields, data: Fields): string {
  const { name, notes = [] } = data as { name?: string; notes?: string[] };
  const what = TOLD[operation]?.(args, data) ?? 'is on air with it';
  const [first, ...others] = notes;
  const more =
    others.length === 0
      ? []
      : [`${others.length === 1 ? 'There is' : 'There are'} ${count(others.length, 'more note')} on it.`];
  return [`Done, ${name ?? 'it'} ${what}.`, ...(first === undefined ? [] : [first, ...more])].join(' ');
}

function sayPicture({ mode, filename, keepAudio }: Fields): string {
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
  // A %H in it is the time, which goes on.
  const isSaid = typeof shown === 'string' && shown.length <= MAX_TEXT && !/["%]/u.test(shown);
  return isSaid ? `shows the text "${shown}" now` : 'shows its text now';
}

function sayPaths({ publishings: asked }: Fields, { publishings: told }: Fields): string {
  const entries = (asked ?? []) as { publishingId: number; primary?: boolean; backup?: boolean }[];
  const states = (told ?? []) as { publishingId: number; name: string; backup: object | null }[];
  const said = entries.flatMap(({ publishingId, ...paths }) => {
    const state = states.find((each) => each.publishingId === publishingId);
    if (state === undefined) return [];
    return (['primary', 'backup'] as const).flatMap((path) => {
      if (paths[path] === undefined || (path === 'backup' && state.backup === null)) return [];
      const which = state.backup === null ? state.name : `the ${path} path of ${state.name}`;
      return [`${which} ${paths[path] ? 'on' : 'off'}`];
    });
  });
  if (said.length === 0) return 'is as it was';
  return `has ${said.length > MAX_PATHS ? `${said.length} paths changed` : said.join(' and ')}`;
}
