import {
  type JsonObject,
  type PipelineDefinition,
  StewardError,
  toStewardError,
} from '@steward/contract'

/** Runs one step of a chain: in process, through a service binding, or from the journal. */
export type RunStep = (step: {
  index: number
  action: string
  input: JsonObject
}) => Promise<JsonObject>

/** Where a chain starts if its first steps are already done. */
export interface PipelineStart {
  index: number
  input: JsonObject
}

/**
 * Runs the chain exactly once, first to last; each output is the next input. It never loops:
 * iteration belongs to the calling flow (spec 1 rule 4).
 */
export const runPipeline = async (
  { actions }: Pick<PipelineDefinition, 'actions'>,
  start: PipelineStart,
  runStep: RunStep,
): Promise<JsonObject> => {
  let carried = start.input
  for (const [index, action] of actions.entries()) {
    if (index < start.index) continue
    const answer = await runStep({ index, action, input: carried })
    // The worker behind a binding may be the user's own and not pass fields through, so they are
    // merged here.
    carried = { ...carried, ...answer }
  }
  return carried
}

/** The error of a failed chain: names the stage and keeps the code of the original error. */
export class PipelineFailure extends StewardError<'action_failed'> {
  readonly stage: string

  constructor(stage: string, thrown: unknown) {
    const error = toStewardError(thrown, 'action_failed', { action: stage })
    super('action_failed', { action: stage, reason: error.message }, thrown)
    const { code, message, details } = error
    Object.assign(this, { code, message, details })
    this.stage = stage
  }
}
