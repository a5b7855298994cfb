/** The sound of a broadcast as its viewers get it, by a clear Destination with HLS through the server, with the delay as it is measured. */
import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type Hls from 'hls.js';
import { API_ROOT } from '../../../api/client.ts';
import { useList } from '../../../api/reads.ts';
import { serverNow } from '../../../live/clock.ts';
import type { LivestreamStatus } from '../../../live/status.ts';
import { Button } from '../../../ui/button.tsx';
import { words } from '../words.ts';
import { heardOf } from './heard.ts';

const LOOK_MS = 1_000;
/** Tracks for cues are made with a data: address, which the policy refuses; nobody reads cues here. */
const NO_TRACKS = {
  enableDateRangeMetadataCues: false,
  enableID3MetadataCues: false,
  enableEmsgMetadataCues: false,
  renderTextTracksNatively: false,
};

/**
 * The server reads the media from the Device for whoever is signed in: neither a playback token nor a way to the Device is needed.
 * Undefined where no Destination can be heard here.
 */
function useAddress({ livestreamId, publishings }: LivestreamStatus): string | undefined {
  const { rows } = useList('getAllPublishings', { pageSize: 500 });
  const publishingId = heardOf(publishings, rows);
  if (publishingId === undefined) return undefined;
  return `${API_ROOT}/feed/live/${livestreamId}/${publishingId}/index.m3u8`;
}

export function Listen({ status, isOn }: { status: LivestreamStatus; isOn: { value: boolean } }) {
  const w = words.value;
  const address = useAddress(status);
  const state = useSignal('');
  const isThere = status.status === 2 && address !== undefined;
  return (
    <div class="listen">
      <Button
        label={w.acts.names.listen(status.name)}
        icon="headphones"
        keyHint="Space"
        pressed={isOn.value && isThere}
        disabledWhy={isThere ? undefined : w.solo.noListen}
        onPress={() => (isOn.value = !isOn.value)}
      >
        {isOn.value && isThere ? w.solo.stopListening : w.solo.listen}
      </Button>
      <span role="status" class="soft">
        {!isThere ? w.solo.noListen : isOn.value && state.value}
      </span>
      {isOn.value && isThere && <Sound address={address} state={state} />}
    </div>
  );
}

function Sound({ address, state }: { address: string; state: Signal<string> }) {
  const element = useRef<HTMLAudioElement>(null);
  useEffect(() => {
    const audio = element.current;
    if (audio === null) return undefined;
    let player: Hls | undefined;
    let isGone = false;
    state.value = words.peek().solo.connecting;
    const play = async (): Promise<void> => {
      const { default: Player } = await import('hls.js');
      if (isGone) return;
      player = new Player({ lowLatencyMode: true, maxLiveSyncPlaybackRate: 1.1, backBufferLength: 10, ...NO_TRACKS });
      player.on(Player.Events.ERROR, (_event, { fatal }) => {
        if (fatal) state.value = words.peek().solo.listenFailed;
      });
      player.loadSource(address);
      player.attachMedia(audio);
      await audio.play();
    };
    play().catch(() => {
      if (!isGone) state.value = words.peek().solo.listenFailed;
    });
    const timer = setInterval(() => {
      const playing = player?.playingDate?.getTime();
      const latency = playing === undefined ? player?.latency : (serverNow() - playing) / 1000;
      if (latency !== undefined && latency > 0 && audio.currentTime > 0)
        state.value = words.peek().solo.delay(latency.toFixed(latency < 10 ? 1 : 0));
    }, LOOK_MS);
    return () => {
      isGone = true;
      clearInterval(timer);
      player?.destroy();
      state.value = '';
    };
  }, [address]);
  return <audio ref={element} />;
}
