/** A mail to people, as the port to the mail server takes it. */
export interface Mail {
  to: readonly string[];
  subject: string;
  text: string;
  /** The same in a mail that is sent again after an attempt whose end is not known, so that a mailbox shows it once. */
  id: string;
}

/** The answer of the mail server for each address. */
export interface MailOutcome {
  accepted: string[];
  rejected: string[];
}
