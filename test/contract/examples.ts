/**
 * Valid arguments for every operation and workflow, made from resources of the resources. A new operation needs one line here. Each call makes twins:
 * the same resources again under other names, so that a write can be done once through each door.
 */
import * as of from './resources.ts';
import type { Row, Resources } from './resources.ts';
import type { Args } from './apis.ts';

type Example = (resources: Resources) => Args | Promise<Args>;

/** Over MCP a list is short unless asked otherwise: asked for the same page, every door answers the same. */
const WHOLE = { pageSize: 50, fields: '*', sort: 'id' };

const listOf =
  (make: (resources: Resources) => Promise<Row>): Example =>
  async (resources) => ({ ...WHOLE, search: (await make(resources))['name'] as string });
/** The oldest rows of a list that cannot be searched: nothing comes before them. */
const firstOf =
  (more: Args = {}): Example =>
  () => ({ ...WHOLE, pageSize: 1, ...more });
const idOf =
  (
    param: string,
    make: (resources: Resources) => Promise<Row>,
    more: (resources: Resources) => Args = () => ({}),
  ): Example =>
  async (resources) => ({ [param]: (await make(resources)).id, ...more(resources) });
const renamed = (resources: Resources): Args => ({ name: resources.name() });
/** A workflow takes a Live stream by its name. */
const nameOf =
  (more: Args = {}): Example =>
  async (resources) => ({ livestream: (await of.livestream(resources))['name'] as string, ...more });
/** A Live stream that delivers to a Destination with a stream key. */
const pushOf =
  (more: () => Args): Example =>
  async (resources) => {
    const { id: publishingId, name: destination } = await of.publishing(resources);
    const body: Args = { ...(await of.livestreamBody(resources)), publishingId };
    await resources.post('/livestreams', body);
    return { livestream: body['name'] as string, destination: destination as string, ...more() };
  };

