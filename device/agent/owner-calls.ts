/** The calls by which a server becomes the owner of the Device, those that it may make before (who is there, and that it is another one), and leases. */
import { hostname } from 'node:os';
import { OWNER_HEADER } from '../../domain/shapes/devices/device-owner.ts';
import { AppError } from '../../domain/base/errors.ts';
import { isPlain } from '../../domain/base/schema.ts';
import { bootId } from '../process.ts';
import type { AssetCache } from './files/asset-cache.ts';
import type { Pairing } from './pairing.ts';
import type { AgentApp } from './recording-api.ts';
import type { Fleet } from './runs/fleet.ts';

export interface RemoteCalls {
  /** New at each start of the agent. */
  agentId: string;
  assets: AssetCache;
  leave: () => Promise<() => void>;
  pairing: Pick<Pairing, 'obey' | 'onNewOwner' | 'owner'>;
  /** Called when a server does not take this machine for the Device: its runs end. */
  refused: (words: Refusal) => Promise<void>;
  /** Called when a server has claimed the Device. */
  claimed: () => void;
}

export interface Refusal {
  detail: string;
  remedy: string;
}

export function ownerCalls(app: AgentApp, remote: RemoteCalls, fleet: Pick<Fleet, 'resume'>): void {
  introduce(app, remote);
  obeyOwner(app, remote, fleet);
}

/** A server may ask and say this before it has claimed the Device: none of it is an order, so that no token is looked at. */
function introduce(app: AgentApp, { agentId, pairing, refused }: RemoteCalls): void {
  app.get('/machine', (context) =>
    context.json({ name: hostname(), boot_id: bootId(), agent_id: agentId, owner: pairing.owner }),
  );
  app.post('/refused', async (context) => {
    const { detail, remedy } = await context.req.json<{ detail?: unknown; remedy?: unknown }>();
    await refused({ detail: String(detail), remedy: String(remedy) });
    return context.json({});
  });
}

/** Every call counts as one of the server whose token it carries; no server is obeyed any more once a later one has called. */
function obeyOwner(app: AgentApp, { pairing, claimed }: RemoteCalls, fleet: Pick<Fleet, 'resume'>): void {
  app.use('*', async (context, next) => {
    const token = Number(context.req.header(OWNER_HEADER) ?? 0);
    if (!Number.isSafeInteger(token) || token < 0)
      throw new AppError('invalid_input', `${OWNER_HEADER} must be an integer from 0.`);
    await pairing.obey(token);
    await next();
  });
  app.use('/watch', async (context, next) => {
    const { outgoing } = context.env;
    outgoing.once(
      'close',
      pairing.onNewOwner(() => outgoing.destroy()),
    );
    await next();
  });
  app.post('/owner', async (context) => {
    const text = await context.req.text();
    const { ordered } = text === '' ? {} : (JSON.parse(text) as { ordered?: unknown });
    // A server of an earlier version says nothing, and one that only asks for a sign of life nothing of runs.
    if (text === '' || Array.isArray(ordered)) await fleet.resume(ordered as string[] | undefined);
    claimed();
    return context.json({ token: Number(context.req.header(OWNER_HEADER) ?? 0) });
  });
}

/** A server answers a question of this agent: these runs may deliver for a while. */
export function leaseCall(app: AgentApp, fleet: Pick<Fleet, 'grant'>): void {
  app.post('/lease', async (context) => {
    const body: unknown = await context.req.json();
    const { asked_ms: askedMs, run_ids: runIds } = isPlain(body) ? body : {};
    if (typeof askedMs !== 'number' || !Array.isArray(runIds))
      throw new AppError('invalid_input', 'The body is not { asked_ms, run_ids }.');
    fleet.grant(askedMs, runIds);
    return context.json({});
  });
}
