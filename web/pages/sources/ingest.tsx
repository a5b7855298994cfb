/** The address that the encoder of a pushed Source sends to, and what comes from it now. */
import { CopyButton } from '../../ui/copy-button.tsx';
import { Facts } from '../../ui/show/facts.tsx';
import { Time } from '../../ui/show/time.tsx';
import { moment } from '../../live/clock.ts';
import { KeyButtons } from '../../resource/ingest-key.tsx';
import type { Channel } from './address.ts';
import { pictureText, soundText } from '../../resource/channel/format.ts';
import { IngestState } from '../../resource/channel/signal.tsx';
import { useIngest } from '../../resource/channel/use-ingest.ts';
import { words } from '../../resource/channel/words.ts';
import { Cause } from '../../ui/show/cause.tsx';
import { ServerText } from '../../ui/show/server-text.tsx';

type Ingest = NonNullable<Channel['ingest']>;

export function IngestSection({ row }: { row: Channel }) {
  const ingest = useIngest(row.id, row.ingest !== null) ?? row.ingest;
  if (ingest === null) return null;
  const w = words.value;
  return (
    <section>
      <h3>{w.ingest}</h3>
      <Place url={ingest.url} />
      <KeyButtons row={row} />
      <p>
        <IngestState state={ingest.state} />
      </p>
      {ingest.error !== null && (
        <p class="fault">
          <Cause text={ingest.error} />
        </p>
      )}
      {ingest.note !== null && (
        <p class="soft">
          <ServerText text={ingest.note} />
        </p>
      )}
      <Received ingest={ingest} />
      {ingest.backups.map((second) => (
        <Second key={second.deviceId} second={second} />
      ))}
    </section>
  );
}

/** Another Device that listens, with what the encoder gets as its second server. */
function Second({ second: { name, url, state, error, from, note } }: { second: Ingest['backups'][number] }) {
  const w = words.value;
  return (
    <>
      <p>{w.secondPlace(name)}</p>
      <Place url={url} />
      <p>
        <IngestState state={state} /> {state === 'receiving' && from}
      </p>
      {error !== null && <p class="fault">{error}</p>}
      {note !== null && <p class="soft">{note}</p>}
    </>
  );
}

function Place({ url }: { url: string }) {
  return url.startsWith('rtmp') ? <Server url={url} /> : <Address url={url} />;
}

/** Encoders ask for server and key apart. */
function Server({ url }: { url: string }) {
  const w = words.value;
  const at = url.lastIndexOf('/');
  const server = url.slice(0, at);
  return (
    <Facts
      of={[
        [
          w.server,
          <span key="server">
            <code class="address">{server}</code> <CopyButton text={server} label={w.copyServer} />
          </span>,
        ],
        [w.streamKey, <code key="key">{url.slice(at + 1)}</code>],
      ]}
    />
  );
}

function Address({ url }: { url: string }) {
  const w = words.value;
  const bare = url.replace(/\?.*$/u, '');
  return (
    <p>
      <code class="address">{url}</code> <CopyButton text={bare} label={w.copyAddress} />
    </p>
  );
}

function Received({ ingest }: { ingest: Ingest }) {
  const w = words.value;
  const { state, from, since, bitrate_kbps, video, audio, last_refusal: refusal } = ingest;
  const isReceiving = state === 'receiving';
  return (
    <Facts
      of={[
        [w.sender, isReceiving && from],
        [w.since, since !== null && state !== 'off' && <Time at={since} show="near" now={moment.value} />],
        [w.picture, isReceiving && video !== null && pictureText(video)],
        [w.sound, isReceiving && audio.map(soundText).join(', ')],
        [w.bitrate, isReceiving && w.rate((bitrate_kbps / 1000).toFixed(1))],
        [
          w.lastRefusal,
          refusal !== null && (
            <span>
              <Time at={refusal.at} show="near" now={moment.value} /> {w.refusedFrom(refusal.from)}{' '}
              <Cause text={refusal.message} />
            </span>
          ),
        ],
      ]}
    />
  );
}
