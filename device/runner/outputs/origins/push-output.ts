/** HLS / TS, CMAF and DASH to an origin: a packager writes a folder of this run, and a mirror copies it there. */
import type { ListsSpec } from '../../../../domain/shapes/broadcasts/run-spec.ts';
import type { Reach } from '../../../../domain/network/networks.ts';
import type { Clock } from '../../../../domain/time/clock.ts';
import { pushTarget } from '../../../media/manifests/push-target.ts';
import { authorities } from '../../process/certificates.ts';
import type { Attempt, AttemptHooks } from '../attempt.ts';
import { FormerPeriods } from './former-periods.ts';
import { PushClient } from './push-client.ts';
import { PushMirror } from './push-mirror.ts';

export interface PushOptions {
  url: string;
  username: string | null;
  password: string | null;
  /** The keys of a bucket. */
  keys: { accessKey: string; secretKey: string } | undefined;
  /** Folder that the packager writes into. */
  dir: string;
  /** A manifest lists at most so many segments. */
  listed: number;
  reach: Reach;
  clock: Clock;
  lease: { readonly isHeld: boolean };
  lists: ListsSpec | undefined;
  /** So much stays listed. */
  listedSeconds: number;
}

/**
 * After an interruption the newest segments are sent anew, for the origin may have lost them. A long time-shift window is not: that would
 * be hours of media.
 */
const MAX_AT_ONCE = 32;
/** Time for the last segment and the end mark; the packager before it may take as long. */
const MAX_FINISH_MS = 800;

/** `begin` starts the packager; its `onUp` means that the folder has changed. Throws TypeError for a useless address. */
export function beginPush(options: PushOptions, begin: (hooks: AttemptHooks) => Attempt, hooks: AttemptHooks): Attempt {
  const { url, username, password, keys, dir, listed, listedSeconds, lists, reach, clock, lease } = options;
  const client = new PushClient(pushTarget(url, username, password, keys), authorities, reach, clock);
  let isLost = false;
  const mirror = new PushMirror(
    {
      dir,
      listed: Math.min(listed, MAX_AT_ONCE),
      lease,
      former: new FormerPeriods({ lists, keptMs: listedSeconds * 1000, read: (name) => client.read(name), clock }),
      onPublished: () => hooks.onUp(),
      onFailed(reason, refused) {
        isLost = true;
        hooks.onDown(reason, false, refused);
      },
    },
    client,
  );
  const packager = begin({ onUp: () => mirror.sync(), onDown: (reason, final) => hooks.onDown(reason, final) });
  return {
    cut: () => mirror.stop(),
    async end() {
      await packager.end();
      if (!isLost) await mirror.finish(MAX_FINISH_MS);
      mirror.stop();
    },
  };
}
