/**
 * Valid arguments for every operation, made from resources of the world. A new operation needs one line here. Each call makes twins:
 * the same resources again under other names, so that a write can be done once through each door.
 */
import * as of from './world.ts';
import type { Row, World } from './world.ts';
import type { Args } from './doors.ts';

type Example = (world: World) => Args | Promise<Args>;

/** Over MCP a list is short unless asked otherwise: asked for the same page, every door answers the same. */
const WHOLE = { pageSize: 50, fields: '*', sort: 'id' };

const listOf =
  (make: (world: World) => Promise<Row>): Example =>
  async (world) => ({ ...WHOLE, search: (await make(world))['name'] as string });
/** The oldest rows of a list that cannot be searched: nothing comes before them. */
const firstOf =
  (more: Args = {}): Example =>
  () => ({ ...WHOLE, pageSize: 1, ...more });
const idOf =
  (param: string, make: (world: World) => Promise<Row>, more: (world: World) => Args = () => ({})): Example =>
  async (world) => ({ [param]: (await make(world)).id, ...more(world) });
const renamed = (world: World): Args => ({ name: world.name() });

export const EXAMPLES: Readonly<Record<string, Example>> = {
  getAllLivestreams: async (world) => ({
    ...(await listOf(of.livestream)(world)),
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
  getLivestreamStatus: idOf('livestreamId', of.livestream),
  getLivestreamStartConfig: idOf('livestreamId', of.livestream),
  getLivestreamEnriched: idOf('livestreamId', of.livestream),
  updateLivestreamOptions: idOf('livestreamId', of.livestream, () => ({ scteMarkers: true, crop: { left: 10 } })),
  getLivestreamEvents: idOf('livestreamId', of.livestream, () => WHOLE),

  // Off air: each of these is refused, the same by every door. On air they are in test/tools/ and test/e2e/.
  runtimeApplyLogo: async (world) => ({
    livestreamId: (await of.livestream(world)).id,
    logo: { filename: (await of.asset(world)).filename, position: 'Top-Left' },
  }),
  runtimeApplyBlackout: idOf('livestreamId', of.livestream, () => ({ mode: 'Black Frame', keepAudio: true })),
  runtimeTogglePublishings: async (world) => {
    const { id, publishingId } = await of.livestream(world);
    return { livestreamId: id, publishings: [{ publishingId: publishingId as number, primary: false }] };
  },
  runtimeApplySourceSwitch: async (world) => ({
    livestreamId: (await of.livestream(world)).id,
    channelId: (await of.channel(world)).id,
  }),
  runtimePushMetadata: idOf('livestreamId', of.livestream, () => ({ type: 'CueOut', metadata: { duration: 30 } })),
  runtimeSetAdValues: idOf('livestreamId', of.livestream, () => ({ default_ad_duration: 30, max_ad_duration: null })),
  setLivestreamText: idOf('livestreamId', of.livestream, () => ({ action: 'show', text: 'Live from %H:%M' })),
  getLivestreamPreview: idOf('livestreamId', of.livestream, () => ({ width: 320 })),

  getLivestreamActions: async (world) => ({ ...WHOLE, livestreamId: (await of.plannedAction(world))['livestreamId'] }),
  addLivestreamAction: idOf('livestreamId', of.livestream, () => of.actionBody()),
  getAllPlannedActions: firstOf(),
  getPlannedAction: idOf('actionId', of.plannedAction),
  updatePlannedAction: idOf('actionId', of.plannedAction, () => ({ payload: { action: 'hide' } })),
  deletePlannedAction: idOf('actionId', of.plannedAction),
  enablePlannedAction: async (world) => {
    const { id } = await of.plannedAction(world);
    await world.post(`/plannedActions/${id}/disable`, {});
    return { actionId: id };
  },
  disablePlannedAction: idOf('actionId', of.plannedAction),

  getAllChannels: listOf(of.channel),
  addChannel: of.channelBody,
  getChannelById: idOf('channelId', of.channel),
  updateChannel: idOf('channelId', of.channel, of.channelBody),
  deleteChannel: idOf('channelId', of.channel),

  getAllPublishings: listOf(of.publishing),
  addPublishing: of.publishingBody,
  getPublishingById: idOf('publishingId', of.publishing),
  updatePublishing: idOf('publishingId', of.publishing, of.publishingBody),
  deletePublishing: idOf('publishingId', of.publishing),
  getAllPublishingGroups: listOf(of.publishingGroup),
  addPublishingGroup: async (world) => ({ name: world.name(), elements: [(await of.publishing(world)).id] }),
  updatePublishingGroup: idOf('groupId', of.publishingGroup, renamed),
  deletePublishingGroup: idOf('groupId', of.publishingGroup),

  createPlaybackLink: async (world) => {
    const publishing = await world.post('/publishings', { name: world.name(), type: 'HLS / TS', access: 'token' });
    const body = { ...(await of.livestreamBody(world)), publishingId: publishing.id };
    const livestream = await world.post('/livestreams', body);
    return { livestreamId: livestream.id, publishingId: publishing.id, expires_in: 600 };
  },

  getRecordings: listOf(of.recording),
  getRecording: idOf('recordingId', of.recording),
  getRecordingTracks: idOf('recordingId', of.recording, () => ({ pageSize: 50, fields: '*' })),
  createRecordingDownload: idOf('recordingId', of.recording, () => ({ expires_in: 60 })),
  createClip: idOf('recordingId', of.recording, (world) => ({ in: 0.5, out: 1.5, filename: `${world.name()}.mp4` })),
  deleteRecording: idOf('recordingId', of.recording),

  getAllEncodings: listOf(of.encoding),
  addEncoding: (world) => ({ name: world.name(), settings_video: { height: 360, bitrate: 800 } }),
  getEncodingById: idOf('encodingId', of.encoding),
  updateEncoding: idOf('encodingId', of.encoding, () => ({ settings_video: { bitrate: 900 } })),
  deleteEncoding: idOf('encodingId', of.encoding),
  getAllEncodingGroups: listOf(of.encodingGroup),
  addEncodingGroup: async (world) => ({ name: world.name(), elements: [(await of.encoding(world)).id] }),
  updateEncodingGroup: idOf('groupId', of.encodingGroup, renamed),
  deleteEncodingGroup: idOf('groupId', of.encodingGroup),

  getAllDevices: firstOf(),
  addDevice: (world) => of.deviceBody(world),
  deleteDevice: idOf('deviceId', of.remoteDevice),
  getDevicesStatus: () => ({}),
  getDevicesLiveStatus: firstOf(),
  getDeviceById: async (world) => ({ deviceId: await of.deviceId(world) }),
  updateDevice: async (world) => ({ deviceId: await of.deviceId(world), location: 'Rack 4' }),
  getAllDeviceGroups: listOf(of.deviceGroup),
  createDeviceGroup: async (world) => ({ name: world.name(), devices: [await of.deviceId(world)] }),
  updateDeviceGroup: idOf('groupId', of.deviceGroup, renamed),
  deleteDeviceGroup: idOf('groupId', of.deviceGroup),

  getAllSchedules: listOf(of.schedule),
  addSchedule: of.scheduleBody,
  getScheduleById: idOf('scheduleId', of.schedule),
  updateSchedule: idOf('scheduleId', of.schedule, renamed),
  deleteSchedule: idOf('scheduleId', of.schedule),
  getScheduleOccurrences: async (world) => {
    const { id, start, recurrence } = await of.schedule(world);
    return { ...WHOLE, sort: 'start', scheduleId: id, from: start as string, to: recurrence.until as string };
  },
  skipOccurrence: async (world) => {
    const { id, start } = await of.schedule(world);
    return { scheduleId: id, occurrence_start: start as string };
  },
  listScheduleSkips: async (world) => ({ ...WHOLE, scheduleId: (await of.scheduleSkip(world)).scheduleId }),
  restoreSkip: of.scheduleSkip,
  patchScheduleUntil: idOf('scheduleId', of.schedule, () => ({ until: '2099-01-03T00:00:00Z' })),

  listAssets: firstOf({ fileType: 'logos' }),
  uploadAsset: of.assetBody,
  readAsset: of.asset,
  exportClip: async (world) => {
    const { filename, fileType } = await of.asset(world);
    return { filename, fileType, targetFolderId: (await of.targetFolder(world)).id };
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
  addUserGroup: async (world) => ({ name: world.name(), elements: [(await of.user(world)).id] }),
  updateUserGroup: idOf('groupId', of.userGroup, renamed),
  deleteUserGroup: idOf('groupId', of.userGroup),

  listApiTokens: listOf(of.token),
  createApiToken: (world) => ({ name: world.name(), expires_days: 7 }),
  revokeApiToken: async (world) => ({ kid: (await of.token(world))['kid'] as string }),

  getSystemLicenses: firstOf(),
  installLicense: of.licenceBody,
  downloadSystemInfo: () => ({}),
  getAuditLog: firstOf(),
};
