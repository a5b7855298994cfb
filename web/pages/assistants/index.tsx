/** The page Assistants: how one is connected, and those that are: everybody's own, and all of them for an Administrator. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useList } from '../../api/reads.ts';
import { session } from '../../api/session.ts';
import { DeleteDialog } from '../../resource/delete-dialog.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { Outline } from '../../ui/show/outline.tsx';
import { Table } from '../../ui/table.tsx';
import { columns, type Assistant } from './columns.tsx';
import { Connect } from './connect.tsx';
import { words } from './words.ts';

/** The feed tells nobody of assistants, and whoever has just let one in waits for it here. */
const ASK_MS = 5000;

export default function Assistants() {
  const list = useList('listAssistants', { everyMs: ASK_MS });
  const ended = useSignal<Assistant | undefined>(undefined);
  const w = words.value;
  const isThere = list.total !== undefined;
  useEffect(() => {
    if (isThere) performance.mark('useful');
  }, [isThere]);
  return (
    <>
      <h1>{w.title}</h1>
      <p class="soft">{session.value?.mayIssueTokens === true ? w.about : w.mayNot}</p>
      <section aria-labelledby="connected">
        <h2 id="connected">{w.connected}</h2>
        <ProblemAlert problem={list.error} />
        {list.isLoading && !isThere && <Outline rows={2} />}
        {list.total === 0 && <p>{w.empty}</p>}
        {list.rows.length > 0 && (
          <Table
            label={w.connected}
            rows={list.rows}
            idOf={({ id }) => id}
            columns={columns((row) => (ended.value = row))}
          />
        )}
      </section>
      <Connect />
      {ended.value !== undefined && (
        <DeleteDialog
          name={ended.value.name}
          operation="endAssistant"
          params={{ kid: ended.value.kid }}
          title={w.endTitle(ended.value.name)}
          effect={w.endEffect(ended.value.name)}
          button={w.endOf(ended.value.name)}
          onDeleted={() => (ended.value = undefined)}
          onClose={() => (ended.value = undefined)}
        />
      )}
    </>
  );
}
