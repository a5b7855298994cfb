/** Example queries about people, keys, licences and the audit, with semicolons between them. See ../example-queries.ts. */
export const PEOPLE_REQUESTS: Readonly<Record<string, string>> = {
  getAllUsers: `
    who can log in; list of accounts; which people have access; who are the administrators; all operators;
    who may use this; everybody with an account; the names of all operators; who is administrator; how many users;
    people in the system`,
  getUserById: `
    details of a user; what is her email address; which role does he have; is the account active;
    show the login of a colleague; look up a colleague; e-mail of the operator; when was the account made;
    is he an admin; full name of user 3`,
  addUser: `
    new colleague needs a login; create an account for a volunteer; give the intern access; add an operator;
    someone new joined the crew; invite a person; set up a user for the producer;
    the new girl at the desk must be able to sign in; somebody joins us on monday; credentials for a new operator;
    freelancer needs access for the weekend; let the trainee in; second administrator; add my colleague`,
  updateUser: `
    he forgot his password; make her an administrator; change an email address; lock the account; suspend a user;
    she has married, new last name; deactivate a login; correct the name of a user; demote him to operator;
    becomes administrator; give him admin; she forgot her password; block his login for now; new mail address;
    change the name of the colleague; no longer admin; let him in again; is on leave, deactivate; typo in her name`,
  deleteUser: `
    remove a user; he left, delete the account; she does not work here any more; delete the login of the intern;
    remove access for good; freelancer is finished, account away; erase his account; he quit;
    remove the former colleague; account is not needed any more; wipe the trainee's login;
    take his account out for good; remove her login entirely;
    delete the user; delete a user; remove the user; delete the account of a user`,
  getUserProfile: `
    what may this user do; permissions of the user; may he create api keys; which language does she use;
    rights of the operator; what is he allowed to do; can she make keys; preferences of the colleague;
    language setting of the user; her rights`,
  updateUserProfile: `
    let him create api keys; allow her to issue tokens; change the language of a user; interface in spanish;
    menus in french for the colleague; give the user more rights; take away the right to make tokens;
    prefers french menus; she wants the pages in italian; he may make keys from now on; no more keys for him;
    change rights; language to dutch; different permissions`,
  getAllUserGroups: `
    who is in the crew; list of user groups; members of the shift; show departments; our crews;
    who works in the late shift; which people belong together; teams and members; groups of colleagues`,
  addUserGroup: `
    new team; make a group of people; group the camera operators; create a crew for the weekend;
    a team for the volunteers; put some colleagues together; weekend crew; the sound people as a team;
    a shift for the night; form a group of volunteers; department for news; team of editors`,
  updateUserGroup: `
    add someone to the team; remove him from the crew; rename the team; she joins the early shift;
    change the members of the team; late shift gets another person; he changes to the sound crew; she leaves the team;
    add a volunteer to the crew; team under a new name`,
  deleteUserGroup: `
    delete the team; dissolve the crew; the shift does not exist any more; remove the user group;
    crew no longer exists; team can go; no night shift any more; split up the team`,
  createApiToken: `
    I need an api key; access for an integration; token for the automation; credentials for companion;
    let my program talk to the api; key that is valid for a year; secret for home automation; token for grafana;
    new bearer token; credentials for the stream deck; plugin needs access; give the bot a key;
    make a secret for the ci; developer wants to call the api; key for node-red; access for zapier for a month;
    password for my python program; let the automation in; something to authenticate with;
    a program of ours needs a token to start shows; token for the booking system`,
  listApiTokens: `
    which keys are in use; list of tokens; which scripts have access; when does the token expire;
    which api keys are about to run out; show integrations that have keys; which keys expire; who can call the api;
    keys that were given out; all bots with access; old keys; is the script's key still valid`,
  revokeApiToken: `
    a key has leaked; lock out the script; the token must not work any more; block the api key at once;
    remove access of the integration; cancel the key; somebody published our token; bot must not get in;
    key is on github, kill it; lock the plugin out; withdraw access of the developer; that secret is compromised;
    end the access of the script; stolen key; invalidate the credentials of the agency`,
  installLicense: `
    install the licence; activate the feature we bought; unlock more channels; enter the licence key;
    renewed licence has come; add the option we purchased; we paid for more, here is the file; bought an option;
    license came by mail; extend the licence; activation; add channels we purchased`,
  getSystemAlarms: `
    what is wrong with the machine; is anything wrong with the system; system alarms; active alarms; show me the alarms of the server; run the doctor;
    health of the installation; does the server need attention; does anything need a person; what should I fix on the server;
    system check; self test of the installation; warnings of the system; is the server healthy; what is failing in the background;
    does a certificate end soon; is a clock of our machines wrong; does an encoder lack a program; which key server is broken;
    could the backups of the recordings be made; problems of the installation; diagnose the system`,
  getSystemLicenses: `
    what are we licensed for; when does the licence expire; which features are unlocked; is the editor included;
    do we have the cloud option; is our licence still valid; have we got the editor; until when have we paid;
    options of the installation; is 4k included; how many outputs are allowed; licence state; how many outputs may we have by licence; licence valid until`,
  getMembers: `
    is every server of ours running; which control plane is down; is the cluster healthy; how far behind is the second server;
    who owns the encoder van; which server does the schedules; may I upgrade a server now; state of the fleet;
    is one of the three servers missing; did the failover work; versions of all servers; who does the housekeeping;
    are both control servers alive; is the second server up; is the standby server in sync`,
  getRestore: `
    was the database restored; did the store go back; is the restored store waiting for somebody; was there a rollback of the data;
    why does no schedule run since the restore; why are all planned actions waiting; was an old backup put back;
    who has looked at the restored database; up to when do we have data; what was lost by the restore`,
  acknowledgeRestore: `
    confirm the restore; let the schedules go on after the restore; acknowledge the restored database; we have looked at the restored store;
    release what waits since the restore; resume the schedules after the rollback; the restored data is fine, go on;
    end the wait after the backup was put back; accept the restored store`,
  getAllMailRules: `
    who gets the mails about faults; which mail rules are there; who is told when a stream fails; why did no mail come;
    list of the e-mail alerts; was the last alert mail sent; which faults are mailed; who is on the list of the night desk`,
  addMailRule: `
    notify me by email; send an email when it fails; send a mail; email me; mail me when we lose signal; email when it starts; inform the producer by mail; automatic mail; drop me an email; mail if the bitrate falls; tell the night desk by mail when the source is lost; new e-mail alert;
    send the engineers a mail when a destination fails; mails about faults to the team; daily mail of all faults;
    set up e-mail alerts for the sunday service; who is on call should get a mail`,
  updateMailRule: `
    add somebody to the alert mails; no alert mails at night; quiet hours for the mails; too many alert mails, wait five minutes;
    other recipients for the fault mails; pause the alert mails; switch the e-mail alerts off for now; one mail a day instead`,
  deleteMailRule: `
    no more alert mails; delete the mail rule; remove the e-mail alert of the night desk; drop the mails about faults`,
  testMailRule: `
    send a test mail; does the alert mail arrive; test the e-mail alert; try the mail server; do the fault mails work;
    is the smtp server all right`,
  downloadSystemInfo: `
    logs for support; diagnostics package; the vendor wants log files; send debug information;
    dump for the developers; which version is installed; zip with the logs; vendor asks for logs;
    something to attach to the ticket; give me the log files; system dump; help desk needs information;
    technical report; bug report material; what version are we on; which release is running; version number; get me the log files`,
  getAuditLog: `
    who did that; who changed the settings; who deleted the source; who stopped the stream; who started the show;
    which changes were made today; who logged in last night; trace of changes; who was it;
    what has been altered since monday; track down who switched the output off; who took it off air;
    who has been on the system; whose fault was that; who touched my preset; what happened to my settings, who;
    list of actions by the operator; who removed the output; proof of who pressed stop; changes of the last days;
    was it the night shift; who renamed it`,
};
