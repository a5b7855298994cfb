/**
 * Wishes for every operation and each kind of field, in the words of users, church volunteers, operators and broadcast engineers. Each key
 * names the tools that serve its wishes. All were written in three lots before the search had seen them, and measured first
 * (docs/decisions/search.md). What was missed was taught in general, so that they hold what has been reached and say nothing of the unseen.
 */
const BY_TOOLS: Readonly<Record<string, string>> = {
  'updateLivestreamOptions updateLivestream addLivestream': `
    turn down the sound of Studio 2 by 6 dB; mute the microphone; audio delay 120 ms; mute the sound; the sound is too loud make it
    softer; the lips are ahead of the voice; lip sync is off by three frames; raise the volume of the pulpit; make it louder; more gain on
    the programme; unmute the broadcast; sound comes too early; crop ten percent from the left edge; cut off the black bars at the top;
    what should viewers see when the camera drops; show the holding file if the signal is lost; switch to the spare camera after 5 seconds
    of black; come back to the main camera only when I say so; warn me in the log when the picture freezes; treat anything under minus 50
    dBFS as silence; watch for a black picture; keep the SCTE-35 markers from the incoming feed; permanent watermark for every show of
    this stream; default overlay text with a clock in the corner; use camera 3 as the fallback camera; bigger letters for the standing
    caption; an English and a German audio track for viewers to choose; name the second sound track Original; captions of the source as
    WebVTT; go on air even if the camera is not there yet; pin this stream to the encoder in the truck; lock the Sunday stream so nobody
    can start it; the choir is drowning out the speaker, bring the whole programme down 4 dB; nobody hears anything from the stream, is it
    muted? unmute it; picture lags the audio by 200 ms, fix that; our stream has thick black borders left and right, get rid of them; if
    the fibre dies put up the emergency video; when camera A goes black for 10 seconds take B on its own; log it whenever there is dead
    air longer than 15 seconds; strip the ad markers that come from the network feed; clock in the corner for every show; let people
    choose between floor sound and English commentary; the church wants hearing impaired viewers to see the CC from our feed; audio is
    clipping, drop it; sound please off; shift audio later by 40 milliseconds; set silence threshold to minus 45; can you push the levels
    a bit; the audio is ahead, hold it back; mics open again please; lop off the left strip with the tripod; what's shown when our uplink
    drops; automatic backup camera after ten seconds of nothing; flag it when the image freezes; don't let ad cues from the feed through;
    add Portuguese as another audio choice; let it begin even before OBS connects`,
  'addPublishing updatePublishing': `
    keep recordings for 30 days; DVR window; rewind for viewers; let people scrub back two hours; viewers should be able to pause and go
    back; segment length two seconds; how many segments in the playlist; low latency for the web player; reduce the delay for viewers;
    push a second copy to the backup ingest of YouTube; record as transport stream instead of mp4; encrypt the SRT output with a
    passphrase; SRT latency of the partner link; multicast the programme into the house network; send it out over SDI; only people with a
    link may watch; use Widevine and FairPlay on the web output; try to reconnect more often before giving up; wait longer between
    retries; delete recordings automatically after two weeks; back the recording up to the NAS before it is deleted; stream to my Facebook
    page; send the show to LinkedIn too; mpeg dash output for the smart tvs; user name and password of the wowza server; cbcs encryption;
    add a twitch output; deliver rtmps to our own server; put an HLS stream on our CDN origin; people joining late should be able to start
    from the beginning; we want old recordings gone after a month; make the hls chunks shorter; the web feed is 30 seconds late, can it be
    faster; second entry point in case the first youtube server dies; our CDN wants a username and password; keep the programme private;
    mp4 is no good for us record ts; the receiver in Oslo wants a passphrase; more buffering on the link to Oslo; send this also to
    LinkedIn; protect the feed with Widevine; give up after three tries; multicast to the hotel tvs; store a copy of each recording on our
    Synology before it goes; folks should be able to jump back an hour; erase tapes after ninety days automatically; shave the delay to
    the web; Akamai needs credentials; token-protected HLS; more reconnect attempts on the SRT leg; put a ts file on disk not mp4; segment
    of 4 sec; add our Vimeo; contents must be FairPlay encrypted`,
  'addEncoding updateEncoding': `
    keyframe every two seconds; change the GOP length; use h265 instead of h264; 50 frames per second; audio bitrate 192 kbit; mono sound
    only; surround 5.1 in the stream; deinterlace the picture; HDR10 output; just pass the video through without encoding; vertical video
    1080 by 1920; x264 preset slower; main profile level 4.1; 44.1 kHz sample rate; audio only rendition; 16:9 aspect ratio; lower the
    bitrate to 3 megabit`,
  'addEncodingGroup updateEncodingGroup': `
    several qualities so that phones can cope; drop the 4k rung from the ladder; adaptive bitrate for bad connections`,
  'addChannel updateChannel': `
    take in the pastor's phone over RTMP; pull the camera by RTSP over TCP; let a partner call us by SRT; passphrase of the SRT source;
    only accept the feed from 10.0.0.0/8; choose the second program of the transport stream; use audio pair 2 of the feed; loop the test
    video; NDI source from the vMix machine; SDI input 3 of the card; more SRT buffer for the bad line; ingest a YouTube live video;
    switch the input from listener to caller; take the multicast at 239.1.1.1; play a file instead of a camera; hook up the IP camera in
    the chapel; accept the SRT call from the OB truck; the reporter will push from Larix; put the trailer in a loop as an input; the
    camera url changed to rtsp://10.1.1.5/live; restrict who can push into that input; the feed over 4G stutters, increase the SRT
    latency; take the NDI feed of the presentation laptop; pick the third service in the multiplex; which capture card port does it use,
    change to 2; new RTMP input for the youth team; RTSP camera, force TCP; loop the countdown video as a source; SRT listener on port
    9000; the encryption of the incoming SRT should be 256 bit; SDI in 4`,
  runtimeRecord: `
    stop recording but stay on air; start recording now; record this part; begin the recording please; end the recording but keep
    streaming; record from here; we can stop taping now but keep the broadcast up; start archiving this bit; capture from now on; finish
    taping, show goes on`,
  exportClip: `
    send a clip to an ftp server; copy goal.mp4 to the sftp server; upload the highlight to our S3 bucket; push the opener file to the
    broadcaster; ship highlight.mp4 to the station's ftp; drop the clip in the S3 bucket for the newsroom`,
  createClip: `
    cut out the goal at minute 12; make a short of the sermon; the first ten minutes of the recording as its own file; snip the baptism
    from 00:32:10 to 00:35:00; a thirty second teaser of last night`,
  createRecordingDownload: `
    how do I get the file of last Sunday; a download link for the wedding; I want the mp4 on my laptop; the bride wants her video; can I
    save Sunday's service on a stick; a link that lapses after an hour for the concert video; fetchable address for the committee hearing`,
  'getRecordings getRecording': `
    did last Sunday get recorded; how long is the recording of the concert; which recordings failed; is there footage from May; was the
    vigil taped; how big is that recording`,
  getRecordingTracks: 'which sound tracks are in the recorded file',
  deleteRecording: 'throw away the recording of the rehearsal',
  'get_livestream_status getLivestreamStatus getLivestreamsStatus': `
    what time is it on the server; are we live; are frames being dropped; is YouTube getting our picture; how long have we been on; what
    bitrate is going out; is sound coming in; is there a picture on the stream; is everything ok with the stream; is twitch still
    receiving; how many dropped frames; tell me the current time on the box; are we out there; where do people find the stream; bitrate
    check`,
  getLivestreamAudience: `
    how many people tuned in on Sunday; how large was the audience; peak viewers; how many are with us right now; do folks at home have
    to wait for the picture; how many watch with VLC; is the stream buffering for viewers`,
  'getRunReport getLivestreamEvents getAllEvents': `
    why did it go black at quarter past ten; when did we lose the camera; was there an outage last night; errors of the last hour on all
    streams; when exactly did the picture freeze; what happened while I was at lunch; how many times did we fall back to the backup`,
  getLivestreamPreview: 'let me see what goes out; show me a screenshot of the show',
  'getChannelPreview probeChannel': `
    does the altar camera give a picture; is OBS sending anything; which resolution does the feed have; check the sound level of the
    source`,
  'revealIngestKey getChannelById': `
    what do I type into OBS; show me the stream key for the encoder in full; the volunteer needs the server and key for OBS; what's the
    push address again`,
  rotateIngestKey: 'somebody else knows our push key, make a new one for the camera input',
  'start_livestream startLivestream': `
    go live; start the Sunday service; put us on air; start it on the truck encoder without Facebook; begin the mass; showtime; alright
    take us on air; begin streaming the gala but not to facebook; fire up the vespers`,
  'stop_livestream stopLivestream': `
    we are finished, end it; stop the broadcast; go off air; that's a wrap, kill the stream; thank you everybody, off air; we are finished
    for today`,
  'schedule_livestream addSchedule': `
    every Sunday at ten until noon; go live tomorrow at 8 pm; stream the choir each weekday evening; book the hall stream for Friday; have
    it go live by itself Sunday at 9:55; every first day of the week at ten we stream, set that up; stream next Friday from six to eight`,
  updateSchedule: `
    the show runs half an hour longer tonight; pause the weekly series; move the Sunday show to eleven; the series should use New York
    time`,
  patchScheduleUntil: 'no more shows after Easter; the series ends in June',
  skipOccurrence: 'no service next Sunday; leave out Christmas day',
  restoreSkip: 'we do have a service on Christmas after all',
  'getScheduleOccurrences getAllSchedules': `
    what is on tonight; when is the next service; did any planned show fail to start; what have we got coming this weekend; was anything
    missed last night`,
  addLivestreamAction: `
    show the logo at quarter past eight; stop the stream automatically at 23:00; ad break at half time by itself; at 20:00 switch the
    logo; have the text vanish at noon; run the ad break at 21:15; in 5 minutes lower the text`,
  'getAllPlannedActions getLivestreamActions': `
    what is going to happen by itself tonight; which timed commands failed`,
  runtimeApplyLogo: `
    put our logo top left; take the logo off the screen; logo off; the sponsor bug needs to go to the other corner; lose the logo`,
  runtimeApplyBlackout: `
    black please; hide the picture but let them hear it; show the be right back clip; back to the camera; quick, hide it; put up the we'll
    be right back card; ok we can show the stage again; go black but leave the organ playing`,
  runtimeApplySourceSwitch: `
    cut to camera two; use the spare feed now; balcony cam please; the main feed is dead, use the spare`,
  runtimePushMetadata: `
    ad break of 60 seconds now; send the song title to the players; splice in; back from the break marker`,
  runtimeSetAdValues: 'no ad break longer than two minutes; breaks take 90 seconds unless I say otherwise',
  setLivestreamText: `
    write Welcome everybody at the bottom; lower third with the speaker name; text off; make the letters yellow; countdown clock on the
    picture; put Rev. Martha Hill under her; wipe the caption; make the caption bigger; countdown to kickoff on screen; scroll the phone
    number`,
  'toggle_destination runtimeTogglePublishings': `
    stop sending to Facebook but go on with the rest; turn YouTube back on; use the backup path; youtube is acting up, restart that leg;
    drop instagram for now but keep the others; backup leg on`,
  'update_destination_stream_key updatePublishing': `
    YouTube gave me a new key; the facebook key has changed; fresh key from facebook`,
  updatePublishingGroup: 'add Twitch while we are live; take Vimeo out of the outputs',
  createPlaybackLink: `
    a private link for the family; let my boss watch without signing in; link that works until tomorrow; grandma has no account, how can
    she watch; a watch link that dies on Monday; share it privately with the bereaved family`,
  setUpBroadcast: `
    I just want to stream this video; make me a stream from this rtmp address; broadcast from zero to YouTube in one step; I've never done
    this, just get my video on YouTube live; from OBS to Twitch as simply as possible`,
  listPresets: 'what does Twitch demand; which quality presets are there; what settings does YouTube recommend',
  'get_start_targets channel_slot_usage': `
    which machine should run the match; is there room for another show; which encoder is free`,
  'getAllDevices getDeviceById getDevicesStatus getDevicesLiveStatus': `
    does the encoder have a GPU; is an encoder down; what is running on encoder 2; disk space left on the recorder`,
  'holdFleet releaseFleet':
    'no moves between the encoders while we change the switches; the switches are done, let moves go on',
  updateDevice: 'do not use encoder 3 for now, it is being repaired; the encoder has a new address',
  'addDevice createJoinToken': 'pair the new encoder; a machine behind a router should join',
  'createDeviceGroup updateDeviceGroup': 'make the two encoders a pool; put the new encoder into the studio pool',
  uploadAsset: `
    here is our new logo; upload the intro video; put opening_titles.mp4 on the server so we can play it before the show; upload the
    mayor's greeting video to play it on Friday; bring my_slate.tiff into the library; store be_right_back.jpg for the interval`,
  'listAssets readAsset': 'which logos do we have; how long is the intro clip',
  addUser: 'a new volunteer needs a login',
  updateUser: 'my colleague forgot the password; make Anna an administrator; lock the account of the intern',
  updateUserProfile: 'let him make api keys; menus in French for Marie',
  createApiToken: `
    an api key for home assistant that only reads; token that expires in 90 days; key that may only start and stop`,
  'listApiTokens revokeApiToken': 'which scripts have access; the key of the script has leaked',
  getAuditLog: `
    who switched the stream off; who logged in last night; what did Peter change; who killed the stream on Tuesday; did somebody touch the
    settings yesterday`,
  'getSystemLicenses installLicense': 'until when is our licence good; we got a new licence file',
  downloadSystemInfo: 'which version is this; logs for the support people',
  'addRemoteFolder updateRemoteFolder': 'connect the Synology for backups; webdav share for the archive',
  validateRemoteFolder: 'can the server write to the NAS',
  'addTargetFolder updateTargetFolder': `
    set up the sftp server of the newsroom; FTP over TLS; port of the sftp server; accept the new host key of the sftp server`,
  validateTargetFolder: 'does the S3 login work',
  'addDrmProvider updateDrmProvider': `
    connect our SPEKE key server; api key of the key server; static keys for a test of encryption`,
  validateDrmProvider: 'does the key server answer',
  'addCloudAccount updateCloudAccount': 'connect our cloud account; new password for the cloud platform',
  handOffToTranscription: 'subtitles for the recorded lecture; have the sermon written down',
  getTranscriptionAccount: 'how many transcription minutes are left',
  getTranscriptionAssetStatus: 'are the subtitles done yet',
  updateTranscriptionConfig: 'api key of the subtitle company',
  getSystemAlarms:
    'what is wrong with the machine; is everything all right with our installation; any alarms on the server',
  getMembers: 'are all control servers up',
  getRestore: 'is the restored store still waiting for us',
  acknowledgeRestore: 'acknowledge that the store was restored',
  'addMailRule updateMailRule':
    'send me an email when it breaks; mail me when we lose signal; drop me an email if the bitrate falls',
  testMailRule: 'try whether the alert mails arrive',
  acknowledgeEvent: 'tell the others that I am on that alarm',
  getLivestreamStartConfig: 'why can I not start; is everything ready to go',
  'getLivestreamEnriched getLivestreamById': 'everything about the Sunday stream; which camera does this stream use',
  'addEncoding updateEncoding addEncodingGroup updateEncodingGroup': `
    Twitch complains our keyframes are too far apart; make the 1080 rung 4.5 megabits; I need a portrait version for TikTok; sound quality
    is awful, use 256k; people on trains need a smaller version; the movement shows ugly lines; can we go hevc; leave the signal
    untouched, no transcoding; stereo downmix of the 5.1; encoder eats too much cpu, take a faster preset; 25 frames not 50; bump the top
    rung to 8 Mbps; give me 9:16; GOP of 1 second; AAC at 96k; we need a rung for slow phones; H.264 high profile; 48k sampling`,
  'getChannelPreview probeChannel getLivestreamPreview': `
    quick look at cam 2; is there audio on the truck feed; show me what it looks like right now; is the feed 1080i or p`,
  'updateSchedule patchScheduleUntil skipOccurrence restoreSkip': `
    tonight's show will overrun by 15 minutes; we pause over the summer; no mass on the 26th; actually there is a mass on the 26th; move
    vespers an hour later; the last edition is on June 30`,
  'runtimePushMetadata runtimeSetAdValues': `
    go to commercial; we're back; put the track title into the stream for the radio players; adverts must not exceed 90 secs`,
  'updatePublishingGroup addPublishing': "we're live already, can we also go to Twitch",
  'get_start_targets channel_slot_usage getDevicesLiveStatus getDevicesStatus getAllDevices getDeviceById': `
    have we capacity for a third stream; which box would be best for the final; is any encoder offline; does that box do hevc in hardware;
    how much disk is left on the encoder`,
  'updateDevice addDevice createJoinToken': `
    take encoder 2 out of service till Monday; we got a new encoder, pair it`,
  'uploadAsset listAssets readAsset deleteAsset': `
    I have a new slate picture for you; which videos can I play; bin the old bumper`,
  'updateUser addUser updateUserProfile': `
    Tom is locked out, set a new password; Sarah should become admin; give the intern a login; Marco wants the screens in Italian`,
  'createApiToken revokeApiToken listApiTokens': `
    give my Stream Deck access; a read-only key for the wall display; someone posted our key on the internet, kill it`,
  'handOffToTranscription getTranscriptionAssetStatus getTranscriptionAccount': `
    I need the sermon as text; are the captions for the talk ready; how many captioning minutes did we use`,
  'addTargetFolder updateTargetFolder validateTargetFolder addRemoteFolder': `
    the paper's ftp moved to port 2121; try whether our bucket login is fine; let backups go to the NFS share`,
  'getSystemLicenses downloadSystemInfo getMembers': `
    when does our licence run out; support wants the logs; what version are we on; are both control servers alive`,
  'deleteChannel deleteLivestream deleteRecording deleteSchedule deletePublishing': `
    remove the test stream; delete the rehearsal recording; scrap the advent series; the vimeo output can be removed for good`,
  'exportClip createClip createRecordingDownload': `
    push the trailer to the sponsor's S3; grab minute five to seven; need last week's file for the editor; cut out the mayor's speech
    between 12:10 and 14:50 for the town's page; put the highlight of the derby onto the sponsor's sftp site`,
  'get_livestream_status getLivestreamStatus getLivestreamsStatus getLivestreamEvents getAllEvents': `
    does Facebook get our signal; clock on the server please; how come we lost video at 9; how stable is it; overnight faults`,
  'startLivestream start_livestream': 'light the candle, we go on air; bring Sunday live up now',
  'stopLivestream stop_livestream': 'good night all, close transmission',
  'addSchedule schedule_livestream updateSchedule skipOccurrence patchScheduleUntil restoreSkip': `
    weekly bible study Wednesdays at 7pm; skip the 1st of January; the season finishes in May; put Wednesday's one back; shift next weeks
    start by half an hour; hold the daily show for August`,
  'runtimeApplyLogo runtimeApplyBlackout runtimeApplySourceSwitch setLivestreamText runtimePushMetadata runtimeSetAdValues': `
    crest bottom right; privacy screen now; choir loft cam; name super for Bishop Jones; start ads; return from ads; subtitle line off`,
  'toggle_destination runtimeTogglePublishings updatePublishingGroup': `
    halt the Twitch push only; Facebook leg back on; squeeze Rumble in while we run`,
  'createApiToken updateUser addUser updateUserProfile getAuditLog revokeApiToken': `
    credential for the lighting script; Joan forgot how to log in, new password; block Pete's account; who renamed the Easter stream; that
    token is compromised; Dutch menus for Kees`,
  'getDevicesStatus getDeviceById get_start_targets channel_slot_usage getDevicesLiveStatus getAllDevices createJoinToken addDevice updateDevice': `
    how loaded are the encoders; can the rack do another HD; enrol ten new machines; truck encoder is in the workshop; where's the best
    place to run the final`,
  'handOffToTranscription getTranscriptionAssetStatus': `
    turn last Sunday's talk into text; progress of the subtitles`,
  'addTargetFolder updateTargetFolder validateTargetFolder addRemoteFolder updateRemoteFolder validateRemoteFolder': `
    FTPS only for the agency; new secret key for the bucket; does the NAS take our files`,
  'deleteChannel deleteLivestream deleteUser deleteRecording deleteEncoding': `
    ditch the dress rehearsal recording; take Bob's account out for good`,
  'getSystemLicenses downloadSystemInfo installLicense listPresets': `
    upload the licence they mailed; diagnostic bundle; Twitch's limits`,
};

