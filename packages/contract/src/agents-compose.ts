import { z } from 'zod'
import { agentTier } from './agents-routing.ts'

/** Spec 3, Custom-agent traits. `creative` is an expertise and a personality. */
export const TRAITS = {
  expertise: [
    'security',
    'legal',
    'finance',
    'medical',
    'technical',
    'research',
    'creative',
    'business',
    'data',
    'communications',
  ],
  personality: [
    'skeptical',
    'enthusiastic',
    'cautious',
    'bold',
    'analytical',
    'creative',
    'empathetic',
    'contrarian',
    'pragmatic',
    'meticulous',
  ],
  approach: [
    'thorough',
    'rapid',
    'systematic',
    'exploratory',
    'comparative',
    'synthesizing',
    'adversarial',
    'consultative',
  ],
} as const

export const TRAIT_CATEGORIES = ['expertise', 'personality', 'approach'] as const
export type TraitCategory = (typeof TRAIT_CATEGORIES)[number]

/** One trait, as in the data file. */
export const traitEntry = z.strictObject({
  title: z.string().min(1),
  /** For an approach: the noun for an agent that works this way. */
  noun: z.string().min(1).optional(),
  description: z.string().min(1),
  fragment: z.string().min(1),
  keywords: z.array(z.string().min(1)).default([]),
})
export type TraitEntry = z.infer<typeof traitEntry>

/** How a voice speaks. Ranges follow the speech providers. */
export const prosody = z.strictObject({
  stability: z.number().min(0).max(1).default(0.5),
  similarity_boost: z.number().min(0).max(1).default(0.75),
  style: z.number().min(0).max(1).default(0),
  speed: z.number().min(0.7).max(1.2).default(1),
  use_speaker_boost: z.boolean().default(true),
})
export type Prosody = z.infer<typeof prosody>

export const traitVoice = z.strictObject({ description: z.string().min(1), prosody })
export type TraitVoice = z.infer<typeof traitVoice>

export const voiceMapping = z.strictObject({
  traits: z.array(z.string().min(1)).min(1),
  voice: z.string().min(1),
  reason: z.string().min(1),
})
export type VoiceMapping = z.infer<typeof voiceMapping>

export const AGENT_TIMINGS = ['fast', 'standard', 'deep'] as const
export const agentTiming = z.enum(AGENT_TIMINGS)
export type AgentTiming = z.infer<typeof agentTiming>

/**
 * The result of the compose tool. The spec requires `prompt` and `voice_id`; the other fields are
 * ours.
 */
export const composedAgent = z.object({
  name: z.string(),
  slug: z.string(),
  traits: z.array(z.string()),
  expertise: z.array(z.string()),
  personality: z.array(z.string()),
  approach: z.array(z.string()),
  /** Traits inferred from the task's words, or defaults. */
  inferred: z.array(z.string()),
  subagent_type: z.literal('general-purpose'),
  tier: agentTier,
  timing: agentTiming,
  task: z.string().nullable(),
  voice: z.string(),
  voice_id: z.string(),
  voice_reason: z.string(),
  voice_settings: prosody,
  color: z.string(),
  notes: z.array(z.string()),
  prompt: z.string(),
})
export type ComposedAgent = z.infer<typeof composedAgent>
