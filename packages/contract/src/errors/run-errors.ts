import type { ErrorRow } from './error-row.ts'

/** Runs of actions, pipelines and flows, here and on workers. */
export const RUN_ERRORS = {
  run_conflict: {
    status: 409,
    retryable: false,
    message: 'idempotency key {key} was already used by run {run} with a different input',
    remedy: 'Use a new key for a new input.',
  },
  run_active: {
    status: 409,
    retryable: true,
    message: '{subject} is still running in another process: {reason}',
    remedy: 'Wait until it finishes, or stop that process.',
  },
  run_not_resumable: {
    status: 409,
    retryable: false,
    message: 'run {run} cannot be continued: {reason}',
    remedy:
      'Start it again with `steward run`, or a flow with `steward trigger`; or choose another step for `steward rerun`.',
  },
  run_cancelled: {
    status: 409,
    retryable: false,
    message: 'run {run} was cancelled',
    remedy: 'Start it again, or continue an action or pipeline with `steward runs resume ID`.',
  },
  flow_disabled: {
    status: 409,
    retryable: false,
    message: 'flow {flow} is disabled',
    remedy: 'Set schedule.enabled to true in flow-index.json.',
  },
  budget_exceeded: {
    status: 429,
    retryable: false,
    message:
      'the {scope} budget of {limit} USD would be exceeded: {spent} spent, next call up to {next}',
    remedy: 'Raise execution.budgets in settings.json or wait for the next day.',
  },
  item_filtered: {
    status: 422,
    retryable: false,
    message: 'filtered by {condition}',
    remedy:
      'Nothing is wrong: the pipeline drops such items. Change its `when` or its action to keep them.',
  },
  action_failed: {
    status: 500,
    retryable: false,
    message: '{action} failed: {reason}',
    remedy:
      '`steward runs show ID` has the input and the error; `steward rerun ID --from STEP` tries again.',
  },
  action_crashed: {
    status: 500,
    retryable: false,
    message: '{action} ended its own process: {reason}',
    remedy:
      'Return from execute or throw an error, await every promise, and do not call process.exit. Only this step failed.',
  },
  action_memory: {
    status: 500,
    retryable: false,
    message: '{action} needs more memory than its limit of {limit} bytes',
    remedy: 'Give it less at a time, or work on the data in parts. Only this step failed.',
  },
  invalid_output: {
    status: 500,
    retryable: false,
    message: '{action} returned an output that its manifest does not allow: {reason}',
    remedy: 'Correct the action or the output section of its action.json.',
  },
  invalid_definition: {
    status: 500,
    retryable: false,
    message: '{file}: {reason}',
    remedy: 'Correct the file; every mistake in it is named.',
  },
  capability_missing: {
    status: 500,
    retryable: false,
    message: '{action} used {capability}, which {reason}',
    remedy:
      'Add the capability to `requires` in action.json. Assistants run on your machine only: use `steward run --local` or a flow with `runsOn: here`.',
  },
  secret_missing: {
    status: 500,
    retryable: false,
    message:
      '{action} needs the secret {secret}, which is not set. Here: add it to .env in the data home. On the edge: {command}',
    remedy:
      'Write NAME=value into .env in the data home, or export it. If the action works without it, declare it as {"name": "NAME", "optional": true}.',
  },
  subrequest_limit: {
    status: 500,
    retryable: false,
    message: 'the run used up its {limit} subrequests',
    remedy: 'Split the work: a producer flow enqueues, a consumer flow processes.',
  },
  sandbox_unavailable: {
    status: 500,
    retryable: false,
    message: 'no sandbox for shell commands: {reason}',
    remedy:
      'Install bubblewrap (`steward doctor --fix`), or accept the risk with execution.shell.withoutSandbox: "run".',
  },
  snapshot_unreadable: {
    status: 500,
    retryable: false,
    message: 'the object {object} in the bucket {bucket} {reason}',
    remedy:
      'Files of this session are lost unless the bucket keeps versions or copies. Nothing but Steward should change objects below hosted.snapshotBucket.prefix.',
  },
  snapshot_unreachable: {
    status: 502,
    retryable: true,
    message:
      'the files of this session are not lost, but cannot be brought to this machine now: {reason}',
    remedy: 'Try again later. If the bucket refuses, correct hosted.snapshotBucket.',
  },
  bucket_refused: {
    status: 500,
    retryable: false,
    message: 'the bucket {bucket} refused: {reason}',
    remedy:
      'Correct hosted.snapshotBucket in settings.json or the secrets that it names. The key must be allowed to get, put and delete objects below the prefix.',
  },
  hook_not_built: {
    status: 500,
    retryable: true,
    message: 'the hook program cannot be built: {reason}',
    remedy:
      'Try again; a machine that is short of memory kills the build. `node scripts/build-hook.ts` in the clone shows its whole output.',
  },
  command_missing: {
    status: 500,
    retryable: false,
    message: '{command} is not installed: {reason}',
    remedy: 'Install the named program; the message says how.',
  },
  not_configured: {
    status: 500,
    retryable: false,
    message: '{subject} is not configured: {reason}',
    remedy: 'Set the value, or start the program, that the message names.',
  },
  worker_not_found: {
    status: 404,
    retryable: false,
    message: 'worker not found: {worker}',
    remedy:
      'The worker name in the configuration differs from the deployed one, or it was never deployed.',
  },
  workerd_lost: {
    status: 502,
    retryable: false,
    message: 'workerd ended unexpectedly and could not be restarted: {reason}',
    remedy: 'Start `steward edge up` again. Stored data and queued messages are kept.',
  },
  binding_missing: {
    status: 502,
    retryable: false,
    message: 'binding error: {reason}',
    remedy: 'Deploy the target workers before the workers that bind to them.',
  },
} as const satisfies Record<string, ErrorRow>
