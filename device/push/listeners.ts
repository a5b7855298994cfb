/** All listeners of this Device: what is open follows the orders, and connections whose order has not changed go on. */
import type { IngestOrder } from '../../domain/shapes/sources/ingest-order.ts';
import type { Log } from '../../domain/base/log.ts';
import type { Sandbox } from '../ffmpeg/launch.ts';
import { Intake, type IntakeHooks } from './intake.ts';
import type { PushOrders } from './push-paths.ts';
import { RTMP_PORT, RtmpPort } from './rtmp-port.ts';
import { SrtPort } from './srt-port.ts';
import { pushOf } from '../../domain/types/channel-questions.ts';

export class Listeners {
  private readonly hooks: IntakeHooks;
  private readonly log: Log;
  private readonly sandbox: Sandbox;
  private host = '';
  private readonly byChannel = new Map<number, Intake>();
  private readonly rtmpPorts = new Map<number, RtmpPort>();
  private readonly srtPorts = new Map<Intake, SrtPort>();

  constructor(hooks: IntakeHooks, log: Log, sandbox: Sandbox) {
    this.hooks = hooks;
    this.log = log;
    this.sandbox = sandbox;
  }

  get intakes(): Intake[] {
    return [...this.byChannel.values()];
  }

  find(channelId: number): Intake | undefined {
    return this.byChannel.get(channelId);
  }

  apply({ host, orders }: PushOrders): void {
    if (host !== this.host) this.close();
    this.host = host;
    const wanted = new Map(orders.map((order) => [order.channelId, order]));
    for (const [channelId, intake] of this.byChannel) {
      const order = wanted.get(channelId);
      if (order !== undefined && placeOf(order) === placeOf(intake.order)) continue;
      intake.close();
      this.byChannel.delete(channelId);
    }
    for (const order of orders) {
      const intake = this.byChannel.get(order.channelId);
      if (intake === undefined) this.byChannel.set(order.channelId, new Intake(order, this.hooks));
      else intake.order = order;
    }
    this.openRtmp();
    this.openSrt();
    this.hooks.onChange();
  }

  close(): void {
    for (const intake of this.intakes) intake.close();
    this.byChannel.clear();
    this.openRtmp();
    this.openSrt();
  }

  private openSrt(): void {
    const intakes = new Set(this.intakes);
    for (const [intake, port] of this.srtPorts) {
      if (intakes.has(intake)) continue;
      port.close();
      this.srtPorts.delete(intake);
    }
    for (const intake of intakes) {
      const { settings } = intake.order;
      if (protocolOf(intake.order) !== 'srt' || this.srtPorts.has(intake)) continue;
      const host = settings.host ?? this.host;
      this.srtPorts.set(intake, new SrtPort(host, settings.port!, intake, this.sandbox));
    }
  }

  private openRtmp(): void {
    const byPort = new Map<number, Intake[]>();
    for (const intake of this.intakes) {
      if (protocolOf(intake.order) !== 'rtmp') continue;
      const port = portOf(intake.order);
      byPort.set(port, [...(byPort.get(port) ?? []), intake]);
    }
    for (const [number, port] of this.rtmpPorts) {
      if (byPort.has(number)) continue;
      port.close();
      this.rtmpPorts.delete(number);
    }
    for (const [number, intakes] of byPort) {
      const port = this.rtmpPorts.get(number) ?? new RtmpPort(this.host, number, this.log);
      this.rtmpPorts.set(number, port);
      port.setIntakes(intakes);
    }
  }
}

/** Undefined for a type of a later version, too. */
function protocolOf(order: IngestOrder): 'rtmp' | 'srt' | undefined {
  return pushOf(order)?.protocol;
}

function portOf({ settings }: IngestOrder): number {
  return settings.port ?? RTMP_PORT;
}

/** An order with another place sends the pusher away; one that has only another key, name or list of senders does not. */
function placeOf(order: IngestOrder): string {
  const { app, host, latency_ms, passphrase, encryption } = order.settings;
  return JSON.stringify([order.type, portOf(order), app, host, latency_ms, passphrase, encryption]);
}
