/**
 * Requests for features that the product does not have. They were written before the search was taught to say so, and only measure it;
 * the phrases that it is tuned on are in phrases-absent-tuning.ts.
 */
export const ABSENT: readonly string[] = `
webhook when the stream goes down; send me a text message if the source drops;
moderate the chat of the broadcast; show the viewers' comments on screen; post the broadcast to Facebook
automatically; tweet that we are live; translate the subtitles into Spanish; make a highlight reel with AI; the
invoice for last month's streaming; how much does this broadcast cost us; change the billing address; zoom the
camera in; pan the PTZ camera to the left; cut between camera angles automatically; add background music; put
two sources side by side, picture in picture; bring in a guest by video call; record my screen; ask the audience
a poll question; sell tickets for the show; put the player behind a paywall; block viewers from Germany; geo
restrict the stream; give me the embed code for our website; upload the video to YouTube after the show; convert
an old tape to MP4; order a new encoder from the vendor; update the firmware of the encoder; reboot the server;
upgrade the software to the newest version; back up the database; restore yesterday's backup; set a static IP
for the encoder box; open a port in the firewall; turn on two factor authentication for my account; log in with
Google; send an email invitation to a colleague; switch the page to dark mode; audience retention graph; which
country do our viewers come from; weather forecast widget on the picture; live scores from a sports data feed;
teleprompter for the presenter; remind the presenter five minutes before the show; order pizza for the crew;
book a flight to Berlin; make a thumbnail for the video; add chapters to the video; blur a face in the picture;
green screen behind the speaker; a window for the sign language interpreter; stream 360 degree video; a
multiview wall of all cameras; talkback to the camera operator; run an A/B test of two thumbnails; refund a
subscriber; open a support ticket with the manufacturer
`
  .split(';')
  .map((wish) => wish.trim().replaceAll(/\s+/gu, ' '));
