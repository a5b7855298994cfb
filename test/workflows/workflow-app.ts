/** Workflow calls on the test application, with a Device in memory, as an operator makes them. */
import { AppError } from '../../domain/base/errors.ts';
import { ROLE, type Caller } from '../../domain/shapes/installation/security.ts';
import { profileByName } from '../../profiles/profiles.ts';
import type { Call } from '../../toolkit/call.ts';
import { seedBroadcast } from '../helpers/seed.ts';
import { systemClock, type Clock } from '../../domain/time/clock.ts';
import { type TestApp, startTestApp } from '../app/test-app.ts';

export interface WorkflowApp extends TestApp<Clock> {
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

export async function startWorkflowApp(): Promise<WorkflowApp> {
  const app = await startTestApp({ clock: systemClock });
  const livestreamId = await seedBroadcast(app.store);
  const run: WorkflowApp['run'] = async (operation, args, more = {}) => {
    const call = {
      operation,
      args,
      caller,
      via: 'mcp' as const,
      profile: profileByName('full'),
      requestId: 'test',
      ...more,
    };
    return (await app.dispatcher.dispatch(call)).body;
  };
  return {
    ...app,
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
        const id = app.device.runIds.at(-1);
        if (id !== undefined) return id;
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    close: () => app.close(),
  };
}

export async function onAir(app: WorkflowApp): Promise<void> {
  const started = app.run('start_livestream', { livestream: 'Show' });
  app.device.running(await app.runId());
  await started;
}
