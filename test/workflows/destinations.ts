/** A broadcast with three Destinations on the rooms of the workflow tests. */
import { z } from 'zod/v3';
import { publishingCreate } from '../../domain/shapes/destinations/publishing.ts';
import type { WorkflowApp } from './workflow-app.ts';

const AT = '2026-01-01T00:00:00.000Z';
export const OLD_KEY = 'altschluessel_0123456789';

/** Beside Web (HLS / TS): `CDN east` with a backup and `CDN west` without one, both RTMP with a stream key. */
export async function bindDestinations(app: WorkflowApp): Promise<{ web: number; east: number; west: number }> {
  const rtmp = (name: string, more: object = {}): never =>
    z.object(publishingCreate).parse({
      name,
      type: 'RTMP',
      settings: { url: 'rtmp://cdn.example/live', stream_key: OLD_KEY, ...more },
    }) as never;
  return app.store.tx((tx) => {
    const stamps = { created_at: AT, updated_at: AT };
    const livestream = tx.get('livestreams', app.livestreamId)!;
    const web = livestream.publishingId!;
    const east = tx.insert('publishings', {
      ...stamps,
      ...(rtmp('CDN east', { backup_url: 'rtmp://b.example/live' }) as object),
    } as never).id;
    const west = tx.insert('publishings', { ...stamps, ...(rtmp('CDN west') as object) } as never).id;
    const group = tx.insert('publishingGroups', {
      ...stamps,
      name: 'All',
      description: null,
      elements: [web, east, west],
    });
    tx.put('livestreams', { ...livestream, publishingId: null, publishingGroupId: group.id });
    return { web, east, west };
  });
}
