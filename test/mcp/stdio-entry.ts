/** What `onair mcp` runs, with the server's address from the environment instead of one that it starts. */
import { AppError } from '../../domain/errors.ts';
import { runStdio } from '../../mcp/stdio.ts';
import { profileByName } from '../../profiles/profiles.ts';
import { createCatalogue } from '../../toolkit/catalogue.ts';

const { DOOR_URL = '', DOOR_TOKEN, DOOR_TIMEZONE, TOOL_PROFILE } = process.env;
await runStdio({
  profile: profileByName(TOOL_PROFILE),
  timezone: Promise.resolve(DOOR_TIMEZONE),
  version: '0.0.0-test',
  catalogue: async () => {
    // Something that prints must not reach the protocol.
    console.log('loading the catalogue');
    const [{ operations }, { workflows }] = await Promise.all([
      import('../../tools/index.ts'),
      import('../../workflows/index.ts'),
    ]);
    return createCatalogue(operations, workflows);
  },
  connect: async () => {
    await fetch(DOOR_URL).catch((cause: unknown) => {
      throw new AppError('unavailable', `No server answers at ${DOOR_URL}.`, { cause });
    });
    return { url: DOOR_URL, token: DOOR_TOKEN };
  },
  log: { info: console.error, warn: console.error, error: console.error },
});
process.exit(0);
