/** Ctrl K: any page, stream or act by typing. */
import { signal } from '@preact/signals';
import { words } from '../i18n/words.ts';
import { Combobox, type Option } from '../ui/combobox/combobox.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { commandsNow, type Command } from '../ui/registry/commands.ts';
import { findCommands } from '../ui/registry/find-commands.ts';

export const isPaletteOpen = signal(false);

/** More are found by typing more. */
const MAX_SHOWN = 50;

export function Palette() {
  const w = words.value;
  const close = (): void => {
    isPaletteOpen.value = false;
  };
  const ask = (typed: string): Option<Command>[] =>
    findCommands(commandsNow(), typed)
      .slice(0, MAX_SHOWN)
      .map((command) => {
        const details = [command.details, command.keyHint].filter((part) => part !== undefined).join(' · ');
        return { value: command, label: command.name, ...(details !== '' && { details }) };
      });
  const run = ({ value }: Option<Command>): void => {
    close();
    // Once the dialog is gone and focus is back: the command may open another.
    setTimeout(value.run, 0);
  };
  return (
    <Dialog title={w.commands} onClose={close} size="wide">
      <Combobox label={w.commandLabel} text="" isAlwaysOpen ask={ask} onChoose={run} />
    </Dialog>
  );
}
