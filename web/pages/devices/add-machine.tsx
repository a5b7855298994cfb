/** "Add an encoder machine": one line to copy, and then the machine appears as a Device. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { DataOf, RowOf } from '../../api/operation-types.ts';
import { useList } from '../../api/reads.ts';
import { save } from '../../api/saves.ts';
import { words as shared } from '../../i18n/words.ts';
import { serverNow } from '../../live/clock.ts';
import { hrefOf } from '../../route.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { joinCommand, joinServer } from './join-command.ts';
import { NoPort } from './no-port.tsx';
import { words } from './words.ts';

/** The feed tells of a new Device; this is for whoever has none. */
const ASK_MS = 3000;

type Token = DataOf<'createJoinToken'>;

export function AddMachine() {
  const isOpen = useSignal(false);
  const w = words.value;
  return (
    <>
      <Button icon="plus" onPress={() => (isOpen.value = true)}>
        {w.addMachine}
      </Button>
      {isOpen.value && <AddMachineDialog onClose={() => (isOpen.value = false)} />}
    </>
  );
}

function AddMachineDialog({ onClose }: { onClose: () => void }) {
  const token = useSignal<Token | undefined>(undefined);
  const isBusy = useSignal(false);
  const problem = useSignal<Error | undefined>(undefined);
  const { rows, total } = useList('getAllDevices', { pageSize: 500, everyMs: ASK_MS });
  const before = useRef<ReadonlySet<number>>(new Set());
  const w = words.value;
  const make = async (): Promise<void> => {
    isBusy.value = true;
    problem.value = undefined;
    before.current = new Set(rows.map(({ id }) => id));
    const name = w.machineToken(new Date(serverNow()).toISOString().slice(0, 19).replace('T', ' '));
    const outcome = await save({ operation: 'createJoinToken', body: { name } });
    isBusy.value = false;
    if (outcome.kind === 'refused') problem.value = outcome.error;
    else if (outcome.kind === 'saved') token.value = outcome.data;
  };
  const joined = token.value === undefined ? [] : rows.filter(({ id }) => !before.current.has(id));
  return (
    <Dialog title={w.addMachine} description={w.machineText} onClose={onClose} size="wide">
      <ProblemAlert problem={problem.value} />
      {token.value !== undefined && <Line of={token.value} joined={joined} />}
      <footer class="dialog-foot">
        {token.value === undefined && <Button onPress={onClose}>{shared.value.ui.cancel}</Button>}
        {token.value === undefined ? (
          <Button kind="main" busy={(isBusy.value || total === undefined) && w.ordering} onPress={() => void make()}>
            {w.makeLine}
          </Button>
        ) : (
          <Button kind="main" onPress={onClose}>
            {w.done}
          </Button>
        )}
      </footer>
    </Dialog>
  );
}

interface LineProps {
  of: Token;
  joined: readonly RowOf<'getAllDevices'>[];
}

function Line({ of: { token, device_port }, joined }: LineProps) {
  const server = useSignal(joinServer(device_port));
  const w = words.value;
  const command = joinCommand(token, server.value);
  return (
    <>
      {device_port === null && <NoPort />}
      <TextField
        label={w.machineServer}
        value={server.value}
        onValue={(text) => (server.value = text.trim())}
        description={w.machineServerHelp}
        autocomplete="off"
      />
      <p>{w.machineNext}</p>
      <p>
        <code class="address">{command}</code> <CopyButton text={command} label={w.copyCommand} />
      </p>
      <p class="soft">{w.machineOnce}</p>
      <div role="status" aria-label={w.machineState}>
        {joined.length === 0 && (
          <p>
            <span aria-hidden="true">◌ </span>
            {w.machineAwaited}
          </p>
        )}
        {joined.map((row) => (
          <p key={row.id} class="ok">
            <span aria-hidden="true">● </span>
            {w.machineJoined(row.name ?? '')} <a href={hrefOf('devices', row.id)}>{w.machineOpen}</a>
          </p>
        ))}
      </div>
    </>
  );
}
