import { z } from 'zod'
import { fields } from './json.ts'
import { nameOf } from './naming.ts'

/** `P_NAME.yaml`. Spec 1, Pipeline. */
export const pipelineDefinition = z
  .looseObject({
    name: nameOf('pipeline'),
    description: z.string().min(1),
    actions: z.array(z.string()).min(1, 'a pipeline needs at least one action'),
    version: z.string().default('1.0.0'),
    domain: z.string().optional(),
  })
  .meta({ id: 'pipeline', title: 'Steward pipeline' })
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
