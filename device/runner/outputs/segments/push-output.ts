/** HLS / TS, CMAF and DASH to an origin: a packager writes a folder of this run, and a mirror takes it there. */
import type { Reach } from '../../../../domain/networks.ts';
import { pushTarget } from '../../../media/manifests/push-target.ts';
import { authorities } from '../../process/certificates.ts';
import type { Attempt, AttemptHooks } from '../destination-path.ts';
import { PushClient } from './push-client.ts';
import { PushMirror } from './push-mirror.ts';

export interface PushOptions {
  url: string;
  username: string | null;
  password: string | null;
  /** What the packager writes into. */
  dir: string;
  /** Segments that a manifest lists at most. */
  listed: number;
  reach: Reach;
}

/**
 * After a break the newest segments are sent anew, for the origin may have lost them. A long time-shift window is not: that would be
 * hours of media.
 */
const MAX_AT_ONCE = 32;
/** For the last segment and the end mark; the packager before it may take as long. */
const LAST_MS = 800;

/** `begin` starts the packager; its `onUp` says that the folder has changed. Throws TypeError for a useless address. */
export function beginPush(options: PushOptions, begin: (hooks: AttemptHooks) => Attempt, hooks: AttemptHooks): Attempt {
  const { url, username, password, dir, listed, reach } = options;
  const client = new PushClient(pushTarget(url, username, password), authorities, reach);
  let lost = false;
  const mirror = new PushMirror(
    {
      dir,
      listed: Math.min(listed, MAX_AT_ONCE),
      onPublished: () => hooks.onUp(),
      onFailed(reason, refused) {
        lost = true;
        hooks.onDown(reason, false, refused);
      },
    },
    client,
  );
  const packager = begin({ onUp: () => mirror.sync(), onDown: (reason, final) => hooks.onDown(reason, final) });
  return {
    async end() {
      await packager.end();
      if (!lost) await mirror.finish(LAST_MS);
      mirror.stop();
    },
  };
}
