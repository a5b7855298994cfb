/** Changes on air, as the platform's own runtime operations. */
import { AppError } from '../../domain/base/errors.ts';
import type { OutputSpec, PictureSpec } from '../../domain/shapes/broadcasts/run-spec.ts';
import { changeRowOf, settingOf } from '../../domain/shapes/changes/change-questions.ts';
import {
  isSettingChange,
  valuesOf,
  type RunChange,
  type SettingChange,
} from '../../domain/shapes/changes/run-change.ts';
import type { Platform } from './platform.ts';

/** Rejects with AppError; it is unsupported_by_device for a change that would need files or resources of this site. */
export async function carryOut(
  platform: Platform,
  remoteId: number,
  publishings: ReadonlyMap<number, number>,
  change: RunChange,
): Promise<void> {
  const at = `/livestreams/${remoteId}`;
  const theirs = (id: number): number => {
    const found = publishings.get(id);
    if (found === undefined) throw new AppError('rule_violated', `Publishing ${id} is not part of this run.`);
    return found;
  };
  if (isSettingChange(change)) return changeSetting(platform, at, change);
  switch (change.type) {
    case 'picture':
      return changePicture(platform, at, change.picture);
    case 'paths': {
      const paths = change.paths.map((path) => ({ ...path, publishingId: theirs(path.publishingId) }));
      await platform.call('POST', `${at}/runtimeOptions/publishings`, { body: { publishings: paths } });
      return;
    }
    case 'output': {
      return renew(platform, remoteId, theirs(change.output.publishingId), change.output);
    }
    case 'cue': {
      const { type, ...metadata } = change.cue;
      await platform.call('POST', `${at}/runtimeOptions/metadata`, { body: { type, metadata } });
      return;
    }
    case 'options': {
      const { fallback, ...plain } = change.options;
      const body = { ...plain, ...(fallback !== undefined && { fallback: { mode: fallback.mode } }) };
      if (fallback?.mode === 'file') throw needsFiles('a fallback file');
      await platform.call('PUT', `${at}/options`, { body });
      return;
    }
    case 'outputs':
      throw new AppError(
        'unsupported_by_device',
        'A run on the cloud platform keeps the Destinations of its start: stop it and start it anew.',
      );
    case 'keys':
      throw new AppError(
        'unsupported_by_device',
        'A run on the cloud platform has its content keys from the platform.',
      );
    case 'gate':
      throw new AppError('unsupported_by_device', 'A run on the cloud platform is not moved: the platform places it.');
    case 'source':
      throw new AppError(
        'unsupported_by_device',
        'The source of a run on the cloud platform is not switched from here: stop it and start it with the other Channel.',
      );
  }
}

async function changeSetting(platform: Platform, at: string, change: SettingChange): Promise<void> {
  const { cloud } = settingOf(change.type);
  if (cloud === null)
    throw new AppError(
      'unsupported_by_device',
      `The cloud platform has no operation that ${changeRowOf(change.type).operation} could call from here.`,
    );
  await platform.call('POST', `${at}/${cloud}`, { body: valuesOf(change) });
}

/** Stored settings count from the next start; the platform's own workflow pauses the Destination and resumes it with them. */
async function renew(
  platform: Platform,
  livestream: number,
  destination: number,
  { settings, retry }: OutputSpec,
): Promise<void> {
  const { stream_key, remotefolder: _, ...others } = settings;
  if (stream_key === null)
    throw new AppError(
      'unsupported_by_device',
      'On the cloud platform a Destination without a stream key begins anew with the next start only.',
    );
  const { password, srt, rist } = others;
  const secrets = [stream_key, password, srt.passphrase, rist?.secret]
    .filter((secret) => secret != null)
    .filter((secret) => secret !== '');
  await platform.call('PUT', `/publishings/${destination}`, { body: { settings: others, retry }, secrets });
  const args = { livestream: String(livestream), destination: String(destination), stream_key };
  const { live } = await platform.workflow<Renewed>('update_destination_stream_key', args, secrets);
  const late = live.find(({ in_force }) => in_force !== 'now');
  if (late !== undefined) throw new AppError('wrong_state', late.reason ?? 'The cloud platform has not renewed it.');
}

interface Renewed {
  live: { in_force: string; reason: string | null }[];
}

async function changePicture(platform: Platform, at: string, picture: Partial<PictureSpec>): Promise<void> {
  const { logo, text, blackout } = picture;
  if (logo != null) throw needsFiles('a logo');
  if (blackout?.mode === 'File') throw needsFiles('a file for the blackout');
  if (logo === null) await platform.call('POST', `${at}/runtimeOptions/logo`, { body: { logo: { filename: '' } } });
  if (blackout !== undefined) {
    const { mode, keepAudio } = blackout;
    await platform.call('POST', `${at}/runtimeOptions/blackout`, { body: { mode, keepAudio } });
  }
  if (text === undefined) return;
  const body = text === null ? { action: 'hide' } : { action: 'show', ...text };
  await platform.call('POST', `${at}/text`, { body });
}

function needsFiles(what: string): AppError {
  return new AppError(
    'unsupported_by_device',
    `A run on the cloud platform takes ${what} at its start only: files of this site are not there. Set it on the Live stream and start again.`,
  );
}
