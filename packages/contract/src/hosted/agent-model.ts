import { z } from 'zod'
import { SPEEDS } from './usage.ts'

export const MODEL_EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const
export type ModelEffort = (typeof MODEL_EFFORTS)[number]
const effortLevel = z.enum(MODEL_EFFORTS)
const modelId = z.string().min(1).max(256)

/** A model in answers: always the object form. */
export const agentModel = z.object({
  id: z.string(),
  effort: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('low') }),
      z.object({ type: z.literal('medium') }),
      z.object({ type: z.literal('high') }),
      z.object({ type: z.literal('xhigh') }),
      z.object({ type: z.literal('max') }),
    ])
    .optional(),
  speed: z.enum(SPEEDS).optional(),
  inference_geo: z.string().optional(),
})
export type AgentModel = z.infer<typeof agentModel>

/** A model in requests: its id, or an object with settings. */
export const agentModelGiven = z.union([
  modelId,
  z.strictObject({
    id: modelId,
    effort: z.union([effortLevel, z.strictObject({ type: effortLevel })]).nullish(),
    speed: z.enum(SPEEDS).nullish(),
    inference_geo: z.string().min(1).max(64).nullish(),
  }),
])
export type AgentModelGiven = z.infer<typeof agentModelGiven>

/**
 * The model after an update. The new one replaces the old one, except that an omitted effort is
 * kept; null clears it.
 */
export const resolveModel = (given: AgentModelGiven, before?: AgentModel): AgentModel => {
  const { id, effort, speed, inference_geo } =
    typeof given === 'string' ? { id: given } : { ...given }
  const kept = effort === undefined ? before?.effort : effort
  return {
    id,
    ...(kept ? { effort: typeof kept === 'string' ? { type: kept } : kept } : {}),
    ...(speed ? { speed } : {}),
    ...(inference_geo ? { inference_geo } : {}),
  }
}