export const EXAMPLES: Readonly<Record<string, Example>> = {
  getAllLivestreams: async (resources) => ({
    ...(await listOf(of.livestream)(resources)),
    includeChannel: true,
    includeDestinations: true,
  }),
  addLivestream: of.livestreamBody,
  getLivestreamsStatus: listOf(of.livestream),
  getLivestreamById: idOf('livestreamId', of.livestream),
  updateLivestream: idOf('livestreamId', of.livestream, renamed),
  deleteLivestream: idOf('livestreamId', of.livestream),
  startLivestream: idOf('livestreamId', of.livestream),
  stopLivestream: idOf('livestreamId', of.livestream),
  moveLivestream: idOf('livestreamId', of.livestream),
  getLivestreamStatus: idOf('livestreamId', of.livestream),
  getLivestreamStartConfig: idOf('livestreamId', of.livestream),
  getLivestreamEnriched: idOf('livestreamId', of.livestream),
  updateLivestreamOptions: idOf('livestreamId', of.livestream, () => ({ scteMarkers: true, crop: { left: 10 } })),
  getLivestreamEvents: idOf('livestreamId', of.livestream, () => WHOLE),
  getRunReport: idOf('livestreamId', of.livestream, () => ({
    from: '2020-01-01T00:00:00Z',
    to: '2020-01-01T01:00:00Z',
  })),
  // A day that is over: the answer is always the same.
  getLivestreamAudience: idOf('livestreamId', of.livestream, () => ({
    from: '2020-01-01T00:00:00Z',
    to: '2020-01-02T00:00:00Z',
  })),
  acknowledgeEvent: async (resources) => ({ eventId: (await of.event(resources)).id, note: 'We look into it.' }),
  // What goes on beside it adds events: those before the service ran are always the same.
  getAllEvents: () => ({ ...WHOLE, to: '2020-01-01T00:00:00Z' }),

  // Off air: each of these is refused, the same by every door. On air they are in test/tools/ and test/e2e/.
  runtimeApplyLogo: async (resources) => ({
    livestreamId: (await of.livestream(resources)).id,
    logo: { filename: (await of.asset(resources)).filename, position: 'Top-Left' },
  }),
  runtimeApplyBlackout: idOf('livestreamId', of.livestream, () => ({ mode: 'Black Frame', keepAudio: true })),
  runtimeTogglePublishings: async (resources) => {
    const { id, publishingId } = await of.livestream(resources);
    return { livestreamId: id, publishings: [{ publishingId: publishingId as number, primary: false }] };
  },
  runtimeApplySourceSwitch: async (resources) => ({
    livestreamId: (await of.livestream(resources)).id,
    channelId: (await of.channel(resources)).id,
  }),
  runtimePushMetadata: idOf('livestreamId', of.livestream, () => ({ type: 'CueOut', metadata: { duration: 30 } })),
  runtimeSetAdValues: idOf('livestreamId', of.livestream, () => ({ default_ad_duration: 30, max_ad_duration: null })),
  runtimeRecord: idOf('livestreamId', of.livestream, () => ({ action: 'start' })),
  setLivestreamText: idOf('livestreamId', of.livestream, () => ({ action: 'show', text: 'Live from %H:%M' })),
  getLivestreamPreview: idOf('livestreamId', of.livestream, () => ({ width: 320 })),

  getLivestreamActions: async (resources) => ({
    ...WHOLE,
    livestreamId: (await of.plannedAction(resources))['livestreamId'],
  }),
  addLivestreamAction: idOf('livestreamId', of.livestream, () => of.actionBody()),
  getAllPlannedActions: firstOf(),
  getPlannedAction: idOf('actionId', of.plannedAction),
  updatePlannedAction: idOf('actionId', of.plannedAction, () => ({ payload: { action: 'hide' } })),
  deletePlannedAction: idOf('actionId', of.plannedAction),
  enablePlannedAction: async (resources) => {
    const { id } = await of.plannedAction(resources);
    await resources.post(`/plannedActions/${id}/disable`, {});
    return { actionId: id };
  },
  disablePlannedAction: idOf('actionId', of.plannedAction),

  getAllChannels: listOf(of.channel),
  addChannel: of.channelBody,
  getChannelById: idOf('channelId', of.channel),
  updateChannel: idOf('channelId', of.channel, of.channelBody),
  deleteChannel: idOf('channelId', of.channel),
  revealIngestKey: idOf('channelId', of.pushedChannel),
  rotateIngestKey: idOf('channelId', of.pushedChannel),
  probeChannel: idOf('channelId', of.channel),
  getChannelPreview: idOf('channelId', of.channel, () => ({ width: 320 })),

  getAllPublishings: listOf(of.publishing),
  addPublishing: of.publishingBody,
  getPublishingById: idOf('publishingId', of.publishing),
  updatePublishing: idOf('publishingId', of.publishing, of.publishingBody),
  deletePublishing: idOf('publishingId', of.publishing),
  getAllPublishingGroups: listOf(of.publishingGroup),
  addPublishingGroup: async (resources) => ({
    name: resources.name(),
    elements: [(await of.publishing(resources)).id],
  }),
  updatePublishingGroup: idOf('groupId', of.publishingGroup, renamed),
  deletePublishingGroup: idOf('groupId', of.publishingGroup),

  createPlaybackLink: async (resources) => {
    const publishing = await resources.post('/publishings', {
      name: resources.name(),
      type: 'HLS / TS',
      access: 'token',
    });
    const body = { ...(await of.livestreamBody(resources)), publishingId: publishing.id };
    const livestream = await resources.post('/livestreams', body);
    return { livestreamId: livestream.id, publishingId: publishing.id, expires_in: 600 };
  },

  getRecordings: listOf(of.recording),
  getRecording: idOf('recordingId', of.recording),
  getRecordingTracks: idOf('recordingId', of.recording, () => ({ pageSize: 50, fields: '*' })),
  createRecordingDownload: idOf('recordingId', of.recording, () => ({ expires_in: 60 })),
  createClip: idOf('recordingId', of.recording, (resources) => ({
    in: 0.5,
    out: 1.5,
    filename: `${resources.name()}.mp4`,
  })),
  deleteRecording: idOf('recordingId', of.ownRecording),

  getAllEncodings: listOf(of.encoding),
  addEncoding: (resources) => ({ name: resources.name(), settings_video: { height: 360, bitrate: 800 } }),
  getEncodingById: idOf('encodingId', of.encoding),
  updateEncoding: idOf('encodingId', of.encoding, () => ({ settings_video: { bitrate: 900 } })),
  deleteEncoding: idOf('encodingId', of.encoding),
  getAllEncodingGroups: listOf(of.encodingGroup),
  addEncodingGroup: async (resources) => ({ name: resources.name(), elements: [(await of.encoding(resources)).id] }),
  updateEncodingGroup: idOf('groupId', of.encodingGroup, renamed),
  deleteEncodingGroup: idOf('groupId', of.encodingGroup),

  getAllWalls: listOf(of.wall),
  addWall: async (resources) => ({ name: resources.name(), livestreamIds: [(await of.livestream(resources)).id] }),
  updateWall: idOf('wallId', of.wall, () => ({ layout: 4, tags: ['sport'] })),
  deleteWall: idOf('wallId', of.wall),
  listDisplayLinks: async (resources) => ({ ...WHOLE, wallId: Number((await of.displayLink(resources))['wallId']) }),
  createDisplayLink: idOf('wallId', of.wall, () => ({ name: 'Lobby' })),
  revokeDisplayLink: async (resources) => {
    const { wallId, kid } = await of.displayLink(resources);
    return { wallId: Number(wallId), kid: String(kid) };
  },

  getAllDevices: firstOf(),
  listJoinTokens: listOf(of.joinToken),
  createJoinToken: (resources) => ({ name: resources.name(), max_uses: 3, expires_days: 7 }),
  revokeJoinToken: async (resources) => ({ kid: (await of.joinToken(resources))['kid'] as string }),
  addDevice: (resources) => of.deviceBody(resources),
  deleteDevice: idOf('deviceId', of.remoteDevice),
  drainDevice: idOf('deviceId', of.idleDevice),
  undrainDevice: idOf('deviceId', of.idleDevice),
  holdFleet: () => ({}),
  releaseFleet: async (resources) => {
    await resources.post('/devices/fleet/hold', {});
    return {};
  },
  getDevicesStatus: () => ({}),
  getDevicesLiveStatus: firstOf(),
  getDeviceById: async (resources) => ({ deviceId: await of.deviceId(resources) }),
  updateDevice: async (resources) => ({ deviceId: await of.deviceId(resources), location: 'Rack 4' }),
  getAllDeviceGroups: listOf(of.deviceGroup),
  createDeviceGroup: async (resources) => ({ name: resources.name(), devices: [await of.deviceId(resources)] }),
  updateDeviceGroup: idOf('groupId', of.deviceGroup, renamed),
  deleteDeviceGroup: idOf('groupId', of.deviceGroup),

  getAllSchedules: listOf(of.schedule),
  addSchedule: of.scheduleBody,
  getScheduleById: idOf('scheduleId', of.schedule),
  updateSchedule: idOf('scheduleId', of.schedule, renamed),
  deleteSchedule: idOf('scheduleId', of.schedule),
  getScheduleOccurrences: async (resources) => {
    const { id, start, recurrence } = await of.schedule(resources);
    return { ...WHOLE, sort: 'start', scheduleId: id, from: start as string, to: recurrence.until as string };
  },
  skipOccurrence: async (resources) => {
    const { id, start } = await of.schedule(resources);
    return { scheduleId: id, occurrence_start: start as string };
  },
  listScheduleSkips: async (resources) => ({ ...WHOLE, scheduleId: (await of.scheduleSkip(resources)).scheduleId }),
  restoreSkip: of.scheduleSkip,
  patchScheduleUntil: idOf('scheduleId', of.schedule, () => ({ until: '2099-01-03T00:00:00Z' })),

  listPresets: () => ({ ...WHOLE, kind: 'template' }),
  // Its start is one that a machine of the tests has room for once: the dry run goes all the way but to the Device.
  setUpBroadcast: (resources) => ({
    name: resources.name(),
    address: (of.channelBody(resources)['settings'] as { url: string }).url,
    dry_run: true,
  }),

  listAssets: firstOf({ fileType: 'logos' }),
  uploadAsset: of.assetBody,
  readAsset: of.asset,
  exportClip: async (resources) => {
    const { filename, fileType } = await of.asset(resources);
    return { filename, fileType, targetFolderId: (await of.targetFolder(resources)).id };
  },
  deleteAsset: of.asset,

  getAllDrmProviders: listOf(of.drmProvider),
  addDrmProvider: of.spekeProviderBody,
  getDrmProviderById: idOf('providerId', of.drmProvider),
  updateDrmProvider: idOf('providerId', of.drmProvider, of.drmProviderBody),
  deleteDrmProvider: idOf('providerId', of.drmProvider),
  validateDrmProvider: idOf('providerId', of.drmProvider),

  getAllCloudAccounts: firstOf(),
  addCloudAccount: of.cloudAccountBody,
  getCloudAccountById: idOf('accountId', of.cloudAccount),
  updateCloudAccount: idOf('accountId', of.cloudAccount, of.cloudAccountBody),
  deleteCloudAccount: idOf('accountId', of.cloudAccount),
  validateCloudAccount: idOf('accountId', of.cloudAccount),

  // Nobody listens where the tenant is said to be: each of these is refused, the same by every door.
  getTranscriptionAccount: () => ({}),
  getTranscriptionConfig: () => ({}),
  updateTranscriptionConfig: () => ({ default_collection: 'broadcasts' }),
  getTranscriptionCollections: () => ({}),
  getTranscriptionTemplates: () => ({}),
  getTranscriptionAssetStatus: () => ({ assetId: 'asset-7' }),
  handOffToTranscription: idOf('recordingId', of.recording),

  getAllRemoteFolders: listOf(of.remoteFolder),
  addRemoteFolder: of.remoteFolderBody,
  getRemoteFolderById: idOf('folderId', of.remoteFolder),
  updateRemoteFolder: idOf('folderId', of.remoteFolder, of.remoteFolderBody),
  deleteRemoteFolder: idOf('folderId', of.remoteFolder),
  validateRemoteFolder: idOf('folderId', of.remoteFolder),

  getAllTargetFolders: listOf(of.targetFolder),
  addTargetFolder: of.ftpFolderBody,
  getTargetFolderById: idOf('folderId', of.targetFolder),
  updateTargetFolder: idOf('folderId', of.targetFolder, of.targetFolderBody),
  deleteTargetFolder: idOf('folderId', of.targetFolder),
  validateTargetFolder: idOf('folderId', of.targetFolder),

  getAllUsers: firstOf(),
  addUser: of.userBody,
  getUserById: idOf('userId', of.user),
  updateUser: idOf('userId', of.user, () => ({ first_name: 'Grace' })),
  deleteUser: idOf('userId', of.user),
  getUserProfile: idOf('userId', of.user),
  updateUserProfile: idOf('userId', of.user, () => ({ language: 'de' })),
  getAllUserGroups: listOf(of.userGroup),
  addUserGroup: async (resources) => ({ name: resources.name(), elements: [(await of.member(resources)).id] }),
  updateUserGroup: idOf('groupId', of.userGroup, renamed),
  deleteUserGroup: idOf('groupId', of.userGroup),

  listApiTokens: listOf(of.token),
  createApiToken: (resources) => ({ name: resources.name(), expires_days: 7 }),
  revokeApiToken: async (resources) => ({ kid: (await of.token(resources))['kid'] as string }),

  getAllMailRules: listOf(of.mailRule),
  addMailRule: of.mailRuleBody,
  updateMailRule: idOf('ruleId', of.mailRule, () => ({ after_seconds: 30 })),
  deleteMailRule: idOf('ruleId', of.mailRule),
  testMailRule: idOf('ruleId', of.mailRule),

  getSystemAlarms: firstOf(),
  getSystemLicenses: firstOf(),
  installLicense: of.licenceBody,
  downloadSystemInfo: () => ({}),
  getAuditLog: firstOf(),
  getMembers: () => ({}),
  getRestore: () => ({}),
  acknowledgeRestore: () => ({}),

  channel_slot_usage: () => ({}),
  get_livestream_status: nameOf(),
  get_start_targets: nameOf(),
  schedule_livestream: nameOf({ start: '2099-01-01T20:00:00Z', end: '2099-01-01T21:00:00Z', timezone: 'UTC' }),
  // Its source never comes, so that nothing but the order is waited for.
  start_livestream: nameOf({ wait_seconds: 0 }),
  stop_livestream: nameOf(),
  // Refused off air, the same by every door.
  toggle_destination: pushOf(() => ({ path: 'primary', enabled: false })),
  update_destination_stream_key: pushOf(() => ({ stream_key: `${of.CANARY}-new-key` })),
};
