/** The page Tokens: which programs get in, a new token that is shown once, and its end. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { can } from '../../api/can.ts';
import type { DataOf, RowOf } from '../../api/operation-types.ts';
import { useList } from '../../api/reads.ts';
import { session } from '../../api/session.ts';
import { words as common } from '../../i18n/words.ts';
import { DeleteDialog } from '../../resource/delete-dialog.tsx';
import { FormDialog } from '../../resource/form-dialog.tsx';
import type { ResourceLayout } from '../../resource/pickers.ts';
import { Button } from '../../ui/button.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { Empty } from '../../ui/show/empty.tsx';
import { Outline } from '../../ui/show/outline.tsx';
import { Table, type Sort } from '../../ui/table.tsx';
import { columns } from './columns.tsx';
import { NewToken } from './new-token.tsx';
import { OperationsField } from './operations-field.tsx';
import { words } from './words.ts';

type Token = RowOf<'listApiTokens'>;

function layout(): ResourceLayout {
  const w = words.value;
  return {
    order: ['name', 'expires_days', 'userId', 'profile', 'operations'],
    advanced: ['profile', 'operations'],
    labels: { profile: w.profile, operations: w.operations },
    choices: { profile: w.profiles },
    controls: { operations: OperationsField },
  };
}

export default function Tokens() {
  const search = useSignal('');
  const sort = useSignal<Sort>({ by: 'name', order: 'asc' });
  const isAdding = useSignal(false);
  const made = useSignal<DataOf<'createApiToken'> | undefined>(undefined);
  const revoked = useSignal<Token | undefined>(undefined);
  const { by, order } = sort.value;
  const list = useList('listApiTokens', { search: search.value, sort: `${order === 'desc' ? '-' : ''}${by}` });
  const w = words.value;
  const isThere = list.total !== undefined;
  useEffect(() => {
    if (isThere) performance.mark('useful');
  }, [isThere]);
  const adding = can('createApiToken') && (
    <Button
      kind="main"
      icon="plus"
      disabledWhy={session.value?.mayIssueTokens === true ? undefined : w.mayNot}
      onPress={() => (isAdding.value = true)}
    >
      {w.add}
    </Button>
  );
  const isEmpty = list.total === 0 && search.value === '';
  return (
    <>
      <h1>{w.title}</h1>
      <p class="soft">{session.value?.mayIssueTokens === true ? w.about : w.mayNot}</p>
      <div class="bar">
        {!isEmpty && adding}
        <SearchBox value={search.value} onValue={(text) => (search.value = text)} />
        <span role="status" aria-label={common.value.ui.count} class="soft">
          {isThere && common.value.ui.countOf(list.rows.length, list.total ?? 0)}
        </span>
      </div>
      <ProblemAlert problem={list.error} />
      {list.isLoading && !isThere && <Outline rows={4} />}
      {isEmpty && <Empty text={w.empty}>{adding}</Empty>}
      {isThere && !isEmpty && (
        <Table
          label={w.title}
          rows={list.rows}
          idOf={({ id }) => id}
          columns={columns((row) => (revoked.value = row))}
          sort={sort.value}
          onSort={(next) => (sort.value = next)}
          onMore={list.hasMore ? list.more : undefined}
        />
      )}
      {isAdding.value && (
        <FormDialog
          title={w.add}
          operation="createApiToken"
          button={w.create}
          layout={layout()}
          onSaved={(data) => {
            isAdding.value = false;
            made.value = data;
          }}
          onClose={() => (isAdding.value = false)}
        />
      )}
      {made.value !== undefined && <NewToken of={made.value} onClose={() => (made.value = undefined)} />}
      {revoked.value !== undefined && (
        <DeleteDialog
          name={revoked.value.name}
          operation="revokeApiToken"
          params={{ kid: revoked.value.kid }}
          title={w.revokeTitle(revoked.value.name)}
          effect={
            revoked.value.client === null ? w.revokeEffect(revoked.value.name) : w.disconnectEffect(revoked.value.name)
          }
          button={w.revokeOf(revoked.value.name)}
          onDeleted={() => (revoked.value = undefined)}
          onClose={() => (revoked.value = undefined)}
        />
      )}
    </>
  );
}
