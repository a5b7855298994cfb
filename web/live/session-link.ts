/** Joins this window to the feed for the session that has begun, and leaves it again. */
import type { FeedMessage } from './feed.ts';
import { createHub, type HubWindow, type Told, type WindowMessage } from './hub.ts';
import { machineNow } from '../machine-clock.ts';
import type { LivePicture } from './pictures/frames.ts';
import { periodMs } from './pictures/picture-ages.ts';
import { linkMode, takeNews } from './streams.ts';
import { noteWarnings } from './warnings.ts';
import { WindowMode } from './window-mode.ts';

/** Without a worker a window lets go so long after it was hidden. */
const HIDDEN_MS = 30_000;

interface Opened {
  say(message: WindowMessage): void;
  close(): void;
}

let opened: Opened | undefined;
let mode = new WindowMode();
let showPicture: (picture: LivePicture) => void = () => undefined;

/** One listener: the tiles of this window. */
export function onPicture(show: (picture: LivePicture) => void): void {
  showPicture = show;
}

export function sayToHub(message: WindowMessage): void {
  opened?.say(message);
}

function take(notice: Told, onMessage: (message: FeedMessage) => void): void {
  const { news } = notice;
  mode.hear(notice.toldAt, news.kind === 'mode' ? news.mode : undefined);
  if (news.kind === 'picture') showPicture(news.picture);
  else if (news.kind === 'period') periodMs.value = news.ms;
  else {
    takeNews(notice, mode.at(machineNow()), onMessage);
    if (news.kind === 'message' && news.message.event === 'event') noteWarnings([news.message.data]);
  }
}

setInterval(() => {
  if (opened !== undefined) linkMode.value = mode.at(machineNow());
}, 500);

/**
 * Opens the feed for the session that has begun, or for a display by its token; `onMessage` sees each message after the state has it. What a
 * display is told is of its wall alone, and is shared with no other window.
 */
export function openFeed(root: string, onMessage: (message: FeedMessage) => void, token?: string): void {
  closeFeed();
  mode = new WindowMode();
  linkMode.value = 'connecting';
  const worker = document.querySelector<HTMLMetaElement>('meta[name=worker]')?.content;
  const hear = (notice: Told): void => take(notice, onMessage);
  opened =
    typeof SharedWorker === 'undefined' || worker === undefined || token !== undefined
      ? openHere({ root, token }, hear)
      : openShared(worker, root, hear);
}

export function closeFeed(): void {
  opened?.close();
  opened = undefined;
}

function openShared(worker: string, root: string, hear: (notice: Told) => void): Opened {
  const { port } = new SharedWorker(new URL(worker, document.baseURI), { type: 'module', name: 'onair' });
  const say = (message: WindowMessage): void => port.postMessage(message);
  const leave = (): void => say({ kind: 'close' });
  // A page that the browser keeps for its Back button comes back as it was.
  const comeBack = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) say({ kind: 'open', root });
  };
  port.onmessage = ({ data }: MessageEvent<Told>) => hear(data);
  say({ kind: 'open', root });
  addEventListener('pagehide', leave);
  addEventListener('pageshow', comeBack);
  return {
    say,
    close() {
      removeEventListener('pagehide', leave);
      removeEventListener('pageshow', comeBack);
      leave();
      port.close();
    },
  };
}

/** There is no worker: this window holds both streams, and lets go while nobody sees it. */
function openHere(place: { root: string; token: string | undefined }, hear: (notice: Told) => void): Opened {
  const hub = createHub(() => performance.now());
  const window: HubWindow = { tell: (news) => hear({ news, toldAt: machineNow() }) };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isHeld = true;
  const look = (): void => {
    clearTimeout(timer);
    if (document.hidden) {
      timer = setTimeout(() => {
        isHeld = false;
        hub.hear(window, { kind: 'close' });
        mode.hear(machineNow(), 'stale');
      }, HIDDEN_MS);
    } else if (!isHeld) {
      isHeld = true;
      hub.hear(window, { kind: 'open', ...place });
    }
  };
  hub.hear(window, { kind: 'open', ...place });
  document.addEventListener('visibilitychange', look);
  return {
    say: (message) => {
      if (isHeld) hub.hear(window, message);
    },
    close() {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
      hub.hear(window, { kind: 'close' });
    },
  };
}
