/** The buttons below the picture; each has its key on it. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { words } from '../words.ts';
import { Icon } from '../../../ui/show/icon.tsx';
import { timeCode } from '../cutting/time-code.ts';
import type { PlayerState } from './playback.ts';

interface TransportProps {
  playback: PlayerState;
  video: () => HTMLVideoElement | null;
}

export function Transport({ playback, video }: TransportProps) {
  const w = words.value.transport;
  const speed = playback.speed.value;
  return (
    <div class="transport" role="group" aria-label={w.name}>
      <Key label={w.backwards} keys="J" shown="J" act={() => playback.shuttle('J')}>
        <Icon name="rewind" />
      </Key>
      <Key label={w.start} keys="Home" act={() => playback.seek(0)}>
        <Icon name="skip-back" />
      </Key>
      <Key label={w.backSecond} shown="←" keys="ArrowLeft" act={() => playback.skip(-1)}>
        −1 s
      </Key>
      <Key label={w.backFrame} shown="," keys="," act={() => playback.step(-1)}>
        <Icon name="chevron-left" />
      </Key>
      <Key label={speed === 0 ? w.play : w.pause} shown="K" keys="Space K" isMain act={() => playback.toggle()}>
        <Icon name={speed === 0 ? 'play' : 'pause'} size={20} />
      </Key>
      <Key label={w.nextFrame} shown="." keys="." act={() => playback.step(1)}>
        <Icon name="chevron-right" />
      </Key>
      <Key label={w.nextSecond} shown="→" keys="ArrowRight" act={() => playback.skip(1)}>
        +1 s
      </Key>
      <Key label={w.end} keys="End" act={() => playback.seek(playback.length.value)}>
        <Icon name="skip-forward" />
      </Key>
      <Key label={w.faster} keys="L" shown="L" act={() => playback.shuttle('L')}>
        <Icon name="fast-forward" />
      </Key>
      <Sound video={video} />
      {speed !== 0 && speed !== 1 && <span class="transport-speed">{w.speed(speed)}</span>}
      <span class="transport-place">
        <span role="timer" aria-label={words.value.position} class="transport-time">
          {timeCode(playback.at.value)}
        </span>
        <span class="soft"> / {timeCode(playback.length.value)}</span>
      </span>
    </div>
  );
}

function Sound({ video }: { video: () => HTMLVideoElement | null }) {
  const isMuted = useSignal(false);
  const { mute } = words.value.transport;
  const toggle = (): void => {
    const element = video();
    if (element === null) return;
    element.muted = !element.muted;
    isMuted.value = element.muted;
  };
  return (
    <button type="button" class="button transport-key" aria-pressed={isMuted.value} title={mute} onClick={toggle}>
      <Icon name={isMuted.value ? 'volume-x' : 'volume-2'} />
      <span class="hidden">{mute}</span>
    </button>
  );
}

interface KeyProps {
  label: string;
  /** The key as it is drawn. */
  shown?: string;
  /** The keys as `aria-keyshortcuts` has them. */
  keys: string;
  act: () => void;
  isMain?: boolean;
  children: ComponentChildren;
}

function Key({ label, shown, keys, act, isMain = false, children }: KeyProps) {
  return (
    <button
      type="button"
      class={`button ${isMain ? 'button-main' : 'button-plain'} transport-key`}
      aria-keyshortcuts={keys}
      title={label}
      onClick={act}
    >
      <span class="hidden">{label}</span>
      <span class="transport-face" aria-hidden="true">
        {children}
        {shown !== undefined && <kbd>{shown}</kbd>}
      </span>
    </button>
  );
}
