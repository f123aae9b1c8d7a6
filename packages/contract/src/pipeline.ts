import { z } from 'zod'
import { fields, schemaAddress } from './json.ts'
import { nameOf } from './naming.ts'

/** `P_NAME.yaml`. Spec 1, Pipeline. */
export const pipelineDefinition = z
  .strictObject({
    $schema: schemaAddress,
    name: nameOf('pipeline').meta({ description: 'P_ and words in UPPER_SNAKE_CASE.' }),
    description: z.string().min(1).meta({ description: 'What it does, in one sentence.' }),
    actions: z
      .array(z.string())
      .min(1, 'a pipeline needs at least one action')
      .meta({ description: 'Names of actions, in the order they run.' }),
    version: z.string().default('1.0.0').meta({ description: 'Recorded with every run.' }),
    domain: z.string().optional().meta({ description: 'Its subject area, shown in lists.' }),
  })
  .meta({ title: 'Steward pipeline' })
export type PipelineDefinition = z.infer<typeof pipelineDefinition>

/** A pipeline worker's answer: the superset of both published shapes. */
export const pipelineAnswer = z.object({
  success: z.boolean(),
  pipeline: z.string(),
  duration_ms: z.int().nonnegative(),
  total_duration_ms: z.int().nonnegative(),
  stages: z.array(z.string()),
  steps: z.array(z.looseObject({ action: z.string(), duration_ms: z.int().nonnegative() })),
  output: fields.optional(),
  error: z.string().optional(),
  code: z.string().optional(),
  failed_stage: z.string().optional(),
})
export type PipelineAnswer = z.infer<typeof pipelineAnswer>
