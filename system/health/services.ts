/** Things that this installation depends on beside its machines: licences, key servers, connections, the mail server. */
import type { AlarmFacts, ServiceFacts } from '../../domain/shapes/installation/alarm-facts.ts';
import { failure, ok, warning, type Finding } from '../../domain/shapes/installation/finding.ts';
import { isActive, type Licence } from '../../domain/shapes/installation/licence.ts';

const DAY_MS = 86_400_000;
/** A licence takes some weeks to be renewed, and one that ended long ago is missed by nobody. */
const NEAR_DAYS = 30;
/** A bucket that is away for a night is caught up with by itself. */
const ARCHIVE_LATE_MS = DAY_MS;

export function licenceFindings({ licences, now }: AlarmFacts): Finding<'licences'>[] {
  const wrong = licences.flatMap((licence) => licenceFinding(licence, licences, now));
  if (wrong.length > 0) return wrong;
  const active = licences.filter((licence) => isActive(licence, now)).length;
  return [ok('licences', `${active} in force; none ends within ${NEAR_DAYS} days.`)];
}

function licenceFinding(
  licence: Readonly<Licence>,
  all: readonly Readonly<Licence>[],
  now: string,
): Finding<'licences'>[] {
  const { id: of, licence_id, features, expires_at: end } = licence;
  const days = end === null ? Infinity : (Date.parse(end) - Date.parse(now)) / DAY_MS;
  if (end === null || Math.abs(days) > NEAR_DAYS) return [];
  const later = all.filter((other) => other.expires_at === null || other.expires_at > end);
  const lost = features.filter((feature) => !later.some((other) => other.features.includes(feature)));
  // Another licence goes on with all that it unlocks.
  if (lost.length === 0) return [];
  const remedy = 'Get a renewed file, and install it with installLicense; what is on air goes on.';
  const day = end.slice(0, 10);
  if (days <= 0)
    return [
      failure('licences', `Licence ${licence_id} ended on ${day}: ${lost.join(', ')}.`, remedy, { of, since: end }),
    ];
  const left = Math.floor(days);
  const detail = `Licence ${licence_id} ends on ${day}, in ${left} days: ${lost.join(', ')}.`;
  return [warning('licences', detail, remedy, { of })];
}

export function serviceFindings({ keyServers, connections }: AlarmFacts): Finding<'key_servers' | 'connections'>[] {
  return [
    ...orOk('key_servers', keyServers, 'No key server that is used has failed its validation.'),
    ...orOk('connections', connections, 'No Cloud account, Remote Folder or Target Folder has failed its validation.'),
  ];
}

function orOk<C extends 'key_servers' | 'connections'>(
  check: C,
  services: readonly ServiceFacts[],
  detail: string,
): Finding<C>[] {
  const wrong = services.flatMap((service) => serviceFinding(check, service));
  return wrong.length > 0 ? wrong : [ok(check, detail)];
}

function serviceFinding<C extends 'key_servers' | 'connections'>(check: C, service: ServiceFacts): Finding<C>[] {
  const { called: of, isUsed, operation, validation_status: status, validation_date: since } = service;
  if (status === 'INVALID') {
    const make = check === 'key_servers' && isUsed ? failure : warning;
    const detail = `${of} has failed its validation: ${service.validation_error ?? 'no reason was given'}`;
    return [make(check, detail, `Correct it, then call ${operation}.`, { of, since })];
  }
  if (status === 'VALID' || !isUsed) return [];
  return [warning(check, `${of} is in use and was never validated.`, `Call ${operation}.`, { of })];
}

export function backupFindings({ unsaved }: AlarmFacts): Finding<'backups'>[] {
  if (unsaved.length === 0) return [ok('backups', 'No backup of a Recording has failed.')];
  return unsaved.map(({ id: of, name, backup }) =>
    warning(
      'backups',
      `Recording ${of} "${name}" could not be backed up (${backup?.attempts ?? 0} attempts): ${backup?.error ?? ''}`,
      'See to its Remote Folder and call validateRemoteFolder; it is tried again by itself, and not deleted before.',
      { of },
    ),
  );
}

export function archiveFindings({ archives, now }: AlarmFacts): Finding<'archive'>[] {
  const found = archives.flatMap(({ collection: of, failing }) =>
    failing === null || Date.parse(now) - Date.parse(failing.since) < ARCHIVE_LATE_MS
      ? []
      : [
          warning(
            'archive',
            `${of === 'audit' ? 'Audit entries' : 'Events'} could not be archived since ${failing.since}: ${failing.reason}`,
            'See to the bucket of ONAIR_ARCHIVE and its keys; what is missing is sent by itself, as far as it is kept here.',
            { of, since: failing.since },
          ),
        ],
  );
  return found.length > 0 ? found : [ok('archive', 'No archive of history has failed for a day.')];
}

export function mailFindings({ mailRules }: AlarmFacts, hasMail: boolean): Finding<'mail'>[] {
  if (mailRules.length === 0) return [ok('mail', 'No mail rule is enabled.')];
  if (!hasMail)
    return [
      warning(
        'mail',
        'Mail rules are enabled, and no mail server is set: nobody gets a mail.',
        'Set ONAIR_SMTP_URL and start the server anew.',
      ),
    ];
  const wrong = mailRules.flatMap(({ id: of, name, last_error: error }) =>
    error === null
      ? []
      : [
          warning(
            'mail',
            `The last mail of mail rule ${of} "${name}" did not reach everybody: ${error}`,
            'Correct ONAIR_SMTP_URL or the recipients, then call testMailRule.',
            { of },
          ),
        ],
  );
  return wrong.length > 0 ? wrong : [ok('mail', 'The last mail of each rule was taken.')];
}
