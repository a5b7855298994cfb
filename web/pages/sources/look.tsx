/** A Source before the air: its picture, and what a probe finds. */
import { useSignal } from '@preact/signals';
import { call, dataIn } from '../../api/call.ts';
import { can } from '../../api/can.ts';
import type { DataOf } from '../../api/operation-types.ts';
import { moment } from '../../live/clock.ts';
import { Button } from '../../ui/button.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { Facts } from '../../ui/show/facts.tsx';
import { Meter } from '../../ui/show/meter.tsx';
import { Time } from '../../ui/show/time.tsx';
import type { Channel } from './address.ts';
import { pictureText, soundText } from '../../resource/channel/format.ts';
import { ChannelPicture } from '../../resource/channel/channel-picture.tsx';
import { words } from '../../resource/channel/words.ts';
import { warningText } from '../../i18n/warning-text.ts';
import { ServerText } from '../../ui/show/server-text.tsx';

type Probe = DataOf<'probeChannel'>;

/** `isLive`: there is a picture of now, because it is received or on air. */
export function LookSection({ row, isLive }: { row: Channel; isLive: boolean }) {
  const probe = useSignal<Probe | undefined>(undefined);
  const problem = useSignal<Error | undefined>(undefined);
  const isBusy = useSignal(false);
  const w = words.value;
  if (!can('probeChannel')) return null;
  const look = async (): Promise<void> => {
    isBusy.value = true;
    problem.value = undefined;
    try {
      probe.value = dataIn((await call('probeChannel', { params: { channelId: row.id } })).body) as Probe;
    } catch (error) {
      problem.value = error as Error;
    }
    isBusy.value = false;
  };
  return (
    <section>
      <h3>{w.beforeAir}</h3>
      <ChannelPicture
        id={row.id}
        alt={w.pictureOf(row.name)}
        size="large"
        isLive={isLive}
        lookedAt={probe.value?.probed_at}
      />
      <p>
        <Button busy={isBusy.value && w.looking} onPress={() => void look()}>
          {w.look}
        </Button>
      </p>
      <ProblemAlert problem={problem.value} />
      {probe.value !== undefined && <Finding of={probe.value} />}
    </section>
  );
}

function Finding({ of: { probed_at, bitrate_kbps, video, audio, captions, warnings } }: { of: Probe }) {
  const w = words.value;
  const interval = video?.keyframe_interval_seconds;
  return (
    <>
      <Facts
        of={[
          [w.seen, <Time key="seen" at={probed_at} show="near" now={moment.value} />],
          [w.picture, video === null ? w.none : pictureText(video)],
          [w.keyframes, interval != null && w.everySeconds(interval.toFixed(1))],
          [w.bitrate, w.rate((bitrate_kbps / 1000).toFixed(1))],
          [w.sound, audio.length === 0 && w.none],
          [w.captions, captions.join(', ')],
        ]}
      />
      {audio.map((track, at) => (
        <p key={at}>
          {w.track(at)}: {soundText(track)} <Level of={track} at={at} />
        </p>
      ))}
      {warnings.length === 0 && <p class="ok">✓ {w.noWarnings}</p>}
      {warnings.map(({ code, message, remedy }) => (
        <p key={code} class="warn">
          ▲ <ServerText text={`${message} ${remedy}`} own={warningText(code)} />
        </p>
      ))}
    </>
  );
}

function Level({ of: { peak_dbfs: peak, rms_dbfs: rms }, at }: { of: Probe['audio'][number]; at: number }) {
  const w = words.value;
  if (peak === null || rms === null) return null;
  const text = w.levels(peak.toFixed(1), rms.toFixed(1));
  return (
    <>
      <Meter label={w.level(at)} value={rms} min={-60} max={0} high={-9} over={-1} text={text} />{' '}
      <span class="soft">{text}</span>
    </>
  );
}
