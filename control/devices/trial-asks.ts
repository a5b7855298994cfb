/** A Device that has not tried yet what encoding costs there is asked once a minute, however often its connection breaks. */
import type { Clock } from '../../domain/time/clock.ts';
import type { DeviceRegistry, KnownDevice } from '../device-registry.ts';

const ASK_AGAIN_MS = 60_000;

export class TrialAsks {
  private readonly ask: (device: KnownDevice) => void;
  private readonly waiting = new Set<number>();

  constructor(ask: (device: KnownDevice) => void) {
    this.ask = ask;
  }

  askLater({ clock, registry }: { clock: Clock; registry: DeviceRegistry }, deviceId: number): void {
    if (this.waiting.has(deviceId)) return;
    this.waiting.add(deviceId);
    clock.after(ASK_AGAIN_MS, () => {
      this.waiting.delete(deviceId);
      const device = registry.get(deviceId);
      if (device?.isOwn === true) this.ask(device);
    });
  }
}
