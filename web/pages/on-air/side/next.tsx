/** Shows the next starts and actions, how long until then, and why something of it could not start as things are. */
import { useComputed, useSignal } from '@preact/signals';
import { can } from '../../../api/can.ts';
import { useOne } from '../../../api/reads.ts';
import { reasonText } from '../../../i18n/problem-text.ts';
import { words as common } from '../../../i18n/words.ts';
import { moment } from '../../../live/clock.ts';
import { viewOf } from '../../../live/streams.ts';
import { warningOf } from '../../../live/warnings.ts';
import { words as plannedWords } from '../../../resource/planned-action/words.ts';
import { shownZone } from '../../../shown-zone.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/show/icon.tsx';
import { clockText, durationText } from '../../../zone.ts';
import { skipStart } from '../acts/skip.ts';
import { words } from '../words.ts';
import type { NextRow } from './next-rows.ts';

export function Next({ rows }: { rows: readonly NextRow[] }) {
  const w = common.value;
  return (
    <aside class="panel next" aria-label={w.next}>
      <h2>{w.next}</h2>
      {rows.length === 0 && <p class="soft">{w.noNext}</p>}
      <ul>
        {rows.map((row) => (
          <Row key={row.key} row={row} />
        ))}
      </ul>
    </aside>
  );
}

/** The very next in one line, where there is no room for more. */
export function NextLine({ row }: { row: NextRow | undefined }) {
  const w = common.value;
  return (
    <aside class="next-brief" aria-label={w.next}>
      {row === undefined ? (
        <p class="soft">{w.noNext}</p>
      ) : (
        <p class="next-line">
          <Due row={row} />
        </p>
      )}
    </aside>
  );
}

function nameOf({ livestreamId }: NextRow): string {
  return viewOf(livestreamId)?.status.value.name ?? `${livestreamId}`;
}

function Due({ row }: { row: NextRow }) {
  const { at, kind, action } = row;
  const w = words.value.next;
  const what = kind === 'start' ? w.starts : kind === 'end' ? w.ends : plannedWords.value.types[action!.type];
  return (
    <>
      <time dateTime={new Date(at).toISOString()}>{clockText(at, shownZone.value).slice(0, 5)}</time>{' '}
      <Icon name={kind === 'start' ? 'play' : kind === 'end' ? 'square' : 'clock'} />{' '}
      <span class="next-what">
        <span class="next-of">{nameOf(row)}</span> {what}
      </span>
      <span class="grow" />
      <Left at={at} />
    </>
  );
}

function Row({ row }: { row: NextRow }) {
  const { action, kind } = row;
  const w = words.value.next;
  const name = nameOf(row);
  return (
    <li class="next-row">
      <p class="next-line">
        <Due row={row} />
      </p>
      <p class="next-name">
        {name}
        {action?.status === 'disabled' && <span class="soft"> {w.disabled}</span>}
      </p>
      {kind === 'start' && <StartCheck row={row} name={name} />}
    </li>
  );
}

function Left({ at }: { at: number }) {
  const text = useComputed(() => {
    const left = at - moment.value;
    return left <= 0 ? words.value.next.due : words.value.next.inTime(durationText(left / 1000));
  });
  return <span class="soft">{text}</span>;
}

/** The server says whether it could start now; a stream on air will be off by then. */
function StartCheck({ row, name }: { row: NextRow; name: string }) {
  const { livestreamId } = row;
  const isOpen = useSignal(false);
  const isOff = viewOf(livestreamId)?.status.value.status === 0;
  const config = useOne('getLivestreamStartConfig', isOff ? { livestreamId } : undefined).data;
  const warning = warningOf(livestreamId, moment.value);
  const reasons =
    config?.startAllowed === false ? config.reasons.map(({ code, message }) => reasonText(code) || message) : [];
  const why = reasons.length > 0 ? reasons : warning === undefined ? [] : [reasonText('') || warning.message];
  const w = words.value.next;
  return (
    <>
      {why.length > 0 && (
        <p class="warn next-why">
          <span aria-hidden="true">▲ </span>
          {w.couldNot(isOpen.value ? why.join(' ') : firstWords(why[0]!))}
        </p>
      )}
      <span class="acts">
        {why.length > 0 && (
          <Button
            kind="quiet"
            label={w.whyOf(name)}
            expanded={isOpen.value}
            onPress={() => (isOpen.value = !isOpen.value)}
          >
            {w.why}
          </Button>
        )}
        {can('skipOccurrence') && (
          <Button kind="quiet" label={w.skipOf(name)} onPress={() => skipStart(row, name)}>
            {w.skip}
          </Button>
        )}
      </span>
    </>
  );
}

function firstWords(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 58)} …`;
}
