/** One Source in the drawer: its settings, where to push, its signal, who uses it. */
import { fieldLabel } from '../../i18n/field-labels.ts';
import { formWords } from '../../i18n/form-words.ts';
import { feed } from '../../live/streams.ts';
import { useOne } from '../../api/reads.ts';
import { UsedBy } from '../../resource/used-by.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Facts } from '../../ui/show/facts.tsx';
import { addressOf, ingestOf, type Channel } from './address.ts';
import { Signals, streamsFrom } from './signal.tsx';
import { words } from './words.ts';

export function SourceDetails({ row }: { row: Channel }) {
  const w = words.value;
  const { settings } = row;
  return (
    <>
      <Facts
        of={[
          [fieldLabel('type'), w.types[row.type]],
          [w.from, addressOf(row, w)],
          [fieldLabel('settings.latency_ms'), settings.latency_ms],
          [fieldLabel('settings.program'), settings.program],
          [fieldLabel('settings.audiotrack'), settings.audiotrack],
          [fieldLabel('settings.encryption'), settings.encryption && w.encryptions[settings.encryption]],
          [fieldLabel('settings.passphrase'), settings.has_passphrase === true && formWords.value.isSet],
          [fieldLabel('settings.streamid'), settings.streamid !== undefined && formWords.value.isSet],
          [fieldLabel('alias'), row.alias],
          [fieldLabel('description'), row.description],
        ]}
      />
      <Ingest row={row} />
      <section>
        <h3>{formWords.value.onAir}</h3>
        <Signals channelId={row.id} />
      </section>
      <UsedBy filter={{ channelId: row.id }} />
    </>
  );
}

function Ingest({ row }: { row: Channel }) {
  const w = words.value;
  const deviceId = streamsFrom(row.id)[0]?.status.deviceId ?? [...feed.value.devices.keys()][0];
  const device = useOne('getDeviceById', deviceId === undefined ? undefined : { deviceId });
  const address = ingestOf(row, hostOf(device.data?.ip_address));
  if (address === undefined) return null;
  return (
    <section>
      <h3>{w.ingest}</h3>
      <p>
        <code>{address}</code> <CopyButton text={address} label={w.copyAddress} />
      </p>
      <p class="soft">{w.ingestHint}</p>
      {row.type === 'RTMP-Push' && <p class="soft">{w.keyHidden}</p>}
    </section>
  );
}

/** The Device of this machine is reached where the page came from. */
function hostOf(address: string | undefined): string {
  const bare = address?.replace(/^\[([^\]]+)\].*$/u, '$1').replace(/^([^:]+):\d+$/u, '$1');
  const isHere = bare === undefined || /^(?:localhost|127\.|::1$)/u.test(bare);
  return isHere ? location.hostname.replace(/^\[|\]$/gu, '') : bare;
}
