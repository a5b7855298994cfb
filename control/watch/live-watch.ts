/** The watches of a running control plane. None costs anything while nobody watches. */
import type { LiveWatch } from '../../domain/ports/live-watch.ts';
import type { RunReport } from '../../domain/shapes/broadcasts/run.ts';
import { LiveWatcher, type WatchDeps } from './live-watcher.ts';

export interface LiveWatches extends LiveWatch {
  /** Takes note of a report that has been kept. */
  receive(report: RunReport): void;
  ingestChanged(channelId: number): void;
  close(): void;
}

export function createLiveWatches(deps: WatchDeps): LiveWatches {
  const watchers = new Set<LiveWatcher>();
  const end = (watcher: LiveWatcher): void => {
    watchers.delete(watcher);
    watcher.end();
  };
  return {
    async watch(listener) {
      const watcher = new LiveWatcher(deps, listener);
      watchers.add(watcher);
      try {
        await watcher.begin();
      } catch (error) {
        end(watcher);
        throw error;
      }
      return { snapshot: () => watcher.snapshot(), end: () => end(watcher) };
    },
    receive(report) {
      for (const watcher of watchers) watcher.receive(report);
    },
    ingestChanged(channelId) {
      for (const watcher of watchers) watcher.ingestChanged(channelId);
    },
    close() {
      for (const watcher of watchers) end(watcher);
    },
  };
}
