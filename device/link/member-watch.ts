/**
 * Follows what the other servers hear of their Devices: one connection to each server, whatever the number of its Devices. A server of an earlier
 * version tells nothing; each of its Devices is followed by a channel through it then.
 */
import type { Clock } from '../../domain/time/clock.ts';
import type { DeviceMessage } from '../../domain/ports/device-link.ts';
import type { Log } from '../../domain/base/log.ts';
import { NotUnderstood } from '../../domain/reported/fields.ts';
import { HeardDevices, readHeard, type HeardMessage } from '../../domain/reported/heard.ts';
import { LineWatch } from './line-watch.ts';
import { HEARD, type MemberChannels } from './member-channels.ts';

export interface HeardListener {
  onMessage: (message: DeviceMessage) => void;
  onState: (online: boolean) => void;
  /** Follows the Device by a channel of its own; answers how to end that. */
  byChannel: () => () => void;
}

interface Way {
  address: string;
  key: string;
  deviceId: number;
}

interface MemberWatchDeps {
  channels: MemberChannels;
  log: Log;
  clock: Clock;
}

export class MemberWatches {
  private readonly deps: MemberWatchDeps;
  /** One for each address of a server. */
  private readonly watches = new Map<string, MemberWatch>();

  constructor(deps: MemberWatchDeps) {
    this.deps = deps;
  }

  /** The answer ends it. */
  watch({ address, key, deviceId }: Way, listener: HeardListener): () => void {
    let watch = this.watches.get(address);
    if (watch === undefined) {
      const opened = new MemberWatch({
        ...this.deps,
        address,
        key,
        onOver: () => this.watches.get(address) === opened && this.watches.delete(address),
      });
      this.watches.set(address, (watch = opened));
    }
    return watch.follow(deviceId, listener);
  }
}

interface Followed {
  listener: HeardListener;
  /** The listener has all that was known before. */
  isUpToDate: boolean;
  /** Set where it is followed by a channel of its own. */
  end?: () => void;
}

class MemberWatch {
  private readonly options: MemberWatchDeps & { address: string; key: string; onOver: () => void };
  private readonly heard = new HeardDevices();
  private readonly followed = new Map<number, Set<Followed>>();
  private readonly lines: LineWatch;
  /** A line that is not understood is logged once. */
  private hasSkipped = false;

  constructor(options: MemberWatch['options']) {
    this.options = options;
    const { channels, address, key, log, clock } = options;
    this.lines = new LineWatch({
      socket: () => channels.open(address, key, HEARD, () => this.fallBack()),
      path: '/',
      peer: 'server',
      log,
      clock,
      onLine: (line) => this.take(line),
      onState: (isOpen) => {
        if (!isOpen) for (const device of this.heard.devices) this.pass(device, { type: 'away' });
      },
    });
  }

  follow(device: number, listener: HeardListener): () => void {
    const entry: Followed = { listener, isUpToDate: false };
    this.followed.set(device, (this.followed.get(device) ?? new Set()).add(entry));
    // The caller knows how to end it before it is called back.
    queueMicrotask(() => this.catchUp(device, entry));
    return () => this.leave(device, entry);
  }

  private catchUp(device: number, entry: Followed): void {
    if (this.followed.get(device)?.has(entry) !== true) return;
    entry.isUpToDate = true;
    const known = this.heard.known(device);
    if (known === undefined) return;
    const { listener } = entry;
    this.orLog(device, () => listener.onState(true));
    for (const message of known) this.orLog(device, () => listener.onMessage(message));
  }

  private leave(device: number, entry: Followed): void {
    entry.end?.();
    const others = this.followed.get(device);
    others?.delete(entry);
    if (others?.size === 0) this.followed.delete(device);
    if (this.followed.size > 0) return;
    this.lines.end();
    this.options.onOver();
  }

  /** The other server has taken it so: what this version does not understand of one Device costs nothing of the others. */
  private take(line: string): void {
    try {
      const read = readHeard(line);
      if (read !== undefined) this.pass(read.device, read.message);
    } catch (error) {
      if (!(error instanceof NotUnderstood)) throw error;
      if (!this.hasSkipped)
        this.options.log.warn({ reason: error.message }, 'Another server says what is skipped here.');
      this.hasSkipped = true;
    }
  }

  private pass(device: number, message: HeardMessage): void {
    const known = this.heard.keep(device, message);
    const { type } = message;
    for (const { listener, isUpToDate } of this.followed.get(device) ?? []) {
      if (!isUpToDate) continue;
      if (known !== undefined) this.orLog(device, () => listener.onMessage(known));
      else if (type === 'there' || type === 'away') this.orLog(device, () => listener.onState(type === 'there'));
    }
  }

  /** Other Devices, and other parts that follow this one, have theirs. */
  private orLog(device: number, give: () => void): void {
    try {
      give();
    } catch (error) {
      this.options.log.error({ err: error, deviceId: device }, 'What another server says of a Device was not taken.');
    }
  }

  /** Devices that are followed from now on try the server anew: it may have been updated. */
  private fallBack(): void {
    this.lines.end();
    this.options.onOver();
    for (const entries of this.followed.values()) for (const entry of entries) entry.end = entry.listener.byChannel();
  }
}
