/** The picture of a Channel: of now while there is one, else of the last look. Nothing is asked for that is not on the screen. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { channelPreview } from '../../api/channel-preview.ts';
import { moment } from '../../live/clock.ts';

/** Pixels, and how often somebody could compare pictures of now: each of a pushed source is decoded for it. */
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
  const age = isLive ? String(Math.floor(moment.value / everyMs)) : lookedAt;
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
    if (age === undefined) show(undefined);
    if (age === undefined || !isSeen.value) return undefined;
    const abort = new AbortController();
    void channelPreview(id, width, abort.signal).then((next) => {
      if (!abort.signal.aborted) show(next);
      else if (next !== undefined) URL.revokeObjectURL(next);
    });
    return () => abort.abort();
  }, [age, id, isSeen.value]);
  return (
    <span ref={place} class={`source-picture source-picture-${size}`}>
      {address.value === undefined ? children : <img src={address.value} alt={alt} />}
    </span>
  );
}
