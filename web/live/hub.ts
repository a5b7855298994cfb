/** One feed and one stream of pictures for several windows; alone in its worker, or in the one window where there is none. */
import type { FeedState } from './feed.ts';
import type { LivePicture } from './pictures/frames.ts';
import { browserPorts } from './browser-ports.ts';
import { openLink, type Link, type LinkNews } from './link.ts';
import { openPictures, type PictureLink } from './pictures/picture-link.ts';
import { wantsOf, type WindowWant } from './pictures/picture-want.ts';

/** A message of a window. `show` is repeated while it is on the screen. */
export type WindowMessage =
  { kind: 'open'; root: string; token?: string | undefined } | { kind: 'show'; want: WindowWant } | { kind: 'close' };

/** A message to a window. */
export type HubNews =
  | LinkNews
  | { kind: 'state'; state: FeedState }
  | { kind: 'picture'; picture: LivePicture }
  | { kind: 'period'; ms: number };

/** News on its way to a window, with the instant at which it was told: milliseconds since 1970. */
export interface Told {
  news: HubNews;
  toldAt: number;
}

export interface HubWindow {
  tell(news: HubNews): void;
}

/** A window that has crashed says nothing more. */
const MAX_SILENCE_MS = 60_000;

export function createHub(now: () => number): {
  hear(window: HubWindow, message: WindowMessage): void;
} {
  const windows = new Map<HubWindow, { want: WindowWant; at: number }>();
  let link: Link | undefined;
  let pictures: PictureLink | undefined;
  let periodMs = 0;

  const tellAll = (news: HubNews): void => {
    for (const window of windows.keys()) window.tell(news);
  };
  const show = (picture: LivePicture): void => {
    const { livestreamId: id } = picture;
    const viewers = [...windows].filter(([, { want }]) => want.wall.includes(id) || want.solo === id);
    for (const [window] of viewers) window.tell({ kind: 'picture', picture });
  };
  const arrange = (): void => {
    const present = [...windows.values()].filter(({ at }) => now() - at < MAX_SILENCE_MS);
    const wants = wantsOf(present.map(({ want }) => want));
    pictures?.want(wants.text);
    if (wants.wallPeriodMs === periodMs) return;
    periodMs = wants.wallPeriodMs;
    tellAll({ kind: 'period', ms: periodMs });
  };
  const leave = (window: HubWindow): void => {
    windows.delete(window);
    if (windows.size > 0) {
      arrange();
      return;
    }
    link?.close();
    pictures?.close();
    link = undefined;
    pictures = undefined;
  };
  const enter = (window: HubWindow, root: string, token: string | undefined): void => {
    windows.set(window, { want: { wall: [], solo: undefined }, at: now() });
    window.tell({ kind: 'period', ms: periodMs });
    // A sign-in opens the feed anew; another window's feed that is open is shared.
    if (link?.mode().mode === 'signed-out') {
      link.close();
      link = undefined;
    }
    pictures ??= openPictures(root, show, token);
    if (link === undefined) {
      link = openLink(browserPorts(root, token), tellAll);
      return;
    }
    window.tell({ kind: 'state', state: link.state() });
    window.tell(link.mode());
  };
  return {
    hear(window, message) {
      if (message.kind === 'close') leave(window);
      else if (message.kind === 'open') enter(window, message.root, message.token);
      else if (windows.has(window)) {
        windows.set(window, { want: message.want, at: now() });
        arrange();
      }
    },
  };
}
