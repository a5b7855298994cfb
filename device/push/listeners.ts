/** All listeners of this Device: what is open follows the orders, and connections whose order has not changed go on. */
import type { IngestOrder } from '../../domain/shapes/sources/ingest-order.ts';
import type { Log } from '../../domain/base/log.ts';
import { Intake, type IntakeHooks } from './intake.ts';
import type { PushOrders } from './push-paths.ts';
import { RtmpPort } from './rtmp-port.ts';
import { SrtPort } from './srt-port.ts';
import { rtmpPort } from '../../domain/network/rtmp-address.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { pushOf } from '../../domain/types/channel-questions.ts';
import { TlsPair } from '../delivery/tls-pair.ts';

export class Listeners {
  private readonly hooks: IntakeHooks;
  private readonly log: Log;
  private host = '';
  private readonly byChannel = new Map<number, Intake>();
  /** Keys are numbers, with a mark where a port speaks TLS. */
  private readonly rtmpPorts = new Map<string, RtmpPort>();
  private tls: TlsPair | undefined;
  private readonly srtPorts = new Map<Intake, SrtPort>();

  constructor(hooks: IntakeHooks, log: Log) {
    this.hooks = hooks;
    this.log = log;
  }

  get intakes(): Intake[] {
    return [...this.byChannel.values()];
  }

  find(channelId: number): Intake | undefined {
    return this.byChannel.get(channelId);
  }

  apply({ host, orders, tls }: PushOrders): void {
    if (host !== this.host) this.close();
    this.host = host;
    this.takeTls(tls);
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

  /** Files that were renewed are the same pair; other files are for the next connections, too, so those of the former ones end. */
  private takeTls(files: PushOrders['tls']): void {
    if (JSON.stringify(files) === JSON.stringify(this.tls?.files)) return;
    this.tls?.close();
    this.closeRtmp((place) => place.endsWith(SECURE));
    this.tls = files && TlsPair.openLate({ files, clock: systemClock, log: this.log });
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
      this.srtPorts.set(intake, new SrtPort(host, settings.port!, intake));
    }
  }

  private openRtmp(): void {
    const byPlace = new Map<string, Intake[]>();
    for (const intake of this.intakes) {
      const { order } = intake;
      if (protocolOf(order) !== 'rtmp') continue;
      if (isSecure(order) && this.tls === undefined) {
        intake.setError(NO_CERTIFICATE);
        continue;
      }
      const place = `${rtmpPort(order.settings)}${isSecure(order) ? SECURE : ''}`;
      byPlace.set(place, [...(byPlace.get(place) ?? []), intake]);
    }
    this.closeRtmp((place) => !byPlace.has(place));
    for (const [place, intakes] of byPlace) {
      const { host, log } = this;
      const tls = place.endsWith(SECURE) ? this.tls : undefined;
      const port = this.rtmpPorts.get(place) ?? new RtmpPort({ host, port: Number.parseInt(place, 10), log, tls });
      this.rtmpPorts.set(place, port);
      port.setIntakes(intakes);
    }
  }

  private closeRtmp(isOver: (place: string) => boolean): void {
    for (const [place, port] of this.rtmpPorts) {
      if (!isOver(place)) continue;
      port.close();
      this.rtmpPorts.delete(place);
    }
  }
}

/** Undefined for a type of a later version, too. */
function protocolOf(order: IngestOrder): 'rtmp' | 'srt' | undefined {
  return pushOf(order)?.protocol;
}

const SECURE = ' TLS';
const NO_CERTIFICATE =
  'It takes RTMPS, and this Device has no certificate: set ONAIR_TLS_CERT and ONAIR_TLS_KEY of the server, or for a Device of its own --tls-cert and --tls-key of onair device.';

function isSecure({ settings }: IngestOrder): boolean {
  return settings.tls === true;
}

/** An order with another place sends the pusher away; one that has only another key, name or list of senders does not. */
function placeOf(order: IngestOrder): string {
  const { app, host, latency_ms, passphrase, encryption } = order.settings;
  return JSON.stringify([
    order.type,
    rtmpPort(order.settings),
    isSecure(order),
    app,
    host,
    latency_ms,
    passphrase,
    encryption,
  ]);
}
