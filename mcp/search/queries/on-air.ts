/** Example queries about broadcasts on air, or about to be, with semicolons between them. See ../example-queries.ts. */
export const ON_AIR_REQUESTS: Readonly<Record<string, string>> = {
  startLivestream: `
    we are ready, roll it; start streaming now; begin transmission of the press conference; bring the stream up;
    fire up the webcast; take the ceremony live; open the broadcast; doors are open, we can begin; turn the stream on;
    push the start button for the match; launch the web event; start the elemental channel;
    time to go live with the worship service; get the game on air; put them on;
    switch on the transmission for the town hall; run the live event; quiet please and action;
    can you open the stream for the lecture; the congregation is waiting, start; let's do this, on air please;
    start transmitting court 2; hit go on the derby; make the festival live; everyone is in place, switch us on;
    put the mass on; kick off the hearing`,
  stopLivestream: `
    it is over, end transmission; stop streaming; shut it down; the service has ended, close the stream;
    pull the plug; cut the broadcast; kill the live; game over, end the stream; everybody went home, switch it off;
    turn the stream off; wrap up the webcast; stop the encoder for this event; finish the live event; that's a wrap;
    sign off for today; stop sending altogether; that was the last song, off air please;
    nobody is watching any more, close it; end it now; the hearing is adjourned, stop;
    terminate the stream of court 2; enough for tonight; down with the stream; make it stop;
    we are done, kill it; done for today, kill the feed; kill the stream; cut the feed, we are done`,
  getLivestreamStatus: `
    how is the stream doing; is it up and running; are we still on air with the concert;
    is anything wrong with the picture; viewers say it stutters; people complain about buffering; the image is frozen;
    there is no sound on the stream; is the signal good; what bitrate do we have on this stream;
    how many frames are dropped; is the source coming in; did the broadcast really start;
    how long has the match been live; which state is the lecture in; is the stream healthy;
    is youtube receiving our stream; frame rate and speed of the running show; are the viewers receiving it;
    do viewers get anything at all; the sound is gone; audio is out of sync, what do the numbers say;
    it keeps buffering for people at home; is the mass ok; check on the wedding; dropped frames on the main stage;
    why is it red; does the encoder still keep up with the gala; is anybody receiving us; are we losing packets;
    can you see whether the concert is fine; it looks pixelated`,
  getLivestreamsStatus: `
    which shows are live at this moment; what is running now; state of all streams; is everything green;
    which streams have an error; any stream in trouble; everything that is on air; give me the wall of all streams;
    how are all our broadcasts doing; are all streams fine; who is live; how is everything; are all events healthy;
    which of them are red; what's live; status of everything; is anything off the air that should not be;
    count of streams that are on`,
  getAllLivestreams: `
    which streams do we have; list of all events; names of our broadcasts; show every configured stream;
    what shows are there; find the stream called derby; all live events in the system;
    is there already a broadcast for the gala; what have we configured; find the event named gala;
    do we have an event for the choir; all the programmes; the whole list; which webcasts are defined`,
  getAllWalls: `
    which walls are saved; which tile layouts do we have; what is on the screen in the gallery; list the monitor walls;
    which broadcasts are on the wall of the news desk; walls of the control room;
    which tiles does the foyer screen show; names of the walls`,
  addWall: `
    wall with these nine streams; new monitor wall for the control room; save a layout of tiles; four streams on one screen;
    wall of all sports streams; our broadcasts on the big screen; tiles for the gallery monitor; sixteen pictures on one screen;
    arrange streams on a screen; a saved wall for the night shift; wall of the festival`,
  updateWall: `
    move a tile to the first place; change the order of the wall; add a stream to the wall; take a tile off the wall;
    twenty-five tiles on the wall in place of nine; other layout for the gallery screen; rename the wall; swap two tiles;
    rearrange the wall of the news desk; show the sports streams on the wall too`,
  deleteWall: `
    delete the wall; we do not need that wall any more; remove the tile layout of the festival; throw away the saved wall;
    clean up old walls`,
  createDisplayLink: `
    link for the screen in the foyer; show the wall on a monitor without logging in; kiosk link for the wall; display without sign-in;
    address for the raspberry behind the screen; signage link; the monitor must not ask for a password at night;
    open the wall on a tv; a screen in the hall should show our streams; link for the monitor wall that does not expire`,
  listDisplayLinks: `
    which screens show the wall; list of display links; is the foyer monitor still on; which displays may open the wall;
    which kiosk links exist; who has a link to the wall; when did the display last show it`,
  revokeDisplayLink: `
    the foyer screen is gone, end its link; revoke the display link; display link leaked; that monitor must not show the wall any more;
    turn off the kiosk link; withdraw the link of the screen; make the foyer display go dark`,
  getLivestreamById: `
    settings of this stream; configuration of the event; how is the broadcast configured; show the event's definition;
    which source is bound to the stream; open stream 12; how is the funeral stream set up;
    open the definition of the event; what's in the settings of this show; description of the webcast`,
  getLivestreamEnriched: `
    everything about this broadcast in one go; the event with its source, encoder and outputs;
    full picture of a stream with all it refers to; all details of the show including destinations and ladder;
    which camera, preset and outputs does this event use; resolve what the stream is made of;
    what is this event made of; give me the complete set-up with the names instead of numbers;
    event with camera, preset, outputs and box; all about the festival; all in full with names`,
  getLivestreamEvents: `
    what happened during the show; when did the source drop; when did it go down;
    was there an interruption; did it switch to backup; did the stream crash during the game;
    how many times did it reconnect; give me the error messages of yesterday's show; stream history;
    outages of the event; what time did we go on air yesterday; log of the transmission;
    incidents during the evening; for how long was the signal lost;
    the feed vanished, since when; how often did the signal drop; what were the warnings of the derby;
    what time did the second half start on our side; did we have glitches`,
  getRunReport: `
    why was the screen black at nine; why did we lose the picture at nine; find out why it went off; explain the outage;
    a viewer complains about ten minutes of black yesterday; there was a gap in the stream, what was it;
    incident report; post mortem of last night; what did viewers miss; how many seconds were lost in total;
    report of the run; report of the broadcast to print; root cause of the drop-out; explain the incident at 21:03;
    who switched it to black and why; what went wrong and who did what; evidence for the sponsor of what went wrong;
    why was there no sound between eight and nine; why did it freeze during the final; summary of yesterday's transmission;
    as-run report; how much was missing on YouTube; write up what happened in the last broadcast; explain the black screen;
    tell me the cause of the interruption; why did viewers see the slate; how long was the audience without picture`,
  getLivestreamAudience: `
    how many people are watching; how many are watching; is anyone watching; viewer count; number of viewers; viewers right now;
    concurrent viewers; peak viewership; how many watched last sunday; how big is our audience; who is watching; audience;
    watch time report; which players do they watch with; what devices do viewers use; view statistics; viewing figures;
    did anybody see it; how many tuned in; do viewers have stalls; how much does it buffer for viewers; rebuffering of the players;
    how long until viewers see the first picture; which rendition do viewers get; audience of last night; views of the derby;
    how many live viewers; how large was the audience; viewership; ratings of yesterday; how many are on; watch hours; views today;
    report of all views; how popular is it; are there many people watching; how many joined; number of people online; analytics;
    audience statistics; which browsers do they watch with; viewing report; attendance of the stream; how many devices watch`,
  moveLivestream: `
    move the show to the other encoder while it is live; hand the broadcast over to another machine; take the derby off that box;
    shift the stream to blade 2 without stopping it; migrate the live event; relocate the gala to another encoder;
    change the encoder of a running show; carry the concert over to the second unit; the fan of the box is loud, put the match elsewhere;
    swap the machine under a running broadcast; make room on the encoder by moving a stream; transfer the mass to another box live;
    run the show from another encoder from now on; get the broadcast over to the spare encoder`,
  acknowledgeEvent: `
    acknowledge the alarm; I know about the fault; we are working on it; take that alarm; mark the fault as seen;
    tell everybody that I take care of it; ack; somebody looks into it already; acknowledge the lost source; confirm the alarm`,
  getAllEvents: `
    log across all broadcasts; what happened anywhere overnight; incidents of the whole station;
    every warning since midnight on any stream; errors of all streams today; log of the whole installation;
    station log; morning report over all streams; failovers of all streams in the last days;
    combined log of all shows; everything that failed anywhere last night; trouble on any of our streams during the weekend;
    which streams lost their source this week; handover report of the night shift;
    what did I miss on the other streams; log of the deleted stream`,
  getLivestreamPreview: `
    a picture of the output; what are viewers seeing; show me the image that goes out;
    take a screenshot of the stream; let me see what is on screen; thumbnail of the live picture;
    a frame from programme out; how does it look on air; is the picture black; multiviewer tile of the event;
    show me what the audience sees; what is in the picture now; can I see it; send me the current frame;
    is the camera framed properly; eyes on the output; what did viewers see at 20:14; the picture of ten minutes ago;
    show me what was on screen before the fault`,
  getLivestreamStartConfig: `
    can we go live; is everything set to start; what is missing before we can start; what stops us from going live;
    why can't I start the show; why does it refuse to start; checklist before air; are we allowed to start;
    with which outputs did it run the last time; the same settings as last week's start;
    which destinations were on at the previous start; may I press start; the start button is grey; is it good to go;
    ready check; would it start; what hinders the start; what did we tick last time; preflight check;
    which platforms were selected the last time`,
  addLivestream: `
    set up a new event; create a stream for the wedding; make a broadcast with camera two and youtube;
    prepare a show for next week; configure a new webcast; we need another event for court 5;
    build a live event from the studio feed; new stream called gala; new broadcast please;
    combine source, preset and outputs to a new stream; add a programme for the festival;
    I want a new programme for the lecture; prepare the wedding stream;
    make one for the conference with the hall camera to facebook; event for the graduation please;
    a further stream for hall B; copy the set-up for another court`,
  setUpBroadcast: `
    I have a video file that shall be streamed; just broadcast this file; first broadcast from nothing; quick start;
    do everything for a stream from this address; one click broadcast; nothing is configured yet, I want a stream;
    play this mp4 live with one command; wizard; walk me through the first stream; try it out with a video;
    here is an rtmp address, make a live stream of it and start; from zero to on air; instant broadcast of a clip;
    guided set-up; make all that is needed and go live with this url; simplest way to stream a film`,
  updateLivestream: `
    rename the event; give the broadcast another name; the stream should use a different source;
    change the preset of the event; bind another ladder to the show; the event must go to other outputs;
    edit the broadcast; use another encoder for this stream from now on; correct the title of the event;
    change what the show is made of; the event should take the other preset; wrong title on the event;
    swap the ladder that the conference uses; from next time on it uses the wide camera; event gets a new description;
    tie the show to a certain machine; enable the event again; event must not be startable for now`,
  deleteLivestream: `
    delete a live stream; remove the old event; we no longer need that broadcast, delete it; clean up test streams; throw the event away;
    get rid of the demo stream; erase the broadcast from the system; delete last year's show;
    last season's event can go; tidy up events; the carnival event is obsolete; bin the demo event;
    we will never use this event again`,
  runtimeApplyLogo: `
    put our logo on the picture; logo in the top right; show the watermark; station bug in the corner; bug off;
    logo off; hide the branding; remove the watermark from the picture; the sponsor's logo should be visible;
    move the emblem to the bottom left; overlay the channel ident; no logo during the anthem; put the crest on screen;
    burn in the sponsor graphic; static image overlay; the crest of the club in the lower left; branding on;
    sponsor off the picture; no bug please; change the corner of the logo;
    christmas logo instead of the usual one now; ident in the upper right; bring the logo in;
    watermark over the picture;
    show a picture file in the corner; banner of the sponsor on the picture during the break; display the png at the lower right`,
  runtimeApplyBlackout: `
    fade to black; go to black now; hide the picture; we must not show this; cut the picture, there is an accident;
    put the slate on; show the holding slide; be right back screen; starting soon loop; technical difficulties card;
    cover the programme for a moment; privacy please, nobody should see this;
    show the standby video instead of the camera; back to the live picture; programme back;
    end of blackout, show the camera again; take the slate off; blank the screen; play the intermission loop;
    put something else up, this must not be seen; streaker on the pitch; fight in the crowd, hide it; pause card;
    children on camera, cover it; waiting loop on; we are back, camera please; cut away to the slate;
    screen to black but keep the sound; show the break picture; normal programme again;
    moment of silence, black please`,
  runtimeApplySourceSwitch: `
    switch to the other camera; change the input while live; take camera 2; use the spare feed; cut to the studio;
    go to the drone; the main feed is broken, use the other one; camera one died, go to another;
    switch over to the second contribution; input switch; replace the running source without stopping;
    bring in the remote guest's feed; take the feed from the truck instead; swap inputs on air;
    switch scene to the wide shot; this feed breaks up, take the other one; the camera froze, use another;
    go with the bonded link; wide shot please; other angle; put the drone on; bring the studio in live;
    back to the main camera; lens is dirty, go to cam 3; the fibre is gone, use the satellite; change source now`,
  runtimePushMetadata: `
    go to commercials; ad break now; break is over; roll the ads; back from break; start of advertising;
    insert a splice point; insert a scte marker; trigger the ads; cuepoint now; send an id3 tag to the players;
    tell the players which song is playing; mark the start of a chapter in the stream; midroll now;
    signal the affiliates to opt out; advertising starts; commercials over; ad marker;
    tell the players that ads begin; out of the break; splice out; splice in; a midroll please; network break;
    id3 with the artist; put a chapter mark; local insertion now; send a tag`,
  runtimeSetAdValues: `
    how long ad breaks last; the next ad break is two minutes; breaks of one minute by default;
    make commercial breaks longer; shorten the ads; limit ad length; maximum duration of a commercial;
    default break length thirty seconds; ads may take at most three minutes; ads of ninety seconds;
    pods are two minutes long; no break above three minutes; the coming commercial lasts longer;
    change how long the ads are; usual length of an ad`,
  setLivestreamText: `
    write a text on the picture; show a lower third; put the speaker's name on screen; name strap for the guest;
    caption with the score; title across the bottom; burn a clock into the picture; show the time of day;
    countdown on screen; change the banner to half time; take the text off; remove the title from the screen;
    subtitle line saying welcome; breaking news banner; display the bible verse; put the hymn number up;
    crawl along the bottom; title for the interview guest; name of the singer below; put half time on the picture;
    text gone please; caption away; strap with the minister's name; running clock; psalm 23 on the screen;
    write the result; stopwatch on; bottom line with the phone number; add a strapline;
    show the web address to viewers`,
  updateLivestreamOptions: `
    tighter crop while we are on air;
    crop the picture; cut off the edges of the image; crop the sides; what viewers get when the source is lost;
    set the fallback slate; choose a fallback file for signal loss; keep the scte markers of the source;
    pass ad markers through; strip the cue points; options of the running stream;
    black bars on the sides, cut them away; picture is too wide, trim it; if the camera fails show the card;
    leave the splice markers of the incoming feed in; what shall be shown when the signal is gone;
    drop scte from the source; louder please; turn the sound down; mute the sound of the show; lips and voice do not match;
    delay the audio; raise the gain; go to the backup by itself when the camera is black; when to fail over`,
  runtimeTogglePublishings: `
    pause facebook; turn off the twitch output only; leave the other outputs running; resume the restream;
    switch the backup path on; activate the second path; main path off; take the cdn out for a while;
    bring the instagram output back; facebook shows an error, restart that output; disable one destination while live;
    enable the output to the website; do not send to the partner any more tonight; reconnect the youtube output;
    use redundant output; start pushing to linkedin now; pause output; mute out twitch only;
    youtube complains about copyright, stop it there; take facebook down but nothing else; second leg on;
    first leg is bad, use the second; start the push to instagram now; hold the partner feed;
    kick the youtube push again; resume the cdn; switch over to the reserve delivery; only vimeo off;
    redundant path on`,
  update_destination_stream_key: `
    new stream key from youtube; facebook gave us another key; change the key of the twitch output;
    the streaming key has changed; rotate the key without stopping; the stream key has leaked;
    replace the ingest key of a platform; enter a new persistent key; facebook wants another key;
    key of the platform expired; here is the new key for twitch; the key was visible on screen, exchange it;
    put this streaming key in`,
  get_start_targets: `
    where should this run; which encoder is best for the show; on premises or cloud;
    where is capacity for another event; which group should I start it on;
    is there an encoder that can take the concert; recommend a machine for the match;
    can our own hardware handle one more or must it go to the cloud; best place to run tonight's event;
    who can carry the concert; which pool for the event; is it better to use the cloud; place for one more show;
    where do we have the power for it; what would you start it on; own hardware or hosted;
    which box would be best for the final; where would you run it; best encoder for tonight; which machine has the most room; should it go to the cloud; recommend an encoder`,
  channel_slot_usage: `
    how many slots are left; which slots are occupied; how full are the encoders; spare capacity of the hardware;
    can we fit one more stream on the box; slot occupancy; which input is used by what; unused inputs;
    how much headroom; is there an input left; any input free; capacity of the encoders; how many more can we run;
    which inputs are in use; can the rack take another`,
};
