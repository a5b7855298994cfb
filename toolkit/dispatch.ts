/**
 * The one way of every call, from every api: rate → find → profile → scope of the token → role → parse input → idempotency → handle → check output →
 * audit. Nothing else calls a handler.
 */
import { AppError } from '../domain/base/errors.ts';
import { toIso, type Clock } from '../domain/time/clock.ts';
import type { Control } from '../domain/ports/control.ts';
import type { Integrations } from '../domain/shapes/installation/integrations.ts';
import type { System } from '../domain/shapes/installation/system.ts';
import type { Caller, Via } from '../domain/shapes/installation/security.ts';
import type { Store } from '../domain/ports/store.ts';
import { assertAllowed, isMutating, type Profile } from './access.ts';
import { auditEntry } from './audit.ts';
import { replyOf, type Call, type Reply } from './call.ts';
import { CallContext, type Ports } from './call-context.ts';
import type { Catalogue } from './catalogue.ts';
import { parseInput } from './input/input.ts';
import { hasInstant, readInstants, refusalInZone, zoneOfCall } from './input/instants.ts';
import { checkOutput } from './output/output.ts';
import { PAGE_SIZE, withEmbedded } from './output/page.ts';
import { assertNoPlaceholder } from './input/placeholders.ts';
import { assertVisibleNames } from './input/new-name.ts';
import { assertPlainText } from './input/plain-text.ts';
import { previewOf, type Guarded } from './preview/preview.ts';
import { trialCommit } from './preview/trial-commit.ts';
import type { RateLimit } from './rate-limit.ts';
import { createRefusalAudit, type RefusalAudit } from './refusal-audit.ts';
import type { Log } from '../domain/base/log.ts';
import type { Tool } from './tool.ts';
import { createWriteCall } from './write-call.ts';

export interface Dispatcher {
  readonly catalogue: Catalogue;
  readonly profiles: readonly Profile[];
  /** IANA zone of the service, in which people are told times. */
  readonly timezone: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Rejects with AppError; any other error of a handler becomes `internal` and is logged with its request id. */
  dispatch(call: Call): Promise<Reply>;
  /** The rights of a caller, for an api that answers something itself which belongs to operations. */
  rightsOf: Ports['rightsOf'];
  /** Counts a call that an api answers by itself against the caller's rate. Throws AppError rate_limited. */
  countCall(caller: Caller, via: Via): void;
  /**
   * Counts and audits a call that an api refuses by itself, because it cannot be read, as if it had been refused here. Answers the error
   * for the caller.
   */
  refuse(call: Call, error: unknown): Promise<AppError>;
  /** Writes the refused calls that were only counted to the audit; called before the store is closed. */
  settle(): Promise<void>;
}

export interface DispatchDeps {
  catalogue: Catalogue;
  profiles: readonly Profile[];
  store: Store;
  control: Control;
  integrations: Integrations;
  system: System;
  clock: Clock;
  log: Log;
  /** Left out: callers are not limited. */
  rateLimit?: RateLimit | undefined;
}

type Input = Record<string, unknown>;

const MCP_VIAS: ReadonlySet<Via> = new Set(['mcp', 'oauth']);
const ACCESS_CODES: ReadonlySet<string> = new Set(['forbidden', 'profile_forbidden']);

export function createDispatcher(deps: DispatchDeps): Dispatcher {
  const { catalogue, profiles, store, control, integrations, system, clock, log, rateLimit } = deps;
  const rightsOf: Ports['rightsOf'] = ({ caller, profile }) => ({
    assertMayCall: (...names) => names.forEach((name) => assertAllowed(catalogue.get(name), profile, caller, profiles)),
    operationsOf: (name) => catalogue.get(name).performs ?? [name],
  });
  const ports: Ports = { store: readsOf(store), control, integrations, system, clock, log, rightsOf };
  const refusalAudit = createRefusalAudit({ store, clock, log });
  const write = createWriteCall({ store, clock, log, ports });

  async function dispatch(call: Call): Promise<Reply> {
    // The rate comes before the name, because looking up a wrong name costs as much. A refusal leaves no audit entry: the flood that is
    // kept from the operations must not reach the disk instead, and the log says once a minute who sends it.
    rateLimit?.take(call.caller, call.via);
    let tool: Tool | undefined;
    let zone: string | undefined;
    try {
      tool = catalogue.get(call.operation);
      assertAllowed(tool, call.profile, call.caller, profiles);
      assertNoPlaceholder(call.args);
      assertPlainText(call.args);
      if (tool.effect === 'create') assertVisibleNames(call.args);
      const parsed = parseInput(tool.input, withDefaults(tool, call), call.args) as Input;
      const spoken = await readInstants(tool.input, parsed, (sent) => zoneOfCall(store, sent, control.timezone));
      ({ zone } = spoken);
      const { input } = spoken;
      if (!isMutating(tool) || input['dry_run'] === true) return asOf(deps, await read(deps, ports, tool, call, input));
      if (call.preview === true) return await preview(deps, ports, tool, call, input);
      return await write(tool, call, input);
    } catch (cause) {
      const error = await inZoneOf(deps, call, zone, cause);
      // The first refusal was audited; its retry does nothing, as the retry of a success does nothing.
      if (error instanceof AppError && error.extras.replayed) throw error;
      throw await refused(deps, refusalAudit, tool, call, error);
    }
  }

  async function refuse(call: Call, error: unknown): Promise<AppError> {
    try {
      rateLimit?.take(call.caller, call.via);
    } catch (limited) {
      return limited as AppError;
    }
    return refused(deps, refusalAudit, catalogue.find(call.operation), call, error);
  }

  return {
    catalogue,
    profiles,
    timezone: control.timezone,
    clock,
    dispatch,
    rightsOf,
    countCall: (caller, via) => rateLimit?.take(caller, via),
    refuse,
    settle: () => refusalAudit.settle(),
  };
}

