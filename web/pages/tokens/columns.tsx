/** The columns of the list of tokens. */
import { can } from '../../api/can.ts';
import type { RowOf } from '../../api/operation-types.ts';
import { formWords } from '../../i18n/form-words.ts';
import { moment } from '../../live/clock.ts';
import { Button } from '../../ui/button.tsx';
import { Time } from '../../ui/show/time.tsx';
import type { Column } from '../../ui/table.tsx';
import { words } from './words.ts';

type Token = RowOf<'listApiTokens'>;

function End({ at }: { at: string | null }) {
  if (at === null) return <span class="soft">{words.value.never}</span>;
  const isOver = Date.parse(at) <= moment.value;
  return (
    <>
      <Time at={at} /> {isOver && <span class="warn">✕ {words.value.ended}</span>}
    </>
  );
}

/** The limits beside the role of its User. */
function scopeOf({ profile, operations }: Token) {
  const w = words.value;
  if (profile === null && operations === null) return <span class="soft">{w.noScope}</span>;
  const profileWords = profile === null ? [] : [w.profiles[profile]];
  const operationWords = operations === null ? [] : [w.operationsOf(operations.length)];
  return <span title={operations?.join(', ')}>{[...profileWords, ...operationWords].join(', ')}</span>;
}

/** An assistant that a person connected says who that was, where it is, and whether it is still used. */
function Name({ of: { name, client } }: { of: Token }) {
  if (client === null) return <>{name}</>;
  const w = words.value;
  return (
    <>
      {name}
      <br />
      <span class="soft">
        {w.connectedBy(client.username, client.redirect_host)} {w.lastUsed} <Time at={client.last_used_at} />
      </span>
    </>
  );
}

export function columns(onRevoke: (row: Token) => void): Column<Token>[] {
  const w = words.value;
  return [
    { id: 'name', label: w.name, cell: (row) => <Name of={row} />, sortBy: 'name' },
    { id: 'kid', label: w.kid, cell: ({ kid }) => <code>{kid}</code>, sortBy: 'kid', isMinor: true },
    {
      id: 'created',
      label: w.created,
      cell: (row) => <Time at={row.created_at} show="date" />,
      sortBy: 'created_at',
      isMinor: true,
    },
    { id: 'expires', label: w.expires, cell: (row) => <End at={row.expires_at} />, sortBy: 'expires_at' },
    { id: 'scope', label: w.scope, cell: scopeOf, isMinor: true },
    {
      id: 'acts',
      label: formWords.value.acts,
      align: 'end',
      cell: (row) =>
        can('revokeApiToken') && (
          <Button kind="quiet" label={w.revokeOf(row.name)} onPress={() => onRevoke(row)}>
            {w.revoke}
          </Button>
        ),
    },
  ];
}
