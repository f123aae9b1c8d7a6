import { z } from 'zod'
import type { StoredEvent } from '../database/stored-event.ts'
import type { SessionBody } from '../log/session-body.ts'
import { conversationWith, unanswered } from './conversation.ts'
import { describeSurroundings, type Place } from './describe-surroundings.ts'
import type { LogView, OutcomeState } from './log-view.ts'
import { type ModelReply, type ModelRequest, textBlock } from './models/model.ts'
import type { AgentsTool } from './tools/find-tool.ts'
import { writeTranscript } from './transcript.ts'

type Agent = SessionBody['agent']

/** Requests the agent's next message. */
export const turnRequest = (
  { agent, ...body }: SessionBody,
  view: LogView,
  taken: readonly StoredEvent[],
  tools: readonly AgentsTool[],
  surroundings: Place,
): ModelRequest => ({
  model: agent.model,
  system: [agent.system ?? '', describeSurroundings({ agent, ...body }, surroundings)]
    .filter((part) => part !== '')
    .join('\n\n'),
  tools: tools.map(({ shown }) => shown),
  messages: conversationWith(view, taken),
})

const SUM_UP = `Sum up the conversation below so that the agent can continue with your summary alone. Keep: what the person wants, in their words where they matter; decisions and why; what was done, with exact names, paths, values and commands; what failed and why; what remains to do and the very next step. Write no greeting and no comment on the summary itself.`

/**
 * Requests the summary that replaces the conversation. The input shown last is kept as it is, so it
 * is left out here.
 */
export const compactionRequest = (
  agent: Agent,
  view: LogView,
  contextTokens: number,
): ModelRequest => {
  const messages = [...view.messages, ...unanswered({ ...view, shown: [] })]
  const transcript = writeTranscript(messages, contextTokens / 2)
  return plainRequest(agent, SUM_UP, `<conversation>\n${transcript}\n</conversation>`)
}

const JUDGE = `You judge whether an agent's work meets a rubric. Judge by what the conversation shows was done, not by what the agent claims. Answer with one JSON object and nothing else: {"satisfied": true or false, "explanation": "why, and what is missing"}.`

/** Requests a verdict on whether an outcome is reached. */
export const judgementRequest = (
  agent: Agent,
  view: LogView,
  outcome: OutcomeState,
  contextTokens: number,
): ModelRequest => {
  const { description, rubric } = outcome
  const transcript = writeTranscript([...view.messages, ...unanswered(view)], contextTokens / 2)
  const request = plainRequest(
    agent,
    JUDGE,
    `<outcome>\n${description}\n</outcome>\n<conversation>\n${transcript}\n</conversation>`,
  )
  const measure =
    rubric.type === 'text'
      ? { type: 'text', text: `<rubric>\n${rubric.content}\n</rubric>` }
      : { type: 'document', title: 'rubric', source: { type: 'file', file_id: rubric.file_id } }
  const messages = request.messages.map((message) => ({
    ...message,
    content: [measure, ...message.content],
  }))
  return { ...request, messages }
}

const plainRequest = (agent: Agent, system: string, text: string): ModelRequest => ({
  model: agent.model,
  system,
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text }] }],
})

/** The whole text of a reply. */
export const textOf = ({ content }: ModelReply): string =>
  content
    .flatMap((block) => textBlock.safeParse(block).data?.text ?? [])
    .join('\n')
    .trim()

const verdict = z.object({ satisfied: z.boolean(), explanation: z.string() })

/** The judge's verdict; `undefined` when it cannot be parsed. */
export const readVerdict = (reply: ModelReply): z.infer<typeof verdict> | undefined => {
  const text = textOf(reply)
  const json = text.slice(Math.max(text.indexOf('{'), 0), text.lastIndexOf('}') + 1)
  try {
    return verdict.safeParse(JSON.parse(json)).data
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined
    throw thrown
  }
}
