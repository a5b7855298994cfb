/** The feed and the status by fetch. EventSource hides when a connection was opened and why it ended. */
import { messagesOf } from '../event-stream.ts';
import type { FeedMessage } from './feed.ts';
import type { LinkPorts } from './link.ts';

/** `root` is the API's, with the feed and the status below it; `token` is that of a display, which may ask for the feed alone. */
export function browserPorts(root: string, token?: string): LinkPorts {
  return {
    now: () => performance.now(),
    every(ms, act) {
      const timer = setInterval(act, ms);
      return () => clearInterval(timer);
    },
    open(lastId, hear, end) {
      const abort = new AbortController();
      const read = async (): Promise<void> => {
        const response = await fetch(`${root}/feed`, {
          credentials: 'same-origin',
          cache: 'no-store',
          headers: {
            accept: 'text/event-stream',
            ...bearer(token),
            ...(lastId !== undefined && { 'last-event-id': lastId }),
          },
          signal: abort.signal,
        });
        if (response.status === 401) return end('signed-out');
        if (!response.ok || response.body === null) return end('refused');
        for await (const { event, data, id } of messagesOf(response.body)) {
          if (abort.signal.aborted) return undefined;
          hear({ event, data: JSON.parse(data), ...(id !== undefined && { id }) } as FeedMessage);
        }
        if (!abort.signal.aborted) end('broken');
      };
      read().catch(() => {
        if (!abort.signal.aborted) end('broken');
      });
      return { close: () => abort.abort() };
    },
    async ask() {
      if (token !== undefined) return undefined;
      const response = await fetch(`${root}/livestreams/status?pageSize=500`, { credentials: 'same-origin' });
      if (response.status === 401) return 'signed-out';
      if (!response.ok) return undefined;
      return ((await response.json()) as { rows: never[] }).rows;
    },
  };
}

export function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}
