/** Refusals of the server in words for people. */
export interface Issue {
  code?: string;
  message?: string;
  min?: unknown;
  max?: unknown;
}

export interface ProblemWords {
  /** A title for each code; left out: the server's detail says it. */
  titles: Readonly<Record<string, string>>;
  /** A remedy for people in place of the server's general one of a code, which is for programs. */
  remedies: Readonly<Record<string, string>>;
  /** Findings about one field, by their code; left out: the server's message does. */
  issues: Readonly<Record<string, (issue: Issue) => string>>;
  /** Obstacles of a start, by their code; left out: the server's message does. */
  reasons: Readonly<Record<string, string>>;
}

export const problemsEn: ProblemWords = {
  titles: {},
  remedies: {
    'Correct the fields listed under errors and send the request again.':
      'Correct what stands at the fields, and try again.',
    'Send a valid API token: Authorization: Bearer <token>.': 'Sign in again.',
    'Use a token of a user whose role allows the operation, or bring what the answer names.': 'Ask an Administrator.',
    'Use a server whose TOOL_PROFILE allows the operation.': 'Nothing of this kind can be changed on this server.',
    'List the resource to see which ids exist.': 'Look at the list: it may have been deleted.',
    'Use search_tools or the OpenAPI document to find the operation.':
      'Reload the page: the server may be of another version.',
    'Use one of the methods named in the answer.': 'Reload the page: the server may be of another version.',
    'Read the present state, then choose another value or retry.':
      'Look at what is there now, then choose something else or try again.',
    'Unbind the resource from the users named, then retry.': 'Take it out of what is named, then try again.',
    'Bring what the answer names into one of the allowed states first.': 'Start or stop what is named first.',
    'Call the server that owns the Device.': 'Try again in a moment.',
    'Repeat the call with the flag named in the answer.': 'Do it again and confirm it.',
    'Use the operation named in the answer instead.': 'Reload the page: the server may be of another version.',
    'Read the resource again and apply the change to its present version.':
      'Look at the change of the other person, then make yours.',
    'Send less than the limit named in the answer.': 'Choose a smaller one.',
    'Send one of the media types named in the answer.': 'Choose a file of another kind.',
    'Change the combination named in the answer to one that works.': 'Change one of what is named.',
    'Use a new Idempotency-Key for different arguments.': 'Try again.',
    'Choose a Device with the capability named, or install it there.':
      'Choose another Device, or install there what is named.',
    'Wait for the seconds in Retry-After, then retry.': 'Wait a moment, then try again.',
    'Report the request_id to the administrator; the log has the cause.':
      'Tell an Administrator the request id: the log of the server has the cause.',
    'Check the upstream service named in the answer.': 'Check the service that is named.',
    'Stop another Live stream, use fewer renditions, or choose another Device.':
      'Stop another Live stream, use fewer qualities, or choose another Device.',
    'Retry shortly; if it lasts, see the server log.': 'Try again in a moment; if it lasts, tell an Administrator.',
    'Read the present state, then try again.': 'Look at what is there now, then try again.',
  },
  issues: {},
  reasons: {},
};
