/** The services around this one, each in a file of its own. A call loads the libraries that it needs. */
import type { Clock } from '../domain/time/clock.ts';
import type { Integrations } from '../domain/shapes/installation/integrations.ts';
import { parseNetworks, type NetworkPolicy } from '../domain/network/networks.ts';
import { checkCloudAccount } from './cloud/account.ts';
import { checkDrmProvider, requestKeys } from './key-server.ts';
import { sendMail, type MailSettings } from './mail.ts';
import { reach, setNetworks } from './reach.ts';
import { backUp, checkRemoteFolder } from './remote-folder.ts';
import { checkTargetFolder, exportTo } from './target-folder.ts';
import { createTranscription } from './transcription.ts';

export interface IntegrationDeps {
  clock: Pick<Clock, 'now'>;
  /** ONAIR_CLOUD_URL; without it there is no cloud platform. */
  cloudUrl?: string | undefined;
  /** ONAIR_SOURCE_NETWORKS; without it the built-in rules alone hold. */
  networks?: NetworkPolicy | undefined;
  /** Left out: no mail is sent. */
  mail?: MailSettings | undefined;
}

export function createIntegrations({ cloudUrl, networks = parseNetworks(), mail = {} }: IntegrationDeps): Integrations {
  setNetworks(networks);
  return {
    checkRemoteFolder,
    checkTargetFolder,
    checkDrmProvider,
    checkCloudAccount: (account, signal) => checkCloudAccount(cloudUrl, account, signal),
    requestKeys,
    backUp: (folder, file, signal, progress) => backUp(folder, file, signal, progress),
    exportTo: (folder, file, signal, progress) => exportTo(folder, file, signal, progress),
    sendMail: (letter, signal) => sendMail(mail, letter, signal),
    transcription: createTranscription(),
    hostRefusal: (host) => reach().refusalOf(host),
  };
}
