/** One Source in the drawer: its settings, where to push, its signal, who uses it. */
import { fieldLabel } from '../../i18n/field-labels.ts';
import { formWords } from '../../i18n/form-words.ts';
import { UsedBy } from '../../resource/used-by.tsx';
import { Facts } from '../../ui/show/facts.tsx';
import { addressOf, type Channel } from './address.ts';
import { IngestSection } from './ingest.tsx';
import { LookSection } from './look.tsx';
import { Signals, streamsFrom } from '../../resource/channel/signal.tsx';
import { words } from '../../resource/channel/words.ts';

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
          [fieldLabel('settings.transport'), settings.transport && w.transports[settings.transport]],
          [fieldLabel('settings.program'), settings.program],
          [fieldLabel('settings.audiotrack'), settings.audiotrack],
          [fieldLabel('settings.encryption'), settings.encryption && w.encryptions[settings.encryption]],
          [fieldLabel('settings.passphrase'), settings.has_passphrase === true && formWords.value.isSet],
          [
            fieldLabel('settings.secret'),
            (settings.has_secret ?? settings.rist?.has_secret) === true && formWords.value.isSet,
          ],
          [fieldLabel('settings.streamid'), settings.streamid !== undefined && formWords.value.isSet],
          [fieldLabel('alias'), row.alias],
          [fieldLabel('description'), row.description],
        ]}
      />
      <IngestSection row={row} />
      <LookSection row={row} isLive={row.ingest?.state === 'receiving' || streamsFrom(row.id).length > 0} />
      <section>
        <h3>{formWords.value.onAir}</h3>
        <Signals channelId={row.id} />
      </section>
      <UsedBy filter={{ channelId: row.id }} />
    </>
  );
}
