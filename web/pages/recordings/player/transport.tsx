/** The buttons below the picture; each has its key on it. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { words } from '../words.ts';
import { Icon } from '../../../ui/show/icon.tsx';
import { timeCode } from '../cutting/time-code.ts';
import type { Playback } from './playback.ts';

interface TransportProps {
  playback: Playback;
  video: () => HTMLVideoElement | null;
}

export function Transport({ playback, video }: TransportProps) {
  const w = words.value.transport;
  const speed = playback.speed.value;
  return (
    <div class="transport" role="group" aria-label={w.name}>
      <Key label={w.start} shown="Home" keys="Home" act={() => playback.seek(0)}>
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
      <Key label={w.end} shown="End" keys="End" act={() => playback.seek(playback.length.value)}>
        <Icon name="skip-forward" />
      </Key>
      <Key label={w.backwards} shown="J" keys="J" act={() => playback.shuttle('J')}>
        «
      </Key>
      <Key label={w.faster} shown="L" keys="L" act={() => playback.shuttle('L')}>
        »
      </Key>
      {speed !== 0 && speed !== 1 && <span class="transport-speed">{w.speed(speed)}</span>}
      <span class="transport-place">
        <span role="timer" aria-label={words.value.position} class="transport-time">
          {timeCode(playback.at.value)}
        </span>
        <span class="soft"> / {timeCode(playback.length.value)}</span>
      </span>
      <Sound video={video} />
    </div>
  );
}

function Sound({ video }: { video: () => HTMLVideoElement | null }) {
  const isMuted = useSignal(false);
  const toggle = (): void => {
    const element = video();
    if (element === null) return;
    element.muted = !element.muted;
    isMuted.value = element.muted;
  };
  return (
    <button type="button" class="button button-quiet" aria-pressed={isMuted.value} onClick={toggle}>
      {words.value.transport.mute}
    </button>
  );
}

interface KeyProps {
  label: string;
  shown: string;
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
      aria-label={label}
      aria-keyshortcuts={keys}
      title={label}
      onClick={act}
    >
      {children}
      <kbd aria-hidden="true">{shown}</kbd>
    </button>
  );
}
