/** The pictures of this window: which tiles are on the screen, and their canvases. */
import { effect } from '@preact/signals';
import { isPaused } from '../../prefs.ts';
import { serverNow } from '../clock.ts';
import type { LivePicture } from './frames.ts';
import { paint } from './paint.ts';
import { markTaken, markUnwanted, markWanted } from './picture-ages.ts';
import { onPicture, sayToHub } from '../session-link.ts';
import { linkMode } from '../streams.ts';

/** The hub forgets a window that says nothing. */
const REPEAT_MS = 20_000;

interface Canvas {
  id: number;
  isSeen: boolean;
  isSolo: boolean;
  onFirst: () => void;
  onLevels: ((picture: LivePicture) => void) | undefined;
  isDrawing: boolean;
}

const canvases = new Map<HTMLCanvasElement, Canvas>();
const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const canvas = canvases.get(target as HTMLCanvasElement);
      if (canvas !== undefined) canvas.isSeen = isIntersecting;
    }
    arrange();
  },
  { rootMargin: '80px' },
);

function arrange(): void {
  const seen = document.hidden || isPaused.peek() ? [] : [...canvases.values()].filter(({ isSeen }) => isSeen);
  const solo = seen.find(({ isSolo }) => isSolo)?.id;
  const wall = [...new Set(seen.filter(({ isSolo }) => !isSolo).map(({ id }) => id))];
  const ids = new Set(seen.map(({ id }) => id));
  for (const { id } of canvases.values()) {
    if (ids.has(id)) markWanted(id, serverNow());
    else markUnwanted(id);
  }
  sayToHub({ kind: 'show', want: { wall, solo } });
}

effect(() => {
  // Pictures come while the feed does: with its return the hub begins anew.
  const isKnown = [isPaused.value, linkMode.value].length > 0;
  if (isKnown) arrange();
});
document.addEventListener('visibilitychange', arrange);
setInterval(() => {
  if (!document.hidden && canvases.size > 0) arrange();
}, REPEAT_MS);

onPicture((picture) => {
  const { livestreamId, takenAt } = picture;
  for (const [element, canvas] of canvases) {
    if (canvas.id !== livestreamId || !canvas.isSeen || isPaused.peek()) continue;
    canvas.onLevels?.(picture);
    // A picture that comes while the one before is decoded is left out: the next one is newer.
    if (!canvas.isDrawing) void draw(element, canvas, picture);
  }
  markTaken(livestreamId, takenAt);
});

async function draw(element: HTMLCanvasElement, canvas: Canvas, { jpeg }: LivePicture): Promise<void> {
  canvas.isDrawing = true;
  try {
    const bitmap = await createImageBitmap(new Blob([jpeg], { type: 'image/jpeg' }));
    paint(element, bitmap);
    bitmap.close();
    canvas.onFirst();
  } catch {
    // A picture that cannot be decoded is passed over; its age shows it.
  }
  canvas.isDrawing = false;
}

export interface ShownPicture {
  id: number;
  isSolo: boolean;
  /** After each picture that was drawn. */
  onFirst: () => void;
  onLevels?: (picture: LivePicture) => void;
}

/** Draws the pictures of a Live stream into a canvas while it is on the screen. Returns what ends it. */
export function showPictures(element: HTMLCanvasElement, { id, isSolo, onFirst, onLevels }: ShownPicture): () => void {
  canvases.set(element, { id, isSolo, onFirst, onLevels, isSeen: isSolo, isDrawing: false });
  if (isSolo) arrange();
  else observer.observe(element);
  return () => {
    observer.unobserve(element);
    canvases.delete(element);
    markUnwanted(id);
    arrange();
  };
}
