/** Every operation and workflow that the interface has, with its method and path, written down apart from the tools that offer it. */

/** Path prefix of a resource, and its operations: `operationId: METHOD rest-of-path`. */
const OFFERED: Record<string, Record<string, string>> = {
  '/livestreams': {
    getAllLivestreams: 'GET',
    addLivestream: 'POST',
    getLivestreamsStatus: 'GET /status',
    getAllEvents: 'GET /events',
    getLivestreamById: 'GET /{livestreamId}',
    updateLivestream: 'PUT /{livestreamId}',
    deleteLivestream: 'DELETE /{livestreamId}',
    startLivestream: 'POST /{livestreamId}/start',
    stopLivestream: 'POST /{livestreamId}/stop',
    getLivestreamStatus: 'GET /{livestreamId}/status',
    getLivestreamStartConfig: 'GET /{livestreamId}/startConfig',
    getLivestreamEnriched: 'GET /{livestreamId}/enriched',
    getLivestreamEvents: 'GET /{livestreamId}/events',
    updateLivestreamOptions: 'PUT /{livestreamId}/options',
    runtimeApplyLogo: 'POST /{livestreamId}/runtimeOptions/logo',
    runtimeApplyBlackout: 'POST /{livestreamId}/runtimeOptions/blackout',
    runtimeTogglePublishings: 'POST /{livestreamId}/runtimeOptions/publishings',
    runtimeApplySourceSwitch: 'POST /{livestreamId}/runtimeOptions/sourceSwitch',
    runtimePushMetadata: 'POST /{livestreamId}/runtimeOptions/metadata',
    runtimeSetAdValues: 'POST /{livestreamId}/runtimeOptions/adValues',
    setLivestreamText: 'POST /{livestreamId}/text',
    getLivestreamPreview: 'GET /{livestreamId}/preview',
    createPlaybackLink: 'POST /{livestreamId}/playbackLinks',
    getLivestreamActions: 'GET /{livestreamId}/actions',
    addLivestreamAction: 'POST /{livestreamId}/actions',
  },
  '/plannedActions': {
    getAllPlannedActions: 'GET',
    getPlannedAction: 'GET /{actionId}',
    updatePlannedAction: 'PUT /{actionId}',
    deletePlannedAction: 'DELETE /{actionId}',
    enablePlannedAction: 'POST /{actionId}/enable',
    disablePlannedAction: 'POST /{actionId}/disable',
  },
  '/channels': {
    getAllChannels: 'GET',
    addChannel: 'POST',
    getChannelById: 'GET /{channelId}',
    updateChannel: 'PUT /{channelId}',
    deleteChannel: 'DELETE /{channelId}',
  },
  '/publishings': {
    getAllPublishings: 'GET',
    addPublishing: 'POST',
    getPublishingById: 'GET /{publishingId}',
    updatePublishing: 'PUT /{publishingId}',
    deletePublishing: 'DELETE /{publishingId}',
    getAllPublishingGroups: 'GET /groups',
    addPublishingGroup: 'POST /groups',
    updatePublishingGroup: 'PUT /groups/{groupId}',
    deletePublishingGroup: 'DELETE /groups/{groupId}',
  },
  '/encodings': {
    getAllEncodings: 'GET',
    addEncoding: 'POST',
    getEncodingById: 'GET /{encodingId}',
    updateEncoding: 'PUT /{encodingId}',
    deleteEncoding: 'DELETE /{encodingId}',
    getAllEncodingGroups: 'GET /groups',
    addEncodingGroup: 'POST /groups',
    updateEncodingGroup: 'PUT /groups/{groupId}',
    deleteEncodingGroup: 'DELETE /groups/{groupId}',
  },
  '/devices': {
    getAllDevices: 'GET',
    addDevice: 'POST',
    getDevicesStatus: 'GET /status',
    getDevicesLiveStatus: 'GET /livestatus',
    getDeviceById: 'GET /{deviceId}',
    updateDevice: 'PUT /{deviceId}',
    deleteDevice: 'DELETE /{deviceId}',
    getAllDeviceGroups: 'GET /groups',
    createDeviceGroup: 'POST /groups',
    updateDeviceGroup: 'PUT /groups/{groupId}',
    deleteDeviceGroup: 'DELETE /groups/{groupId}',
  },
  '/setUp': { setUpBroadcast: 'POST' },
  '/assets': {
    listAssets: 'GET',
    uploadAsset: 'POST',
    readAsset: 'GET /{filename}',
    deleteAsset: 'DELETE /{filename}',
    exportClip: 'POST /{filename}/exports',
  },
  '/schedules': {
    getAllSchedules: 'GET',
    addSchedule: 'POST',
    getScheduleOccurrences: 'GET /occurrences',
    getScheduleById: 'GET /{scheduleId}',
    updateSchedule: 'PUT /{scheduleId}',
    deleteSchedule: 'DELETE /{scheduleId}',
    skipOccurrence: 'POST /{scheduleId}/skips',
    listScheduleSkips: 'GET /{scheduleId}/skips',
    restoreSkip: 'DELETE /{scheduleId}/skips/{skipId}',
    patchScheduleUntil: 'PATCH /{scheduleId}/until',
  },
  '/settings/integrations/drmproviders': {
    getAllDrmProviders: 'GET',
    addDrmProvider: 'POST',
    getDrmProviderById: 'GET /{providerId}',
    updateDrmProvider: 'PUT /{providerId}',
    deleteDrmProvider: 'DELETE /{providerId}',
    validateDrmProvider: 'POST /{providerId}/validate',
  },
  '/settings/integrations/cloud': {
    getAllCloudAccounts: 'GET',
    addCloudAccount: 'POST',
    getCloudAccountById: 'GET /{accountId}',
    updateCloudAccount: 'PUT /{accountId}',
    deleteCloudAccount: 'DELETE /{accountId}',
    validateCloudAccount: 'POST /{accountId}/validate',
  },
  '/settings/integrations/transcription': {
    getTranscriptionAccount: 'GET /account',
    getTranscriptionConfig: 'GET /config',
    updateTranscriptionConfig: 'PUT /config',
    getTranscriptionCollections: 'GET /collections',
    getTranscriptionTemplates: 'GET /templates',
    getTranscriptionAssetStatus: 'GET /assets/{assetId}/status',
    handOffToTranscription: 'POST /assets',
  },
  '/remotefolders': {
    getAllRemoteFolders: 'GET',
    addRemoteFolder: 'POST',
    getRemoteFolderById: 'GET /{folderId}',
    updateRemoteFolder: 'PUT /{folderId}',
    deleteRemoteFolder: 'DELETE /{folderId}',
    validateRemoteFolder: 'POST /{folderId}/validate',
  },
  '/targetfolders': {
    getAllTargetFolders: 'GET',
    addTargetFolder: 'POST',
    getTargetFolderById: 'GET /{folderId}',
    updateTargetFolder: 'PUT /{folderId}',
    deleteTargetFolder: 'DELETE /{folderId}',
    validateTargetFolder: 'POST /{folderId}/validate',
  },
  '/users': {
    getAllUsers: 'GET',
    addUser: 'POST',
    getUserById: 'GET /{userId}',
    updateUser: 'PUT /{userId}',
    deleteUser: 'DELETE /{userId}',
    getUserProfile: 'GET /{userId}/profile',
    updateUserProfile: 'PUT /{userId}/profile',
  },
  '/usergroups': {
    getAllUserGroups: 'GET',
    addUserGroup: 'POST',
    updateUserGroup: 'PUT /{groupId}',
    deleteUserGroup: 'DELETE /{groupId}',
  },
  '/security/tokens': {
    listApiTokens: 'GET',
    createApiToken: 'POST',
    revokeApiToken: 'DELETE /{kid}',
  },
  '/recordings': {
    getRecordings: 'GET',
    getRecording: 'GET /{recordingId}',
    deleteRecording: 'DELETE /{recordingId}',
    getRecordingTracks: 'GET /{recordingId}/tracks',
    createRecordingDownload: 'POST /{recordingId}/downloads',
    createClip: 'POST /{recordingId}/clips',
  },
  '/system': {
    getSystemLicenses: 'GET /licenses',
    installLicense: 'POST /licenses',
    downloadSystemInfo: 'GET /info/download',
    getAuditLog: 'GET /audit',
  },
  '/workflows': {
    channel_slot_usage: 'POST /channel_slot_usage',
    get_livestream_status: 'POST /get_livestream_status',
    get_start_targets: 'POST /get_start_targets',
    schedule_livestream: 'POST /schedule_livestream',
    start_livestream: 'POST /start_livestream',
    stop_livestream: 'POST /stop_livestream',
    toggle_destination: 'POST /toggle_destination',
    update_destination_stream_key: 'POST /update_destination_stream_key',
  },
};

/** Part of the interface, not of this version. An operation that has come is taken to the table above. */
const NOT_YET: Record<string, Record<string, string>> = {};

/** `operationId → METHOD /path`, as a tool declares it. */
export const SPECIFIED = routesOf(OFFERED);
export const NOT_YET_OFFERED = routesOf(NOT_YET);

function routesOf(groups: typeof OFFERED): ReadonlyMap<string, string> {
  const routes = Object.entries(groups).flatMap(([prefix, operations]) =>
    Object.entries(operations).map(([name, route]) => {
      const [method, path = ''] = route.split(' ');
      return [name, `${method} ${prefix}${path}`] as const;
    }),
  );
  return new Map(routes);
}
