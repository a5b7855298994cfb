/** The table of what goes out: the paths and qualities of each Destination, preset with those of the last start. */
import { words } from '../words.ts';
import { hasQuality, withQuality, type Outlet } from './choices.ts';
import { destinationType } from '../../../i18n/destination-types.ts';

interface OutletsTableProps {
  outlets: readonly Outlet[];
  /** The bound Destinations; a backup path needs its address. */
  known: readonly { id: number; name: string; type: string; settings: { backup_url?: string | null } }[];
  rungs: readonly { id: number; name: string }[];
  onChange: (outlets: readonly Outlet[]) => void;
}

export function OutletsTable({ outlets, known, rungs, onChange }: OutletsTableProps) {
  const w = words.value;
  const replace = (next: Outlet): void =>
    onChange(outlets.map((each) => (each.publishingId === next.publishingId ? next : each)));
  return (
    <div class="table-scroll" role="group" aria-label={w.goesOut} tabIndex={0}>
      <table aria-label={w.goesOut}>
        <caption class="outlets-caption">{w.goesOut}</caption>
        <thead>
          <tr>
            <th scope="col">{w.destination}</th>
            <th scope="col" class="minor">
              {w.type}
            </th>
            <th scope="col">{w.primary}</th>
            <th scope="col">{w.backup}</th>
            <th scope="col">{w.qualities}</th>
          </tr>
        </thead>
        <tbody>
          {outlets.map((outlet) => {
            const row = known.find(({ id }) => id === outlet.publishingId);
            const name = row?.name ?? `${outlet.publishingId}`;
            const hasBackup = outlet.backup || (row?.settings.backup_url ?? null) !== null;
            return (
              <tr key={outlet.publishingId}>
                <th scope="row">{name}</th>
                <td class="minor">{row && destinationType(row.type)}</td>
                <td>
                  <Check
                    label={w.primaryOf(name)}
                    isOn={outlet.primary}
                    onValue={(primary) => replace({ ...outlet, primary })}
                  />
                </td>
                <td>
                  {hasBackup && (
                    <Check
                      label={w.backupOf(name)}
                      isOn={outlet.backup}
                      onValue={(backup) => replace({ ...outlet, backup })}
                    />
                  )}
                </td>
                <td>
                  <Qualities outlet={outlet} name={name} rungs={rungs} onValue={replace} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Check({ label, isOn, onValue }: { label: string; isOn: boolean; onValue: (isOn: boolean) => void }) {
  return (
    <label class="choose">
      <input
        type="checkbox"
        aria-label={label}
        checked={isOn}
        onChange={({ currentTarget }) => onValue(currentTarget.checked)}
      />
    </label>
  );
}

interface QualitiesProps extends Pick<OutletsTableProps, 'rungs'> {
  outlet: Outlet;
  name: string;
  onValue: (outlet: Outlet) => void;
}

function Qualities({ outlet, name, rungs, onValue }: QualitiesProps) {
  const w = words.value;
  const on = rungs.filter(({ id }) => hasQuality(outlet, id));
  const all = rungs.map(({ id }) => id);
  if (rungs.length < 2) return <>{w.allQualities(rungs.length)}</>;
  return (
    <details>
      <summary>
        {on.length === rungs.length
          ? w.allQualities(rungs.length)
          : w.someQualities(on.map((rung) => rung.name).join(', '))}
      </summary>
      {rungs.map((rung) => (
        <label key={rung.id} class="check">
          <input
            type="checkbox"
            aria-label={`${name} ${rung.name}`}
            checked={hasQuality(outlet, rung.id)}
            // Without any quality a Destination would get nothing; its path is switched off instead.
            disabled={on.length === 1 && hasQuality(outlet, rung.id)}
            onChange={({ currentTarget }) => onValue(withQuality(outlet, rung.id, currentTarget.checked, all))}
          />
          {rung.name}
        </label>
      ))}
    </details>
  );
}