export const WISHES: readonly (readonly [string, ...string[]])[] = Object.entries(BY_TOOLS).flatMap(([tools, wishes]) =>
  wishes.split(';').map((wish) => [wish.trim(), ...tools.split(' ')] as const),
);

/** Wishes that the product cannot fulfil, from the same three lots. */
export const ABSENT_WISHES: readonly string[] = `
   read the chat to me; answer the comments; pin a message in the YouTube chat; ban that user from the chat; how many likes do we have;
  show emojis on the screen; change the YouTube title; set the thumbnail on YouTube; make the YouTube video unlisted; write a description
  for the Facebook post; go live on Instagram with hashtags; announce the stream on Twitter; virtual background behind me; blur my
  background; green screen; picture in picture with the slides; split screen with two guests; send the programme out as NDI; NDI output;
  publish over WebRTC; multiview of all cameras; animated scoreboard; live graphics from a spreadsheet; graphics template with my colours;
  show the song lyrics from ProPresenter; bring up the next slide; a transition between the cameras; crossfade to camera two; zoom in on
  the speaker; pan the camera left; recall PTZ preset 3; white balance of the camera; turn on the tally light; dim the lights in the
  studio; talk to the camera operator; intercom channel; teleprompter text; noise gate on the microphone; equalizer for the voice; remove
  the hum; background music under the talk; play a jingle; reverb; duck the music; mix two microphones; remove the echo from the room;
  translate the captions into Spanish; live translation; sign language window; read the text aloud; dub it into English; text me if the stream stops; Slack notification; webhook to my server; push notification on my phone; remind the team an
  hour before; how much did we spend on streaming; invoice for March; what does a stream cost; sell tickets; donation button; pay per
  view; subscription for members; ad revenue; put the player on our website; embed code; change the colour of the player; geo block
  Germany; password for viewers; who is watching by name; age restriction; invite a guest by video call; connect a Zoom meeting; screen
  share from my laptop; phone caller on air; breakout rooms; polls for the audience; raise hand; quiz; edit the video; join two
  recordings; add an intro to the recording; publish the recording on YouTube; find the best moments with AI; summary of the talk;
  chapters for the replay; slow motion replay; burn a DVD; convert this avi file; face recognition; make a podcast out of it; detect when
  the speaker is done; rate the show; viewer feedback form; change the wifi password; install updates; reboot the encoder; set up a VPN;
  open a port on the router; what is the CPU temperature; two factor login; sign in with Google;
  dark mode; bigger buttons; the weather tomorrow; order pizza; book a van; play solitaire; tell me a joke; what is the capital of France;
  write the sermon; call the fire department; fly the drone; turn up the heating; print a programme sheet; print labels for the cables;
  buy new microphones; hire a camera operator; run Windows update; format my laptop; copyright claim on YouTube; royalty free music;
  captions by a human stenographer; 360 degree video; VR headset; 3D picture; beauty filter; speed up the internet; record a phone call;
  check my horoscope; share a spreadsheet; backup my phone; scan for viruses; unlock the church door; what are folks saying in the chat;
  delete that nasty comment; rename our YouTube video; put a nicer thumbnail on; set the stream to unlisted on YouTube; tweet that we're
  on; replace the background behind the speaker; chroma key the blue wall; two speakers side by side; put the slides big and the pastor
  small; NDI feed out to the foyer; a WebRTC output for the control room; mosaic of all inputs; sports scorebug that updates itself; bring
  in titles from Canva; psalm verses from the worship software; soft fade between cams; nudge the camera a little left; go to PTZ position
  two; tally; bring the stage lights down; tell camera two to pull focus; autocue faster; gate the presenter's mic; EQ the pulpit mic; de-
  ess her; bed music under the interview; lower only the guitar; Spanish subtitles live; interpreter window; voice over in German; ping me on Slack; call a URL when the show starts; SMS to the tech team; what did last month cost; take donations;
  charge viewers 5 euros; ticket link; HTML code for our site; restrict to viewers in Norway; who
  exactly watched; average watch time; let a caller on air; open a Zoom room; show my desktop; quiz for the audience; glue both recordings
  together; auto highlights; chapter list for the replay; put the replay on Vimeo; instant replay of the goal; convert this mov; install
  the latest version; reboot box 3; back up your database; what's the CPU temp; change DNS; renew the SSL certificate; enable 2FA; log in
  with our Google accounts; night mode for this page; pizza for six; rain tomorrow?; hire a van; who won the league; make me a logo; write
  a press release; send flowers; what's the wifi code; is our internet line fast enough; print the rota; how do I tune a piano; record a
  voicemail; spotify playlist; fix my laptop; moderate the discussion; who liked the video; pin my message for viewers; change the video's
  category; set the YouTube privacy; cross-post to Instagram story; hide my messy office behind me; combine camera and slides; put the
  host in the lower corner; NDI out for the lobby screens; offer it via WHEP; see all inputs at once; league standings graphic; lyrics
  from EasyWorship; smooth blend between shots; tilt up a touch; store this camera position; red light on camera one; raise the house
  lights; comms with the director; scroll the script for the reader; noise suppression for mic 2; bass boost; play walk-in music; Polish
  live captions; add a signer; simultaneous French; Teams message when we start; trigger Zapier;
  text the sexton; cost per stream; accept tithes online; paid access; ad income; player for our site; who is viewing from Canada; limit it to Switzerland; video call with the missionary; share the PowerPoint from my laptop;
  straw poll; merge Saturday and Sunday; pull the funniest moments automatically; sermon podcast; publish to our Vimeo showcase; slow-mo
  the finish; rip this DVD; patch the operating system; power-cycle the encoder; dump the database; ethernet settings; passwordless login;
  change fonts on this page; what's for dinner; flight to Rome; bake a cake; compose a hymn; order more cables; who is rostered tonight;
  book the organist; fix the photocopier; unlock the door; turn the AC down
`
  .split(';')
  .map((wish) => wish.trim());
