import { z } from 'zod'
import { fieldMapV2 } from './action.v2.ts'
import { fields, schemaAddress } from './json.ts'
import { nameOf } from './naming.ts'
import { type PipelineStep, pipelineStep } from './pipeline-step.ts'

/** `P_NAME.yaml`. Spec 1, Pipeline; design section 16 for steps that are more than a name. */
export const pipelineDefinition = z
  .strictObject({
    $schema: schemaAddress,
    name: nameOf('pipeline').meta({ description: 'P_ and words in UPPER_SNAKE_CASE.' }),
    description: z.string().min(1).meta({ description: 'What it does, in one sentence.' }),
    input: fieldMapV2
      .optional()
      .meta({ description: 'Fields it takes: name to {type, required, default}.' }),
    actions: z
      .array(pipelineStep)
      .min(1, 'a pipeline needs at least one action')
      .meta({ description: 'Names of actions and other steps, in the order they run.' }),
    version: z.string().default('1.0.0').meta({ description: 'Recorded with every run.' }),
    domain: z.string().optional().meta({ description: 'Its subject area, shown in lists.' }),
  })
  .meta({ title: 'Steward pipeline' })
export type PipelineDefinition = z.infer<typeof pipelineDefinition>

/** Every action that a list of steps can run, in the order of the file; repeated ones repeat. */
export const actionsIn = (steps: readonly PipelineStep[]): string[] =>
  steps.flatMap((step) => {
    if (typeof step === 'string') return [step]
    if ('when' in step) return []
    if ('parallel' in step) return step.parallel.flatMap(actionsIn)
    if ('each' in step) return actionsIn(step.do)
    const { onError = [] } = step
    return [step.action, ...(typeof onError === 'string' ? [onError] : actionsIn(onError))]
  })

/** A pipeline worker's answer: the superset of both published shapes. */
export const pipelineAnswer = z.object({
  success: z.boolean(),
  pipeline: z.string(),
  duration_ms: z.int().nonnegative(),
  total_duration_ms: z.int().nonnegative(),
  stages: z.array(z.string()),
  steps: z.array(
    z.looseObject({
      action: z.string(),
      duration_ms: z.int().nonnegative(),
      /** Its position, in pipelines whose steps are more than names. */
      path: z.string().optional(),
    }),
  ),
  output: fields.optional(),
  /** The condition that was not met; the output is that of the steps before it. */
  filtered: z.string().optional(),
  error: z.string().optional(),
  code: z.string().optional(),
  failed_stage: z.string().optional(),
})
export type PipelineAnswer = z.infer<typeof pipelineAnswer>
