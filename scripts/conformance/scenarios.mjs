// What the suites' scenarios are to this server: by which of its own names one is tried, and which do not apply, and why.

/**
 * The suites call tools, resources and prompts of a server made for them. What this server has of the same kind stands in.
 * `work()` makes a piece of work.
 */
export function standIns(root, work) {
  let asked;
  // A question to a person, which a suite answers: the same call again, with what the first said.
  const question = ({ requestState }) => {
    if (requestState === undefined || asked === undefined) asked = work();
    return {
      name: 'discern_drop',
      arguments: { path: root, worktree: asked, delete_branch: true, force: true },
      answers: 'consent',
    };
  };
  return {
    tools: {
      test_simple_text: { name: 'discern_help' },
      test_error_handling: { name: 'discern_status', arguments: { path: '/no-such-directory' } },
      test_tool_with_progress: { name: 'discern_done', arguments: { path: root } },
      test_input_required_result_elicitation: question,
      test_input_required_result_request_state: question,
      test_input_required_result_tampered_state: question,
      test_streaming_elicitation: question,
    },
    resources: { 'test://static-text': { name: 'discern://help/roots' } },
    prompts: {
      test_simple_prompt: { name: 'why-red' },
      test_prompt_with_arguments: ({ arguments: given = {} }) => ({
        name: 'start-work',
        arguments: { work: Object.values(given).join(' ') },
      }),
    },
  };
}

const noTasks = 'Tasks are an extension this server does not declare: a call is answered when it ends.';
const onlyText = 'Tools answer in text and structured content; none has this kind.';
const stateless =
  'In the older era nothing is kept between two requests over HTTP, so a client can be asked nothing: accept and drop are then refused. Over stdio they ask (test/server/consent.test.ts).';
const ownQuestion =
  'The one question this server asks has no fields and a name of its own; it has no second round.';
const neverSampled = 'This server never asks a client’s model (sampling).';

/** Scenarios that do not apply, and checks of one that do not while its others pass, each with its reason. */
export const notApplicable = {
  'completion-complete': 'No completions: the one argument of a prompt is free text.',
  'logging-set-level': 'No log for clients: what a call does is told as its progress, and in its answer.',
  'tools-call-with-logging':
    'No log for clients: what a call does is told as its progress, and in its answer.',
  'tools-call-image': onlyText,
  'tools-call-audio': onlyText,
  'tools-call-embedded-resource': onlyText,
  'tools-call-mixed-content': onlyText,
  'tools-call-sampling': neverSampled,
  'tools-call-elicitation': stateless,
  'elicitation-sep1034-defaults': stateless,
  'elicitation-sep1330-enums': stateless,
  'json-schema-2020-12': 'It looks for a tool of its own with those keywords; no tool here needs them.',
  'resources-read-binary': 'Resources are text.',
  'resources-templates-read': 'No resource templates.',
  'resources-subscribe': 'Resources are read when they are wanted; nothing is kept of a client over HTTP.',
  'resources-unsubscribe': 'Resources are read when they are wanted; nothing is kept of a client over HTTP.',
  'prompts-get-embedded-resource': 'Prompts are text.',
  'prompts-get-with-image': 'Prompts are text.',
  'http-custom-header-server-validation': 'No tool takes an argument by a header of its own.',
  'input-required-result-basic-elicitation': ownQuestion,
  'input-required-result-multiple-input-requests': ownQuestion,
  'input-required-result-multi-round': ownQuestion,
  'input-required-result-non-tool-request': 'A prompt asks nobody.',
  'input-required-result-basic-sampling': neverSampled,
  'input-required-result-capability-check': neverSampled,
  'input-required-result-basic-list-roots':
    'Over HTTP roots of a client say nothing of the server’s machine.',
  'input-required-result-ignore-extra-params': {
    'sep-2322-ignore-unexpected-params':
      'It answers without the state of the question. Here a yes counts only for what was asked, so it is asked anew.',
  },
  'server-stateless': {
    'sep-2575-server-rejects-undeclared-capability': neverSampled,
    'sep-2575-missing-capability-http-400': neverSampled,
    'sep-2575-server-no-log-without-loglevel': 'No log for clients.',
  },
  'server-sse-polling': {
    'server-sse-priming-event': 'A stream that breaks ends its call, so there is nothing to come back to.',
    'server-sse-retry-field': 'A stream that breaks ends its call, so there is nothing to come back to.',
  },
  ...Object.fromEntries(
    [
      'lifecycle',
      'capability-negotiation',
      'wire-fields',
      'request-state-removal',
      'mrtr-input',
      'request-headers',
      'dispatch-and-envelope',
      'status-notifications',
      'required-task-error',
      'mrtr-composition',
    ].map((name) => [`tasks-${name}`, noTasks]),
  ),
  ...Object.fromEntries(
    ['directory', 'enumeration', 'manifest'].map((name) => [
      `sep-2640-skills-${name}`,
      'Skills are an extension this server does not declare.',
    ]),
  ),
};
