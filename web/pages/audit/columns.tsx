/** The columns of the audit; what is seldom read is folded. */
import type { RowOf } from '../../api/operation-types.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Facts } from '../../ui/show/facts.tsx';
import { Time } from '../../ui/show/time.tsx';
import type { Column } from '../../ui/table.tsx';
import { words as common } from '../../i18n/words.ts';
import { problemTitle } from '../../i18n/problem-text.ts';
import { readable } from '../../i18n/readable.ts';
import { ResourceName } from './resource-name.tsx';
import { words } from './words.ts';

type Entry = RowOf<'getAuditLog'>;

function Outcome({ of }: { of: string }) {
  const w = words.value;
  return of === 'ok' ? (
    <span class="ok">✓ {w.ok}</span>
  ) : (
    <span class="warn">✕ {problemTitle(of) ?? readable(of)}</span>
  );
}

function Details({ of: entry }: { of: Entry }) {
  const w = words.value;
  return (
    <details class="audit-details">
      <summary>
        <span class="hidden">{w.detailsOf(entry.operation, entry.id)}</span>
        <span aria-hidden="true">{w.details}</span>
      </summary>
      <Facts
        of={[
          [w.requestId, <code key="id">{entry.request_id}</code>],
          [w.changed, entry.changed.join(', ')],
          [w.token, entry.token_kid !== null && <code key="kid">{entry.token_kid}</code>],
          [w.client, entry.client],
          [w.count, entry.count > 1 && w.calls(entry.count)],
        ]}
      />
      <CopyButton text={entry.request_id} label={common.value.ui.copyRequestId} />
    </details>
  );
}

export function columns(): Column<Entry>[] {
  const w = words.value;
  return [
    { id: 'at', label: w.at, cell: ({ at }) => <Time at={at} /> },
    { id: 'user', label: w.user, cell: ({ user }) => user },
    { id: 'operation', label: w.operation, cell: ({ operation }) => <code>{operation}</code> },
    {
      id: 'resource',
      label: w.resource,
      cell: ({ resource, resource_id: id }) => <ResourceName kind={resource} id={id} />,
      isMinor: true,
    },
    { id: 'outcome', label: w.outcome, cell: ({ outcome }) => <Outcome of={outcome} /> },
    { id: 'via', label: w.via, cell: ({ via }) => w.vias[via], isMinor: true },
    { id: 'details', label: w.details, cell: (entry) => <Details of={entry} /> },
  ];
}
