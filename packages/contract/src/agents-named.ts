import { z } from 'zod'
import { agentTiming, prosody } from './agents-compose.ts'
import { agentTier } from './agents-routing.ts'

/** The front matter of a named agent's file, `USER/AGENTS/<name>.md`. The body is the persona's prompt. */
export const namedAgent = z
  .strictObject({
    name: z
      .string()
      .regex(
        /^\p{L}[\p{L}\p{N} .'-]{0,59}$/u,
        'must begin with a letter and have at most 60 letters, digits, spaces, dots, quotes or dashes',
      )
      .meta({ description: 'Its name.' }),
    description: z.string().min(1).meta({ description: 'Its purpose, in one line.' }),
    role: z.string().min(1).optional().meta({ description: 'For example: architecture lead.' }),
    aliases: z.array(z.string().min(1)).default([]).meta({ description: 'Other names for it.' }),
    type: z.string().min(1).optional().meta({
      description: 'The subagent type that runs it; derived from the role by default.',
    }),
    model: agentTier.default('standard').meta({ description: 'The model tier.' }),
    traits: z
      .array(z.string().min(1))
      .default([])
      .meta({ description: 'Traits of its character.' }),
    color: z.string().min(1).optional().meta({ description: 'Its color in the host.' }),
    voiceId: z
      .string()
      .min(1)
      .optional()
      .meta({ description: "The speech provider's voice, or a name of daidentity.voices." }),
    voice: prosody.partial().optional().meta({ description: 'How it speaks.' }),
    tools: z.array(z.string().min(1)).optional().meta({ description: 'Only these tools.' }),
    disallowedTools: z
      .array(z.string().min(1))
      .optional()
      .meta({ description: 'Not these tools.' }),
    maxTurns: z.int().positive().optional().meta({ description: 'The most turns it may take.' }),
  })
  .meta({ title: 'A named agent' })
export type NamedAgent = z.infer<typeof namedAgent>

/** A saved custom agent; it is recomposed from its traits on load. */
export const savedAgent = z.strictObject({
  custom_agent: z.literal(true),
  name: z.string().min(1),
  created: z.iso.date(),
  traits: z.array(z.string().min(1)).min(1),
  timing: agentTiming.default('standard'),
  task: z.string().nullable().default(null),
})
export type SavedAgent = z.infer<typeof savedAgent>

/** One row of the relationship log, `MEMORY/RELATIONSHIPS/<agent>.jsonl`. */
export const relationshipRow = z.looseObject({
  timestamp: z.iso.datetime(),
  agent: z.string().min(1),
  kind: z.enum(['note', 'work', 'praise', 'complaint']).default('note'),
  text: z.string().min(1),
})
export type RelationshipRow = z.infer<typeof relationshipRow>
