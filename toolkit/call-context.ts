/** The context of one call, as its handler gets it. */
import type { Clock } from '../domain/time/clock.ts';
import type { Control } from '../domain/ports/control.ts';
import type { Integrations } from '../domain/shapes/installation/integrations.ts';
import type { Caller } from '../domain/shapes/installation/security.ts';
import type { System } from '../domain/shapes/installation/system.ts';
import type { Call } from './call.ts';
import { acceptedVersions } from './if-match.ts';
import type { Log } from '../domain/base/log.ts';
import type { CallRequest, CallRights, ToolContext } from './tool.ts';

const NEVER = new AbortController().signal;

export interface Ports extends Pick<ToolContext, 'store' | 'control' | 'integrations' | 'system' | 'clock' | 'log'> {
  rightsOf(call: Pick<Call, 'caller' | 'profile'>): CallRights;
}

/**
 * It is a class, because V8 makes a new internal type for each literal with a getter, which the garbage collector then has to find; a class
 * has one.
 */
export class CallContext implements ToolContext {
  readonly caller: Caller;
  readonly store: ToolContext['store'];
  readonly commit: ToolContext['commit'];
  readonly control: Control;
  readonly integrations: Integrations;
  readonly system: System;
  readonly clock: Clock;
  readonly log: Log;
  private readonly call: Call;
  private readonly rightsOf: Ports['rightsOf'];
  private readonly changeId: string | undefined;

  constructor(call: Call, commit: ToolContext['commit'], ports: Ports, changeId: string | undefined) {
    this.caller = call.caller;
    this.store = ports.store;
    this.commit = commit;
    this.control = ports.control;
    this.integrations = ports.integrations;
    this.system = ports.system;
    this.clock = ports.clock;
    this.log = ports.log;
    this.call = call;
    this.rightsOf = ports.rightsOf;
    this.changeId = changeId;
  }

  /** A getter, because an api may have to make the signal, and most calls never read it. */
  get signal(): AbortSignal {
    return this.call.signal ?? NEVER;
  }

  get request(): CallRequest {
    const { operation, args, upload, ifMatch, ahead, progress = () => undefined } = this.call;
    return {
      operation,
      sent: args,
      upload,
      expectedVersions: acceptedVersions(ifMatch),
      changeId: this.changeId,
      ahead,
      rights: this.rightsOf(this.call),
      progress,
    };
  }
}
