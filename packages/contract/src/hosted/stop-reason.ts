import { z } from 'zod'
import { hostedId } from './instant.ts'

export const STOP_REASONS = [
  'end_turn',
  'requires_action',
  'retries_exhausted',
  'budget_reached',
  'refusal',
] as const

/** Why a session or thread is idle. */
export const stopReason = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('end_turn') }),
    z.object({ type: z.literal('requires_action'), event_ids: z.array(hostedId) }),
    z.object({ type: z.literal('retries_exhausted') }),
    z.object({ type: z.literal('budget_reached') }),
    z.object({ type: z.literal('refusal') }),
  ])
  .meta({ id: 'StopReason' })
export type StopReason = z.infer<typeof stopReason>

export const REFUSAL_CATEGORIES = [
  'cyber',
  'bio',
  'frontier_llm',
  'reasoning_extraction',
  'general_harms',
] as const

/** Details of a refusal; null for every other reason. */
export const stopDetails = z.object({
  type: z.literal('refusal'),
  category: z.enum(REFUSAL_CATEGORIES).nullable(),
  explanation: z.string().nullable(),
})
export type StopDetails = z.infer<typeof stopDetails>
