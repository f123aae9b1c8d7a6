import type { AttentionEntry, AttentionKind } from '@steward/contract'
import type { StoredRequest } from './request-store.ts'
import type { SessionWait } from './session-waits.ts'

/** An entry before its session is named and what follows from it is added. */
export type OpenEntry = Omit<AttentionEntry, 'choices' | 'answerable'>

export const completeEntry = (entry: OpenEntry, name: string): AttentionEntry => {
  const { answer } = entry
  const [only, ...more] = answer.where === 'here' ? answer.questions : []
  return {
    ...entry,
    name,
    choices: more.length === 0 && only !== undefined ? only.options.map(({ label }) => label) : [],
    answerable: answer.where === 'here',
  }
}

const ORDER: Readonly<Record<AttentionKind, number>> = {
  permission: 0,
  question: 1,
  plan: 2,
  form: 3,
  blocked: 4,
  error: 5,
  idle: 6,
  done: 7,
}

/** Questions first, then the longest waiting. */
export const sortEntries = (entries: readonly AttentionEntry[]): AttentionEntry[] =>
  entries.toSorted(
    (one, other) =>
      ORDER[one.kind] - ORDER[other.kind] || Date.parse(one.since) - Date.parse(other.since),
  )

export const entryOfRequest = ({ request, untilMs }: StoredRequest): OpenEntry => ({
  id: request.id,
  session_id: request.session_id,
  name: '',
  project: request.cwd ?? '',
  host: request.host,
  kind: request.reason,
  tool: request.tool_name ?? null,
  preview: request.detail,
  since: request.at,
  answer: { where: 'here', until: new Date(untilMs).toISOString(), ...request.asked },
})

/** A session that Steward drives has no terminal: a message to it is the answer. */
export const entryOfWait = (
  { session_id, host, cwd, reason, tool, detail, since, hint }: SessionWait,
  isDriven: boolean,
): OpenEntry => ({
  id: `session:${session_id}:${Date.parse(since)}`,
  session_id,
  name: '',
  project: cwd,
  host,
  kind: reason,
  tool,
  preview: detail,
  since,
  answer: isDriven
    ? { where: 'here', until: null, decides: false, questions: [], fields: [], takesText: true }
    : {
        where: 'terminal',
        hint: `${hint === undefined ? '' : `${hint}. `}Answer in the terminal${host === '' ? '' : ` of ${host}`}${cwd === '' ? '' : ` in ${cwd}`}`,
      },
})
