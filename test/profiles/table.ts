/**
 * Who may call what, written down apart from the tools: for each profile the operations, by role. A cell names the profiles that allow
 * them: V voice, R readonly, O operator, F full; first for an Operator, then for a System Administrator.
 */
export const TABLE: Readonly<Record<string, string>> = {
  'VROF VROF': `
    getAllLivestreams getLivestreamsStatus getLivestreamStatus getLivestreamEvents getAllEvents
    getLivestreamActions getAllChannels getAllPublishings getAllPublishingGroups getAllEncodings getAllEncodingGroups
    getAllSchedules getScheduleById getScheduleOccurrences listScheduleSkips getAllPlannedActions
    getRecordings getRecordingTracks
    getAllDevices getAllDeviceGroups getDevicesStatus getDevicesLiveStatus listAssets
    channel_slot_usage get_start_targets get_livestream_status`,
  'VOF VOF': `
    startLivestream stopLivestream runtimeApplyLogo runtimeApplyBlackout runtimeTogglePublishings setLivestreamText
    addSchedule updateSchedule deleteSchedule skipOccurrence restoreSkip patchScheduleUntil
    addPublishingGroup updatePublishingGroup deletePublishingGroup updateChannel
    start_livestream stop_livestream toggle_destination schedule_livestream`,
  'ROF ROF': `
    getLivestreamById getLivestreamStartConfig getLivestreamEnriched getLivestreamPreview getLivestreamAudience
    getChannelPreview
    getChannelById getPublishingById getEncodingById getPlannedAction getRecording getDeviceById readAsset
    getTranscriptionAccount getTranscriptionConfig getTranscriptionCollections getTranscriptionTemplates
    getTranscriptionAssetStatus listPresets getRestore getRunReport getAllWalls`,
  'OF OF': `
    addLivestream updateLivestream deleteLivestream updateLivestreamOptions setUpBroadcast
    runtimeApplySourceSwitch runtimePushMetadata runtimeSetAdValues runtimeRecord moveLivestream
    addChannel deleteChannel revealIngestKey rotateIngestKey probeChannel addPublishing updatePublishing deletePublishing
    addEncoding updateEncoding deleteEncoding addEncodingGroup updateEncodingGroup deleteEncodingGroup
    addLivestreamAction updatePlannedAction deletePlannedAction enablePlannedAction disablePlannedAction
    createPlaybackLink deleteRecording createRecordingDownload createClip exportClip handOffToTranscription
    uploadAsset deleteAsset update_destination_stream_key acknowledgeEvent addWall updateWall deleteWall`,
  '- RF': `
    getAllUsers getUserById getUserProfile getAllUserGroups listApiTokens listJoinTokens getSystemAlarms getSystemLicenses downloadSystemInfo
    getAuditLog getMembers
    getAllDrmProviders getDrmProviderById getAllCloudAccounts getCloudAccountById
    getAllRemoteFolders getRemoteFolderById getAllTargetFolders getTargetFolderById getAllMailRules listDisplayLinks`,
  '- F': `
    addDevice updateDevice deleteDevice drainDevice undrainDevice holdFleet releaseFleet createDeviceGroup updateDeviceGroup deleteDeviceGroup
    addUser updateUser deleteUser updateUserProfile addUserGroup updateUserGroup deleteUserGroup
    acknowledgeRestore createApiToken revokeApiToken createJoinToken revokeJoinToken installLicense updateTranscriptionConfig
    addDrmProvider updateDrmProvider deleteDrmProvider validateDrmProvider
    addCloudAccount updateCloudAccount deleteCloudAccount validateCloudAccount
    addRemoteFolder updateRemoteFolder deleteRemoteFolder validateRemoteFolder
    addTargetFolder updateTargetFolder deleteTargetFolder validateTargetFolder
    addMailRule updateMailRule deleteMailRule testMailRule createDisplayLink revokeDisplayLink`,
};

const LETTERS = { voice: 'V', readonly: 'R', operator: 'O', full: 'F' } as const;
export type ProfileName = keyof typeof LETTERS;

/** Every operation and workflow, with the profiles that allow it to an Operator and to a System Administrator. */
export const ROWS: readonly { name: string; operator: ProfileName[]; admin: ProfileName[] }[] = Object.entries(
  TABLE,
).flatMap(([cell, names]) => {
  const [operator = '', admin = ''] = cell.split(' ');
  const profilesOf = (letters: string): ProfileName[] =>
    (Object.keys(LETTERS) as ProfileName[]).filter((name) => letters.includes(LETTERS[name]));
  return names
    .trim()
    .split(/\s+/u)
    .map((name) => ({ name, operator: profilesOf(operator), admin: profilesOf(admin) }));
});
