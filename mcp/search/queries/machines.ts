/** Example queries about encoders and files, with semicolons between them. See ../example-queries.ts. */
export const MACHINES_REQUESTS: Readonly<Record<string, string>> = {
  getAllDevices: `
    which encoders do we have; list of machines; what hardware is there; inventory of encoders;
    which transcoders are registered; addresses of all boxes; our blades; machines we own; what encoders are there;
    which boxes are paired; serials and addresses of the units`,
  getDeviceById: `
    what can this encoder do; ip address of the encoder; where does this machine stand; does the box support hevc;
    which codecs and inputs does the unit have; details of the transcoder; can the unit do 4k; has it got sdi inputs;
    what is in the truck machine; where is the box; address of the blade; is the encoder enabled; does it have a gpu;
    capabilities of the device; what is device 2 capable of; is the disk of the encoder full;
    mount status of the machine; is the recording disk mounted; how much room is left on the disk of the box`,
  createJoinToken: `
    token for new encoders; let machines join by themselves; encoder behind a router; device behind nat;
    invite a machine in the other building; cloud-init for twenty encoders; enrol the new rack;
    machines should register on their own; encoder without a public address; join token for the van;
    let the encoder dial us; set up a hundred machines at once; onboarding key for encoder machines`,
  listJoinTokens: `
    which join tokens are open; how many machines have joined; open invitations for encoders; join token expires when;
    may further machines join; how many uses are left on the join token; list enrolment tokens;
    which machines may still register on their own; show the join tokens; join token still valid`,
  revokeJoinToken: `
    revoke the join token; no more machines may join; join token has leaked; end the enrolment of encoders;
    withdraw the invitation for encoders; cancel the join token; stop machines from joining;
    join token is on github; the rack is complete, close the door for further machines; void the join token`,
  addDevice: `
    add an encoder; we bought another encoder; connect a second box; register a transcoder; new server for encoding;
    the unit shows a user and password for pairing; bring a machine into the system; enrol the appliance;
    new transcoder; bring in another blade; here is another encoder, it shows a pairing code;
    connect the machine from the truck; make the server known; add hardware`,
  updateDevice: `
    rename the encoder; the encoder stands in another room now; take a machine out of service;
    do not use this box for now; machine has a new ip address; put the encoder back in service;
    change where the unit is located; maintenance on the encoder; blade is being repaired, do not use it;
    encoder is back from repair; it sits in another room; unit gets another name; disable the blade;
    the box changed network; take encoder 2 out of rotation`,
  drainDevice: `
    drain the encoder; empty the box before the reboot; evacuate the machine; move everything away from blade 2;
    clear the encoder for maintenance tonight; get all streams off this unit; free the machine of all its broadcasts;
    the box must be rebooted, bring its shows elsewhere; cordon the encoder; prepare the encoder for an update without going off air;
    vacate the transcoder; shift all shows off the box before we open it`,
  undrainDevice: `
    undrain the encoder; the reboot is done, use the box again; end the maintenance of the machine; uncordon the unit;
    stop emptying the encoder; the drained blade may take shows again; cancel the drain; bring the emptied encoder back into the rotation;
    the update is through, give the emptied machine streams again; do not drain it after all`,
  holdFleet: `
    hold the fleet; freeze the fleet before the network work; nothing may be moved between machines for now; no failover of encoders tonight;
    keep every broadcast on the machine where it is; suspend automatic moves; do not shift shows when a machine seems lost;
    we work on the switches, hold all encoders; stop all automatic failover of the machines; lock all shows to their boxes until the work is done`,
  releaseFleet: `
    release the fleet; unfreeze the fleet; the network work is over, broadcasts may be moved again; the hold of the fleet is over;
    let automatic moves go on; switch failover of the machines back on; allow the machines to take over again; the fleet need not be held any more;
    shows may change their box again`,
  deleteDevice: `
    remove an encoder; the box is broken, take it out of the system; unpair a machine; we sold the encoder;
    decommission the transcoder; retire the unit; transcoder is sold; hardware is gone; blade was scrapped;
    remove the machine for good; throw the box out; end the pairing`,
  getDevicesStatus: `
    is any machine offline; are all boxes reachable; health of the hardware; summary of the machines;
    did an encoder crash; one of the units is down; is a blade missing; are the machines up; are all units alive;
    hardware ok; how many are offline; encoders in red;
    is one of the boxes down; one of our encoders is down; is a unit unreachable`,
  getDevicesLiveStatus: `
    what runs on which encoder; what are the machines doing; which stream is on which box;
    which encoder carries the match; load of the encoders; how busy is each machine; who uses encoder 2;
    cpu of the boxes; which box does the derby; what is on blade 2; who occupies the encoder; utilisation per machine;
    is the encoder overloaded; jobs per machine; temperature and load`,
  getAllDeviceGroups: `
    groups of machines; clusters of encoders; which machines belong together; show redundancy groups; our clusters;
    which blades are together; pools of hardware; who is in the studio pool`,
  createDeviceGroup: `
    make a pool of encoders; group machines together; new cluster; redundant pair of encoders;
    combine boxes into a pool; put the machines of the studio into one pool; blades as a cluster;
    redundancy for the machines; put two encoders together so that one can replace the other; pool for sports;
    form a group of boxes`,
  updateDeviceGroup: `
    remove an encoder from the cluster; rename the pool; the new unit belongs to the studio pool;
    take the box out of the pool; change members of the encoder group; blade 2 leaves the cluster;
    kick a box out of the pool; the pool gets one more unit; exchange a machine in the cluster;
    pool under another name`,
  deleteDeviceGroup: `
    delete the pool; remove the cluster; the encoder group is not needed any more; break up the pool;
    dissolve the cluster; cluster no longer needed; pool can go; split the pool up; no group of encoders any more`,
  listAssets: `
    which files are on the server; which logos do we have; what pictures can I use; list of slates and clips;
    which videos are uploaded; show the graphics; all uploaded images; what jingles are there;
    which graphics could I use; pictures on the server; what can be shown as slate; list of stills; is there a jingle;
    logos to choose from; bumpers and stings;
    do we still have the old banner; is the picture still there`,
  readAsset: `
    give me the file back; download the logo file; get the clip from the library; how long is the standby video;
    size of the picture; fetch a file from the media library; open the intro file; I need the png again;
    how large is the logo; give me the intro; how many seconds is the jingle; retrieve a file; what's in the file`,
  uploadAsset: `
    upload a logo; here is our new logo; add the intro video; store a picture on the server; new slate for the break;
    load the jingle up; send you a graphic; new sponsor graphics have arrived; import a png; we got a new logo;
    here is the picture; take this video for the break; add a jingle; the sponsor sent graphics; new holding slide;
    store the opener; put this png on the server; save a file for later use; bumper for the show;
    put a picture file on the server to show it during the show; add a video file to play it in the break;
    keep this graphic here so it can be overlaid; a video for the opening, please load it; I send you a banner to display;
    take a sound file into the library; a greeting on video to be shown later`,
  deleteAsset: `
    remove a file from the library; delete the old logo file; the intro video is outdated, remove it;
    clean up pictures; throw away a clip; we no longer need this graphic; jingle can go; old logo away;
    no longer sponsor, remove the graphic file; wipe the pictures of last year; file is not used any more;
    bin the opener; bin the old bumper; that picture can go; remove old_logo.png; delete intro.mp4`,
};
