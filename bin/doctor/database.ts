/** The database that is the store, where the settings name one. */
import type { AppError } from '../../domain/base/errors.ts';
import { SCHEMA_VERSION } from '../../domain/ports/store.ts';
import { failure, ok, warning, type Finding } from '../../domain/shapes/installation/finding.ts';
import type { Config } from '../settings/config.ts';
import { shownStore } from '../store/store-place.ts';

export async function database(config: Pick<Config, 'store'>): Promise<Finding> {
  // The driver is read only where there is a database.
  const { lookAt } = await import('../../store/shared/look.ts');
  try {
    const found = await lookAt(config.store);
    const version =
      found.schemaVersion === undefined ? 'nothing is in it yet' : `schema version ${found.schemaVersion}`;
    const detail = `The ${shownStore(config)}: ${version}, ${found.megabytes.toFixed(1)} MB, ${found.members} running members.`;
    if (found.schemaVersion !== undefined && found.schemaVersion > SCHEMA_VERSION)
      return failure(
        'store',
        `${detail} This onair reads up to version ${SCHEMA_VERSION}.`,
        'Start the newer onair that wrote it.',
      );
    if (found.warning !== undefined)
      return warning('store', `${detail} ${found.warning}`, 'Add a standby, and name it in synchronous_standby_names.');
    return ok('store', detail);
  } catch (error) {
    const { message, extras } = error as AppError;
    return failure('store', message, extras?.remedy ?? 'Start the database, or correct ONAIR_STORE.');
  }
}
