/** The displays that show a wall without a sign-in: which there are, a new link that is shown once, and its end. */
import { useSignal } from '@preact/signals';
import type { DataOf, RowOf } from '../../api/operation-types.ts';
import { useList } from '../../api/reads.ts';
import { fieldLabel } from '../../i18n/field-labels.ts';
import { formWords } from '../../i18n/form-words.ts';
import { DeleteDialog } from '../../resource/delete-dialog.tsx';
import { FormDialog } from '../../resource/form-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { Time } from '../../ui/show/time.tsx';
import { Table } from '../../ui/table.tsx';
import { words } from './words.ts';

type Link = RowOf<'listDisplayLinks'>;

export function DisplayLinks({ wall }: { wall: Pick<RowOf<'getAllWalls'>, 'id'> }) {
  const params = { wallId: wall.id };
  const list = useList('listDisplayLinks', { params: params as never });
  const isAdding = useSignal(false);
  const made = useSignal<DataOf<'createDisplayLink'> | undefined>(undefined);
  const revoked = useSignal<Link | undefined>(undefined);
  const w = words.value;
  return (
    <>
      <h3>{w.links}</h3>
      <p class="soft">{w.aboutLinks}</p>
      <ProblemAlert problem={list.error} />
      {list.total === 0 && <p>{w.noLinks}</p>}
      {list.rows.length > 0 && (
        <Table
          label={w.links}
          rows={list.rows}
          idOf={({ id }) => id}
          columns={[
            { id: 'name', label: fieldLabel('name'), isHeader: true, cell: ({ name }) => name },
            {
              id: 'seen',
              label: w.seen,
              cell: (row) => (row.last_seen_at === null ? w.never : <Time at={row.last_seen_at} />),
            },
            {
              id: 'acts',
              label: formWords.value.acts,
              align: 'end',
              cell: (row) => (
                <Button kind="quiet" label={w.revokeOf(row.name)} onPress={() => (revoked.value = row)}>
                  {w.revoke}
                </Button>
              ),
            },
          ]}
        />
      )}
      <p>
        <Button icon="plus" onPress={() => (isAdding.value = true)}>
          {w.addLink}
        </Button>
      </p>
      {isAdding.value && (
        <FormDialog
          title={w.addLink}
          operation="createDisplayLink"
          params={params}
          button={w.create}
          onSaved={(data) => {
            isAdding.value = false;
            made.value = data;
          }}
          onClose={() => (isAdding.value = false)}
        />
      )}
      {made.value !== undefined && <Made of={made.value} onClose={() => (made.value = undefined)} />}
      {revoked.value !== undefined && (
        <DeleteDialog
          name={revoked.value.name}
          operation="revokeDisplayLink"
          params={{ ...params, kid: revoked.value.kid }}
          title={w.revokeTitle(revoked.value.name)}
          effect={w.revokeEffect(revoked.value.name)}
          button={w.revokeOf(revoked.value.name)}
          onDeleted={() => (revoked.value = undefined)}
          onClose={() => (revoked.value = undefined)}
        />
      )}
    </>
  );
}

/** The server may not know the address of this page, by which people reach it. */
function Made({ of: { wallId, name, token }, onClose }: { of: DataOf<'createDisplayLink'>; onClose: () => void }) {
  const w = words.value;
  const address = new URL(`#/wall/${wallId}?key=${token}`, document.baseURI).href;
  return (
    <Dialog title={w.ready(name)} description={w.once} onClose={onClose} size="wide" canClose={false}>
      <p>
        <code class="address">{address}</code> <CopyButton text={address} label={w.copy} />
      </p>
      <footer class="dialog-foot">
        <Button kind="main" onPress={onClose}>
          {w.done}
        </Button>
      </footer>
    </Dialog>
  );
}
