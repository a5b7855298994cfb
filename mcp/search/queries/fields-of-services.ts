/** Words of people who mean a field of machines, folders, people and other services. See ../example-classes.ts. */
export const SERVICE_FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Assets: {
    'targetFolderId name replace': `
      send a clip to an ftp server; copy a file to the sftp server; upload the highlight to s3; deliver the file to the newsroom;
      push the mp4 to the bucket; overwrite the file there; name of the file on the other side; replace the old version on the server;
      transfer the clip; put goal.mp4 on the ftp; send the excerpt to the agency; copy the video to our sftp; hand the clip over;
      move the highlight to the cloud storage; ship the clip to the broadcaster; give the newspaper the clip by ftp;
      export the clip to amazon; copy the clip to wasabi; deliver the mp4; ship highlight.mp4 to the station;
      drop the clip in the bucket; get the file over to the paper; newsroom wants the clip by sftp; upload our clip to the broadcaster;
      export goal.mp4; deliver the trailer to the agency; clip to s3; put the file on their server`,
    'content_base64 filename fileType': `
      upload a logo; add a picture; upload the intro; store a video; put a file into the library; here is the new logo; sponsor picture;
      upload an mp4; png with transparency; I have a new slate picture for you; new bumper; here comes the opener; add this file; store this picture; add the jingle video; new background picture;
      upload the pause film; save this png;
      put the standby video in the media library`,
  },
  Devices: {
    'register_username register_password': `
      pair an encoder; pairing code; one-time password of the agent; pair the machine again; replaced machine;
      new hardware in place of the old one; we got a new encoder; hook up another encoder machine; connect the second box; pair it`,
    ip_address: `
      address of the encoder has changed; ip of the agent; encoder moved to another network; new ip of the machine`,
    location: `
      where the encoder stands; the machine is in another building; room of the encoder; place of the machine;
      the box moved to the chapel`,
    'enabled alias name description': `
      do not use this encoder; encoder under maintenance; take it out of service; use the encoder again; rename the machine;
      the encoder is being repaired; give it no more streams; spare machine not in use; back in service; take encoder 2 out of service;
      encoder away until monday; back in use; do not put anything on box three; box under repair; exclude the machine;
      rest the old encoder`,
    type: `
      cloud encoder; relay; standalone encoders only; kind of encoder; list the relays`,
    devices: `
      pool of encoders; put the encoder into the pool; group of machines; members of the pool; redundant machines;
      take a machine out of the group; cluster of encoders`,
    reserve: `
      reserve of the pool; keep one machine's worth of room free; how many encoders of the pool may be lost; n plus one redundancy;
      spare capacity of the group; leave room for a failed encoder; headroom in case a box dies; one spare machine in the pool`,
    'max_uses expires_days idEncoderGroup': `
      token for machines to join; how many machines may join; join token for a week; enrol encoders behind a router;
      machines join the pool by themselves; onboarding of many encoders`,
    kid: `
      withdraw the join token; no further machine may join`,
  },
  'Remote Folders': {
    'protocol host folder': `
      connect the nas; nfs share; webdav share; synology for backups; path of the share; backup storage; nextcloud; share has moved;
      qnap; truenas; network drive for recordings; let backups go to the nfs share; backups of recordings to a share;
      file server for our archive; archive share; connect network storage`,
    'user password': `
      password of the nas; user of the share;
      login of the webdav share`,
  },
  'Target Folders': {
    type: `
      set up an sftp server; ftp server of the newsroom; s3 storage for clips; new place to send clips to; connect our bucket;
      register the ftp of the tv station; add an upload target`,
    tls: `
      ftp over tls; ftps; plain ftp without encryption; unencrypted ftp; secure ftp; explicit tls`,
    'host port folder': `
      port of the ftp server; sftp on port 2222; path on the ftp server; ftp host has changed; directory for clips on the server;
      the paper's ftp moved to port 2121; ftp has a new address; other folder on the sftp; new host for the newsroom server`,
    'user password': `
      ftp login; user of the sftp server; password of the ftp;
      new ftp password`,
    host_fingerprint: `
      host key of the sftp server; accept the new host key; ssh fingerprint; the host key has changed; known hosts;
      sha256 fingerprint of the server`,
    'bucket region endpoint': `
      s3 bucket; region of the bucket; minio endpoint; s3 compatible storage; wasabi; backblaze; cloudflare r2; prefix in the bucket;
      frankfurt region`,
    'access_key secret_key': `
      s3 access key; secret key of the bucket; rotate the s3 keys; aws credentials; amazon keys`,
  },
  DRM: {
    'speke_url tenant_id': `
      speke url; key server address; tenant at the key server; connect a drm vendor; ezdrm; axinom; buydrm; cpix; irdeto; castlabs;
      our drm company moved`,
    'credentials.username credentials.password credentials.api_key': `
      api key of the key server; login of the key server; drm password; credentials of the drm vendor; bearer token of speke`,
    'credentials.keys.contentid credentials.keys.track credentials.keys.kid credentials.keys.key credentials.keys.iv': `
      static keys; clearkey for a test; fixed content key; key id; own encryption keys; aes key in hex;
      test of encryption without a key server; initialisation vector`,
    encrypt_keys: `
      encrypted content keys; content key encryption of speke; our drm vendor wants a certificate from us; keys not in the clear;
      public key for the key server; certificate of the encryptor; rsa for cpix`,
    'provider_type supported_systems enabled name': `
      which drm systems the provider has; static or speke; switch the drm provider off; key server supports fairplay`,
  },
  Cloud: {
    'client client_id password enabled': `
      connect our cloud account; cloud token; user id at the cloud platform; switch the cloud account off;
      credentials of the managed platform; link to the cloud;
      new password for the cloud`,
  },
  Users: {
    'username first_name last_name email': ` name of a user; e-mail address of a user; surname has changed; add a colleague; she married, new name;
      mail address of peter; create an account for the new pastor; give the intern a login; new lady at the desk, she needs an account;
      access for the new helper; account for my deputy; new team member needs to log in; the trainee starts on monday, account;
      new login for a volunteer`,
    password: `
      set a password; forgot the password; reset password; he cannot sign in any more; change my password;
      tom is locked out; cannot log in any more, set a new one; lost his password; he mistyped his password, new one;
      new password for a user; password reset for the intern`,
    user_role: `
      make her administrator; no longer an admin; operator only; role of a user; promote; demote; full rights; sarah should become admin;
      admin rights for her; take his admin away; give him more rights; she is boss now`,
    active: `
      lock the account; shut him out; let her in again; deactivate the intern; block the login; suspend; he is on leave, no access;
      vacation, lock the account; block his account; block the account of pete; close her account; freeze the account;
      stop him from logging in; keep him out for now`,
    credentials: `
      open sessions of a user; how many tokens does he have; is she signed in somewhere; where is he logged in`,
    'name elements': `
      team; crew; group of users; add someone to the team; members of the shift; volunteers as a group; sunday team; sound crew`,
    'api admin role': `
      right to make api keys; may he create tokens; let her issue keys; permission to use the api; token right`,
    language: `
      language of the menus; french menus; her language; page in spanish;
      my menus are in english, I want dutch; translate the menus; language of the web page; marco wants the screens in italian;
      german for tom; interface in french; my screens in spanish; switch the page to german for him; translate the interface for her;
      menus in welsh; change the language;
      user interface in german`,
  },
  Security: {
    'name expires_days userId': `
      api key; token for a script; key that expires; key for companion; token for another user;
      token for the stream deck; key for my program; access for a bot; new api token for grafana; give my stream deck access;
      access for the robot; key for the wall display; script needs a key; connect node-red; credential for the automation;
      key for bitfocus companion; credential for the lighting script; credential for a script; key for the automation of the lights;
      program of ours needs a credential; token for zapier; key for the church app;
      token for home assistant`,
    'profile operations': `
      token that only reads; key that may only start and stop; limited token; restrict a key; read-only key; least privilege token;
      key just for the logo; token for voice control only; narrow the token; a read-only key; key that cannot stop anything;
      token for looking only; key for the wall display that only reads`,
    kid: `
      the key has leaked; withdraw the token; key is on github; take the access of the script away; invalidate the token;
      someone posted our key on the internet; api key is public, end it; old script, take its key away;
      block that key;
      the secret leaked, kill it`,
  },
  System: {
    'user operation resource resource_id outcome via request_id from to': `
      who did it; who stopped the stream; who changed the key; changes of yesterday; sign-ins; failed logins; what did she change;
      who pressed stop; refused attempts; all deletions; who was logged in; last change of the output; which changes came from the api;
      who turned youtube off; trace the request; activity of the intern; who started it; who killed the stream;
      did somebody touch the settings; who was on duty and stopped it; did anyone log in at night; which user deleted it;
      what did the intern do; who messed with it; check who changed the key`,
    license: `
      licence file; install the licence; we bought an option; licence code; activate the editor; new licence; renew the licence`,
  },
  Presets: {
    kind: `
      what does youtube demand; presets; templates of platforms; ready-made qualities; which platforms are known; requirements of twitch;
      recommended bitrate for facebook; best settings for youtube; which bitrate does twitch want; keyframe demand of facebook;
      ready-made ladders; what settings does youtube recommend; best bitrate for facebook; recommended settings;
      which quality should I use for twitch; what may I send to tiktok; guidelines of the platforms; limits of twitch;
      what are the limits of youtube; what does facebook allow`,
  },
  Transcription: {
    'recordingId filename collection template': `
      subtitles for the recording; transcribe the talk; text of the sermon; captions for the video; write down what was said; transcript;
      have it transcribed; minutes of the meeting in words; speech to text; subtitle the clip; sermon as text;
      closed captions for the recording; I need the sermon as text; text of the speech; make a transcript;
      words of the talk as a document; srt file of the subtitles; captions for last sunday; subtitles on the recording;
      write the talk down; have it written down; caption file`,
    assetId: `
      are the subtitles done; how far is the transcript; is the transcription finished; when are the captions ready;
      are the captions for the talk ready; is the text finished; status of the transcript`,
    'tenant_url api_key default_collection default_template': `
      key of the transcription service; address of the subtitle company; default template for captions;
      connect the transcription provider; where transcripts go; api key for speech to text; set up transcription`,
  },
  Workflows: {
    'target idEncoderGroup cloudAccountId wait_seconds': `
      start on the truck encoder; run it on machine two; start in the studio pool; put it on air on the other encoder;
      use the spare encoder for the start`,
    'destination path enabled': `
      facebook off; youtube on again; pause one output; backup path of youtube on; stop streaming to twitch, keep the rest`,
    stream_key: ` change the key without stopping; facebook key has changed; the stream key was on screen; rotate the key;
      new streaming key from twitch;
      youtube gave a new key`,
    'start end recurrence.type timezone': `
      go live tomorrow at eight; every sunday from ten to twelve; stream the choir each friday; book the hall for saturday;
      next week at seven in the evening; stream next sunday at 10; go live in two hours; broadcast on christmas eve at six;
      remind you to start at ten; start automatically at nine; have it go live by itself sunday at 9:55;
      every first day of the week at ten we stream; stream next friday from six to eight; plan a stream; put the concert in for saturday;
      set the vigil for midnight; automatic start every sunday; go on air on its own at 10`,
  },
  getDeviceById: {
    deviceId: `
      does the encoder have a gpu; what can this machine do; details of the encoder; how loaded is it; which codecs does the box support;
      free disk of the encoder; disk space on the recorder; storage left; is the disk full; how much space is left for recordings;
      does that box do hevc in hardware; disk left on the encoder; is there a graphics card in it; which inputs does it have;
      can it do av1; specs of the machine; free space on the recorder`,
  },
  moveLivestream: {
    deviceId: `
      move the running show to encoder 2; which box should take the live derby over; hand it over to the machine in the truck`,
    force: `
      the encoder does not answer, run the show elsewhere all the same; force the move off the dead machine;
      move it by force although the old box may still send`,
  },
  drainDevice: {
    deadline: `
      empty the encoder by ten tonight; drain the box until midnight at the latest; deadline for moving everything off the machine`,
  },
  validateRemoteFolder: {
    folderId: `
      is the nas reachable; can we write to the share; test the backup storage; does the webdav login work; share is broken`,
  },
  validateTargetFolder: {
    folderId: `
      does the ftp login work; test the bucket; can we write to the sftp server; check the s3 credentials; is the ftp server all right;
      try whether our bucket login is fine; is the ftp password still right;
      can we log in to the newsroom server; test the upload target; connection to the bucket;
      try logging in to the sftp`,
  },
  validateDrmProvider: {
    providerId: `
      does the key server answer; test the drm; key server credentials valid; is drm working`,
  },
  validateCloudAccount: {
    accountId: ` is the cloud account valid; test the cloud; cloud platform reachable;
      does the cloud login work`,
  },
  getUserProfile: {
    userId: `
      what may he do; details of a user; profile of the user`,
  },
  channel_slot_usage: {
    deviceId: `
      is there room; free slots; which inputs are taken; how full is the encoder; can we run another show; capacity left;
      space for one more stream; are the machines at their limit; have we capacity for a third stream; can we do one more; are we full;
      space for another event; how many streams fit; is the encoder full`,
  },
  get_livestream_status: {
    livestream: ` fps right now; how many frames per second are we getting; how many kilobits go out; how many frames were dropped;
      is the stream up; are we still on; is it working; are we on air; are we live; is it running; how is the stream; is anything wrong;
      what time is it; server time; clock of the server; time and zone of the server; what is the time now;
      which time zone is the server in; current time; what's the date; how late is it; is the clock right; where can people watch;
      address to watch; link to the page of viewers; watch page; what is the link; is youtube receiving it; is facebook getting it;
      is sound going out; health check; dropped frames; bitrate right now; how long are we on; do we have picture and sound;
      is everybody getting it; uptime; is everything ok; is twitch still receiving; tell me the current time on the box;
      what time does the server have; are we out there; where do people find the stream; where can they watch; bitrate check;
      everything fine; how is it going; are people getting it; is the signal ok; is the upload keeping up; any problems;
      is the picture still moving; do we drop anything; is it stable; live or not; how does it look technically; fps;
      does facebook get our signal; is facebook getting our signal; do they get our picture at youtube; how stable is it;
      is the push to twitch working; does the cdn take our stream; clock on the server; is it healthy; how are we doing;
      is the sound ok on air; is our upload fine; does it run smoothly;
      how many fps`,
  },
  getSystemAlarms: {
    all: ` all checks of the system, also those that are fine; full health report of the installation; what was checked and is ok`,
  },
  getSystemLicenses: {
    page: ` how many outputs may we have; end of the licence; what does our licence allow;
      licensed until when; which options did we buy`,
  },
  getAllDevices: {
    page: `
      how many devices are up; how many machines are down; is a machine away`,
  },
  stop_livestream: {
    livestream: ` that was it, switch the stream off; turn the stream off; shut the broadcast down;
      we are done; end the show now; that is all for today, stop; finish the transmission; close the stream; pull the plug;
      off air please; stop streaming; wrap it up; the service is over; end the live stream; that is a wrap; thank you everybody, off air;
      kill the stream; and we are out; goodnight, end it; close the show; shut it down; end of transmission; finished for today;
      we are finished; curtain, stop it; switch it off now; cut transmission;
      take the match off the air; take it off air`,
  },
  start_livestream: {
    livestream: `
      put us live; take us live; spin up the webinar; start the show; begin the service; bring the stream up;
      we are ready, start; on air please; press go; kick it off; start streaming; go; roll; start the broadcast now; turn the stream on;
      fire up the stream; launch it; showtime; take us on air; go go go; we are ready, go live; let it begin; begin streaming the gala;
      here we go; light it up; open the stream; start transmitting; on the air now; it is time, start;
      let's go live; start up the second stream; start the second stage`,
  },
  getAllUsers: {
    'user_role active': `
      all administrators; inactive users; who is an operator; list of people with access; who has access to this; who are the admins;
      list everybody who can log in`,
  },
  listAssets: {
    fileType: `
      only the logos; list the clips; all files in the library; which videos can I play; pictures we have`,
  },
};
