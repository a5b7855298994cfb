/**
 * Held-out search phrases: written from the interface specification alone, by someone who had not seen the aliases, the
 * vocabulary, the other phrase sets or any search result, as people of the trade would say or type them.
 */
export const INDEPENDENT: readonly (readonly [string, ...string[]])[] = [
  // Live streams: on and off air
  ["go live with tonight's mass", 'start_livestream', 'startLivestream'],
  ['put Studio 2 on the air please', 'start_livestream', 'startLivestream'],
  ['kick off the sunday servce stream', 'start_livestream', 'startLivestream'],
  ["we're done here, take us off air", 'stop_livestream', 'stopLivestream'],
  ['kill the feed on court 3', 'stop_livestream', 'stopLivestream'],
  ['pls finnish the webcast now', 'stop_livestream', 'stopLivestream'],
  ["where should I run tonight's derby, our own racks or the cloud", 'get_start_targets'],

  // Live streams: looking
  ['is the wedding actually going out right now?', 'get_livestream_status', 'getLivestreamStatus'],
  [
    'picture is frozen on stage left, whats happening with it',
    'get_livestream_status',
    'getLivestreamStatus',
    'getLivestreamEvents',
  ],
  ['how many fps are we getting on Arena East', 'getLivestreamStatus', 'get_livestream_status'],
  ["who's on air at the moment, all of them", 'getLivestreamsStatus', 'getAllLivestreams'],
  ['what broadcasts have we got set up', 'getAllLivestreams'],
  ['everything about friday night football with its input and outputs spelled out', 'getLivestreamEnriched'],
  ['why did we drop off at 19:42 last night', 'getLivestreamEvents', 'getRunReport'],
  ['did it fail over to the spare during the second half', 'getLivestreamEvents'],
  ['let me see a picture of what viewers get from Chapel cam', 'getLivestreamPreview'],
  ['which outputs were ticked the last time we went live, and may it start again', 'getLivestreamStartConfig'],

  // Live streams: keeping
  ['make a new event for the Easter vigil using the altar camera', 'addLivestream'],
  ['rename the morning show broadcast to Breakfast Live', 'updateLivestream'],
  ['get rid of the old test broadcast, nobody uses it', 'deleteLivestream'],

  // Live streams: while running
  ['stick our bug in the top right corner', 'runtimeApplyLogo'],
  ['take the sponsor watermark away', 'runtimeApplyLogo'],
  ['go to black, somebody is hurt on the pitch', 'runtimeApplyBlackout'],
  ["put up the we'll be right back slate until they fix the mic", 'runtimeApplyBlackout'],
  ['cut over to the other camera feed while we are running', 'runtimeApplySourceSwitch'],
  ['vmix died, take the second srt contribution instead', 'runtimeApplySourceSwitch'],
  ['fire a splice insert for the commercial break', 'runtimePushMetadata'],
  ['send timed id3 with the song title', 'runtimePushMetadata'],
  ['next ad pod should be 90 seconds', 'runtimeSetAdValues'],
  ['lower third saying Pastor John Miller', 'setLivestreamText'],
  ['burn in a clock at bottom left', 'setLivestreamText'],
  ['shave 5 percent off both sides of the picture', 'updateLivestreamOptions', 'updateLivestream'],
  ['stop sending to facebook but keep youtube going', 'toggle_destination', 'runtimeTogglePublishings'],
  ['swtich on the backup path to akamai for court 1', 'toggle_destination', 'runtimeTogglePublishings'],
  ['youtube gave us a new key, change it without ending the show', 'update_destination_stream_key', 'updatePublishing'],

  // Channels
  ['which cameras and feeds can we take in', 'getAllChannels'],
  ['add the new ptz that speaks NDI', 'addChannel'],
  ['create an ingest point so OBS can push to us', 'addChannel'],
  ['a looping mp4 as an input, for testing', 'addChannel'],
  ['what rtmp url do I type into wirecast for input 4', 'getChannelById', 'getAllChannels'],
  ['the m3u8 address of the town hall feed moved, fix it', 'updateChannel'],
  ['srt latency on the stadium link too low, make it 400 ms', 'updateChannel'],
  ['remove the dead satelite input', 'deleteChannel'],

  // Destinations and their groups
  ['where do we send out to, all of it', 'getAllPublishings'],
  ['add twitch as an outpt', 'addPublishing'],
  ['I need a low latency cmaf endpoint for the CDN', 'addPublishing'],
  ['what multicast address do the hotel TVs get', 'getPublishingById', 'getAllPublishings'],
  ['dash chunks 2 seconds long instead of 6', 'updatePublishing'],
  ['it should try more times before giving up on the wowza push', 'updatePublishing'],
  ['delete the vimeo output, contract ended', 'deletePublishing'],
  ['bundle youtube, facebook and the parish website so I can pick them as one', 'addPublishingGroup'],
  ['which simulcast bundles exist', 'getAllPublishingGroups'],
  ['take linkedin out of the Socials bundle', 'updatePublishingGroup'],
  ['we dont need that simulcast bundle anymore', 'deletePublishingGroup'],

  // Encodings and their groups
  ['what transcode presets do we have', 'getAllEncodings'],
  ['new 1080p50 preset, h265 at 6 megabit', 'addEncoding'],
  ['gop should be 2 seconds in the 720p preset', 'updateEncoding'],
  ['which bitrate has the mobile rendition', 'getEncodingById', 'getAllEncodings'],
  ['throw out the old mpeg2 preset', 'deleteEncoding'],
  ['build an abr ladder from 1080, 720 and 480', 'addEncodingGroup'],
  ['show the adaptive bitrate laders', 'getAllEncodingGroups'],
  ['lowest rung must come first in the ladder', 'updateEncodingGroup'],
  ['remove the Sport UHD ladder', 'deleteEncodingGroup'],

  // Schedules
  ['sunday 10 to 11:30 every week for the service', 'schedule_livestream', 'addSchedule'],
  ['book the council meeting for 4 march 19h till 21h', 'schedule_livestream', 'addSchedule'],
  ['it must go live automatic each working day at 8', 'schedule_livestream', 'addSchedule'],
  ["what's coming up this weekend", 'getScheduleOccurrences', 'getAllSchedules'],
  ['run of shows between the 1st and 15th of december', 'getScheduleOccurrences'],
  ['at what time is finishing the vespers booking', 'getScheduleById', 'getAllSchedules', 'getScheduleOccurrences'],
  ['the tuesday booking begins half an hour later from now on', 'updateSchedule'],
  ['put the weekday show timer on hold over the summer', 'updateSchedule'],
  ['no training this thursday, but keep the other weeks', 'skipOccurrence'],
  ['actually we are playing on thursday, put that date back', 'restoreSkip'],
  ['which dates has someone cancelled from the weekly show', 'listScheduleSkips'],
  ['last episode of the series is 20 june, nothing after that', 'patchScheduleUntil'],
  ['scrap the whole recurring booking', 'deleteSchedule'],

  // Planned actions
  ['at 20:15 take the logo down by itself', 'addLivestreamAction'],
  ['what cues are lined up for tonights game', 'getLivestreamActions', 'getAllPlannedActions'],
  ['any automated commands that went wrong today, on whatever show', 'getAllPlannedActions'],
  ['what exactly is cue 12 going to do', 'getPlannedAction'],
  ['move the timed switch from 9:30 to 9:45', 'updatePlannedAction'],
  ["hold that cue, don't let it fire but don't erase it", 'disablePlannedAction'],
  ['re-arm the cue I paused', 'enablePlannedAction'],
  ['throw away cue 31, we are not doing it', 'deletePlannedAction'],

  // Recordings
  ['what did we tape yesterday', 'getRecordings'],
  ["how long and how big is the recording of last night's gala", 'getRecording', 'getRecordings'],
  ["I want last week's sermon saved on my laptop", 'createRecordingDownload'],
  ['cut out the goal at minute 54 as a short video', 'createClip'],
  ['make a higlight from 12:30 to 13:10', 'createClip'],
  ['has the archived file a second language in it', 'getRecordingTracks'],
  ['erase the rehersal recording', 'deleteRecording'],

  // Devices and their groups
  ['how many inputs are still free on the encoders', 'channel_slot_usage'],
  ['are all encoders up', 'getDevicesStatus', 'getDevicesLiveStatus'],
  ["what's each machine encoding this very minute", 'getDevicesLiveStatus'],
  ['list our encoding servers', 'getAllDevices'],
  ['which ip has the encoder in the OB van', 'getDeviceById', 'getAllDevices'],
  ['pair the new appliance that came today, it shows a login on its screen', 'addDevice'],
  ['encoder 3 was moved to rack B, note that', 'updateDevice'],
  ['unregister the broken box in the basement', 'deleteDevice'],
  ['make one pool from the three units in the truck', 'createDeviceGroup'],
  ['which encoder pools are there', 'getAllDeviceGroups'],
  ['add unit 4 to the truck pool', 'updateDeviceGroup'],
  ["dissolve the old building's encoder pool", 'deleteDeviceGroup'],

  // Assets
  ['uplaod the new sponsor png', 'uploadAsset'],
  ['put the standby video in the media library', 'uploadAsset'],
  ['what holding slides and stings are on the server', 'listAssets'],
  ['let me have intro_2024.mp4 back', 'readAsset'],
  ['chuck out old_crest.png', 'deleteAsset'],

  // DRM
  ['which key servers are configured', 'getAllDrmProviders'],
  ['hook up a widevine vendor over speke', 'addDrmProvider'],
  ['does our content protection login still work', 'validateDrmProvider'],
  ['new password for the keyserver', 'updateDrmProvider'],
  ['drop the clearkey test vendor', 'deleteDrmProvider'],

  // Cloud accounts
  ['link us with the hosted platform so we can burst', 'addCloudAccount'],
  ['which cloud logins are in there', 'getAllCloudAccounts'],
  ['check the cloud credentials are still good', 'validateCloudAccount'],
  ['swap the pasword of the cloud login', 'updateCloudAccount'],
  ['cut our tie with the managed cloud for good', 'deleteCloudAccount'],

  // Transcription
  ['speech to text of asset 991, is it done', 'getTranscriptionAssetStatus'],
  ['are we connected to the captioning company at all', 'getTranscriptionAccount'],
  ['into which collection do transcripts go by default', 'getTranscriptionConfig'],
  ['use another default template for the subtitles hand-off', 'updateTranscriptionConfig'],
  ['what templates does the captioning service offer', 'getTranscriptionTemplates'],

  // Remote Folders and Target Folders
  ['copy recordings to our NAS before they get purged', 'addRemoteFolder'],
  ['which network shares keep the backups', 'getAllRemoteFolders'],
  ['can it reach the nfs mount', 'validateRemoteFolder'],
  ['the webdav share has a new hostname', 'updateRemoteFolder'],
  ['forget the old synology share', 'deleteRemoteFolder'],
  ['set up an s3 bucket to export clips to', 'addTargetFolder'],
  ['where can we deliver clips', 'getAllTargetFolders'],
  ["try logging in to the newsroom's sftp", 'validateTargetFolder'],
  ['s3 export got a new secret key', 'updateTargetFolder'],
  ["remove the agency's ftp drop", 'deleteTargetFolder'],

  // Users, profiles, groups
  ['who has a login here', 'getAllUsers'],
  ['acount for our new volunteer Maria', 'addUser'],
  ["reset Ana's password", 'updateUser'],
  ['marco left the company, wipe his login', 'deleteUser', 'updateUser'],
  ['is kevin allowed to issue keys', 'getUserProfile'],
  ['switch the interface to german for Tom', 'updateUserProfile'],
  ['put the camera crew into a team of their own', 'addUserGroup'],

  // Tokens
  ['I need a key for my script, good for 30 days', 'createApiToken'],
  ['bearer for home assistant plz', 'createApiToken'],
  ['which integrations hold access keys', 'listApiTokens'],
  ['when does the grafana key run out', 'listApiTokens'],
  ['the jenkins secret leaked, kill it now', 'revokeApiToken'],

  // Licences, system, audit
  ['put in the new licence file', 'installLicense'],
  ['how many channels are we licenced for and till when', 'getSystemLicenses'],
  ['support wants a diagnostics bundle', 'downloadSystemInfo'],
  ['who changed the bitrate yesterday at 5', 'getAuditLog'],
  ['show me what admin has been doing last week', 'getAuditLog'],
];
