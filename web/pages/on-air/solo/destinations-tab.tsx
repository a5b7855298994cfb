/** Each path: whether it is on, what became of it, its last error, and a new key. */
import { can } from '../../../api/can.ts';
import { KEYED_TYPES } from '../../../gen/types.ts';
import { words as common } from '../../../i18n/words.ts';
import type { LivestreamStatus, Path, Publishing } from '../../../live/status.ts';
import { isStale, pathStateOf } from '../../../live/streams.ts';
import { Button } from '../../../ui/button.tsx';
import { Time } from '../../../ui/show/time.tsx';
import { openDialog } from '../acts/focus.ts';
import { pathName, pathOf, pathWord, togglePath, type PathKind } from '../acts/runtime.ts';
import { Countdown, LOOKS } from '../tile/destinations.tsx';
import { words } from '../words.ts';
import { Cause } from '../../../ui/show/cause.tsx';
import { destinationType } from '../../../i18n/destination-types.ts';

export function DestinationsTab({ status }: { status: LivestreamStatus }) {
  const w = words.value;
  return (
    <div class="table-scroll">
      <table aria-label={common.value.destinations}>
        <tbody>
          {status.publishings.map((publishing) => [
            <PathRow key="primary" status={status} publishing={publishing} kind="primary" />,
            publishing.backup !== null && (
              <PathRow key="backup" status={status} publishing={publishing} kind="backup" />
            ),
          ])}
        </tbody>
      </table>
      {status.publishings.length === 0 && <p class="soft">{w.solo.noDestinations}</p>}
    </div>
  );
}

interface PathRowProps {
  status: LivestreamStatus;
  publishing: Publishing;
  kind: PathKind;
}

function PathRow({ status, publishing, kind }: PathRowProps) {
  const path = pathOf(publishing, kind);
  const { livestreamId: id } = status;
  const { publishingId, type } = publishing;
  const w = words.value.solo;
  if (path === null) return null;
  const name = pathName(publishing.name, kind);
  const hasKey = kind === 'primary' && KEYED_TYPES.includes(type) && can('update_destination_stream_key');
  return (
    <tr>
      <th scope="row">
        {name} <small class="soft">{destinationType(type)}</small>
      </th>
      <td class={LOOKS[pathStateOf(path)]}>{pathWord(path)}</td>
      <td>
        <PathDetails path={path} />
      </td>
      <td class="end">
        <span class="acts">
          {hasKey && (
            <Button
              label={`${w.newKey} ${name}`}
              icon="key"
              kind="quiet"
              onPress={() => openDialog({ kind: 'key', id, publishingId })}
            >
              {w.newKey}
            </Button>
          )}
          {can('runtimeTogglePublishings') && (
            <Button label={`${w.on} ${name}`} pressed={path.enabled} onPress={() => togglePath(id, publishingId, kind)}>
              {w.on}
            </Button>
          )}
        </span>
      </td>
    </tr>
  );
}

function PathDetails({ path }: { path: Path }) {
  const w = words.value.solo;
  if (!path.enabled || isStale.value) return null;
  return (
    <small>
      <Time at={path.down_since ?? path.since} show="time" />
      {path.attempts > 0 && ` · ${w.attempts(path.attempts)}`}
      {path.next_retry_at !== null && (
        <>
          {' · '}
          <Countdown at={path.next_retry_at} />
        </>
      )}
      {path.last_error !== null && (
        <span class="soft">
          {' '}
          · <Cause text={path.last_error} />
        </span>
      )}
    </small>
  );
}
