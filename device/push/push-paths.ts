/** Files of the push process in a Device's folder. */
import { join, resolve } from 'node:path';
import type { IngestOrder } from '../../domain/shapes/sources/ingest-order.ts';
import type { TlsFiles } from '../delivery/tls-pair.ts';
import { socketPath } from '../run-dir.ts';

export interface PushFiles {
  dir: string;
  /** PushOrders, mode 0600: they hold stream keys. */
  orders: string;
  /** PushRecord of the last process. */
  record: string;
  /** Output of the process itself. */
  log: string;
  /** The process serves HTTP on this unix socket. */
  control: string;
  /** Readers of pushed sources connect to this unix socket. */
  media: string;
}

/** The listeners that are to be open, and the address that they are bound to. */
export interface PushOrders {
  host: string;
  /** Listeners speak TLS with it; left out where the Device has no certificate. */
  tls?: TlsFiles | undefined;
  orders: readonly IngestOrder[];
}

export interface PushRecord {
  pid: number;
  /** Field 22 of /proc/<pid>/stat, which tells the process from a later one with the same pid. */
  startTicks: number;
  bootId: string;
  /** It knows of listeners that speak TLS; left out by earlier versions, which would listen without. */
  takesTls?: boolean;
  /** Its connections: a process that was killed could not say that they have ended. */
  receiving: { channelId: number; from: string }[];
}

export function pushFiles(deviceDir: string): PushFiles {
  const dir = join(resolve(deviceDir), 'push');
  return {
    dir,
    orders: join(dir, 'orders.json'),
    record: join(dir, 'process.json'),
    log: join(dir, 'push.log'),
    control: socketPath(join(dir, 'control.sock')),
    media: socketPath(join(dir, 'media.sock')),
  };
}
