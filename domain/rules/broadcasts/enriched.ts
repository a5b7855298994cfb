/** A Live stream with everything that it refers to, each as its own resource presents it. */
import { z } from 'zod/v3';
import { assetOutput, type Asset } from '../../shapes/media/asset.ts';
import { channelOutput } from '../../shapes/sources/channel.ts';
import type { ResidentName } from '../../ports/collections.ts';
import { START_REFUSALS, type Control } from '../../ports/control.ts';
import { deviceOutput } from '../../shapes/devices/device.ts';
import { deviceGroupOutput } from '../../shapes/devices/device-group.ts';
import { encodingGroupOutput, encodingOutput, presentEncoding } from '../../shapes/encodings/encoding.ts';
import { orderLadder } from '../encodings/ladder.ts';
import { livestreamOutput, type Livestream, type LivestreamView } from '../../shapes/broadcasts/livestream.ts';
import { presentPublishing, publishingGroupOutput, publishingOutput } from '../../shapes/destinations/publishing.ts';
import type { Resource } from '../../ports/resource.ts';
import type { View } from '../../ports/store.ts';
import { boundEncodings, boundPublishings } from './bindings.ts';
import { channelResource } from '../sources/channel.ts';
import { presentDevice } from '../devices/device.ts';
import { deviceGroupResource } from '../devices/device-group.ts';
import { encodingGroupResource } from '../encodings/encoding-group.ts';
import { livestreamResource } from './livestream.ts';
import { broadcastStatus, broadcastStatusOutput } from './broadcast-status.ts';
import { publishingGroupResource } from '../destinations/publishing-group.ts';

export const startReason = z
  .object({ code: z.enum(START_REFUSALS), message: z.string().describe('What is wrong and what to do.') })
  .strict();

export const enrichedOutput = livestreamOutput
  .extend({
    channel: channelOutput.nullable().describe('The Channel.'),
    backup_channel: channelOutput.nullable().describe('The backup Channel.'),
    encoding_group: encodingGroupOutput.nullable().describe('The Encoding group; null with a single Encoding.'),
    encodings: z.array(encodingOutput).describe('The Encodings, in ladder order.'),
    publishing_group: publishingGroupOutput.nullable().describe('The Publishing group; null with a single Publishing.'),
    publishings: z.array(publishingOutput).describe('The Publishings.'),
    device: deviceOutput.nullable().describe('The Device that it is pinned to.'),
    device_group: deviceGroupOutput.nullable().describe('The Device group that it runs on.'),
    logo_asset: assetOutput.nullable().describe('The file of the logo.'),
    fallback_asset: assetOutput.nullable().describe('The file of the fallback.'),
    runtime_status: broadcastStatusOutput,
    startAllowed: z.boolean().describe('Whether a start would be accepted now.'),
    reasons: z.array(startReason).describe('What is in the way of a start; empty when it may start.'),
  })
  .strict()
  .describe('Enriched Live stream: with its references resolved.');

type Shown = Pick<Control, 'checkStart' | 'status' | 'watchAddresses' | 'deviceState' | 'ingest'>;

export function enrich(
  view: View,
  control: Shown,
  row: Readonly<Livestream>,
  now: string,
): z.infer<typeof enrichedOutput> {
  const { startAllowed, reasons } = control.checkStart(view, row.id, {});
  const device = row.deviceId === null ? undefined : view.get('devices', row.deviceId);
  return {
    ...(livestreamResource.present(row, view) as LivestreamView),
    channel: shown(view, control, channelResource, row.channelId),
    backup_channel: shown(view, control, channelResource, row.backupChannelId),
    encoding_group: shown(view, control, encodingGroupResource, row.encodingGroupId),
    encodings: ladderOf(view, row).map(presentEncoding),
    publishing_group: shown(view, control, publishingGroupResource, row.publishingGroupId),
    publishings: boundPublishings(view, row).map(presentPublishing),
    device: device === undefined ? null : presentDevice(device, control),
    device_group: shown(view, control, deviceGroupResource, row.idEncoderGroup),
    logo_asset: assetOf(view, 'logos', row.logo?.filename),
    fallback_asset: assetOf(view, 'files', row.fallback.filename),
    runtime_status: broadcastStatus(view, control, row, now),
    startAllowed,
    reasons,
  };
}

/** The row as its resource presents it, null when nothing is bound; the output schema checks its form. */
function shown<C extends ResidentName>(
  view: View,
  control: Shown,
  { collection, present, live }: Resource<C>,
  id: number | null,
): never {
  const row = id === null ? undefined : view.get(collection, id);
  return (row === undefined ? null : { ...(present(row, view) as object), ...live?.(row, control) }) as never;
}

function ladderOf(view: View, row: Readonly<Livestream>): ReturnType<typeof boundEncodings> {
  const group = row.encodingGroupId === null ? undefined : view.get('encodingGroups', row.encodingGroupId);
  const encodings = boundEncodings(view, row);
  return group === undefined ? encodings : [...orderLadder(encodings, group.quality_order)];
}

function assetOf(view: View, fileType: string, filename: string | null | undefined): Readonly<Asset> | null {
  if (!filename) return null;
  return view.find('assets', { where: { fileType, filename }, limit: 1 }).rows[0] ?? null;
}
