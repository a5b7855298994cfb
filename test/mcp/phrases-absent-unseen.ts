/**
 * Requests for features that the product does not have, written before the answer learnt to weigh the words that a tool leaves unexplained;
 * nothing is tuned on it, and nothing may be.
 */
export const ABSENT_UNSEEN: readonly string[] = `
how long did the average visitor stay; compare the ratings of both shows; who is following us on TikTok; phone the engineer when the encoder overheats; page whoever is
on call; post an update in the Discord; set off an alarm in the control room if the picture freezes; pin a comment above the video; kick that spammer out of the discussion; collect
questions from the public; take donations during the marathon; charge five dollars for access; show me the
budget that is left; print the contract with the sponsor; make the player start without sound; put a play button
on our homepage; hide the video from people under eighteen; only let subscribers in; shorten the link and make a
QR code of it; swivel the rooftop camera towards the harbour; close the iris a bit; lower the lights on stage;
tell the presenter to wrap up; record a voice memo; fade the music out slowly; filter out the wind noise; swap
left and right audio; dissolve from the studio to the pitch over two seconds; put the interviewer in a small box
in the corner; swap the sky for an animated backdrop; show the wind speed on a map; replay that tackle at half
speed; straighten the crooked horizon; patch in the correspondent by phone; let the mayor join from her laptop;
send an invite link to the panel guests; glue the two halves together into one film; find every scene with the
chancellor in it; write a summary of what was said; colour correct the interview; burn the film onto a disc; dub
the speech into Hindi; check the spelling of the lower thirds; describe the picture for the blind; power cycle
the rack; how hot is the processor; renew the TLS certificate; run a speed test to the studio; roll back
yesterday’s update; open a shell on the encoder; connect our LDAP directory; use my fingerprint to sign in; undo
my last change; show me the keyboard shortcuts; what is the weather like in Oslo; find me a hotel near the arena
`
  .split(';')
  .map((wish) => wish.trim().replaceAll(/\s+/gu, ' '));
