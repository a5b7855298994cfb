/** Writes for the other servers of the store what this one hears of its own Devices: they show the same, and each Device says it once. */
import type { Writable } from 'node:stream';
import type { DeviceMessage } from '../../domain/ports/device-link.ts';
import { HeardDevices, heardLine, type HeardMessage } from '../../domain/reported/heard.ts';
import type { Clock } from '../../domain/time/clock.ts';

export interface HeardForOthersDeps {
  clock: Pick<Clock, 'after'>;
  /** See ForwardingDeps: without other servers nothing is kept for them. */
  memberKey: string | undefined;
}

/** Messages of so long are written at once: each write is an encrypted record at both ends. */
const WRITE_MS = 100;
/** The reader takes the server for dead when several are missing. */
const HEARTBEAT_MS = 1000;
/** A reader that is so far behind begins anew when it has come back. */
const MAX_WAITING_BYTES = 32 << 20;

export class HeardForOthers {
  private readonly deps: HeardForOthersDeps;
  private readonly heard = new HeardDevices();
  private readonly followers = new Set<Writable>();
  private lines: string[] = [];
  private cancelWrite: (() => void) | undefined;
  private cancelHeartbeat: () => void = () => undefined;

  constructor(deps: HeardForOthersDeps) {
    this.deps = deps;
  }

  hear(device: number, message: DeviceMessage): void {
    if (this.deps.memberKey === undefined) return;
    if (this.followers.size === 0) return void this.heard.keep(device, message);
    const heard = this.heard.hear(device, message);
    if (heard !== undefined) this.add(device, heard);
  }

  setThere(device: number, isThere: boolean): void {
    if (this.deps.memberKey === undefined || isThere === this.heard.isThere(device)) return;
    const message = { type: isThere ? 'there' : 'away' } as const;
    this.heard.keep(device, message);
    this.add(device, message);
  }

  follow(out: Writable): void {
    // The others have their lines before: a change says what is new beside them.
    this.write();
    out.on('error', () => out.destroy());
    out.once('close', () => this.followers.delete(out));
    this.followers.add(out);
    const lines = this.heard.devices.flatMap((device) =>
      [{ type: 'there' } as const, ...(this.heard.known(device) ?? [])].map((message) => heardLine(device, message)),
    );
    out.write(`${lines.join('')}\n`);
    if (this.followers.size === 1) this.beginHeartbeat();
  }

  close(): void {
    this.cancelWrite?.();
    this.cancelHeartbeat();
    for (const out of this.followers) out.destroy();
    this.followers.clear();
  }

  private add(device: number, message: HeardMessage): void {
    if (this.followers.size === 0) return;
    this.lines.push(heardLine(device, message));
    this.cancelWrite ??= this.deps.clock.after(WRITE_MS, () => this.write());
  }

  private write(): void {
    this.cancelWrite?.();
    this.cancelWrite = undefined;
    const text = this.lines.join('');
    this.lines = [];
    if (text !== '') this.writeToAll(text);
  }

  private writeToAll(text: string): void {
    for (const out of this.followers) {
      out.write(text);
      if (out.writableLength > MAX_WAITING_BYTES) out.destroy();
    }
  }

  private beginHeartbeat(): void {
    this.cancelHeartbeat();
    this.cancelHeartbeat = this.deps.clock.after(HEARTBEAT_MS, () => {
      if (this.followers.size === 0) return;
      this.writeToAll('\n');
      this.beginHeartbeat();
    });
  }
}
