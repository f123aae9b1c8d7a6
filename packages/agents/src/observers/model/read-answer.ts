import { OBSERVER_VOTES, type ObserverVoteName } from '@steward/contract'
import { z } from 'zod'

const answerShape = z.object({
  vote: z.enum(OBSERVER_VOTES),
  reason: z.string(),
  evidence: z.array(z.string()),
  tool_calls: z.array(z.looseObject({ tool: z.string(), id: z.string().optional() })).default([]),
})

/** The same as a JSON Schema for the vendor. */
export const ANSWER_SCHEMA: Record<string, unknown> = {
  type: 'object',
  properties: {
    vote: { type: 'string', enum: [...OBSERVER_VOTES] },
    reason: { type: 'string' },
    evidence: { type: 'array', items: { type: 'string' } },
    tool_calls: {
      type: 'array',
      items: {
        type: 'object',
        properties: { tool: { type: 'string' }, id: { type: 'string' } },
        required: ['tool', 'id'],
        additionalProperties: false,
      },
    },
  },
  required: ['vote', 'reason', 'evidence', 'tool_calls'],
  additionalProperties: false,
}

/** The tools an observer may call. All others count as write tools. */
const READ_TOOLS: ReadonlySet<string> = new Set(['read_row'])

export type ReadAnswer =
  | { kind: 'vote'; vote: ObserverVoteName; reason: string; evidence: string[] }
  /** It asks to see whole rows. */
  | { kind: 'look'; rows: string[] }
  | { kind: 'write-tool'; tool: string }
  | { kind: 'rejected'; problem: string }

const REASON_CHARS = 300

/** Validates an answer: a vote counts only with a row that exists. */
export const readAnswer = (json: unknown, known: ReadonlySet<string>): ReadAnswer => {
  const parsed = answerShape.safeParse(json)
  if (!parsed.success) return { kind: 'rejected', problem: 'its answer is not a vote' }
  const { vote, reason, evidence, tool_calls: calls } = parsed.data
  const foreign = calls.find(({ tool }) => !READ_TOOLS.has(tool))
  if (foreign !== undefined) return { kind: 'write-tool', tool: foreign.tool.slice(0, 80) }
  const wanted = calls.flatMap(({ id }) => (id !== undefined && known.has(id) ? [id] : []))
  if (wanted.length > 0) return { kind: 'look', rows: [...new Set(wanted)] }
  const cited = [...new Set(evidence.filter((id) => known.has(id)))]
  if (cited.length === 0) {
    return { kind: 'rejected', problem: `its ${vote} cites no row that exists` }
  }
  return { kind: 'vote', vote, reason: reason.slice(0, REASON_CHARS), evidence: cited }
}