/** A refusal names times as the caller does: with the offset that was sent, else by the clock of the Schedule or the service. */
async function inZoneOf(
  { store, control }: DispatchDeps,
  call: Call,
  sent: string | undefined,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof AppError) || !hasInstant(error)) return error;
  return refusalInZone(error, sent ?? (await zoneOfCall(store, call.args, control.timezone)));
}

function readsOf(store: Store): Ports['store'] {
  return {
    get: (collection, id) => store.get(collection, id),
    getMany: (collection, ids) => store.getMany(collection, ids),
    members: () => store.members(),
    find: (collection, query) => store.find(collection, query),
    view: (look) => store.view(look),
  };
}

async function read(
  { store, clock }: DispatchDeps,
  ports: Ports,
  tool: Tool,
  call: Call,
  input: Input,
): Promise<Reply> {
  const refuseCommit = (): never => {
    throw new Error(`${tool.name} reads and must not commit`);
  };
  const commit = isMutating(tool) ? trialCommit((plan) => store.tx(plan), toIso(clock.now())) : refuseCommit;
  const answer = await tool.handle(new CallContext(call, commit, ports, undefined), input as never);
  // A dry run of what creates has created nothing, so that its status is that of a read.
  const shown = isMutating(tool) ? { ...answer, status: 200 } : answer;
  return replyOf(tool, shown, checkOutput(tool, answer.body, withEmbedded(input), ports.log), false);
}

function asOf({ store, clock }: DispatchDeps, reply: Reply): Reply {
  const staleMs = store.staleMs();
  return staleMs === undefined ? reply : { ...reply, asOf: toIso(clock.now() - staleMs) };
}

async function preview(
  { store, clock }: DispatchDeps,
  ports: Ports,
  tool: Tool,
  call: Call,
  input: Input,
): Promise<Reply> {
  const run = ({ commit, ...guarded }: Guarded): Promise<unknown> =>
    tool.handle(new CallContext(call, commit, { ...ports, ...guarded }, undefined), input as never);
  const answer = await previewOf(tool, ports, (plan) => store.tx(plan), toIso(clock.now()), run);
  return replyOf(tool, { ...answer, status: 200 }, answer.body, false);
}

/**
 * Turns an error into an AppError. A refused mutation leaves an audit entry, and so do a read that the caller may not make and a tool
 * that does not exist, which might have been anything.
 */
async function refused(
  { store, clock, log }: DispatchDeps,
  refusalAudit: RefusalAudit,
  tool: Tool | undefined,
  call: Call,
  error: unknown,
): Promise<AppError> {
  const known = knownError(error);
  if (known.code === 'internal')
    log.error({ err: error, operation: call.operation, requestId: call.requestId }, 'call failed');
  const isAudited = tool === undefined || isMutating(tool) || ACCESS_CODES.has(known.code);
  // The rest of a nearly full disk is for calls that succeed: a caller who is refused for want of space repeats the call again and again.
  const { ok, shortage } = store.health();
  if (isAudited && ok && shortage === undefined) {
    const entry = auditEntry(tool, call, {
      input: call.args,
      body: undefined,
      outcome: known.code,
      at: toIso(clock.now()),
    });
    // The caller invents the names of tools that do not exist, so they are counted as one.
    await refusalAudit.note(call.caller, `${tool?.name ?? ''} ${known.code}`, entry);
  }
  return known;
}

function knownError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError('internal', 'The server failed to answer this call.', { cause: error });
}

/** A model gets short pages: 20 rows with the short fields unless it asks for others. */
function withDefaults(tool: Tool, call: Call): unknown {
  const { args } = call;
  // A tool with a dry_run of its own tells more of its effect than a preview can.
  if (call.preview === true && 'dry_run' in tool.input.shape) return { ...(args as object), dry_run: true };
  if (!MCP_VIAS.has(call.via) || tool.shortFields === undefined) return args;
  // Arguments that are no object are refused as they are; spread, they would pass for an empty object.
  if (args !== undefined && (typeof args !== 'object' || args === null || Array.isArray(args))) return args;
  return { pageSize: PAGE_SIZE.mcp, fields: tool.shortFields.join(','), ...args };
}
