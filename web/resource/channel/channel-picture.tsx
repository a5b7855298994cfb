/** The picture of a Channel: of now while there is one, else of the last look. Nothing is asked for that is not on the screen. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { channelPreview } from '../../api/channel-preview.ts';

/** Pixels, and how long after a picture of now the next is asked for: each of a pushed source is decoded for it. */
const SIZES = { large: { width: 640, everyMs: 5_000 }, small: { width: 160, everyMs: 10_000 } };

interface PictureProps {
  id: number;
  alt: string;
  size: keyof typeof SIZES;
  /** There is a picture of now, because it is received or on air. */
  isLive: boolean;
  /** When somebody has looked at it last. */
  lookedAt?: string | undefined;
  /** Shown while there is no picture. */
  children?: ComponentChildren;
}

export function ChannelPicture({ id, alt, size, isLive, lookedAt, children }: PictureProps) {
  const address = useSignal<string | undefined>(undefined);
  const isSeen = useSignal(false);
  const place = useRef<HTMLSpanElement>(null);
  const { width, everyMs } = SIZES[size];
  const look = isLive ? undefined : lookedAt;
  const show = (next: string | undefined): void => {
    if (address.peek() !== undefined) URL.revokeObjectURL(address.peek()!);
    address.value = next;
  };
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => (isSeen.value = entries.at(-1)?.isIntersecting === true));
    if (place.current !== null) observer.observe(place.current);
    return () => {
      observer.disconnect();
      show(undefined);
    };
  }, []);
  useEffect(() => {
    // A picture that nothing renews any more would be taken for one of now.
    if (!isLive && look === undefined) show(undefined);
    if ((!isLive && look === undefined) || !isSeen.value) return undefined;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (): Promise<void> => {
      const next = await channelPreview(id, width, abort.signal);
      if (abort.signal.aborted) return next === undefined ? undefined : URL.revokeObjectURL(next);
      show(next);
      if (isLive) timer = setTimeout(() => void ask(), everyMs);
      return undefined;
    };
    void ask();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [id, isLive, look, isSeen.value]);
  return (
    <span ref={place} class={`source-picture source-picture-${size}`}>
      {address.value === undefined ? children : <img src={address.value} alt={alt} />}
    </span>
  );
}
