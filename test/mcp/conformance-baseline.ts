/**
 * Findings of the conformance suites, each with its reason, as `scenario:check` (as `scenario` where its check has the same name).
 * Most scenarios are about the tools, prompts and resources of the suites' own example server, which a product does not have.
 */
export interface Known {
  reason: string;
  failing: readonly string[];
}

const EXAMPLE_TOOLS: Known = {
  reason: 'calls a tool of the example server (test_…), which is unknown here and answered with isError',
  failing: [
    'tools-call-image',
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-mixed-content',
    'tools-call-with-progress',
    'json-schema-2020-12:json-schema-2020-12-tool-found',
  ],
};

const EXAMPLE_PROMPTS: Known = {
  reason: 'gets a prompt of the example server',
  failing: ['prompts-get-simple', 'prompts-get-with-args', 'prompts-get-embedded-resource', 'prompts-get-with-image'],
};

const EXAMPLE_RESOURCES: Known = {
  reason: 'reads a resource of the example server (test://…)',
  failing: ['resources-read-text', 'resources-read-binary', 'resources-templates-read'],
};

const ASKING_BACK: Known = {
  reason: 'calls a tool of the example server that asks the client back; nothing here does',
  failing: [
    'tools-call-sampling',
    'tools-call-elicitation',
    'elicitation-sep1034-defaults:elicitation-sep1034-general',
    'elicitation-sep1330-enums:elicitation-sep1330-general',
  ],
};

const NOT_OFFERED: Known = {
  reason: 'asks for completion, logging or subscription, which are not among the capabilities announced: -32601',
  failing: [
    'completion-complete',
    'logging-set-level',
    'tools-call-with-logging',
    'resources-subscribe',
    'resources-unsubscribe',
  ],
};

/** Revisions with a handshake, whichever suite asks. */
export const WITH_HANDSHAKE: readonly Known[] = [
  EXAMPLE_TOOLS,
  EXAMPLE_PROMPTS,
  EXAMPLE_RESOURCES,
  ASKING_BACK,
  NOT_OFFERED,
];

export const STATELESS: readonly Known[] = [
  EXAMPLE_TOOLS,
  EXAMPLE_PROMPTS,
  EXAMPLE_RESOURCES,
  { reason: NOT_OFFERED.reason, failing: ['completion-complete'] },
  {
    reason: 'calls test_missing_capability of the example server',
    failing: [
      'server-stateless:sep-2575-server-rejects-undeclared-capability',
      'server-stateless:sep-2575-missing-capability-http-400',
    ],
  },
  {
    reason: 'needs a tool with x-mcp-header annotations; no argument here is meant for proxies',
    failing: [
      'http-custom-header-server-validation:sep-2243-server-no-xmcp-tool',
      'http-custom-header-server-validation:sep-2243-server-decode-base64',
      'http-custom-header-server-validation:sep-2243-server-validate-param-match',
      'http-custom-header-server-validation:sep-2243-server-reject-invalid-param-chars',
      'http-custom-header-server-validation:sep-2243-server-reject-param-mismatch',
    ],
  },
  {
    reason: 'calls tools and a prompt of the example server that answer input_required; nothing here does',
    failing: [
      'input-required-result-basic-elicitation:sep-2322-elicitation-incomplete',
      'input-required-result-basic-sampling:sep-2322-sampling-incomplete',
      'input-required-result-basic-list-roots:sep-2322-list-roots-incomplete',
      'input-required-result-request-state:sep-2322-request-state-incomplete',
      'input-required-result-multiple-input-requests:sep-2322-multiple-inputs-incomplete',
      'input-required-result-multi-round:sep-2322-multi-round-r1',
      'input-required-result-missing-input-response:sep-2322-missing-response-rerequests',
      'input-required-result-non-tool-request:sep-2322-non-tool-incomplete',
      'input-required-result-result-type:sep-2322-result-type-included',
      'input-required-result-tampered-state:sep-2322-reject-tampered-state',
      'input-required-result-capability-check:sep-2322-respect-client-capabilities',
      'input-required-result-validate-input:sep-2322-validate-input-responses',
      'input-required-result-validate-input:sep-2322-error-on-protocol-error',
    ],
  },
  {
    reason:
      'belongs to the extension io.modelcontextprotocol/tasks, which is not announced; its scenarios call tools of the example server',
    failing: [
      'tasks-lifecycle:sep-2663-result-type-task-on-create',
      'tasks-lifecycle:sep-2663-tasks-get-status-working',
      'tasks-lifecycle:sep-2663-tasks-get-status-completed',
      'tasks-lifecycle:sep-2663-tool-error-uses-completed-status',
      'tasks-lifecycle:sep-2663-tasks-get-status-failed',
      'tasks-lifecycle:sep-2663-cancel-ack-empty-result',
      'tasks-lifecycle:tasks-cancel-terminal-idempotent-ack',
      'tasks-capability-negotiation:tasks-extension-advertised',
      'tasks-capability-negotiation:sep-2663-tasks-methods-non-declaring',
      'tasks-capability-negotiation:tasks-per-request-meta-opt-in',
      'tasks-wire-fields:tasks-wire-field-renames',
      'tasks-wire-fields:tasks-no-early-ttl-expiry',
      'tasks-wire-fields:tasks-no-related-task-meta-on-inlined-result',
      'tasks-request-state-removal:tasks-request-state-removal-setup',
      'tasks-mrtr-input:sep-2663-tasks-get-status-input-required',
      'tasks-mrtr-input:tasks-mrtr-tasks-update-resumes',
      'tasks-mrtr-input:tasks-mrtr-partial-fulfillment',
      'tasks-request-headers:tasks-headers-tolerate-mcp-method-on-tools-call',
      'tasks-request-headers:sep-2663-routing-headers-accepted-on-tasks-get',
      'tasks-request-headers:sep-2663-server-rejects-mismatched-mcp-name-on-tasks-get',
      'tasks-dispatch-and-envelope:tasks-server-directed-creation-no-hint',
      'tasks-dispatch-and-envelope:sep-2663-durable-create-strong-consistency',
      'tasks-dispatch-and-envelope:sep-2663-tasks-get-invalid-task-id-32602',
      'tasks-required-task-error:sep-2663-server-returns-missing-capability-when-required',
      'tasks-mrtr-composition:sep-2663-mrtr-synchronous-before-task-creation',
    ],
  },
];
