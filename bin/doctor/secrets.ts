/** The files with secrets beside the store: the settings that the service has from its unit, and tokens. Nobody else is to read them. */
import { readFileSync, statSync } from 'node:fs';
import { ok, warning, type Finding } from '../../domain/shapes/installation/finding.ts';
import { credentialsPath } from '../settings/credentials.ts';

/** docs/systemd/onair.service and the Debian package name them. */
export const SERVICE = { data: '/var/lib/onair/data', file: '/etc/onair/environment' };

export interface ServiceSettings {
  variables: Readonly<Record<string, string>>;
  findings: Finding[];
}

/** The variables that systemd hands to the server on the data folder `data`; none where that is not the service's. */
export function serviceSettings(data: string, service = SERVICE): ServiceSettings {
  const { file } = service;
  if (data !== service.data) return { variables: {}, findings: [] };
  try {
    const variables = Object.fromEntries(readFileSync(file, 'utf8').split('\n').flatMap(variableIn));
    return { variables, findings: othersMayRead('settings', file, 0o007) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { variables: {}, findings: [] };
    const detail = `${file}, which has settings of the service, cannot be read by this user (${message}); what is said below may be about others.`;
    const remedy = `As root give it to the group of the service: chgrp onair ${file} && chmod 0640 ${file}.`;
    return { variables: {}, findings: [warning('settings', detail, remedy)] };
  }
}

/** systemd.exec(5): a line is NAME=value, in quotes or without, or a comment. */
function variableIn(line: string): [string, string][] {
  const [, name, value = ''] = /^\s*(\w+)=(.*?)\s*$/u.exec(line) ?? [];
  return name === undefined ? [] : [[name, value.replace(/^(["'])(.*)\1$/u, '$2')]];
}

export function credentials(env: NodeJS.ProcessEnv): Finding[] {
  const path = credentialsPath(env);
  try {
    const found = othersMayRead('credentials', path, 0o077);
    return found.length > 0 ? found : [ok('credentials', `${path} is its owner's alone.`)];
  } catch {
    return [ok('credentials', `There is no ${path}.`)];
  }
}

/** Throws where there is no such file. `mode` has the rights that are too many. */
function othersMayRead(check: string, path: string, mode: number): Finding[] {
  if ((statSync(path).mode & mode) === 0) return [];
  const detail = `${path} has secrets in it, and others on this machine may read it or write to it.`;
  return [
    warning(
      check,
      detail,
      `Take their rights: chmod ${mode === 0o007 ? 'o=' : 'go='} ${path}. Then replace the secrets.`,
    ),
  ];
}
