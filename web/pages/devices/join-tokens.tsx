/** The tab of join tokens: with one a machine becomes a Device by itself, from behind a router too. */
import { useSignal } from '@preact/signals';
import { can } from '../../api/can.ts';
import type { DataOf } from '../../api/operation-types.ts';
import { fieldLabel } from '../../i18n/field-labels.ts';
import { FormDialog } from '../../resource/form-dialog.tsx';
import { ResourcePage, defineResource } from '../../resource/resource-page.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Time } from '../../ui/show/time.tsx';
import { joinCommand, joinServer } from './join-command.ts';
import { NoPort } from './no-port.tsx';
import { words } from './words.ts';

function joinTokens() {
  const w = words.value;
  return defineResource({
    list: 'listJoinTokens',
    remove: 'revokeJoinToken',
    idOf: ({ kid }) => kid,
    idParam: 'kid',
    nameOf: ({ name }) => name,
    words: () => ({ table: w.joinTitle, add: w.addJoin, empty: w.emptyJoin }),
    sort: { by: 'name', order: 'asc' },
    columns: () => [
      { id: 'name', label: fieldLabel('name'), cell: ({ name }) => name, sortBy: 'name' },
      { id: 'type', label: fieldLabel('type'), cell: ({ type }) => w.types[type], isMinor: true },
      { id: 'uses', label: w.joined, cell: ({ used, max_uses }) => w.joinedOf(used, max_uses), align: 'end' },
      { id: 'expires', label: w.expires, cell: (row) => <Time at={row.expires_at} />, sortBy: 'expires_at' },
    ],
    deleteEffect: ({ name }) => w.revokeEffect(name),
  });
}

export function JoinTokens() {
  const isAdding = useSignal(false);
  const made = useSignal<DataOf<'createJoinToken'> | undefined>(undefined);
  const w = words.value;
  return (
    <>
      <p class="soft">{w.aboutJoin}</p>
      <ResourcePage
        of={joinTokens()}
        bar={
          can('createJoinToken') && (
            <Button kind="main" icon="plus" onPress={() => (isAdding.value = true)}>
              {w.addJoin}
            </Button>
          )
        }
      />
      {isAdding.value && (
        <FormDialog
          title={w.addJoin}
          operation="createJoinToken"
          layout={{ order: ['name', 'max_uses', 'expires_days', 'type', 'idEncoderGroup'], choices: { type: w.types } }}
          onSaved={(data) => {
            isAdding.value = false;
            made.value = data;
          }}
          onClose={() => (isAdding.value = false)}
        />
      )}
      {made.value !== undefined && <Made of={made.value} onClose={() => (made.value = undefined)} />}
    </>
  );
}

/** The token is shown once, with the command that takes it. */
function Made({ of: { name, token, device_port }, onClose }: { of: DataOf<'createJoinToken'>; onClose: () => void }) {
  const w = words.value;
  const command = joinCommand(token, joinServer(device_port));
  return (
    <Dialog title={w.joinReady(name)} description={w.joinOnce} onClose={onClose} size="wide" canClose={false}>
      {device_port === null && <NoPort />}
      <p>
        <code class="address">{token}</code> <CopyButton text={token} label={w.copyToken} />
      </p>
      <p class="soft">{w.joinCommand}</p>
      <p>
        <code class="address">{command}</code> <CopyButton text={command} label={w.copyCommand} />
      </p>
      <footer class="dialog-foot">
        <Button kind="main" onPress={onClose}>
          {w.done}
        </Button>
      </footer>
    </Dialog>
  );
}
