import { atProcessEnd } from './process-end.ts';
import { startService, type Service } from './service.ts';

let service: Promise<Service> | undefined;

/** One running service for the specs of a process that do not change how it is set up, and that make their own rows. */
export function sharedService(): Promise<Service> {
  service ??= startService().then((started) => {
    atProcessEnd(() => started.dispose());
    return started;
  });
  return service;
}
