/** The services around this one, each in a file of its own; their libraries are loaded when a call needs them. */
import type { Clock } from '../domain/clock.ts';
import type { Integrations } from '../domain/integrations.ts';
import { checkCloudAccount } from './cloud/account.ts';
import { checkDrmProvider, requestKeys } from './key-server.ts';
import { backUp, checkRemoteFolder } from './remote-folder.ts';
import { checkTargetFolder, exportTo } from './target-folder.ts';
import { createTranscription } from './transcription.ts';

export interface IntegrationParts {
  clock: Pick<Clock, 'now'>;
  /** ONAIR_CLOUD_URL; left out: there is no cloud platform. */
  cloudUrl?: string | undefined;
}

export function createIntegrations({ cloudUrl }: IntegrationParts): Integrations {
  return {
    checkRemoteFolder,
    checkTargetFolder,
    checkDrmProvider,
    checkCloudAccount: (account, signal) => checkCloudAccount(cloudUrl, account, signal),
    requestKeys,
    backUp: (folder, file, signal, progress) => backUp(folder, file, signal, progress),
    exportTo: (folder, file, signal, progress) => exportTo(folder, file, signal, progress),
    transcription: createTranscription(),
  };
}
