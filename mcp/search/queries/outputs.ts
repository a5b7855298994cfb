/** Example queries about sources, outputs and qualities, with semicolons between them. See ../example-queries.ts. */
export const OUTPUTS_REQUESTS: Readonly<Record<string, string>> = {
  getAllChannels: `
    list of cameras; all feeds; what can we take in; which contribution links are configured; which signals come in;
    all ingest points; show the stream files; inputs that are defined; what signals can I choose from; all cameras;
    what feeds come in to us; ingest list; every source we have; incoming links`,
  getChannelById: `
    which address do I push to; where must the encoder send its signal; what url and key do I enter in obs;
    ingest url of this input; port of the srt listener; settings of the camera feed; what is the source's latency;
    how is this input configured; where does the feed come from; server address for the mobile app;
    which port does the camera listen on; what do I put into the encoder app; ingest address;
    what server and stream key for vmix; url for the reporter's phone; is the input srt caller or listener;
    details of the satellite feed`,
  addChannel: `
    add a camera; new source; create an srt listener; let obs push to us; rtmp ingest for the field reporter;
    pull an hls feed; receive a multicast; add an ndi camera; connect the sdi input; use a video file as source;
    loop a file as input; take in the feed of another station; make an entry point for a drone;
    somebody wants to send us a signal; set up ingest for larix; register an ip camera by rtsp; add an IP camera by its rtsp url; take in a surveillance camera;
    new contribution from the stadium; take a youtube live as source; receive from a teradek;
    rtsp camera at the altar; let wirecast send to us; ingest for vmix; pull from another streaming server;
    make an input for the phone app; hook up the satellite; we bought a camera, enter it; accept srt from the stadium;
    playlist as source; test pattern file as input; guest wants to dial in with srt`,
  probeChannel: `
    look at the source before the air; is obs sending; does the camera send anything; check the signal of the input;
    what format does the feed have; which frame rate does the source have; is there sound on the input;
    test the incoming feed; analyse the source; does the feed have captions; how far apart are the keyframes;
    measure the level of the source; is the source interlaced; probe the channel; how loud is the feed before we start`,
  getChannelPreview: `
    picture of the source; show me the camera before we start; what does the input show; thumbnail of the channel;
    let me see the feed before it goes out; still of the incoming signal; is the right camera connected;
    frame of the source; snapshot of the input; confidence picture of the feed`,
  updateChannel: `
    the source has a new address; change the url of the feed; camera got another ip;
    correct the port of the srt input; raise the srt latency; passphrase of the contribution has changed;
    rename the camera; the input should play another file; point the source elsewhere; edit ingest settings;
    the feed moved to another server; change stream key of our ingest; guest changed the passphrase;
    feed url is different today; camera has another address; listener on another port; buffer of the srt feed longer;
    make the file loop; the input is wrong, it should be the other program; other audio track on the input;
    the m3u8 has moved`,
  deleteChannel: `
    remove the camera; delete a source nobody uses; that input is gone; take the feed out of the list;
    drop the old contribution; get rid of an ingest point; we do not have this camera any more;
    rented camera went back; take the camera's entry out; the old satellite is switched off, remove;
    nobody feeds us there any more; source can go; camera does not exist any more`,
  revealIngestKey: `
    show me the whole stream key of the input; reveal the ingest key; i need the full key for obs;
    the key is masked, show it; what is the unmasked key of the rtmp input; give me the complete push address with key;
    read out the key for the encoder again; i lost the ingest key; copy the key into obs; full rtmp address with the key;
    unhide the key of the source; full streamid of the srt listener; key for the camera operator's encoder;
    show the secret of the push input; the reporter needs the key of his ingest`,
  rotateIngestKey: `
    make a new ingest key; rotate the key of the input; the key of our ingest has leaked;
    somebody else pushes to our input, change the key; regenerate the key for obs; give the source a fresh key;
    the old key must not work any more; lock out the old encoder; renew the ingest key; reset the key of the rtmp input;
    a stranger knows our ingest key; new random key for the push source; invalidate the key the freelancer has;
    new streamid for the srt listener; replace the key of the incoming stream`,
  getAllPublishings: `
    where do we stream to; list of all outputs; all restreams; what destinations are there; which cdns do we push to;
    social media outputs; stream targets; show every endpoint; to whom do we deliver; platforms we stream to;
    our endpoints; list the pushes; which social networks are connected; who gets our signal`,
  getPublishingById: `
    what url does this output push to; settings of the youtube output; segment length of the hls output;
    which key does facebook use; is drm on for this output; which multicast address and port;
    where can viewers watch, the playback url; how is this destination configured; does the hls delivery have drm;
    what's the watch address; where can people see it; how many retries has the akamai push;
    segment size of the dash output; what does the partner receive`,
  createPlaybackLink: `
    share a private link to watch; give the guests a viewing link; link for viewers that runs out tonight;
    invite people to watch the internal stream; watch link for the client that expires; private viewing url;
    a link so that only invited viewers can see it; access link for the board meeting stream; playback token;
    let a few people watch the stream that is not public; send the family a link to the live stream;
    viewer link valid for two hours; protected link for the player; signed url to watch live`,
  addPublishing: `
    add youtube; we also want to stream to facebook; new twitch output; push to another rtmp server;
    create an hls output; dash output for the smart tvs; low latency delivery; send srt to the partner;
    multicast in the house; feed for the hotel televisions; sdi out to the monitor wall; record the show to disk;
    new stream target to a cdn; output to wowza; push to akamai; deliver by mpeg-ts over udp; we need another output;
    restream to linkedin; push to linkedin; capture to disk too; keep a copy of the show as a file;
    stream to our website; deliver to the broadcaster by srt; a hls for phones; feed the screens in the foyer;
    rtmps push; new platform, kick; the diocese wants our signal; one more cdn; fallback player feed;
    restream to rumble; low delay for betting`,
  updatePublishing: `
    change the url of the output; the platform has a new server address; set segments to four seconds; shorter chunks;
    retry more often before it fails; longer time shift window; rewind window for viewers; playlist length;
    switch on encryption for the output; protect the output with drm; backup url for the cdn;
    username and password of the push have changed; keep recordings for thirty days; edit the destination;
    rename the output; rewind of two hours for viewers; dvr window; segments too long; player lags, shorter segments;
    cdn has another ingest address; other user name for the push; try again more often; wait longer between retries;
    encrypt the hls; protect with widevine; delete the recorded files after a month; give the output a spare url;
    port of the multicast has changed`,
  deletePublishing: `
    remove an output; we stopped using vimeo; contract with the cdn ended, remove it; delete the old platform;
    we do not send there any more; destination is obsolete; drop the restream for good; we left the platform for good;
    facebook is history; account at the cdn is closed; no more dailymotion; output can go;
    take instagram off the list of outputs for ever; remove the push;
    the vimeo output can be removed for good; remove the old destination; we no longer use that cdn, delete it`,
  getAllPublishingGroups: `
    which output groups are there; sets of destinations; list the bundles of outputs; show our multistream packages;
    which platforms belong together; what is in the social media group; packs of destinations;
    which packages of platforms; output bundles; what packs can I choose`,
  addPublishingGroup: `
    group outputs together; youtube and facebook in one set; bundle the social platforms; one package of destinations;
    send to several platforms at once; make a multistream set; combine destinations so I can choose them together;
    new output group; one pack with all social networks; package for the parish; platforms as one unit;
    make a bouquet of outputs; several outputs under one name; put these outputs together`,
  updatePublishingGroup: `
    add instagram to the group of outputs; remove a destination from the set; include the website in the package;
    rename the output group; the social set should contain tiktok too; change the members of the destination group;
    tiktok also goes into the social pack; package without linkedin; add an output to the bundle;
    exchange a member of the output pack; vimeo out of the pack`,
  deletePublishingGroup: `
    delete the bundle of outputs; the output group is no longer used; remove the multistream package;
    ungroup the destinations; get rid of the destination set; pack is useless now; break up the bundle;
    the social pack can go; no package needed;
    we do not need that bundle of outputs any more`,
  listPresets: `
    which platforms does the set-up know; what does youtube ask for; how far apart may keyframes be on twitch;
    highest bitrate that facebook takes; which server address has twitch; templates for social platforms;
    what are the limits of linkedin; ready-made ladders; which ladders come with the program; codecs that kick accepts;
    requirements of the platforms; does tiktok have a bitrate limit; recommended settings for youtube live;
    built-in qualities to choose from; list the destination templates; what must sound be like for x`,
  getAllEncodings: `
    transcoder templates; list of qualities; what profiles can I use; which resolutions do we encode;
    do we have a 720p preset; all renditions; encoding settings available; do we already have something in 540p;
    what profiles exist; presets please; which bitrates do we offer; which codecs can I choose;
    is there an hevc preset`,
  getEncodingById: `
    bitrate of the preset; which codec does this profile use; settings of the 1080p preset;
    resolution and frame rate of the rendition; what audio does this profile have; keyframe interval of the preset;
    which gop has it; look into the sd preset; what is the audio rate of the profile;
    how many frames does the profile have; what is in the preset`,
  addEncoding: `
    new preset with 1080p; create a profile for 4k; make a 720p rendition at 3 megabit; hevc preset;
    audio only profile; h264 profile for mobile; new transcoder template; uhd hdr preset;
    pass through without transcoding; define a quality with 25 frames; we need a lower bitrate version;
    something with vp9 and opus; a profile for phones; 540p please; preset with 60 frames;
    quality for slow connections; new hdr profile; mp3 audio only; copy the video as it is;
    25 mbit contribution quality; template for sports`,
  updateEncoding: `
    change the bitrate of the preset; keyframe interval two seconds; set the gop length;
    lower the frame rate of the profile; use hevc in the preset; better audio quality; deinterlace in this preset;
    raise the quality of the rendition; correct the resolution of the profile; rename the preset;
    main profile instead of high; keyframe each second; sound at 192 kbit; bitrate too high, take it down;
    preset must be progressive; other profile level; turn deinterlacing on; make the 720p better; frames to 50;
    gop too long; faster x264 preset`,
  deleteEncoding: `
    remove an old preset; delete a profile nobody uses; that rendition is not needed any more;
    throw away the template; drop the sd preset; the interlaced one can go; nobody uses this quality;
    obsolete codec preset; get rid of the mpeg2; preset is superfluous;
    the 240p preset can be deleted; nobody uses this rendition`,
  getAllEncodingGroups: `
    which ladders do we have; list of adaptive sets; show abr ladders; which rendition sets exist;
    multi bitrate profiles; what is in the mobile ladder; which rungs are in the ladder; sets of qualities;
    the adaptive profiles; ladders for mobile`,
  addEncodingGroup: `
    make a ladder; new abr ladder; combine renditions for adaptive streaming; ladder of 1080p 720p and 360p;
    multi bitrate set; several qualities so that players can choose; group presets; several bitrates for phones;
    adaptive set from these presets; new set of qualities; let players adapt; ladder with three rungs;
    hd and sd together`,
  updateEncodingGroup: `
    add a rung; take 240p out of the ladder; highest quality first; reverse the order of the ladder;
    sort the ladder ascending; rename the ladder; include 4k in the ladder;
    players should begin with the lowest quality; 360p in the ladder too; phone set without 1080p;
    change the order of qualities; first rung should be the small one; best one first; rung out`,
  deleteEncodingGroup: `
    delete a ladder nobody uses; that adaptive set is obsolete; get rid of the multi bitrate set;
    set of qualities can go; ladder is obsolete; no adaptive set needed any more`,
};
