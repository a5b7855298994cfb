/** Workflow calls on the real rooms with a fake Device, as an operator makes them. */
import { AppError } from '../../domain/errors.ts';
import { ROLE, type Caller } from '../../domain/security.ts';
import { profileByName } from '../../profiles/profiles.ts';
import type { Call } from '../../toolkit/dispatch.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { closeRooms, openRooms, type Rooms } from '../app/mcp-api.ts';

export interface Stage extends Rooms {
  livestreamId: number;
  run(operation: string, args: object, more?: Partial<Call>): Promise<any>;
  refusal(operation: string, args: object, more?: Partial<Call>): Promise<AppError>;
  /** Waits for the run that the Device was given. */
  runId(): Promise<string>;
  close(): Promise<void>;
}

const caller: Caller = {
  userId: 2,
  username: 'operator',
  role: ROLE.operator,
  api: false,
  tokenKid: 'operator',
  sealKey: Buffer.alloc(32),
};

export async function openStage(): Promise<Stage> {
  const rooms = await openRooms();
  const livestreamId = await seedBroadcast(rooms.store);
  const run: Stage['run'] = async (operation, args, more = {}) => {
    const call = {
      operation,
      args,
      caller,
      via: 'mcp' as const,
      profile: profileByName('full'),
      requestId: 'test',
      ...more,
    };
    return (await rooms.dispatcher.dispatch(call)).body;
  };
  return {
    ...rooms,
    livestreamId,
    run,
    refusal: async (operation, args, more) => {
      try {
        await run(operation, args, more);
      } catch (error) {
        if (error instanceof AppError) return error;
        throw error;
      }
      throw new Error(`${operation} was not refused`);
    },
    runId: async () => {
      for (;;) {
        const id = rooms.device.runIds.at(-1);
        if (id !== undefined) return id;
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    close: () => closeRooms(rooms),
  };
}

export async function onAir(stage: Stage): Promise<void> {
  const started = stage.run('start_livestream', { livestream: 'Show' });
  stage.device.running(await stage.runId());
  await started;
}
