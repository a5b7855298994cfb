/** Somebody who pushes types an address and a key into the encoder; then what comes from it is shown as it comes. */
import { KeyButtons } from '../resource/ingest-key.tsx';
import { pictureText, soundText } from '../resource/channel/format.ts';
import { useIngest } from '../resource/channel/use-ingest.ts';
import { words as sourceWords } from '../resource/channel/words.ts';
import type { Wanted } from './set-up.ts';
import { words } from './words.ts';
import { Cause } from '../ui/show/cause.tsx';

interface EncoderWaitProps {
  channelId: number;
  name: string;
  by: Wanted['ingest'];
}

export function EncoderWait({ channelId, name, by }: EncoderWaitProps) {
  const w = words.value;
  return (
    <section class="wizard-encoder" aria-label={w.encoderLabel}>
      <p>{by === 'rtmp-push' ? w.obsNext : w.encoderNext}</p>
      <KeyButtons row={{ id: channelId, name }} isShownAtOnce />
      <Incoming channelId={channelId} isObs={by === 'rtmp-push'} />
    </section>
  );
}

function Incoming({ channelId, isObs }: { channelId: number; isObs: boolean }) {
  const ingest = useIngest(channelId);
  const w = words.value;
  const s = sourceWords.value;
  if (ingest == null) return null;
  const { state, video, audio, bitrate_kbps, error, last_refusal: refusal } = ingest;
  if (state === 'receiving') {
    const parts = [
      video !== null && pictureText(video),
      audio.map(soundText).join(', '),
      bitrate_kbps > 0 && s.rate((bitrate_kbps / 1000).toFixed(1)),
    ];
    return (
      <>
        <p role="status" class="ok">
          <strong>
            <span aria-hidden="true">● </span>
            {isObs ? w.obsSends : w.encoderSends}
          </strong>
        </p>
        <p>{parts.filter(Boolean).join(' · ')}</p>
      </>
    );
  }
  const isWrong = state === 'failed' || state === 'refused';
  return (
    <p role="status" class={isWrong ? 'warn' : ''}>
      <span aria-hidden="true">{isWrong ? '▲' : '◌'} </span>
      {isWrong ? s.ingestStates[state] : isObs ? w.waitsForObs : w.waitsForEncoder}
      {isWrong && (
        <>
          : <Cause text={error ?? refusal?.message ?? ''} />
        </>
      )}
    </p>
  );
}
