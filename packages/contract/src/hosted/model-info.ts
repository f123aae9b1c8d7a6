import { z } from 'zod'
import { instant } from './instant.ts'

export const MODEL_LINES = ['haiku', 'sonnet', 'opus', 'fable', 'mythos'] as const

/** A model that agents may name. */
export const modelInfo = z
  .object({
    id: z.string(),
    type: z.literal('model'),
    display_name: z.string(),
    /** The start of 1970 if the release is unknown. */
    created_at: instant,
    /** Unknown here: providers describe them in different ways, or not at all. */
    capabilities: z.null(),
    max_input_tokens: z.number().int().positive().nullable(),
    max_tokens: z.number().int().positive().nullable(),
    line: z.enum(MODEL_LINES).nullable(),
    lifecycle: z.enum(['active', 'deprecated', 'retired']),
    deprecated_at: instant.nullable(),
    retires_at: instant.nullable(),
    allowed_fallback_models: z.array(z.string()).nullable(),
  })
  .meta({ id: 'ModelInfo' })
export type ModelInfo = z.infer<typeof modelInfo>
