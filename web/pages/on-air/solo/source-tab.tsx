/** The source of a broadcast: which one is on air, its backup, its loudness, what is done to its sound, and others to switch to. */
import { useSignal } from '@preact/signals';
import { call, dataIn } from '../../../api/call.ts';
import { can } from '../../../api/can.ts';
import type { DataOf } from '../../../api/operation-types.ts';
import { useQuery } from '../../../api/query.ts';
import { useOne } from '../../../api/reads.ts';
import type { LivestreamStatus } from '../../../live/status.ts';
import { FormDialog } from '../../../resource/form-dialog.tsx';
import { Button } from '../../../ui/button.tsx';
import { Facts } from '../../../ui/show/facts.tsx';
import { SourceForm } from '../acts/dialogs/source-dialog.tsx';
import { channelNames } from '../tile/channel-names.ts';
import { words } from '../words.ts';

type Stored = DataOf<'getLivestreamById'>;
type Levels = NonNullable<NonNullable<LivestreamStatus['source']>['levels']>;

/** The feed has the two peaks alone; loudness is asked for while somebody looks. */
const ASK_MS = 1000;

const LAYOUT = {
  hidden: ['logo', 'overlay', 'crop', 'fallback', 'failover', 'detect', 'alarms', 'captions', 'audio', 'scteMarkers'],
};

export function SourceTab({ status }: { status: LivestreamStatus }) {
  const { livestreamId } = status;
  const { data, etag } = useOne('getLivestreamById', { livestreamId });
  return (
    <>
      {data !== undefined && <Backup stored={data} status={status} />}
      <Loudness id={livestreamId} isOn={status.status === 2} />
      {data !== undefined && <Sound stored={data} etag={etag} isOn={status.status === 2} />}
      <SourceForm status={status} />
    </>
  );
}

function Backup({ stored: { channelId, backupChannelId }, status }: { stored: Stored; status: LivestreamStatus }) {
  const w = words.value.solo;
  const present = status.runtime.source ?? status.source?.channelId;
  if (backupChannelId === null) return null;
  const name = (id: number): string => {
    const text = channelNames.value.get(id) ?? `${id}`;
    return id === present ? w.isOnAir(text) : text;
  };
  return (
    <Facts
      of={[
        [w.first, name(channelId)],
        [
          w.backupSource,
          <span key="backup" class={backupChannelId === present ? 'warn' : undefined}>
            {name(backupChannelId)}
          </span>,
        ],
      ]}
    />
  );
}

function Loudness({ id, isOn }: { id: number; isOn: boolean }) {
  const { data } = useQuery<LivestreamStatus>(
    ['loudness', id],
    async (signal) =>
      dataIn((await call('getLivestreamStatus', { params: { livestreamId: id }, signal })).body) as LivestreamStatus,
    { isWanted: isOn, everyMs: ASK_MS },
  );
  const levels: Levels = (isOn ? data?.source?.levels : undefined) ?? [];
  if (levels.length === 0) return null;
  const w = words.value.solo;
  return (
    <Facts
      of={levels.map((track) => [
        w.trackLoudness(track.track),
        <span key={track.track} class="figures">
          {w.loudness(lufs(track.momentary_lufs), lufs(track.short_term_lufs), lufs(track.integrated_lufs))}{' '}
          <span class="soft">{w.peak(Math.max(-100, ...track.peak_dbfs).toFixed(1))}</span>
        </span>,
      ])}
    />
  );
}

function lufs(value: number | null): string {
  return value === null ? '–' : value.toFixed(1);
}

function Sound({ stored, etag, isOn }: { stored: Stored; etag: string | undefined; isOn: boolean }) {
  const isOpen = useSignal(false);
  const w = words.value.solo;
  const { gain_db, mute, delay_ms } = stored.sound;
  return (
    <div class="acts">
      <span class={mute ? 'warn' : undefined}>{mute ? w.muted : w.soundIs(gain_db, delay_ms)}</span>
      {isOn && can('updateLivestreamOptions') && <Button onPress={() => (isOpen.value = true)}>{w.changeSound}</Button>}
      {isOpen.value && (
        <FormDialog
          title={w.soundOf(stored.name)}
          name={stored.name}
          operation="updateLivestreamOptions"
          params={{ livestreamId: stored.id }}
          row={stored}
          etag={etag}
          layout={LAYOUT}
          onSaved={() => (isOpen.value = false)}
          onClose={() => (isOpen.value = false)}
        />
      )}
    </div>
  );
}
