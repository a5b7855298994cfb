/** The acts on the streams of the wall, for the palette. */
import { words as common } from '../../../i18n/words.ts';
import { streamIds, viewOf } from '../../../live/streams.ts';
import { useCommands, type Command } from '../../../ui/registry/commands.ts';
import { actsOn } from './act-list.ts';
import { focusedId } from './focus.ts';

/** `focusTile` shows the bar of the stream, where an act that is to be confirmed says so. */
export function useActCommands(hasActs: boolean, focusTile: (id: number) => void): void {
  useCommands(() => (hasActs ? streamIds.peek().flatMap((id) => commandsOn(id, focusTile)) : []));
}

function commandsOn(id: number, focusTile: (id: number) => void): Command[] {
  const status = viewOf(id)?.status.peek();
  if (status === undefined) return [];
  return actsOn(status)
    .filter(({ why, isKeyOnly }) => why === undefined && isKeyOnly !== true)
    .map(({ id: actId, label, key, press }) => ({
      id: `act ${actId}`,
      name: label,
      details: common.value.act,
      keyHint: key,
      run: () => {
        focusedId.value = id;
        focusTile(id);
        press();
      },
    }));
}
